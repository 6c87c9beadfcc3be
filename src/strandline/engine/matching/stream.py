"""The driver of `match_kernel`: owns its arrays, grows them, and asks for missing answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.codes import DONE, FAULT, FLUSH, FOUND, GROW
from strandline.engine.runtime.records import MATCH, record
from strandline.errors import ResourceError

Numbers = npt.NDArray[np.uint64]
Ask = Callable[[int, int, tuple[int, ...]], bool]
"""A function of a question, a logged value and the values of the question's expressions: whether they agree."""
_FIRST, _MISSES = 1 << 10, 64
_MOST_ANSWERS, _MOST_STAMPS = 1 << 19, 1 << 31
"""Answers, and stamps of entries, from which on the tables are cleared between two batches."""
_MOST_PLACES = 1 << 28
"""Most slots of a table of candidates."""
_UNKNOWN = 2


class MatchStream:
    """The candidate states of a log, advanced by batches of events."""

    def __init__(
        self, successors: int, words: int, stride: int, unlogged: Sequence[bool], at_most: int, ask: Ask
    ) -> None:
        self._successors, self.words, self._stride = successors, words, stride
        self._unlogged = np.array(unlogged, dtype=np.uint8)
        self.taken = np.zeros(2 * len(unlogged), dtype=np.uint8)
        """Two marks for each action: some run that matches takes it, all of them take it at an event."""
        self._ask = ask
        self._state = record(MATCH, at_most=at_most, observations=1)
        self._records = np.zeros(64 * stride, dtype=np.uint64)
        self._labels = np.zeros(1, dtype=np.uint64)
        self._observe = 0
        self._candidates: Numbers = np.zeros(0, dtype=np.uint64)
        self._make_sets(_FIRST)
        self._make_answers(_FIRST)
        self._rows, self._alternatives, self._checks = (np.zeros(0, dtype=np.uint64) for _ in range(3))
        self._events, self._starts, self._logged = (np.zeros(1, dtype=np.uint64) for _ in range(3))
        self._plain = np.zeros(1, dtype=np.uint8)

    def use_observations(self, observe: int, most: int, plain: Sequence[bool]) -> None:
        """Use the compiled expressions of all questions; `most` is the most expressions of one.

        The answer to a `plain` question is the value of its only expression.
        """
        self._observe = observe
        self._plain = np.array([*plain, False], dtype=np.uint8)
        if most != int(self._state.observations):
            self._state.observations = most
            self._make_answers(_FIRST)

    def use_shapes(self, rows: Sequence[int], alternatives: Sequence[int], checks: Sequence[int]) -> None:
        """Use shapes of events, in the form of `match_kernel.Patterns`."""
        self._rows, self._alternatives, self._checks = (
            np.array(one or [0], dtype=np.uint64) for one in (rows, alternatives, checks)
        )

    def use_events(self, shapes: Sequence[int], values: Sequence[Sequence[int]]) -> None:
        """Use a batch of events: the shape of each, and its logged values."""
        self._events = np.array(shapes, dtype=np.uint64)
        starts = [0, *accumulate(map(len, values))]
        self._starts = np.array(starts, dtype=np.uint64)
        self._logged = np.array([*chain.from_iterable(values), 0], dtype=np.int64).view(np.uint64)

    @property
    def position(self) -> int:
        """The number of the next event of the batch."""
        return int(self._state.event)

    @property
    def candidates(self) -> list[tuple[int, ...]]:
        """The states that match the events so far, packed."""
        words = self._candidates[: int(self._state.candidates) * self.words]
        return [tuple(one) for one in words.reshape(-1, self.words).tolist()]

    def set_candidates(self, states: Iterable[tuple[int, ...]]) -> None:
        """Replace the candidates."""
        rows = np.array(list(states), dtype=np.uint64).reshape(-1)
        count = len(rows) // self.words
        while 2 * count >= int(self._state.places):
            self._make_sets(2 * int(self._state.places))
        self._candidates[: len(rows)] = rows
        self._state.candidates = count

    def match(self, first: int = 0) -> tuple[int, int]:
        """Match the events of the batch from number `first` on.

        Returns DONE, FOUND or FAULT, and the number of the event at which it stopped (see `match_events`).
        """
        from strandline.engine.matching.match_kernel import match_events

        if self._answered > _MOST_ANSWERS:
            self._make_answers(_FIRST)
        if int(self._state.stamp) > _MOST_STAMPS:
            self._make_sets(int(self._state.places))
        self._state.event, self._state.last = first, len(self._events)
        while True:
            code = int(match_events(self._matching(), np.uint64(1 << 20)))
            if code in (DONE, FOUND, FAULT):
                return code, int(self._state.event)
            if code == GROW:
                self._grow()
            elif code == FLUSH:
                self._find_answers()

    def reach(self) -> bool:
        """Make all states that unlogged steps reach candidates, however many steps that takes.

        Returns False if a step faults.
        """
        self._rows, self._alternatives, self._checks = (np.zeros(7, dtype=np.uint64) for _ in range(3))
        self._rows[6] = 1
        self._state.at_most = 1 << 40
        self.use_events([0], [()])
        return self.match()[0] == DONE

    def _matching(self) -> Any:
        from strandline.engine.matching.match_kernel import Answers, Matching, Model, Patterns, Sets

        unsigned = np.uint64
        return Matching(
            Model(unsigned(self._successors), unsigned(self._observe), unsigned(self.words), unsigned(self._stride),
                  self._records, self._labels, self._unlogged),
            Patterns(self._rows, self._alternatives, self._checks, self._events, self._starts, self._logged,
                     self._plain),
            Sets(self._candidates, self._queue, self._found, self._origins, self._queue_table, self._found_table),
            Answers(self._keys, self._agree, self._missing, self._values),
            self.taken,
            self._state,
        )  # fmt: skip

    def _grow(self) -> None:
        state = self._state
        if state.wanted:
            self._records = np.zeros((2 * int(state.wanted) + 1) * self._stride, dtype=np.uint64)
            state.wanted = 0
        else:
            self._make_sets(2 * int(state.places))

    def _make_sets(self, places: int) -> None:
        if places > _MOST_PLACES:
            raise ResourceError(f"more than {_MOST_PLACES // 2:,} states match the log: it says too little")
        room = places // 2 + 1
        before = self._candidates
        self._candidates, self._queue, self._found = (np.zeros(room * self.words, dtype=np.uint64) for _ in range(3))
        self._candidates[: len(before)] = before
        self._origins = np.zeros(3 * room, dtype=np.uint64)
        self._queue_table, self._found_table = (np.zeros(places, dtype=np.uint64) for _ in range(2))
        self._state.places, self._state.stamp = places, 0

    def _make_answers(self, places: int) -> None:
        width = int(self._state.observations) + 2
        self._keys = np.zeros(places * width, dtype=np.uint64)
        self._agree = np.full(places, _UNKNOWN, dtype=np.uint64)
        self._missing = np.zeros(_MISSES * width, dtype=np.uint64)
        self._values = np.zeros(width, dtype=np.uint64)
        self._state.answers = places
        self._answered = 0

    def _find_answers(self) -> None:
        """Ask for the answers that are missing, and add them to the table."""
        width = int(self._state.observations) + 2
        missing = self._missing[: int(self._state.misses) * width].reshape(-1, width)
        for key in dict.fromkeys(map(tuple, missing.tolist())):
            question, value, *values = key
            self._add_answer(key, self._ask(question, _signed(value), tuple(_signed(one) for one in values)))

    def _add_answer(self, key: tuple[int, ...], agrees: bool) -> None:
        if 2 * (self._answered + 1) > int(self._state.answers):
            known = [(tuple(self._keys.reshape(-1, len(key))[slot].tolist()), bool(self._agree[slot]))
                     for slot in np.flatnonzero(self._agree != _UNKNOWN).tolist()]  # fmt: skip
            self._make_answers(2 * int(self._state.answers))
            for one, answer in known:
                self._store(one, answer)
        self._store(key, agrees)

    def _store(self, key: tuple[int, ...], agrees: bool) -> None:
        from strandline.engine.matching.match_kernel import free_slot

        slot = int(free_slot(self._agree, np.array(key, dtype=np.uint64)))
        self._keys[slot * len(key) : (slot + 1) * len(key)] = key
        self._agree[slot] = agrees
        self._answered += 1


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
