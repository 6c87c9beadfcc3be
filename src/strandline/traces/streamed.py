"""Write JSON in pieces, so that a long list need not be held in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_BETWEEN_CHECKS = 1 << 13
"""Pieces of a text between two checks of limits: a short trace has fewer."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """A list in JSON data whose items are generated each time it is written. `json.dumps` refuses it."""

    items: Callable[[], Iterable[Any]]


def json_pieces(value: Any, indent: int | None = None, level: int = 0) -> Iterator[str]:
    """Yield the text of `json.dumps(value, indent=indent, ensure_ascii=False)` in pieces."""
    if isinstance(value, Streamed):
        yield from _enclose("[]", ((("", one)) for one in value.items()), indent, level)
    elif isinstance(value, dict) and _streams(value):
        members = ((f"{json.dumps(str(key), ensure_ascii=False)}: ", one) for key, one in value.items())
        yield from _enclose("{}", members, indent, level)
    elif isinstance(value, list) and _streams(value):
        yield from _enclose("[]", (("", one) for one in value), indent, level)
    else:
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        # A line break in the text is one between lines: those in strings are escaped.
        yield text if indent is None else text.replace("\n", "\n" + " " * indent * level)


def with_limits(pieces: Iterable[str], check_limits: Callable[[], None]) -> Iterator[str]:
    """Yield the pieces of a text; every few thousand call `check_limits`, which may raise an error."""
    for number, piece in enumerate(pieces, 1):
        if number % _BETWEEN_CHECKS == 0:
            check_limits()
        yield piece


def _enclose(brackets: str, members: Iterable[tuple[str, Any]], indent: int | None, level: int) -> Iterator[str]:
    yield brackets[0]
    line = "" if indent is None else "\n" + " " * indent * (level + 1)
    separator, empty = line, True
    for head, one in members:
        yield separator + head
        yield from json_pieces(one, indent, level + 1)
        separator, empty = (", " if indent is None else "," + line), False
    yield brackets[1] if indent is None or empty else "\n" + " " * indent * level + brackets[1]


def _streams(value: Any) -> bool:
    """Return True if there is a `Streamed` anywhere in the value."""
    if isinstance(value, Streamed):
        return True
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_streams(one) for one in parts)
