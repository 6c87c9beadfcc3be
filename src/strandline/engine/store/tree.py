"""The arrays behind `Keys` and `Tree` (`quotient_kernel`, `tree_kernel`), and their growth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from strandline.engine.parts.expansion import Width
from strandline.engine.parts.part import UNLIMITED, Affordable
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BATCH
from strandline.engine.runtime.memory import WordArray, Words
from strandline.engine.runtime.records import FORM, SHAPE, record
from strandline.engine.store.parts import QUEUED_SHARE, TabledPart, TablePart, grow_queue, release_front
from strandline.errors import ResourceError

if TYPE_CHECKING:
    from strandline.engine.store.quotient_kernel import Keys
    from strandline.engine.store.tree_kernel import Tree

_MOST_NODE_BITS = 32
_LEAST_RELEASED, _MOST_RELEASED, _RELEASED_SHARE = 1 << 14, 1 << 19, 8
"""Words of the frontier that are released at once: a fraction (1/8) of the table, within bounds.

Less than in other stores, because tree-compressed states are small.
"""
_FILLED_FURTHER = 0.98
"""Highest load of a table that cannot grow."""
_LOAD_WITH_LIMIT = 0.875
"""Load at which a table grows where memory is limited; higher than without a limit, when insertions are faster."""
_LINE = 8
"""Words of a bucket."""


class TreePart(TabledPart):
    """Tree compression: a `Tree` or, for states of one word with `bits` information-carrying low bits, `Keys`."""

    hashes_late = True

    def __init__(self, width: Width, *, bits: int) -> None:
        from strandline.engine.store.bucket_kernel import LEAST_BITS
        from strandline.engine.store.quotient_kernel import COPY_WORDS

        super().__init__()
        self._width = width
        self._words = len(width) if isinstance(width, tuple) else width
        self.entry = 1
        key_bits = bits if self._words == 1 else 2 * sizes.NODE_BITS
        self.shape, self._larger = record(SHAPE), record(FORM)
        self._form = record(FORM, bits=max(LEAST_BITS, key_bits), half=sizes.NODE_BITS)
        self.entries, self.table = Words(sizes.ENTRIES, large=True), Words(sizes.TABLE, large=True)
        self._scratch, self._copy, self._lock = _zeros(sizes.KEY_SCRATCH), _zeros(COPY_WORDS), _zeros(1)
        self.nodes = TablePart((0,), numbered=True, scratch=sizes.NODE_SCRATCH)
        pairs = _pairs(self._words)
        self._pairs: WordArray = np.array(pairs, dtype=np.uint64).reshape(-1)
        numbers, places = self._words + max(len(pairs) - 1, 0), BATCH if self._words > 1 else 0
        self._sources, self._kept = _zeros(places * self._words), _zeros(places * numbers)
        self._folded = _zeros(numbers)
        self._recent = _zeros(2 * sizes.RECENT_NODES if self._words > 1 else 2)
        self._used = self._released = self._loaded_further = 0

    def store(self) -> Keys | Tree:
        from strandline.engine.store.quotient_kernel import BucketTable, Keys
        from strandline.engine.store.tree_kernel import Tree

        scratch = (self._scratch, self._copy, self._lock)
        lines = BucketTable(self.table.array, self.shape, self._form, self._larger, *scratch)
        common = (self._width, np.uint64(1), self.entries.array, self.shape, lines)
        if self._words == 1:
            return Keys(*common)
        folding = (self._pairs, self._sources, self._kept, self._folded, self._recent)
        return Tree(*common, self.nodes.store(), *folding)

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """Note the number of used entries, and release the first `expanded`.

        Raises `ResourceError` if a key found no place.
        """
        if self.shape.clustered:
            raise ResourceError("too many states have the same hash slot")
        self._used = entries
        worth = min(max(_LEAST_RELEASED, len(self.table) // _RELEASED_SHARE), _MOST_RELEASED)
        self._released = release_front(self.entries, self._released, expanded, worth)
        self.nodes.note_used(int(self.nodes.shape.count))

    @property
    def words(self) -> int:
        return self._table_words(max(int(self._form.buckets), int(self.shape.target))) + self._used + self._others

    @property
    def room(self) -> int:
        return len(self.table) + len(self.entries) + self.nodes.room - self.nodes.words + self._others

    @property
    def _others(self) -> int:
        """Return the words of all arrays but the table and the frontier, less the frontier's released words."""
        arrays = (self._pairs, self._sources, self._kept, self._folded, self._recent)
        folding = sum(map(len, arrays))
        return len(self._scratch) + self.nodes.words + folding - self._released

    def _table_words(self, places: int) -> int:
        from strandline.engine.store.quotient_kernel import SPARE

        return _LINE * (places + SPARE) if places else 0

    def grow(self, affordable: Affordable) -> bool:
        shape = self.shape
        if self._form.narrow and not self._widen(affordable):
            return False
        if not self.nodes.grow(affordable):
            return False
        if not self._grow_table(affordable):
            return False
        if not grow_queue(self.entries, int(shape.wanted_entries), affordable, self._released):
            return False
        shape.wanted_table = shape.wanted_entries = 0
        return True

    def _grow_table(self, affordable: Affordable) -> bool:
        shape, places = self.shape, int(self.shape.places)
        if int(shape.wanted_table) > len(self.table) and places != self._loaded_further and affordable() != UNLIMITED:
            self._loaded_further = places
            shape.most = max(int(shape.most), int(places * int(self._form.room) * _LOAD_WITH_LIMIT))
            if shape.count < shape.most:
                return True
        return super()._grow_table(affordable)

    @property
    def _table_share(self) -> float:
        return QUEUED_SHARE

    def _fullest(self, places: int) -> int:
        return int(places * int(self._form.room) * _FILLED_FURTHER)

    def _widen(self, affordable: Affordable) -> bool:
        """Move all keys to another table with wider node numbers; return False if that is not affordable.

        Raises `ResourceError` if the numbers have 32 bits already.
        """
        half = int(self._form.half)
        if half >= _MOST_NODE_BITS:
            raise ResourceError(
                f"tree compression has more than {1 << half:,} tree nodes, the most that can be numbered"
            )
        wider = min(half + sizes.FURTHER_NODE_BITS, _MOST_NODE_BITS)
        lines = int(self._form.buckets) * 3 // 2
        if self._table_words(lines) > affordable():
            return False
        form = record(FORM, bits=max(int(self._form.bits), 2 * wider), half=wider)
        if lines:
            self._move(form, lines)
        self._form = form
        return True

    def load(self) -> None:
        from strandline.engine.runtime.jit import precompile
        from strandline.engine.store.quotient_kernel import list_keys, widen
        from strandline.engine.store.tree_kernel import Tree, decompress_keys

        store, number, words = self.store(), np.uint64(0), _zeros(8)
        precompile(list_keys, store.keys, number, number, words)
        if isinstance(store, Tree):
            precompile(widen, store.keys, store.keys, self._form.half, self._form.half)
            precompile(decompress_keys, store, words, True, words)

    def _move(self, form: Any, lines: int) -> None:
        """Move all keys to a table of another layout."""
        from strandline.engine.store.quotient_kernel import compute_form, widen

        old, table, scratch = self.store().keys, Words(self._table_words(lines), large=True), _zeros(len(self._scratch))
        shape = record(SHAPE, places=lines, most=compute_form(form, form.bits, np.uint64(lines)))
        widen(old._replace(table=table.array, shape=shape, form=form, scratch=scratch), old, self._form.half, form.half)
        self.table.close()
        self.table, self.shape, self._scratch = table, shape, scratch

    # Listing the contents, for a hand-off

    @property
    def can_list(self) -> bool:
        return not self.shape.target

    def states(self, rows: int) -> Iterator[WordArray]:
        """Iterate over all states, in blocks of at most `rows` rows with one extra word each.

        This overwrites the states that the store holds decompressed.
        """
        from strandline.engine.store.quotient_kernel import list_keys

        found, line, stash = _zeros(rows), 0, 0
        while True:
            count, line, stash = list_keys(self.store().keys, np.uint64(line), np.uint64(stash), found)
            if not count:
                return
            yield self._decompress(found[: int(count)], joined=True)

    def waiting(self, first: int, last: int, rows: int) -> Iterator[WordArray]:
        """Iterate over the states of entries `first` to `last`, in blocks of at most `rows` rows with an extra word."""
        for begin in range(first, last, rows):
            yield self._decompress(self.entries.array[begin : min(last, begin + rows)], joined=False)

    def _decompress(self, keys: WordArray, *, joined: bool) -> WordArray:
        from strandline.engine.store.tree_kernel import Tree, decompress_keys

        block, store = _zeros(len(keys) * (self._words + 1)), self.store()
        if isinstance(store, Tree):
            decompress_keys(store, keys, joined, block)
        else:
            block[::2] = keys
        return block.reshape(len(keys), -1)

    def close(self) -> None:
        self.table.close()
        self.entries.close()
        self.nodes.close()


def _zeros(count: int) -> WordArray:
    return np.zeros(count, dtype=np.uint64)


def _pairs(words: int) -> list[tuple[int, int]]:
    """Return the pairs of numbers that form a balanced tree over the words, children first, the root last.

    Numbers below `words` are those of words, the others those of pairs in the order of the list.
    """
    pairs: list[tuple[int, int]] = []

    def joined(first: int, end: int) -> int:
        if end - first == 1:
            return first
        middle = (first + end) // 2
        pairs.append((joined(first, middle), joined(middle, end)))
        return words + len(pairs) - 1

    joined(0, words)
    return pairs
