"""Queues of states on disk, one file per spill, with the layers of a file in increasing order.

The line reaches the layers in this order, so that every file is read from beginning to end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from strandline.engine.disk.runs import RunFile, RunFiles
from strandline.engine.disk.sorting import count_below
from strandline.engine.runtime.memory import WordArray
from strandline.engine.saving import RestoredState, SavedState

Key = tuple[int, int]
"""Column and layer, biased as in the engine."""


@dataclass(slots=True)
class Segment:
    """The states of one layer in one file, in the order of their hashes."""

    run: SpillRun
    first: int
    count: int

    def read_up_to(self, bound: int | None, share: int) -> WordArray:
        """Read the unread states whose hashes are below the bound; all of them if `bound` is None.

        About one in `share` of the unread states is expected to be below the bound.
        """
        size = self.run.row_words
        if bound is None:
            rows = self.run.file.read(self.first, self.count)
            self.first, self.count = self.first + self.count, 0
            return rows
        taken: list[WordArray] = [np.zeros(0, dtype=np.uint64)]
        while self.count:
            wanted = min(self.count, self.count // share + self.count // (8 * share) + 256)
            rows = self.run.file.read(self.first, wanted)
            place, _ = count_below(rows, size, bound)
            taken.append(rows[: place * size])
            self.first, self.count = self.first + place, self.count - place
            if place < wanted:
                break
        return np.concatenate(taken)


class SpillRun:
    """The file of one spill, whose keys are layers without their `grain` low bits."""

    def __init__(self, file: RunFile, row_words: int, grain: int = 0) -> None:
        self.file, self.row_words, self.grain = file, row_words, grain
        # There may be many layers when memory is short: no Python object for each.
        self._written = array("Q")
        self._index: WordArray = np.zeros((0, 3), dtype=np.uint64)
        self._next = self._taken = 0

    def append(self, key: Key, rows: WordArray) -> None:
        """Append the sorted rows of a layer, which must not be below the last one."""
        if tuple(self._written[-3:-1]) != key:
            self._written.extend((*key, self.file.rows))
        self.file.append(rows)

    def finish(self) -> None:
        self.file.finish()
        self._index = np.array(self._written, dtype=np.uint64).reshape(-1, 3)
        self._written = array("Q")

    def save_state(self) -> SavedState:
        """Return the state of the run; the file stays where it is."""
        numbers = (self.file.number, self.file.rows, self._next, self._taken, self.grain)
        return SavedState({"index": self._index}, {"numbers": numbers})

    @classmethod
    def restore(cls, files: RunFiles, row_words: int, kept: RestoredState) -> SpillRun:
        number, rows, following, taken, grain = kept.numbers["numbers"]
        run = cls(files.reopen(number, row_words, rows), row_words, grain)
        run._index, run._next, run._taken = kept.array("index").reshape(-1, 3), following, taken
        return run

    @property
    def ended(self) -> bool:
        """True if all layers were taken."""
        return self._next == len(self._index)

    def head(self, grain: int) -> Key | None:
        """Return the least layer left, without its `grain` low bits; None if there is none."""
        if self.ended:
            return None
        return int(self._index[self._next, 0]), int(self._index[self._next, 1]) >> (grain - self.grain)

    @property
    def unread(self) -> int:
        """The number of states that were not taken."""
        return 0 if self.ended else self.file.rows - int(self._index[self._next, 2])

    def take(self) -> Segment:
        """Take the states of the least layer."""
        first = int(self._index[self._next, 2])
        self._next += 1
        last = int(self._index[self._next, 2]) if self._next < len(self._index) else self.file.rows
        self._taken += 1
        return Segment(self, first, last - first)

    def give_back(self) -> bool:
        """Note that a segment of the file was read. If all were, remove the file and return True."""
        self._taken -= 1
        if self._taken or not self.ended:
            return False
        self.file.remove()
        return True


class SpillRuns:
    """All spills of one kind. A run may have been written when layers were finer than now."""

    def __init__(self, files: RunFiles, row_words: int) -> None:
        self._files, self._row_words = files, row_words
        self.runs: list[SpillRun] = []
        self.count = 0

    def begin(self, grain: int) -> SpillRun:
        return SpillRun(self._files.new(self._row_words), self._row_words, grain)

    def add(self, run: SpillRun) -> None:
        """Add a run that is written, and finish it."""
        run.finish()
        if run.ended:
            run.file.remove()
            return
        self.count += run.file.rows
        self.runs.append(run)

    def restore(self, run: SpillRun) -> None:
        """Add a run of a saved search."""
        self.runs.append(run)
        self.count += run.unread

    def __bool__(self) -> bool:
        return bool(self.runs)

    def least(self, grain: int) -> Key | None:
        """Return the least layer of all runs; None if there is none."""
        heads = [run.head(grain) for run in self.runs]
        return min((head for head in heads if head is not None), default=None)

    def take(self, key: Key, grain: int) -> list[Segment]:
        """Take the states of a layer, which must not be above the least one."""
        found = []
        for run in self.runs:
            while run.head(grain) == key:
                found.append(run.take())
        if found:
            self.count -= sum(segment.count for segment in found)
            self.runs = [run for run in self.runs if not run.ended]
        return found


def give_back(segments: Iterable[Segment]) -> None:
    """Release segments that have been read."""
    for segment in segments:
        segment.run.give_back()
