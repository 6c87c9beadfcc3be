"""Tokens of the Hanoi Omega-Automata format, version 1, with their source positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from strandline.errors import ParseError
from strandline.source import Source, Span


class HoaKind(Enum):
    """Kinds of tokens; HEADER is a name directly followed by a colon."""

    HEADER = auto()
    NAME = auto()
    ALIAS = auto()
    NUMBER = auto()
    STRING = auto()
    MARKER = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class HoaToken:
    """A token; the text of a string is its content, that of a header lacks the colon."""

    kind: HoaKind
    text: str
    span: Span


_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<comment>/\*)
      | (?P<marker>--(?:BODY|END|ABORT)--)
      | (?P<header>[A-Za-z_][A-Za-z0-9_-]*:)
      | (?P<alias>@[A-Za-z0-9_-]+)
      | (?P<name>[A-Za-z_][A-Za-z0-9_-]*)
      | (?P<number>[0-9]+)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<symbol>[][(){}!&|])""",
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "marker": HoaKind.MARKER,
    "header": HoaKind.HEADER,
    "alias": HoaKind.ALIAS,
    "name": HoaKind.NAME,
    "number": HoaKind.NUMBER,
    "string": HoaKind.STRING,
    "symbol": HoaKind.SYMBOL,
}


def tokenize_hoa(source: Source) -> list[HoaToken]:
    """Return all tokens and an END token; comments may nest."""
    tokens: list[HoaToken] = []
    offset = 0
    while offset < len(source.text):
        match = _TOKEN.match(source.text, offset)
        if match is None:
            raise ParseError(f"unexpected '{source.text[offset]}'", source, Span(offset, offset + 1))
        kind = match.lastgroup or ""
        if kind == "comment":
            offset = _comment_end(source, offset)
            continue
        if kind != "blank":
            tokens.append(HoaToken(_KINDS[kind], _content(kind, match.group()), Span(offset, match.end())))
        offset = match.end()
    tokens.append(HoaToken(HoaKind.END, "the end of the file", Span(offset, offset)))
    return tokens


def _content(kind: str, text: str) -> str:
    if kind == "string":
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return text[:-1] if kind == "header" else text


def _comment_end(source: Source, start: int) -> int:
    depth = 0
    for match in re.finditer(r"/\*|\*/", source.text[start:]):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return start + match.end()
    raise ParseError("a comment is never closed", source, Span(start, start + 2))
