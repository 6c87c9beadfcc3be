"""The arrays behind the state stores, and their growth."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from strandline.engine.parts.expansion import Width
from strandline.engine.parts.part import UNLIMITED, Affordable, Part, grow_array
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BIT_FUNCTIONS, HASH_BITS
from strandline.engine.runtime.memory import WordArray, Words
from strandline.engine.runtime.records import SHAPE, record
from strandline.engine.store.omissions import Omissions
from strandline.errors import InternalError, ResourceError

if TYPE_CHECKING:
    from strandline.engine.store.bits_kernel import BitTable
    from strandline.engine.store.paged_kernel import Paged
    from strandline.engine.store.table_kernel import HashTable, NumberTable, StateTable

_WORTH_RELEASING = 1 << 18
"""Least number of words that are released at once: two megabytes."""
_FEW_ENTRIES = 1 << 10
"""Least growth of the entries, in words."""
_PAGE_WORDS = 64
"""Words of a page, if that is at least four entries."""
_LINE = 8
"""Words of a bucket."""
QUEUED_SHARE = 0.75
"""Share of the remaining memory for the table, where expanded entries are released."""
_WORTH_GOING_ON = 4
"""Fraction (1/4) of the wanted growth below which a search stops if it has a fallback."""


class StorePart(Part):
    """A store of states, as the searches see it.

    `entry` words of `entries` belong to each state. The entries of breadth-first search are a queue in the order of the
    records; a store that needs no entries for lookups releases those that are expanded.
    """

    shape: Any
    entry: int
    entries: Words
    hashes_late: ClassVar[bool] = False
    """True if hashes are computed when a batch is complete, so that those of initial states must be prepared."""

    @abstractmethod
    def store(self) -> Any:
        """Return the named tuple that kernels work on."""

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """Note the number of used entries, of which the first `expanded` are expanded."""
        return

    def omissions(self, stored: int) -> Omissions | None:
        """Return the expected loss after `stored` insertions; None if the store is exact."""
        return None

    @property
    def can_list(self) -> bool:
        """True if all states can be listed now, for another search that continues."""
        return False

    def states(self, rows: int) -> Iterator[WordArray]:
        """Iterate over all states, in blocks of at most `rows` rows with one extra word each."""
        raise InternalError(f"{type(self).__name__} cannot list its states")

    def waiting(self, first: int, last: int, rows: int) -> Iterator[WordArray]:
        """Iterate over the states of entries `first` to `last`, in blocks as `states` does."""
        raise InternalError(f"{type(self).__name__} cannot list its states")


class TabledPart(StorePart):
    """A store with a hash table that grows by a large factor.

    When memory is short, the table grows by the memory that is left or, if that is little, is filled further. With
    `use_last_memory` it uses the last memory; without, it gives up while growth is still possible, because a fallback
    with another store is faster than a search with a nearly full table.
    """

    table: Words

    def __init__(self) -> None:
        self.use_last_memory = True
        self._filled_further = 0

    @property
    @abstractmethod
    def _table_share(self) -> float:
        """The share of the memory that is left which the table may get when it is short; the rest is for entries."""

    @abstractmethod
    def _table_words(self, places: int) -> int:
        """Return the length of a table with `places` slots."""

    @abstractmethod
    def _fullest(self, places: int) -> int:
        """Return the number of states up to which a table is filled if it cannot grow, at slower insertions."""

    def _grow_table(self, affordable: Affordable) -> bool:
        check_table_limit(self.shape)
        wanted, places, room = int(self.shape.wanted_table), int(self.shape.places), affordable()
        more = wanted - len(self.table)
        if more <= QUEUED_SHARE * room:
            # Without a memory limit there is room for the next growth too; it takes no memory before it is used.
            self.table.grow(max(2 * wanted if room == UNLIMITED else wanted, len(self.table)))
            return True
        size = len(self.table) + int(room * self._table_share)
        if not places or (not self.use_last_memory and size < len(self.table) + more // _WORTH_GOING_ON):
            return False
        self.use_last_memory = True
        if size >= self._table_words(places + places // sizes.LEAST_GROWTH + 1):
            self.table.grow(size - size % _LINE)
            return True
        if places == self._filled_further:
            return False
        self._filled_further = places
        self.shape.most = max(int(self.shape.most), self._fullest(places))
        return True


class TablePart(TabledPart):
    """A `StateTable`, a `NumberTable` or a `HashTable`.

    One-word states lie in a `StateTable`, others in a `NumberTable`; with `numbered` all do, with `compact` only hashes
    are stored, in a `HashTable`. Entries have `extra` words behind the state.
    """

    def __init__(
        self,
        width: Width,
        *,
        extra: int = 0,
        numbered: bool = False,
        compact: bool = False,
        scratch: int = sizes.SCRATCH,
    ) -> None:
        super().__init__()
        self._width = width
        self._words = len(width) if isinstance(width, tuple) else width
        self.entry = self._words + extra
        self.shape = record(SHAPE)
        self.holds_states = self._words == 1 and not numbered and not compact
        self.compact = compact
        self.entries, self.table = Words(sizes.ENTRIES, large=True), Words(sizes.TABLE, large=True)
        self._scratch: WordArray = np.zeros(scratch, dtype=np.uint64)
        self._used = 0
        self._released = 0

    def store(self) -> StateTable | NumberTable | HashTable:
        from strandline.engine.store.table_kernel import HashTable, NumberTable, StateTable

        kind = HashTable if self.compact else StateTable if self.holds_states else NumberTable
        parts = (self.entries.array, self.table.array, self.shape, self._scratch)
        return kind(self._width, np.uint64(self.entry), *parts)

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """Note the number of used entries, of which the first `expanded` are expanded.

        Where lookups need no entries, these are a mere queue, and expanded ones are released.
        """
        self._used = entries
        if self.holds_states or self.compact:
            self._released = release_front(self.entries, self._released, expanded * self.entry)

    def omissions(self, stored: int) -> Omissions | None:
        if not self.compact:
            return None
        return Omissions(stored * (stored - 1) / 2 / 2**HASH_BITS, stored / 2**HASH_BITS)

    def state(self, number: int) -> tuple[int, ...]:
        """Return the words of the state in an entry."""
        at = number * self.entry
        return tuple(int(word) for word in self.entries.array[at : at + self._words])

    @property
    def words(self) -> int:
        places = max(int(self.shape.places), int(self.shape.target))
        return places + self._used * self.entry - self._released + len(self._scratch)

    @property
    def room(self) -> int:
        return len(self.table) + len(self.entries) - self._released + len(self._scratch)

    def grow(self, affordable: Affordable) -> bool:
        shape = self.shape
        if shape.clustered:
            raise InternalError("a hash cluster exceeds the scratch array")
        if not self._grow_table(affordable):
            return False
        if not grow_queue(self.entries, int(shape.wanted_entries), affordable, self._released):
            return False
        shape.wanted_table = shape.wanted_entries = 0
        return True

    @property
    def _table_share(self) -> float:
        return QUEUED_SHARE if self.holds_states or self.compact else 1 / (1 + self.entry)

    def _table_words(self, places: int) -> int:
        return places

    def _fullest(self, places: int) -> int:
        return places * 17 // 20

    def close(self) -> None:
        self.table.close()
        self.entries.close()


class BitsPart(StorePart):
    """A `BitTable` of `size` bytes, rounded down to a power of two; the entries are a queue."""

    def __init__(self, width: Width, *, size: int) -> None:
        self._width = width
        self.entry = len(width) if isinstance(width, tuple) else width
        words = 1 << max(0, (size // 8).bit_length() - 1)
        self.shape = record(SHAPE, places=64 * words, most=(1 << 64) - 1)
        self.entries, self.table = Words(sizes.ENTRIES, large=True), Words(words, large=True)
        self._used = self._released = 0

    def store(self) -> BitTable:
        from strandline.engine.store.bits_kernel import BitTable

        parts = (self.entries.array, self.table.array, self.shape)
        return BitTable(self._width, np.uint64(self.entry), *parts)

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """Note the number of used entries, and release the first `expanded`."""
        self._used = entries
        self._released = release_front(self.entries, self._released, expanded * self.entry)

    def omissions(self, stored: int) -> Omissions | None:
        # A new state is omitted if its bits happen to be set; the fill grew evenly, so the mean is taken over it.
        filled = int(np.bitwise_count(self.table.array).sum()) / int(self.shape.places)
        mistaken = filled**BIT_FUNCTIONS
        return Omissions(stored * mistaken / (BIT_FUNCTIONS + 1), mistaken)

    @property
    def words(self) -> int:
        return len(self.table) + self._used * self.entry - self._released

    @property
    def room(self) -> int:
        return len(self.table) + len(self.entries) - self._released

    def grow(self, affordable: Affordable) -> bool:
        shape = self.shape
        if not grow_queue(self.entries, int(shape.wanted_entries), affordable, self._released):
            return False
        shape.wanted_entries = 0
        return True

    def close(self) -> None:
        self.table.close()
        self.entries.close()


def grow_queue(entries: Words, wanted: int, affordable: Affordable, released: int) -> bool:
    """Grow an array of consecutive entries whose front may be released; return False if that is not affordable.

    Kernels ask for many entries at once and can continue with few. Without a memory limit the array grows fast: every
    growth interrupts the search, and entries take no memory before they are used.
    """
    factor = 2.0 if affordable() == UNLIMITED else 1.25
    if grow_array(entries, wanted, factor, affordable, released=released):
        return True
    few = len(entries) + max(_FEW_ENTRIES, affordable() // 4)
    return grow_array(entries, min(wanted, few), 1.0, affordable)


def release_front(entries: Words, before: int, words: int, worth: int = _WORTH_RELEASING) -> int:
    """Release the memory of the first `words` words if that is worth it; `before` of them are released already.

    Returns the number of released words.
    """
    return entries.release(before, words) if words - before > worth else before


class PagedPart(TabledPart):
    """The store of a sweep; entries have `extra` words behind the state."""

    def __init__(self, width: Width, *, extra: int = 0) -> None:
        super().__init__()
        self._width = width
        self._words = len(width) if isinstance(width, tuple) else width
        self.entry = self._words + extra
        bits = max(2, (_PAGE_WORDS // self.entry).bit_length() - 1)
        self.shape = record(SHAPE, page_bits=min(bits, 4))
        self.entries, self.table = Words(sizes.ENTRIES, large=True), Words(sizes.TABLE, large=True)
        self._following, self._filled = Words(sizes.PAGES, large=True), Words(sizes.PAGES, large=True)
        self._first_record, self._further = Words(sizes.PAGES, large=True), Words(sizes.ENTRIES, large=True)

    def store(self) -> Paged:
        from strandline.engine.store.paged_kernel import Paged

        halves = [words.array.view(np.uint32) for words in (self._following, self._filled, self._further)]
        return Paged(
            self._width, np.uint64(self.entry), self.entries.array, self.table.array, self.shape,
            halves[0], halves[1], self._first_record.array, halves[2],
        )  # fmt: skip

    def state(self, number: int) -> tuple[int, ...]:
        """Return the words of the state in an entry."""
        at = number * self.entry
        return tuple(int(word) for word in self.entries.array[at : at + self._words])

    def record(self, number: int) -> int:
        """Return the record of an entry."""
        first = self._first_record.array[number >> int(self.shape.page_bits)]
        return int(first) + int(self._further.array.view(np.uint32)[number])

    @property
    def words(self) -> int:
        lines = max(int(self.shape.places), int(self.shape.target))
        pages = int(self.shape.pages)
        entries = pages << int(self.shape.page_bits)
        return 8 * lines + entries * self.entry + -(-entries // 2) + 2 * pages

    @property
    def room(self) -> int:
        arrays = (self.table, self.entries, self._following, self._filled, self._first_record, self._further)
        return sum(len(words) for words in arrays)

    def grow(self, affordable: Affordable) -> bool:
        shape = self.shape
        if not self._grow_table(affordable):
            return False
        shape.wanted_table = 0
        entries = int(shape.wanted_entries)
        pages = entries >> int(shape.page_bits)
        wanted = (
            (self.entries, entries * self.entry),
            (self._further, -(-entries // 2)),
            (self._first_record, pages),
            (self._following, -(-pages // 2)),
            (self._filled, -(-pages // 2)),
        )
        if not all(grow_array(words, size, 1.25, affordable) for words, size in wanted):
            return False
        shape.wanted_entries = 0
        return True

    @property
    def _table_share(self) -> float:
        return 1 / (2 + self.entry)

    def _table_words(self, places: int) -> int:
        return _LINE * places

    def _fullest(self, places: int) -> int:
        from strandline.engine.store.paged_kernel import FULLEST

        return places * FULLEST

    def close(self) -> None:
        for words in (self.table, self.entries, self._following, self._filled, self._first_record, self._further):
            words.close()


def check_table_limit(shape: object) -> None:
    """Raise `ResourceError` if a table has as many slots as it can number."""
    if getattr(shape, "overfull", 0):
        raise ResourceError("more than 3,000,000,000 states are stored at a time, the most that one table can hold")
