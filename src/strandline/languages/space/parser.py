"""Parser of `.ss` files: from lines to a state space."""

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
_LONGEST = 20


@dataclass(frozen=True, slots=True)
class SpaceState:
    """A state, one line of the file; `edges` are pairs of an action name and the index of the target state."""

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
    """Parse a state space; raises `ParseError` with the source position of the first mistake."""
    return _Reader(source).space()


class _Reader:
    """Parses lines as words; the source position of a word is computed only for errors."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = [(number, line.split()) for number, line in enumerate(source.text.split("\n")) if line.strip()]
        self._line = 0
        self._propositions: tuple[str, ...] | None = None
        self._known: dict[tuple[str, ...], tuple[bool, ...]] = {}

    def space(self) -> Space:
        if not self._lines:
            raise ParseError("a state space has at least one state", self._source, Span(0, 0))
        places: dict[str, int] = {}
        for number, words in self._lines:
            self._line = number
            if words[0] in places:
                self._fail(f"state {words[0]} is described twice", 0)
            places[words[0]] = len(places)
        states = []
        for number, words in self._lines:
            self._line = number
            states.append(self._state(words, places))
        return Space(self._propositions or (), tuple(states))

    def _state(self, words: list[str], places: dict[str, int]) -> SpaceState:
        if len(words) < 3:
            self._fail("expected a state, its progress and its number of propositions", len(words) - 1)
        progress, count = self._number(words, 1, "the progress"), self._number(words, 2, "the number of propositions")
        first = 3 + count
        if count < 0 or len(words) < first:
            self._fail(f"the line has no {count} propositions", 2)
        literals = tuple(words[3:first])
        truths = self._known.get(literals)
        if truths is None:
            truths = self._known[literals] = self._truths(literals)
        if (len(words) - first) % 2:
            self._fail("an action without a successor", len(words) - 1)
        edges = []
        for place in range(first, len(words), 2):
            target = places.get(words[place + 1])
            if target is None:
                self._fail(f"state {words[place + 1]} has no line that describes it", place + 1)
            edges.append((words[place], target))
        return SpaceState(words[0], progress, truths, tuple(edges))

    def _truths(self, words: tuple[str, ...]) -> tuple[bool, ...]:
        names = tuple(word.removeprefix("!") for word in words)
        if self._propositions is None:
            for place, name in enumerate(names):
                if not _NAME.fullmatch(name):
                    self._fail(f"'{name}' is no name of a proposition", 3 + place)
                if name in names[:place]:
                    self._fail(f"the proposition {name} occurs twice here", 3 + place)
            self._propositions = names
        elif names != self._propositions:
            known = " ".join(self._propositions) or "none"
            self._fail(f"the propositions of the first line are {known}", 2)
        return tuple(word[0] != "!" for word in words)

    def _number(self, words: list[str], place: int, what: str) -> int:
        word = words[place]
        if not _NUMBER.fullmatch(word) or len(word) > _LONGEST or abs(number := int(word)) > _MOST:
            self._fail(f"{what} is a number, not '{word}'", place)
        return number

    def _fail(self, message: str, place: int) -> NoReturn:
        """Raise a `ParseError` at the word with index `place` of the current line."""
        lines = self._source.text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: self._line])
        word = list(_WORD.finditer(lines[self._line]))[place]
        raise ParseError(message, self._source, Span(offset + word.start(), offset + word.end()))
