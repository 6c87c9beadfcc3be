"""Shorten lassos: one found depth-first may have thousands of steps where a few suffice.

Two breadth-first searches compute a short one: from the initial states to the nearest accepting state on a loop, for
the stem, and from there round an accepting loop. Both run the compiled Kernel; the result is replayed like every other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.cycle_extraction import LoopSearch
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.parts.search_output import StatesOnly
from strandline.engine.runtime.memory import WordArray
from strandline.engine.search import Event
from strandline.errors import ReplayError
from strandline.traces.lassos import Lasso
from strandline.traces.log import ParentLog
from strandline.traces.replay import State

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_SLICE = 0.05
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)

Patience = Callable[[int], bool]
"""Called with the number of visited states; returns True if the search may continue."""


def follow(kernel: Kernel, state: State, steps: Sequence[int]) -> Iterator[tuple[State, int]]:
    """Yield the states along steps, each with its labels, by the Kernel's machine code.

    The last state has no labels.
    """
    function = _SIGNATURE(kernel.successors)
    source = np.array(state, dtype=np.uint64)
    labels = np.zeros(1, dtype=np.uint64)
    records = np.zeros((max(steps, default=0) + 2) * kernel.stride, dtype=np.uint64)
    for step in steps:
        count = function(source.ctypes.data, records.ctypes.data, len(records) // kernel.stride - 1, labels.ctypes.data)
        if step >= count:
            raise ReplayError(f"a trace has step {step} of a state with {count} steps")
        yield tuple(source.tolist()), int(labels[0])
        source[:] = records[step * kernel.stride : step * kernel.stride + kernel.words]
    yield tuple(source.tolist()), 0


class StateSet:
    """A set of packed states with a vectorised membership test."""

    def __init__(self, rows: WordArray) -> None:
        hashes = _hashes(rows)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._rows = hashes[order], rows[order]

    def first_in(self, rows: WordArray) -> int | None:
        """Return the number of the first row that is in the set."""
        hashes = _hashes(rows)
        places = np.searchsorted(self._hashes, hashes)
        places[places == len(self._hashes)] = 0
        for number in np.flatnonzero(self._hashes[places] == hashes).tolist():
            place = int(places[number])
            while place < len(self._hashes) and self._hashes[place] == hashes[number]:
                if (self._rows[place] == rows[number]).all():
                    return int(number)
                place += 1
        return None


def _hashes(rows: WordArray) -> WordArray:
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for word in range(rows.shape[1]):
        hashes ^= rows[:, word]
        hashes *= _MULTIPLIER
        hashes ^= hashes >> _FOLD
    return hashes


@dataclass(frozen=True, slots=True)
class Reached:
    """The nearest state of a set, and the path to it."""

    initial: int
    steps: tuple[int, ...]
    state: State


def nearest(
    kernel: Kernel, wanted: StateSet, log: ParentLog, may_go_on: Patience, *, engine_bytes: int | None
) -> Reached | None:
    """Find a state of the set at the least distance from an initial state; None if a limit was reached first.

    The Kernel must not be measured; `log` must be empty.
    """
    found: list[tuple[int, State]] = []
    count = 0

    def look_at(expanded: WordArray) -> None:
        nonlocal count
        rows = expanded[:, : kernel.words]
        number = None if found else wanted.first_in(rows)
        if number is not None:
            found.append((count + number, tuple(rows[number].tolist())))
        count += len(rows)

    search = BreadthFirstSearch(kernel, log=log.append, observer=StatesOnly(look_at), engine_bytes=engine_bytes)
    try:
        while not found and search.advance(_SLICE) is Event.PAUSED and may_go_on(count):
            pass
    finally:
        search.close()
    if not found:
        return None
    # Breadth-first search expands states in the order of their records.
    record, state = found[0]
    initial, steps = log.path_to(record)
    return Reached(initial, tuple(steps), state)


def shorten_lasso(
    kernel: Kernel, wanted: StateSet, log: ParentLog, may_go_on: Patience, *, engine_bytes: int | None
) -> Lasso | None:
    """Return a lasso with a shortest stem to one of the states and a shortest loop from there.

    The states must be accepting and lie on loops. Returns None if a limit was reached first.
    """
    reached = nearest(kernel, wanted, log, may_go_on, engine_bytes=engine_bytes)
    if reached is None:
        return None
    builder = LoopSearch(kernel, reached.state, 0, engine_bytes=engine_bytes)
    while (event := builder.advance(_SLICE)) is Event.PAUSED:
        if not may_go_on(builder.visited):
            return None
    if event is not Event.CYCLE:
        return None
    return fold_lasso(kernel, Lasso(reached.initial, reached.steps, builder.steps))


def fold_lasso(kernel: Kernel, lasso: Lasso) -> Lasso:
    """Return the lasso whose stem ends where it first enters the loop."""
    stem, loop = _states(kernel, lasso)
    places = {state: place for place, (state, _) in enumerate(loop)}
    cut = next(number for number, (state, _) in enumerate(stem) if state in places)
    turn = places[stem[cut][0]]
    return Lasso(lasso.initial, lasso.stem[:cut], lasso.loop[turn:] + lasso.loop[:turn])


def accepting_on_loop(kernel: Kernel, lasso: Lasso, accepting: int) -> StateSet:
    """Return the accepting states that the lasso visits for ever."""
    _, loop = _states(kernel, lasso)
    found = [state for state, labels in loop if labels & accepting == accepting]
    return StateSet(np.array(found, dtype=np.uint64).reshape(len(found), kernel.words))


def _states(kernel: Kernel, lasso: Lasso) -> tuple[list[tuple[State, int]], list[tuple[State, int]]]:
    """Return the states of the stem, its last one included, and those of the loop."""
    start = tuple(kernel.initial[lasso.initial].tolist())
    stem = list(follow(kernel, start, lasso.stem))
    return stem, list(follow(kernel, stem[-1][0], lasso.loop))[:-1]
