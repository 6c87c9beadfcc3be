"""From text to tokens: names, numbers, quoted labels and symbols, each with its source position.

`Slave'2` is one token: the name of a state that its author did not name. Such names can be used in invariants and
measures, but not declared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from strandline.errors import ParseError
from strandline.source import Source, Span

LARGEST_NUMBER = 2**31 - 1

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """STOP alphabet and as const else fair false hide if import invariant label measure network not or process
        rename system tau then to true""",
    )
)

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"[^"\n]*")
    |(?P<unclosed>/\*|")
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:'[0-9]+)?)
    |(?P<number>[0-9][A-Za-z0-9_]*)
    |(?P<symbol>->|\.\.|==|!=|<=|>=|\|\||[-()\[\]{},;:.=+*/%<>|])
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)


class Kind(Enum):
    """Kinds of tokens."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"
    KEYWORD = "keyword"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; the text of a quoted label is without its quotes."""

    kind: Kind
    text: str
    span: Span

    def describe(self) -> str:
        """Return the description of the token for error messages, such as `the keyword 'fair'`."""
        match self.kind:
            case Kind.END:
                return "the end of the text"
            case Kind.KEYWORD:
                return f"the keyword '{self.text}'"
            case Kind.STRING:
                return f'"{self.text}"'
            case _:
                return f"'{self.text}'"


def tokenize(source: Source, largest_number: int = LARGEST_NUMBER) -> list[Token]:
    """Return all tokens of a text and an END token; raises `ParseError` for an invalid character."""
    tokens: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(source.text):
        if match.lastgroup != "blank":
            tokens.append(_token(source, match, largest_number))
            end = match.end()
    return [*tokens, Token(Kind.END, "", Span(end, end))]


def _token(source: Source, match: re.Match[str], largest_number: int) -> Token:
    text, span = match.group(), Span(match.start(), match.end())
    match match.lastgroup:
        case "name":
            return Token(Kind.KEYWORD if text in KEYWORDS else Kind.NAME, text, span)
        case "number":
            return Token(Kind.NUMBER, _number(source, text, span, largest_number), span)
        case "string":
            if len(text) == 2:
                raise ParseError("a quoted label must not be empty", source, span)
            return Token(Kind.STRING, text[1:-1], span)
        case "symbol":
            return Token(Kind.SYMBOL, text, span)
    raise ParseError(_complaint(text), source, span)


def _number(source: Source, text: str, span: Span, largest_number: int) -> str:
    if not text.isdigit():
        raise ParseError(f"'{text}' is neither a number nor a name", source, span)
    if len(text) > 20 or int(text) > largest_number:
        raise ParseError(f"the number is larger than {largest_number}", source, span)
    return text


def _complaint(text: str) -> str:
    if text == "/*":
        return "this comment is never closed: '*/' is missing"
    if text == '"':
        return "this quoted label is never closed on its line"
    shown = text if text.isprintable() else ascii(text)[1:-1]
    return f"the character '{shown}' (U+{ord(text):04X}) has no meaning here"
