"""From text to tokens, with one regular expression and without an object per token.

A large generated model has a million tokens, so a token is an index into two parallel lists, its text and its offset.
Comments are blanked first, which keeps all offsets valid.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NoReturn

from strandline.errors import ModelError, ParseError
from strandline.source import Source, Span

BLANKS = " \t\r\n\f\v"
LARGEST_NUMBER = 2**31 - 1

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """accept and assert async byte channel commit const effect false guard imply init int not or process
        property state sync system trans true""",
    )
)
SYMBOLS = frozenset(re.findall(r"\S+", "( ) [ ] { } , ; : . ? ! = + - * / % & | ^ ~ < > -> => == != <= >= << >> && ||"))

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|/\*|\\[ \t\r]*\n", re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\n]")
_TOKEN = re.compile(
    r"(?:[A-Za-z_][A-Za-z0-9_$#]*|[0-9][A-Za-z0-9_$#]*|->|=>|==|!=|<=|>=|<<|>>|&&|\|\||[^ \t\r\n\f\v])"
    r"[ \t\r\n\f\v]*"
)
_PADDING = 4
"""Empty tokens appended to the list, so that a lookahead needs no bounds check."""


class Tokens:
    """The tokens of one source, two parallel lists of texts and offsets; the end of the text is an empty token."""

    __slots__ = ("count", "source", "starts", "texts")

    def __init__(self, source: Source, largest_number: int = LARGEST_NUMBER) -> None:
        self.source = source
        blanked = _COMMENT.sub(self._blank, source.text)
        pieces = _TOKEN.findall(blanked)
        leading = len(blanked) - len(blanked.lstrip(BLANKS))
        self.count = len(pieces)
        self.texts: list[str] = [piece.rstrip(BLANKS) for piece in pieces] + [""] * _PADDING
        self.starts: list[int] = list(accumulate(map(len, pieces), initial=leading))
        self._check_characters(largest_number)

    def _blank(self, match: re.Match[str]) -> str:
        comment = match.group()
        if comment == "/*":
            span = Span(match.start(), match.end())
            raise ParseError("this comment is never closed: '*/' is missing", self.source, span)
        return _NOT_NEWLINE.sub(" ", comment)

    def _check_characters(self, largest_number: int) -> None:
        """Raise `ParseError` for the first token that the language does not have."""
        wrong = [text for text in set(self.texts) if text not in SYMBOLS and _complaint(text, largest_number)]
        if wrong:
            place = min(map(self.texts.index, wrong))
            self.syntax_error(_complaint(self.texts[place], largest_number), place)

    def span(self, first: int, last: int | None = None) -> Span:
        """Return the source position of token number `first`, or of the tokens from `first` to `last` inclusive."""
        last = first if last is None else last
        if last >= self.count:
            end = self.starts[self.count - 1] + len(self.texts[self.count - 1]) if self.count else 0
            return Span(self.starts[first] if first < self.count else end, end)
        return Span(self.starts[first], self.starts[last] + len(self.texts[last]))

    def describe(self, place: int) -> str:
        """Return the description of a token for error messages, such as `the keyword 'guard'`."""
        text = self.texts[place]
        if text == "":
            return "the end of the text"
        return f"the keyword '{text}'" if text in KEYWORDS else f"'{text}'"

    def syntax_error(self, message: str, place: int) -> NoReturn:
        raise ParseError(message, self.source, self.span(place))

    def model_error(self, message: str, first: int, last: int | None = None) -> NoReturn:
        raise ModelError(message, self.source, self.span(first, last))

    def is_name(self, place: int) -> bool:
        text = self.texts[place]
        return bool(text) and (text[0].isalpha() or text[0] == "_") and text not in KEYWORDS


def _complaint(text: str, largest_number: int) -> str:
    """Return the error message for a token; empty if the token is valid."""
    if not text or text[0] == "_" or (text[0].isascii() and text[0].isalpha()):
        return ""
    if "0" <= text[0] <= "9":
        if not text.isdigit():
            return f"'{text}' is neither a number nor a name"
        if len(text) > len(str(largest_number)) + 20 or int(text) > largest_number:
            return f"the number is larger than {largest_number}"
        return ""
    if text in SYMBOLS:
        return ""
    shown = text if text.isprintable() else ascii(text)[1:-1]
    return f"the character '{shown}' (U+{ord(text):04X}) has no meaning here"
