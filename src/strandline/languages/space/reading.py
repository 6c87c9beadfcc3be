"""Lines of an `.ss` file to a state space."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from strandline.errors import ParseError
from strandline.source import Source, Span

_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[+-]?\d+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST = 1 << 62


@dataclass(frozen=True, slots=True)
class SpaceState:
    """One line: edges are actions with places of states."""

    name: str
    progress: int
    truths: tuple[bool, ...]
    edges: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Space:
    """A state space; the first state is the initial one."""

    propositions: tuple[str, ...]
    states: tuple[SpaceState, ...]


def read_space(source: Source) -> Space:
    """The state space in a text. Raises `ParseError` with the place of the first mistake."""
    return _Reader(source).space()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = [line for line in _split(source.text) if line]
        self._propositions: tuple[str, ...] | None = None

    def space(self) -> Space:
        if not self._lines:
            raise ParseError("a state space has at least one state", self._source, Span(0, 0))
        places: dict[str, int] = {}
        for line in self._lines:
            name = self._text(line[0])
            if name in places:
                self._fail(f"state {name} is described twice", line[0])
            places[name] = len(places)
        states = tuple(self._state(line, places) for line in self._lines)
        return Space(self._propositions or (), states)

    def _state(self, line: list[Span], places: dict[str, int]) -> SpaceState:
        if len(line) < 3:
            self._fail("expected a state, its progress and its number of propositions", line[-1])
        progress, count = self._number(line[1], "the progress"), self._number(line[2], "the number of propositions")
        if count < 0 or len(line) < 3 + count:
            self._fail(f"the line has no {count} propositions", line[2])
        truths = self._truths(line[3 : 3 + count])
        rest = line[3 + count :]
        if len(rest) % 2:
            self._fail("an action without a successor", rest[-1])
        edges = []
        for action, successor in zip(rest[::2], rest[1::2], strict=True):
            name = self._text(successor)
            if name not in places:
                self._fail(f"state {name} has no line of its own", successor)
            edges.append((self._text(action), places[name]))
        return SpaceState(self._text(line[0]), progress, truths, tuple(edges))

    def _truths(self, words: list[Span]) -> tuple[bool, ...]:
        names = tuple(self._text(word).removeprefix("!") for word in words)
        for name, word in zip(names, words, strict=True):
            if not _NAME.fullmatch(name):
                self._fail(f"'{name}' is no name of a proposition", word)
        if self._propositions is None:
            self._propositions = names
            if len(set(names)) < len(names):
                self._fail("a proposition stands here twice", words[0].to(words[-1]))
        elif names != self._propositions:
            known = " ".join(self._propositions) or "none"
            place = words[0].to(words[-1]) if words else Span(0, 0)
            self._fail(f"the propositions of the first line were {known}", place)
        return tuple(not self._text(word).startswith("!") for word in words)

    def _number(self, word: Span, what: str) -> int:
        text = self._text(word)
        if not _NUMBER.fullmatch(text) or abs(int(text)) > _MOST:
            self._fail(f"{what} is a number, not '{text}'", word)
        return int(text)

    def _text(self, word: Span) -> str:
        return self._source.text[word.start : word.end]

    def _fail(self, message: str, place: Span) -> NoReturn:
        raise ParseError(message, self._source, place)


def _split(text: str) -> list[list[Span]]:
    """The words of every line."""
    lines, offset = [], 0
    for line in text.split("\n"):
        lines.append([Span(offset + one.start(), offset + one.end()) for one in _WORD.finditer(line)])
        offset += len(line) + 1
    return lines
