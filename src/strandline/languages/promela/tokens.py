"""Tokens of Promela texts, with their places and the macros they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NoReturn

from strandline.errors import ModelError, ParseError
from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Origin:
    """The macro or inline whose text a token comes from, and the place of the token there."""

    name: str
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Token:
    """A token; tokens of an expansion stand where the macro or inline is used."""

    kind: str
    """`name`, `number`, `string`, `sign`, `line` (the end of a line), `stray` (no token of the language) or `end`."""
    text: str
    source: Source
    span: Span
    spaced: bool = False
    """True if white space stands before it."""
    origins: tuple[Origin, ...] = ()
    """The expansions it comes from, the innermost first."""

    def moved(self, place: Token, name: str) -> Token:
        """Return the token as part of an expansion of `name` at a place."""
        origin = Origin(name, self.source, self.span)
        return replace(self, source=place.source, span=place.span, origins=(origin, *self.origins, *place.origins))

    def _chain(self) -> str:
        parts = [f" (in the expansion of '{one.name}', {one.source.where(one.span)})" for one in self.origins[:8]]
        return "".join(parts)

    def parse_error(self, message: str) -> NoReturn:
        """Raise `ParseError` here, with the chain of expansions."""
        raise ParseError(message + self._chain(), self.source, self.span)

    def model_error(self, message: str) -> NoReturn:
        """Raise `ModelError` here, with the chain of expansions."""
        raise ModelError(message + self._chain(), self.source, self.span)


_PATTERN = re.compile(
    r"""(?P<blank>(?:[ \t\r\f\v]|\\\r?\n|/\*.*?\*/|//[^\n]*)+)
    |(?P<line>\n)
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<number>[0-9][A-Za-z0-9_]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)')
    |(?P<sign>\#\#|\.\.\.|->|\.\.|::|:=|\+\+|--|==|!=|<=|>=|<<|>>|&&|\|\||!!|\?\?|<>|\[\]|[-+*/%<>=!&|^~?:;,.(){}\[\]@\#$\\])
    |(?P<stray>.)""",
    re.S | re.X,
)
"""In temporal formulas alone `<>` and `[]` are operators; the parser splits them elsewhere."""


def tokenize(source: Source) -> list[Token]:
    """Split a text into tokens, ends of lines included; characters that begin none are of the kind `stray`."""
    tokens, at, spaced, text = [], 0, False, source.text
    while at < len(text):
        found = _PATTERN.match(text, at)
        assert found is not None
        if text.startswith("/*", at) and found.lastgroup != "blank":
            raise ParseError("this comment does not end", source, Span(at, at + 2))
        kind = found.lastgroup or ""
        if kind == "blank":
            spaced = True
        else:
            tokens.append(Token(kind, found[0], source, Span(*found.span()), spaced))
            spaced = kind == "line"
        at = found.end()
    tokens.append(Token("line", "\n", source, Span(at, at)))
    return tokens
