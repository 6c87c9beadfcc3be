"""A set of states that may be too large for memory: sorted arrays, of which the oldest and largest lie on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from strandline.engine.disk.runs import RunFile, RunFiles
from strandline.engine.expansion import Width
from strandline.engine.memory import WordArray

if TYPE_CHECKING:
    from strandline.engine.disk.sorting import SortedRows

_BLOCK = 1 << 12
"""States between two whose hashes are known without a look at the disk."""
_MOST_AT_ONCE = 1 << 19
"""States that are read at a time."""


class SortedSet:
    """States in the order of their hashes. At most `most` of them lie in memory, most of the time."""

    def __init__(self, width: Width, files: RunFiles, most: int) -> None:
        self._width = width
        self._words = len(width) if isinstance(width, tuple) else width
        self._files, self._most = files, most
        self._arrays: list[WordArray] = []
        self._runs: list[_SortedRun] = []
        self.count = 0

    def add(self, states: WordArray) -> None:
        """Add sorted states, none of which is in the set."""
        if not len(states):
            return
        self.count += len(states) // self._words
        self._arrays.append(states)
        # Of two neighbours the first is more than twice as long: there are few, and each state is moved rarely.
        while len(self._arrays) > 1 and len(self._arrays[-2]) < 2 * len(self._arrays[-1]):
            last = self._arrays.pop()
            self._arrays.append(self._merged(self._arrays.pop(), last))
        if sum(map(len, self._arrays)) > self._most * self._words:
            self._spill()

    def _merged(self, first: WordArray, second: WordArray) -> WordArray:
        from strandline.engine.disk.sorting_kernel import merge_states

        merged: WordArray = np.empty(len(first) + len(second), dtype=np.uint64)
        merge_states(first, second, self._width, merged)
        return merged

    def _spill(self) -> None:
        while len(self._arrays) > 1:
            last = self._arrays.pop()
            self._arrays.append(self._merged(self._arrays.pop(), last))
        run = _SortedRun(self._files.new(self._words), self._width)
        run.append(self._arrays.pop())
        run.finish()
        self._runs.append(run)
        while len(self._runs) > 1 and self._runs[-2].count < 2 * self._runs[-1].count:
            smaller = self._runs.pop()
            self._runs.append(self._merged_runs(self._runs.pop(), smaller))

    def _merged_runs(self, first: _SortedRun, second: _SortedRun) -> _SortedRun:
        """Both, piece by piece: of as many as were read of each, those up to where the one that ends first ends."""
        merged = _SortedRun(self._files.new(self._words), self._width)
        places, at_once = [0, 0], max(1, min(_MOST_AT_ONCE, self._most // 4))
        waiting: list[WordArray] = [np.zeros(0, dtype=np.uint64)] * 2
        while True:
            for number, run in enumerate((first, second)):
                if not len(waiting[number]) and places[number] < run.count:
                    count = min(at_once, run.count - places[number])
                    waiting[number] = run.file.read(places[number], count)
                    places[number] += count
            if not len(waiting[0]) or not len(waiting[1]):
                break
            ends = [self._hashes(one) for one in waiting]
            bound = min(ends[0][-1], ends[1][-1])
            cuts = [int(np.searchsorted(end, bound, side="right")) * self._words for end in ends]
            merged.append(self._merged(waiting[0][: cuts[0]], waiting[1][: cuts[1]]))
            waiting = [one[cut:] for one, cut in zip(waiting, cuts, strict=True)]
        for number, run in enumerate((first, second)):
            merged.append(waiting[number])
            while places[number] < run.count:
                count = min(at_once, run.count - places[number])
                merged.append(run.file.read(places[number], count))
                places[number] += count
            run.file.remove()
        merged.finish()
        return merged

    def _hashes(self, states: WordArray) -> WordArray:
        return hashes_of(states, self._words, self._width)

    def drop_from(self, rows: SortedRows) -> None:
        """Take the states of this set out of the sorted rows."""
        if not self.count or not rows.count:
            return
        marks = np.zeros(rows.count, dtype=np.uint8)
        for array in self._arrays:
            rows.mark(array, marks, 0, rows.count)
        for run in self._runs:
            run.mark_in(rows, marks)
        rows.drop_marked(marks)

    def clear(self) -> None:
        """Forget all."""
        for run in self._runs:
            run.file.remove()
        self._arrays, self._runs, self.count = [], [], 0


class _SortedRun:
    """Sorted states in a file, and the hash of each that begins a block."""

    def __init__(self, file: RunFile, width: Width) -> None:
        self.file, self._width = file, width
        self._words = len(width) if isinstance(width, tuple) else width
        self._fences: list[WordArray] = []
        self._fence: WordArray = np.zeros(0, dtype=np.uint64)

    @property
    def count(self) -> int:
        return self.file.rows

    def append(self, states: WordArray) -> None:
        if not len(states):
            return
        begins = -self.count % _BLOCK
        rows = states.reshape(-1, self._words)[begins::_BLOCK]
        self._fences.append(hashes_of(np.ascontiguousarray(rows).reshape(-1), self._words, self._width))
        self.file.append(states)

    def finish(self) -> None:
        self.file.finish()
        self._fence, self._fences = np.concatenate(self._fences or [self._fence]), []

    def mark_in(self, rows: SortedRows, marks: np.ndarray) -> None:
        """Mark the rows whose state is here; only blocks are read in which one can be."""
        # Hashes from fence i to fence i + 1, both included, lie in block i.
        hashes, fence = rows.hashes[: rows.count], self._fence
        first = np.maximum(np.searchsorted(fence, hashes), 1) - 1
        last = first.copy()
        at_fence = np.flatnonzero(fence[np.minimum(first + 1, len(fence) - 1)] == hashes)
        last[at_fence] = np.searchsorted(fence, hashes[at_fence], side="right") - 1
        # A part ends where a block is not wanted, and where enough are read at once.
        gaps = np.append(np.flatnonzero(first[1:] > last[:-1] + 1) + 1, rows.count)
        begin = 0
        while begin < rows.count:
            block = int(first[begin])
            gap = int(gaps[np.searchsorted(gaps, begin, side="right")])
            end = int(np.searchsorted(last, block + _MOST_AT_ONCE // _BLOCK, side="left"))
            end = max(begin + 1, min(end, gap))
            start, stop = block * _BLOCK, min((int(last[end - 1]) + 1) * _BLOCK, self.count)
            rows.mark(self.file.read(start, stop - start), marks, begin, end)
            begin = end


def hashes_of(rows: WordArray, size: int, width: Width) -> WordArray:
    """The hashes of rows of so many words, each of which begins with a state."""
    from strandline.engine.disk.sorting_kernel import hash_rows

    hashes: WordArray = np.empty(len(rows) // size, dtype=np.uint64)
    hash_rows(rows, np.uint64(size), width, hashes)
    return hashes
