"""Paths and lassos inside sets of records: what shows that a formula holds in a state, or does not."""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import numpy as np

from strandline.engine.graph.log import Bits, Ensure, GraphLog, contains
from strandline.engine.runtime.memory import WordArray, Words
from strandline.errors import InternalError, ResourceError
from strandline.model.path import Path

_MOST_ENTRIES = 1 << 26
"""Of the queue of one search: some 1.5 gigabytes."""
_AT_ONCE = np.uint64(1 << 12)
"""Records that are looked at between two looks at memory: each may bring two pages of mapped files."""


class Paths:
    """Searches a graph log, by an index of its rows. Where memory is limited, `ensure` is asked for it."""

    def __init__(self, graph: GraphLog, ensure: Ensure | None = None) -> None:
        self._graph, self._ensure = graph, ensure
        self._numbers = graph.mapped()
        self._index = graph.index(ensure)

    def successors(self, record: int) -> list[int]:
        """The records that the steps of a record lead to, in their order."""
        from strandline.engine.graph.log_kernel import DEGREE_BITS

        entry = int(self._index[record])
        first, degree = entry >> DEGREE_BITS, entry & ((1 << DEGREE_BITS) - 1)
        return [int(target) for target in self._numbers[first : first + degree]]

    def step_into(self, record: int, goal: Bits) -> Path:
        """A single step into a set."""
        for step, target in enumerate(self.successors(record)):
            if contains(goal, target):
                return Path((record, target), (step,))
        raise InternalError("there is no such step")

    def until(self, start: int, through: Bits, goal: Bits) -> Path:
        """A shortest path through a set to another; of no steps where it begins there."""
        if contains(goal, start):
            return Path((start,), ())
        return self._nearest(start, through, goal)

    def always(self, start: int, inside: Bits, conditions: Sequence[Bits] = ()) -> Path:
        """A lasso inside a set in which every record has a successor or none at all, EG's; its loop meets every
        condition."""
        if conditions:
            return self._fair_lasso(start, inside, conditions)
        from strandline.engine.graph.paths_kernel import walk_inside

        met = self._graph.empty()
        record, ends = walk_inside(self._numbers, self._index, inside, met, np.uint64(start))
        stem = self.until(start, inside, self._only(int(record)))
        if ends:
            return Path(stem.records, stem.steps, len(stem.steps))
        return stem + self._closed(self._nearest(int(record), inside, self._only(int(record))))

    def _fair_lasso(self, start: int, inside: Bits, conditions: Sequence[Bits]) -> Path:
        """Go round the conditions; a round that leads back to where one began is the loop. A round that does not has
        left a component for good, so that there are not many."""
        stem = Path((start,), ())
        while True:
            if not self.successors(stem.end):
                return Path(stem.records, stem.steps, len(stem.steps))
            one_round = Path((stem.end,), ())
            for one in conditions:
                one_round += self.until(one_round.end, inside, inside & one)
            home = self._only(stem.end)
            back = self._found(one_round.end, inside, home)
            if back is not None:
                return stem + self._closed(one_round + back)
            stem += one_round if one_round.steps else self._nearest(stem.end, inside, inside)

    @staticmethod
    def _closed(loop: Path) -> Path:
        return Path(loop.records, loop.steps, 0)

    def _only(self, record: int) -> Bits:
        bits = self._graph.empty()
        bits[record >> 6] = np.uint64(1 << (record & 63))
        return bits

    def _nearest(self, start: int, through: Bits, goal: Bits) -> Path:
        found = self._found(start, through, goal)
        if found is None:
            raise InternalError("there is no such path")
        return found

    def _found(self, start: int, through: Bits, goal: Bits) -> Path | None:
        """A shortest path of at least one step through a set to another, if there is one."""
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
                raise ResourceError("the way to show it is too long to be looked for")
            self._ask_for(24 * len(entries))
            queue.grow(6 * len(entries))

    def _ask_for(self, size: int) -> None:
        """Raise `ResourceError` where so many bytes are not to be had. What was read of mapped files counts as memory:
        it is given back, and can be read again."""
        if self._ensure is None:
            return
        self._forget_pages()
        self._ensure(size)

    def _forget_pages(self) -> None:
        for one in (self._numbers, self._index):
            if isinstance(one, np.memmap) and hasattr(mmap, "MADV_DONTNEED"):
                getattr(one, "_mmap").madvise(mmap.MADV_DONTNEED)  # noqa: B009  known to no type checker


def _read_back(entries: WordArray, last: int) -> Path:
    """The path to an entry of a queue."""
    records, steps = [int(entries[last, 0])], []
    while entries[last, 1]:
        steps.append(int(entries[last, 2]))
        last = int(entries[last, 1]) - 1
        records.append(int(entries[last, 0]))
    return Path(tuple(records[::-1]), tuple(steps[::-1]))
