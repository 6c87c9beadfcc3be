"""The graph of a search, written while it runs: edges in blocks on disk, labels as sets in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.memory import WordArray, Words
from strandline.engine.runtime.writer import write_all
from strandline.engine.saving import RestoredState, SavedState
from strandline.errors import InternalError, ResourceError

Bits = WordArray
"""A set of records: bit `r & 63` of word `r >> 6` is record r."""
Numbers = npt.NDArray[np.uint32]
Ensure = Callable[[int], None]
"""A callback that raises `ResourceError` if the given number of bytes of memory is not available."""


class Rows(NamedTuple):
    """A block as read from the file: records, ends of their targets, targets."""

    records: Numbers
    ends: Numbers
    targets: Numbers


_MOST_RECORDS = (1 << 32) - 1
_BLOCK_EDGES = 1 << 17
"""Edges after which a block is written; one state may have more."""
_INDEXED_AT_ONCE = 1 << 22
_PASSING_WORDS = 3 << 19
"""Words of buffered rows that are not written yet."""


@dataclass(frozen=True, slots=True)
class Block:
    """Records that were expanded in sequence, with their edges.

    In the file, from position `first` on, counted in numbers of 32 bits: the records, the end of the targets of each,
    and the targets. `chunks` are the chunks of records in which targets lie.
    """

    first: int
    count: int
    edges: int
    chunks: npt.NDArray[np.int64]


class GraphLog:
    """An observer that writes every expanded record with the records of its successors, in the order of expansion.

    `predicates` is the number of low labels that become sets. Raises `ResourceError` if the disk is full.
    """

    layers = False

    def __init__(self, path: Path, words: int, initial: int, predicates: int) -> None:
        self.path = path
        self.blocks: list[Block] = []
        self.initial: tuple[int, ...] = ()
        self.records = 0
        """One more than the largest record."""
        self._words, self._initial_count = words, initial
        self._sets = [Words(1 << 10, large=True) for _ in range(predicates)]
        self._sources, self._degrees, self._targets = (np.zeros(0, dtype=np.uint64) for _ in range(3))
        self._expanded_rows: WordArray = np.zeros((0, 2), dtype=np.uint64)
        self._written = self._chunks = 0
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise ResourceError(f"{path}: the graph cannot be written: {error.strerror}") from None

    # While the search runs

    @property
    def held_words(self) -> int:
        used = (self.records >> 6) + 1
        return len(self._sets) * used + self._chunks + _PASSING_WORDS

    def expanded(self, states: WordArray) -> None:
        self._expanded_rows = states[:, self._words :].copy()

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        missing = self._initial_count - len(self.initial)
        if missing:
            self.initial += tuple(int(record) for record in targets[:missing])
            targets = targets[missing:]
        self._note_labels(sources)
        self._sources = np.concatenate((self._sources, sources))
        self._degrees = np.concatenate((self._degrees, self._expanded_rows[:, 1]))
        self._targets = np.concatenate((self._targets, targets))
        self._expanded_rows = self._expanded_rows[:0]
        if len(self._targets) >= _BLOCK_EDGES or len(self._sources) >= _BLOCK_EDGES:
            self._write(final=False)

    def _note_labels(self, sources: WordArray) -> None:
        from strandline.engine.graph.log_kernel import mark_labelled

        if not len(sources):
            return
        self.records = max(self.records, int(sources.max()) + 1)
        if self.records > _MOST_RECORDS:
            raise ResourceError(f"a graph of more than {_MOST_RECORDS:,} records cannot be stored for CTL")
        for label, words in enumerate(self._sets):
            wanted = (self.records >> 6) + 1
            if wanted > len(words):
                words.grow(max(wanted, len(words) * 2))
            mark_labelled(words.array, sources, self._expanded_rows[:, 0], np.uint64(label))

    def finish(self) -> None:
        """Write the rest after the search. Raises `InternalError` if edges are missing."""
        self._write(final=True)
        if len(self._sources) or len(self._targets):
            raise InternalError("the graph of the search lacks edges")

    def _write(self, *, final: bool) -> None:
        """Write the rows of all states whose successors are placed, in blocks."""
        ends = np.cumsum(self._degrees)
        whole = int(np.searchsorted(ends, len(self._targets), side="right"))
        begin = 0
        while begin < whole:
            before = int(ends[begin - 1]) if begin else 0
            end = int(np.searchsorted(ends, before + _BLOCK_EDGES, side="right"))
            end = min(max(end, begin + 1), begin + _BLOCK_EDGES, whole)
            if end == whole and not final and int(ends[end - 1]) - before < _BLOCK_EDGES:
                break
            self._write_block(slice(begin, end), self._targets[before : int(ends[end - 1])])
            begin = end
        taken = int(ends[begin - 1]) if begin else 0
        self._sources, self._degrees = self._sources[begin:].copy(), self._degrees[begin:].copy()
        self._targets = self._targets[taken:].copy()

    def _write_block(self, part: slice, targets: WordArray) -> None:
        from strandline.engine.graph.log_kernel import CHUNK_BITS, mark_chunks

        sources, ends = self._sources[part], np.cumsum(self._degrees[part])
        marks = np.zeros(((int(targets.max()) if len(targets) else 0) >> CHUNK_BITS) + 1, dtype=np.uint8)
        mark_chunks(targets, marks)
        numbers = np.concatenate((sources, ends, targets)).astype(np.uint32)
        write_all(self._file, self.path, numbers)
        self.blocks.append(Block(self._written, len(sources), len(targets), np.flatnonzero(marks)))
        self._written, self._chunks = self._written + len(numbers), self._chunks + len(self.blocks[-1].chunks)

    # Saving

    def save_state(self) -> SavedState:
        """Return the state of the log beside its file."""
        arrays: dict[str, npt.NDArray[Any]] = {f"set {number}": one.array for number, one in enumerate(self._sets)}
        shapes = [(one.first, one.count, one.edges, len(one.chunks)) for one in self.blocks]
        arrays["blocks"] = np.array(shapes, dtype=np.int64).reshape(-1)
        arrays["chunks"] = np.concatenate([np.zeros(0, dtype=np.int64), *(one.chunks for one in self.blocks)])
        arrays["sources"], arrays["degrees"], arrays["targets"] = self._sources, self._degrees, self._targets
        return SavedState(arrays, {"initial": self.initial, "records": self.records, "written": self._written})

    def restore(self, kept: RestoredState) -> None:
        """Restore saved state; the file is as it was then."""
        for number, words in enumerate(self._sets):
            kept_words = kept.array(f"set {number}")
            words.grow(len(kept_words))
            words.array[: len(kept_words)] = kept_words
        chunks, before = kept.array("chunks"), 0
        for first, count, edges, length in kept.array("blocks").reshape(-1, 4).tolist():
            self.blocks.append(Block(first, count, edges, chunks[before : before + length]))
            before += length
        self._chunks = before
        self._sources, self._degrees = kept.array("sources"), kept.array("degrees")
        self._targets = kept.array("targets")
        self.initial, self.records = tuple(kept.numbers["initial"]), kept.numbers["records"]
        self._written = kept.numbers["written"]

    # Afterwards

    @property
    def disk_bytes(self) -> int:
        return 4 * self._written

    @property
    def set_words(self) -> int:
        """The number of words of a set of records, which has one bit per record."""
        return (self.records + 63) // 64

    def labelled(self, label: int) -> Bits:
        """Return the set of records with a label."""
        words = self._sets[label]
        words.grow(self.set_words)
        return words.array[: self.set_words]

    def empty(self) -> Bits:
        """Return the empty set."""
        return np.zeros(self.set_words, dtype=np.uint64)

    def full(self) -> Bits:
        """Return the set of all records."""
        bits = np.full(self.set_words, ~np.uint64(0), dtype=np.uint64)
        if self.records % 64:
            bits[-1] = np.uint64((1 << self.records % 64) - 1)
        return bits

    def read(self, block: Block) -> Rows:
        """Read the rows of a block."""
        length = 4 * (2 * block.count + block.edges)
        data = os.pread(self._file, length, 4 * block.first)
        if len(data) != length:
            raise ResourceError(f"{self.path}: cannot be read back")
        numbers = np.frombuffer(data, dtype=np.uint32)
        count = block.count
        return Rows(numbers[:count], numbers[count : 2 * count], numbers[2 * count :])

    def mapped(self) -> Numbers:
        """Map all numbers of the file into memory, for random access."""
        return np.memmap(self.path, dtype=np.uint32, mode="r") if self._written else np.zeros(0, dtype=np.uint32)

    def index(self, ensure: Ensure | None = None) -> WordArray:
        """Write an index file and map it: position and number of the targets of each record.

        `ensure` is asked for memory if that is limited.
        """
        path = self.path.with_suffix(".index")
        at_once = min(max(_INDEXED_AT_ONCE, self.records // 16), self.records)
        if ensure is not None:
            ensure(8 * at_once)
        try:
            with path.open("wb") as file:
                for least in range(0, self.records, at_once):
                    self._index_from(least, min(at_once, self.records - least)).tofile(file)
        except OSError as error:
            raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None
        return np.memmap(path, dtype=np.uint64, mode="r")

    def _index_from(self, least: int, count: int) -> WordArray:
        from strandline.engine.graph.log_kernel import index_rows

        index = np.zeros(count, dtype=np.uint64)
        for block in self.blocks:
            rows, targets = self.read(block), block.first + 2 * block.count
            index_rows(rows.records, rows.ends, np.uint64(targets), np.uint64(least), index)
        return index

    def close(self) -> None:
        """Close the file, which stays on disk, and release all memory."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        for words in self._sets:
            words.close()


def members(bits: Bits) -> Iterator[int]:
    """Iterate over the records of a set, in increasing order."""
    for word in np.flatnonzero(bits).tolist():
        value = int(bits[word])
        while value:
            lowest = value & -value
            yield word * 64 + lowest.bit_length() - 1
            value ^= lowest


def contains(bits: Bits, record: int) -> bool:
    """Return True if a record is in a set."""
    return bool(int(bits[record >> 6]) >> (record & 63) & 1)


def size(bits: Bits) -> int:
    """Return the number of records in a set."""
    return int(np.bitwise_count(bits).sum()) if hasattr(np, "bitwise_count") else sum(map(_ones, bits.tolist()))


def _ones(word: Any) -> int:
    return int(word).bit_count()
