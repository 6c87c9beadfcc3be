"""A set of states that may be too large for memory: sorted arrays, the oldest and largest of them on disk."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from strandline.engine.disk.runs import RunFile, RunFiles
from strandline.engine.disk.sorting import SortedRows, count_below, words_of
from strandline.engine.parts.expansion import Width
from strandline.engine.runtime.memory import WordArray
from strandline.engine.saving import RestoredState, SavedState

if TYPE_CHECKING:
    from strandline.engine.disk.marking_kernel import Run

_BLOCK, _MOST_FENCES = 1 << 9, 1 << 17
"""States between two fences, whose hashes are in memory, and most fences of a file.

With too many fences blocks are larger.
"""
_MOST_AT_ONCE = 1 << 16
"""Words that are read at a time, so few that they stay in the cache."""


class SortedSet:
    """States in the order of their hashes, which stand in place of their first words.

    At most about `most` states lie in memory; those on disk have a Bloom filter of `filter_words` words.
    """

    def __init__(self, width: Width, files: RunFiles, most: int, filter_words: int) -> None:
        self._width, self._words = width, words_of(width)
        self._files, self._most, self._filter_words = files, most, max(1, filter_words)
        self._arrays: list[WordArray] = []
        self._runs: list[_SortedRun] = []
        self._filter: WordArray = np.zeros(0, dtype=np.uint64)
        self.count = 0

    def add(self, states: WordArray) -> None:
        """Add sorted states, none of which is in the set."""
        if not len(states):
            return
        self.count += len(states) // self._words
        self._arrays.append(states)
        # Keep each array more than twice as long as the next: there are few, and each state is moved rarely.
        while len(self._arrays) > 1 and len(self._arrays[-2]) < 2 * len(self._arrays[-1]):
            last = self._arrays.pop()
            self._arrays.append(self._merge(self._arrays.pop(), last))
        if sum(map(len, self._arrays)) > self._most * self._words:
            self._spill()

    def _merge(self, first: WordArray, second: WordArray) -> WordArray:
        from strandline.engine.disk.sorting_kernel import merge_states

        merged: WordArray = np.empty(len(first) + len(second), dtype=np.uint64)
        merge_states(first, second, self._width, merged)
        return merged

    def _spill(self) -> None:
        while len(self._arrays) > 1:
            last = self._arrays.pop()
            self._arrays.append(self._merge(self._arrays.pop(), last))
        run = _SortedRun(self._files.new(self._words), self._words, len(self._arrays[0]) // self._words)
        self._note(self._arrays[0])
        run.append(self._arrays.pop())
        run.finish()
        self._runs.append(run)
        while len(self._runs) > 1 and self._runs[-2].count < 2 * self._runs[-1].count:
            smaller = self._runs.pop()
            self._runs.append(self._merged_runs(self._runs.pop(), smaller))

    def _merged_runs(self, first: _SortedRun, second: _SortedRun) -> _SortedRun:
        """Merge two runs in pieces, reading ahead in both.

        Of the pieces that were read, the states up to the smaller of the two last hashes can be merged.
        """
        merged = _SortedRun(self._files.new(self._words), self._words, first.count + second.count)
        unread = [run.pieces() for run in (first, second)]
        unmerged = [next(pieces, None) for pieces in unread]
        while unmerged[0] is not None and unmerged[1] is not None:
            pieces = (unmerged[0], unmerged[1])
            bound = min(int(piece[-self._words]) for piece in pieces)
            cuts = [count_below(piece, self._words, bound)[1] * self._words for piece in pieces]
            merged.append(self._merge(pieces[0][: cuts[0]], pieces[1][: cuts[1]]))
            for number, (piece, place) in enumerate(zip(pieces, cuts, strict=True)):
                unmerged[number] = piece[place:] if place < len(piece) else next(unread[number], None)
        for left, pieces_left in zip(unmerged, unread, strict=True):
            if left is not None:
                merged.append(left)
            for piece in pieces_left:
                merged.append(piece)
        for run in (first, second):
            run.file.remove()
        merged.finish()
        return merged

    def drop_from(self, rows: SortedRows) -> None:
        """Remove the states of this set from the sorted rows."""
        from strandline.engine.disk.marking_kernel import mark_in_file, mark_known

        if not self.count or not rows.count:
            return
        count, marks = np.uint64(rows.count), np.zeros(rows.count, dtype=np.uint8)
        for array in self._arrays:
            mark_known(rows.rows, self._width, count, array, marks)
        if self._runs:
            block = max(run.block for run in self._runs)
            buffer: WordArray = np.empty(max(_MOST_AT_ONCE, block * self._words), dtype=np.uint64)
        for run in self._runs:
            with run.file.reading() as file:
                if not mark_in_file(rows.rows, self._width, count, self._filter, run.open_run(file), buffer, marks):
                    raise run.file.unreadable()
        rows.drop_marked(marks)

    @property
    def bytes(self) -> int:
        """Bytes of arrays and filter in memory."""
        return self._filter.nbytes + sum(array.nbytes for array in self._arrays)

    def save_state(self) -> SavedState:
        """Return the state of the set; the files stay where they are."""
        arrays: dict[str, np.ndarray] = {f"array{place}": array for place, array in enumerate(self._arrays)}
        runs = [number for run in self._runs for number in (run.file.number, run.count)]
        return SavedState(arrays, {"arrays": len(self._arrays), "runs": tuple(runs), "count": self.count})

    def restore(self, kept: RestoredState) -> None:
        """Restore saved state, and read the files to rebuild filter and fences."""
        self.count = kept.numbers["count"]
        self._arrays = [kept.array(f"array{place}") for place in range(kept.numbers["arrays"])]
        numbers = kept.numbers["runs"]
        for number, rows in zip(numbers[::2], numbers[1::2], strict=True):
            run = _SortedRun(self._files.reopen(number, self._words, rows), self._words, rows)
            for piece in run.pieces():
                self._note(piece)
            run.find_fence()
            self._runs.append(run)

    def _note(self, states: WordArray) -> None:
        """Add states on disk to the filter."""
        from strandline.engine.disk.marking_kernel import add_to_filter

        if not len(self._filter):
            self._filter = np.zeros(self._filter_words, dtype=np.uint64)
        add_to_filter(states, self._width, self._filter)

    def clear(self) -> None:
        """Empty the set."""
        for run in self._runs:
            run.file.remove()
        self._arrays, self._runs, self.count = [], [], 0
        self._filter = np.zeros(0, dtype=np.uint64)


class _SortedRun:
    """Sorted states in a file, and the hash of each one that begins a block."""

    def __init__(self, file: RunFile, words: int, count: int) -> None:
        """Prepare for a file that has, or will have, `count` states."""
        self.file, self._words = file, words
        self.block = _BLOCK
        while count > self.block * _MOST_FENCES:
            self.block *= 2
        self._fences: list[WordArray] = []
        self._fence: WordArray = np.zeros(0, dtype=np.uint64)

    @property
    def count(self) -> int:
        return self.file.rows

    def append(self, states: WordArray) -> None:
        self._add_fences(states, self.count)
        self.file.append(states)

    def _add_fences(self, states: WordArray, before: int) -> None:
        self._fences.append(states.reshape(-1, self._words)[-before % self.block :: self.block, 0].copy())

    def find_fence(self) -> None:
        """Read the fences from a finished file."""
        before = 0
        for piece in self.pieces():
            self._add_fences(piece, before)
            before += len(piece) // self._words
        self._fence, self._fences = np.concatenate(self._fences), []

    def finish(self) -> None:
        self.file.finish()
        self._fence, self._fences = np.concatenate(self._fences or [self._fence]), []

    def pieces(self) -> Iterator[WordArray]:
        """Iterate over all states, piece by piece."""
        at_once = max(1, _MOST_AT_ONCE // self._words)
        for first in range(0, self.count, at_once):
            yield self.file.read(first, min(at_once, self.count - first))

    def open_run(self, file: int) -> Run:
        """Return the run as kernels take it, with the descriptor of the open file."""
        from strandline.engine.disk.marking_kernel import Run

        return Run(self._fence, np.uint64(self.block), np.uint64(self.count), np.uint64(file), _pread())


@cache
def _pread() -> np.uint64:
    """Return the address of the C library's `pread`."""
    return np.uint64(ctypes.cast(ctypes.CDLL(None).pread, ctypes.c_void_p).value or 0)
