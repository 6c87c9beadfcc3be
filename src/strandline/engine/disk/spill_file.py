"""States that wait on disk for the line. Each spill is a file of layers in increasing order; the line comes to them one
after the other, so that every file is read from beginning to end."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from strandline.engine.disk.runs import RunFile, RunFiles
from strandline.engine.disk.sorting import cut
from strandline.engine.runtime.memory import WordArray
from strandline.engine.saving import Kept, Saved

Key = tuple[int, int]
"""Column and layer, as the engine has them."""


@dataclass(slots=True)
class Segment:
    """The states of one layer in one file, in the order of their hashes."""

    run: WaitingRun
    first: int
    count: int

    def read_up_to(self, bound: int | None, share: int) -> WordArray:
        """Take the states whose hashes are less than the bound, or all; about one of `share` parts of what is left."""
        size = self.run.row_words
        if bound is None:
            rows = self.run.file.read(self.first, self.count)
            self.first, self.count = self.first + self.count, 0
            return rows
        taken: list[WordArray] = [np.zeros(0, dtype=np.uint64)]
        while self.count:
            wanted = min(self.count, self.count // share + self.count // (8 * share) + 256)
            rows = self.run.file.read(self.first, wanted)
            place, _ = cut(rows, size, bound)
            taken.append(rows[: place * size])
            self.first, self.count = self.first + place, self.count - place
            if place < wanted:
                break
        return np.concatenate(taken)


class WaitingRun:
    """One spill. `grain` is how many of the lowest bits of layers are left out in its keys."""

    def __init__(self, file: RunFile, row_words: int, grain: int = 0) -> None:
        self.file, self.row_words, self.grain = file, row_words, grain
        # Layers may be many when there is little memory: no object for each.
        self._written = array("Q")
        self._index: WordArray = np.zeros((0, 3), dtype=np.uint64)
        self._next = self._taken = 0

    def append(self, key: Key, rows: WordArray) -> None:
        """Write the sorted rows of a layer, which comes after those before or is the last of them."""
        if tuple(self._written[-3:-1]) != key:
            self._written.extend((*key, self.file.rows))
        self.file.append(rows)

    def finish(self) -> None:
        self.file.finish()
        self._index = np.array(self._written, dtype=np.uint64).reshape(-1, 3)
        self._written = array("Q")

    def saved(self) -> Saved:
        """What it knows; the file stays where it is."""
        numbers = (self.file.number, self.file.rows, self._next, self._taken, self.grain)
        return Saved({"index": self._index}, {"numbers": numbers})

    @classmethod
    def restored(cls, files: RunFiles, row_words: int, kept: Kept) -> WaitingRun:
        number, rows, following, taken, grain = kept.numbers["numbers"]
        run = cls(files.reopened(number, row_words, rows), row_words, grain)
        run._index, run._next, run._taken = kept.array("index").reshape(-1, 3), following, taken
        return run

    @property
    def ended(self) -> bool:
        """Whether all layers were taken."""
        return self._next == len(self._index)

    def head(self, grain: int) -> Key | None:
        """The least layer of which states wait here, with so many of its lowest bits left out."""
        if self.ended:
            return None
        return int(self._index[self._next, 0]), int(self._index[self._next, 1]) >> (grain - self.grain)

    @property
    def waiting(self) -> int:
        """How many states wait here, those that are taken not counted."""
        return 0 if self.ended else self.file.rows - int(self._index[self._next, 2])

    def take(self) -> Segment:
        """The states of the least layer."""
        first = int(self._index[self._next, 2])
        self._next += 1
        last = int(self._index[self._next, 2]) if self._next < len(self._index) else self.file.rows
        self._taken += 1
        return Segment(self, first, last - first)

    def give_back(self) -> bool:
        """A segment that was taken is read; whether the whole file is."""
        self._taken -= 1
        if self._taken or not self.ended:
            return False
        self.file.remove()
        return True


class WaitingRuns:
    """All spills of one kind. A run may have been written when layers were finer than they are now."""

    def __init__(self, files: RunFiles, row_words: int) -> None:
        self._files, self._row_words = files, row_words
        self.runs: list[WaitingRun] = []
        self.count = 0

    def begin(self, grain: int) -> WaitingRun:
        return WaitingRun(self._files.new(self._row_words), self._row_words, grain)

    def add(self, run: WaitingRun) -> None:
        """A spill is written."""
        run.finish()
        if run.ended:
            run.file.remove()
            return
        self.count += run.file.rows
        self.runs.append(run)

    def restore(self, run: WaitingRun) -> None:
        """A spill that was there when the search was saved."""
        self.runs.append(run)
        self.count += run.waiting

    def __bool__(self) -> bool:
        return bool(self.runs)

    def least(self, grain: int) -> Key | None:
        """The least layer of which states wait."""
        heads = [run.head(grain) for run in self.runs]
        return min((head for head in heads if head is not None), default=None)

    def take(self, key: Key, grain: int) -> list[Segment]:
        """The states of a layer, which is the least one or one before."""
        found = []
        for run in self.runs:
            while run.head(grain) == key:
                found.append(run.take())
        if found:
            self.count -= sum(segment.count for segment in found)
            self.runs = [run for run in self.runs if not run.ended]
        return found


def give_back(segments: Iterable[Segment]) -> None:
    """These segments are read."""
    for segment in segments:
        segment.run.give_back()
