"""Paths and lassos inside sets of records: the evidence that a formula holds in a state, or does not."""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import numpy as np

from strandline.engine.graph.log import Bits, Ensure, GraphLog, contains
from strandline.engine.runtime.memory import WordArray, Words
from strandline.errors import InternalError, ResourceError
from strandline.model.path import Path

_MOST_ENTRIES = 1 << 26
"""Most entries of the queue of one search: some 1.5 gigabytes."""
_AT_ONCE = np.uint64(1 << 12)
"""Records expanded between two checks of memory: each may bring in two pages of mapped files."""


class Paths:
    """Searches on a graph log, by an index of its rows; `ensure` is asked for memory if that is limited."""

    def __init__(self, graph: GraphLog, ensure: Ensure | None = None) -> None:
        self._graph, self._ensure = graph, ensure
        self._numbers = graph.mapped()
        self._index = graph.index(ensure)

    def successors(self, record: int) -> list[int]:
        """Return the records that the steps of a record lead to, in their order."""
        from strandline.engine.graph.log_kernel import DEGREE_BITS

        entry = int(self._index[record])
        first, degree = entry >> DEGREE_BITS, entry & ((1 << DEGREE_BITS) - 1)
        return [int(target) for target in self._numbers[first : first + degree]]

    def step_into(self, record: int, goal: Bits) -> Path:
        """Return a path of a single step into a set."""
        for step, target in enumerate(self.successors(record)):
            if contains(goal, target):
                return Path((record, target), (step,))
        raise InternalError("no step leads into the set")

    def until(self, start: int, through: Bits, goal: Bits) -> Path:
        """Return a shortest path through a set to another one; without steps if it begins there."""
        if contains(goal, start):
            return Path((start,), ())
        return self._nearest(start, through, goal)

    def always(self, start: int, inside: Bits, conditions: Sequence[Bits] = ()) -> Path:
        """Return a lasso inside a set in which every record has a successor in the set, or none at all.

        Its loop satisfies every condition.
        """
        if conditions:
            return self._fair_lasso(start, inside, conditions)
        from strandline.engine.graph.paths_kernel import walk_inside

        met = self._graph.empty()
        record, ends = walk_inside(self._numbers, self._index, inside, met, np.uint64(start))
        stem = self.until(start, inside, self._only(int(record)))
        if ends:
            return Path(stem.records, stem.steps, len(stem.steps))
        return stem + self._close(self._nearest(int(record), inside, self._only(int(record))))

    def _fair_lasso(self, start: int, inside: Bits, conditions: Sequence[Bits]) -> Path:
        """Visit the conditions in turn until a round can be closed.

        A round that cannot be closed has left an SCC for good, so that there are not many.
        """
        stem = Path((start,), ())
        while True:
            if not self.successors(stem.end):
                return Path(stem.records, stem.steps, len(stem.steps))
            one_round = Path((stem.end,), ())
            for one in conditions:
                one_round += self.until(one_round.end, inside, inside & one)
            home = self._only(stem.end)
            back = self._find(one_round.end, inside, home)
            if back is not None:
                return stem + self._close(one_round + back)
            stem += one_round if one_round.steps else self._nearest(stem.end, inside, inside)

    @staticmethod
    def _close(loop: Path) -> Path:
        return Path(loop.records, loop.steps, 0)

    def _only(self, record: int) -> Bits:
        bits = self._graph.empty()
        bits[record >> 6] = np.uint64(1 << (record & 63))
        return bits

    def _nearest(self, start: int, through: Bits, goal: Bits) -> Path:
        found = self._find(start, through, goal)
        if found is None:
            raise InternalError("no path leads to the set")
        return found

    def _find(self, start: int, through: Bits, goal: Bits) -> Path | None:
        """Return a shortest path of at least one step through a set to another one; None if there is none."""
        from strandline.engine.graph.paths_kernel import FOUND, GROW, PAUSE, nearest

        queue = Words(3 << 10, large=True)
        state = np.array([0, 1], dtype=np.uint64)
        queue.array[0] = start
        met = self._graph.empty()
        while True:
            entries = queue.array[: len(queue) // 3 * 3].reshape(-1, 3)
            code = nearest(self._numbers, self._index, through, goal, met, entries, state, _AT_ONCE)
            if code == PAUSE:
                self._ask_for(0)
                continue
            if code != GROW:
                path = _read_back(entries, int(state[1]) - 1) if code == FOUND else None
                queue.close()
                return path
            if len(entries) >= _MOST_ENTRIES:
                raise ResourceError("the evidence is too long: its search exceeds the largest queue")
            self._ask_for(24 * len(entries))
            queue.grow(6 * len(entries))

    def _ask_for(self, size: int) -> None:
        """Raise `ResourceError` if so many bytes are not available.

        Pages of mapped files count as memory: they are released first, and can be read again.
        """
        if self._ensure is None:
            return
        self._forget_pages()
        self._ensure(size)

    def _forget_pages(self) -> None:
        for one in (self._numbers, self._index):
            if isinstance(one, np.memmap) and hasattr(mmap, "MADV_DONTNEED"):
                getattr(one, "_mmap").madvise(mmap.MADV_DONTNEED)  # noqa: B009  known to no type checker


def _read_back(entries: WordArray, last: int) -> Path:
    """Return the path to an entry of a queue."""
    records, steps = [int(entries[last, 0])], []
    while entries[last, 1]:
        steps.append(int(entries[last, 2]))
        last = int(entries[last, 1]) - 1
        records.append(int(entries[last, 0]))
    return Path(tuple(records[::-1]), tuple(steps[::-1]))
