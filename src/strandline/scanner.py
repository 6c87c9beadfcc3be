"""A scanner for text formats whose tokens are given by one regular expression.

Formats that need more have scanners of their own: DVE, whose files have millions of tokens; the process language, HOA
and LTL, where a token has a kind or depends on its neighbours.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from strandline.errors import ParseError
from strandline.source import Source, Span


class Token(NamedTuple):
    """A token; its text is empty at the end of the source."""

    text: str
    span: Span


def token_at(source: Source, pattern: re.Pattern[str], offset: int, text: str | None = None) -> Token:
    """Return the token at an offset, behind blanks; raises `ParseError` if there is none.

    `pattern` matches blanks, and a token, or the end, as its first group. `text` replaces the source's, with the same
    offsets.
    """
    scanned = source.text if text is None else text
    found = pattern.match(scanned, offset)
    if found is None:
        start = len(scanned) - len(scanned[offset:].lstrip())
        raise ParseError(f"unexpected '{scanned[start]}'", source, Span(start, start + 1))
    return Token(found[1], Span(*found.span(1)))


def all_tokens(source: Source, pattern: re.Pattern[str]) -> list[Token]:
    """Return all tokens, the empty one at the end last; `pattern` is that of `token_at`."""
    tokens = [token_at(source, pattern, 0)]
    while tokens[-1].text:
        tokens.append(token_at(source, pattern, tokens[-1].span.end))
    return tokens


class Scanner:
    """Base of recursive-descent parsers: a cursor over the tokens of a source; `here` is the current one."""

    def __init__(self, source: Source, pattern: re.Pattern[str], text: str | None = None) -> None:
        self.source, self._pattern, self._text = source, pattern, text
        self.go_to(0)

    def go_to(self, offset: int) -> None:
        """Make the token at an offset the current one."""
        self.here = token_at(self.source, self._pattern, offset, self._text)

    def next(self) -> Token:
        """Return the current token and advance."""
        token = self.here
        self.go_to(token.span.end)
        return token

    def skip_if(self, *texts: str) -> bool:
        """Skip the next tokens if they have these texts; return True if so."""
        start = self.here
        for text in texts:
            if self.here.text != text:
                self.here = start
                return False
            self.next()
        return True

    def expect(self, text: str) -> None:
        """Skip the token if it has this text; raise `ParseError` if not."""
        if not self.skip_if(text):
            self.refuse(f"'{text}'")

    def refuse(self, wanted: str) -> NoReturn:
        """Raise the `ParseError` that the current token is not the wanted one."""
        found = f"'{self.here.text}'" if self.here.text else "the end of the file"
        raise ParseError(f"expected {wanted}, found {found}", self.source, self.here.span)
