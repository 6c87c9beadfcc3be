"""Count distinct states exactly, on disk, after a search that deleted states.

Every expanded state is appended, with its out-degree, to one of 64 files by a hash of its words, so equal states are in
the same file. At the end the files are sorted one by one, so memory is bounded by the largest; one that is too large is
split again by other bits of the hash.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import DEADLOCK_BIT
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.writer import Writer
from strandline.errors import ResourceError

_PARTITION_BITS = 6
_PARTITIONS = 1 << _PARTITION_BITS
_LARGEST = 1 << 28
"""Most bytes of one of these files that are sorted in one piece."""
_TO_SORT = 4
"""Memory for sorting a file, as a multiple of its bytes."""
_DEEPEST = 64 // _PARTITION_BITS - 1
_CHUNK = 1 << 16
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)


@dataclass(frozen=True, slots=True)
class Counts:
    """Exact numbers of distinct states, of their outgoing transitions, and of deadlocks among them."""

    states: int
    transitions: int
    deadlocks: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.states + other.states,
            self.transitions + other.transitions,
            self.deadlocks + other.deadlocks,
        )


class DistinctCounter:
    """A search observer that writes expanded states to files of a folder, and counts the distinct ones.

    At most `largest` bytes are sorted at once; with `keeps` the files remain after counting. `depth` is the number of
    splits by hash bits before.
    """

    def __init__(
        self,
        folder: Path,
        words: int,
        *,
        largest: int = _LARGEST,
        depth: int = 0,
        keeps: bool = False,
        account: Callable[[int], None] = lambda count: None,
        writer: Writer | None = None,
    ) -> None:
        self._writer = writer or Writer()
        self._folder, self._words, self._keeps, self._account = folder, words, keeps, account
        self._largest, self._depth = largest, depth
        self._files: list[int] = []
        try:
            folder.mkdir(exist_ok=True)
            for number in range(_PARTITIONS):
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                self._files.append(os.open(self._path(number), flags, 0o600))
        except OSError as error:
            self.close()
            raise ResourceError(f"{folder}: files for counting states cannot be created: {error.strerror}") from None

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:02x}"

    layers = False
    """Class attribute of observers: this one is not notified of finished layers."""
    held_words = 0

    def expanded(self, states: WordArray) -> None:
        """Append expanded states to the files; a row has the words, the labels and the number of successors."""
        rows = states[:, : self._words + 1].copy()
        deadlocks = states[:, self._words] >> np.uint64(DEADLOCK_BIT)
        rows[:, self._words] = (states[:, self._words + 1] << np.uint64(1)) | deadlocks
        self.add(rows)

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def add(self, rows: WordArray) -> None:
        """Append rows to the files: the words of a state, and one more word, `out-degree << 1 | deadlock`."""
        self._account(rows.nbytes)
        partitions = self._partition_of(rows)
        # Stable sorting of bytes is a radix sort: linear.
        order = np.argsort(partitions, kind="stable")
        rows = rows[order]
        ends = np.cumsum(np.bincount(partitions, minlength=_PARTITIONS))
        start = 0
        for number, end in enumerate(ends.tolist()):
            if end > start:
                self._writer.write(self._files[number], self._path(number), rows[start:end].reshape(-1))
            start = end

    def _partition_of(self, rows: WordArray) -> npt.NDArray[np.uint8]:
        hashes = np.zeros(len(rows), dtype=np.uint64)
        for word in range(self._words):
            hashes ^= rows[:, word]
            hashes *= _MULTIPLIER
            hashes ^= hashes >> _FOLD
        hashes *= _MULTIPLIER
        # Each split uses the next lower bits of the hash: those above are the same in the whole file.
        shift = np.uint64(64 - _PARTITION_BITS * (self._depth + 1))
        return (hashes >> shift).astype(np.uint8) % np.uint8(_PARTITIONS)

    def count(self, memory: int | None = None) -> Counts:
        """Count the distinct states within `memory` bytes. Unless `keeps`, remove each file after counting it."""
        if memory is not None:
            self._largest = max(1, min(self._largest, memory // _TO_SORT))
        self._writer.settle()
        self.close()
        total = Counts(0, 0, 0)
        for number in range(_PARTITIONS):
            total += self._count_file(self._path(number))
        if not self._keeps:
            self._folder.rmdir()
        return total

    def _count_file(self, path: Path) -> Counts:
        size = path.stat().st_size
        if size > self._largest and self._depth < _DEEPEST:
            counts = self._split(path)
        elif size:
            counts = _count_sorted(np.fromfile(path, dtype="<u8").reshape(-1, self._words + 1))
        else:
            counts = Counts(0, 0, 0)
        if not self._keeps:
            path.unlink()
        return counts

    def _split(self, path: Path) -> Counts:
        folder, depth = path.with_suffix(".parts"), self._depth + 1
        finer = DistinctCounter(folder, self._words, largest=self._largest, depth=depth, writer=self._writer)
        # Read, not mapped: mapped pages count as memory of the process.
        with path.open("rb") as file:
            while len(rows := np.fromfile(file, dtype="<u8", count=_CHUNK * (self._words + 1))):
                finer.add(rows.reshape(-1, self._words + 1))
        return finer.count()

    def close(self) -> None:
        """Close all files; they stay on disk."""
        self._writer.wait()
        for file in self._files:
            os.close(file)
        self._files = []


def _count_sorted(rows: WordArray) -> Counts:
    """Sort the rows by state and count each state once.

    Sorting and comparing neighbours is many times faster than `numpy.unique`.
    """
    words = rows.shape[1] - 1
    order = np.argsort(rows[:, 0]) if words == 1 else np.lexsort(rows[:, :words].T)
    rows = rows[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:, :words] != rows[:-1, :words]).any(axis=1)
    facts = rows[first, words]
    return Counts(len(facts), int((facts >> np.uint64(1)).sum()), int((facts & np.uint64(1)).sum()))
