"""The arrays behind the stores of `_automaton_kernel` and `_collapse_kernel`, and a search that has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import Kernel
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.parts.expansion import Width
from strandline.engine.parts.part import Affordable, Part, grow_array
from strandline.engine.runtime import sizes
from strandline.engine.runtime.codes import BATCH, CONTINUE, GROW
from strandline.engine.runtime.memory import WordArray, Words
from strandline.engine.runtime.records import SHAPE, record
from strandline.engine.search import SearchArguments
from strandline.engine.store.parts import release_front
from strandline.engine.store.tree import TreePart
from strandline.errors import ResourceError
from strandline.model.layout import Layout
from strandline.model.system import System

if TYPE_CHECKING:
    from _automaton_kernel import Automaton
    from _collapse_kernel import Collapse

Symbol = tuple[int, int, int]
"""Some bits of a state: the word, how many bits of it lie below, and a mask of as many as there are."""
Bits = tuple[tuple[int, int], ...]
"""Bits of a state: words, and which bits of each."""

_FEW_SLOTS, _FEW_ENTRIES = 16, 8
_LISTED = 1 << 12


def symbols_of(layout: Layout, most: int = 5) -> list[Symbol]:
    """The bits of a state as symbols of at most so many, in the order of declaration; a wider variable is several,
    about as wide as each other, the highest bits first."""
    found: list[Symbol] = []
    for field in layout.fields:
        pieces = -(-field.width // most)
        for index in range(field.variable.slots if pieces else 0):
            word, shift = field.place(index)
            ends = [field.width * piece // pieces for piece in range(pieces, -1, -1)]
            for high, low in pairwise(ends):
                found.append((word, shift + low, (1 << (high - low)) - 1))
    return found


def components_of(system: System, layout: Layout) -> list[Bits]:
    """The bits of the global variables, and of each process: its location and its own variables."""
    located = {variable: one.name for variable, one in system.locations.items()}
    masks: dict[str | None, dict[int, int]] = {}
    for field in layout.fields:
        of = masks.setdefault(located.get(field.variable, field.variable.owner), {})
        for index in range(field.variable.slots if field.width else 0):
            word, shift = field.place(index)
            of[word] = of.get(word, 0) | field.mask << shift
    return [tuple(sorted(of.items())) for of in masks.values() if of]


def _array(numbers: Iterable[int]) -> WordArray:
    return np.array(list(numbers), dtype=np.uint64)


def _halves(words: Words) -> npt.NDArray[np.uint32]:
    return words.array.view(np.uint32)


class _Queue:
    """Entries that wait to be expanded; those that were are given back."""

    def __init__(self, entry: int) -> None:
        self.entry = entry
        self.words = Words(sizes.ENTRIES, large=True)
        self._used = self._released = 0

    def note_used(self, entries: int, expanded: int) -> None:
        self._used = entries * self.entry
        self._released = release_front(self.words, self._released, expanded * self.entry, 1 << 14)

    @property
    def waiting(self) -> int:
        """Words in use."""
        return self._used - self._released

    def grow(self, shape: Any, affordable: Affordable) -> bool:
        wanted = int(shape.wanted_entries)
        shape.wanted_entries = 0
        return grow_array(self.words, wanted, 1.25, affordable, released=self._released)

    def in_use(self) -> WordArray:
        return self.words.array[self._released : self._used]


class AutomatonPart(Part):
    """An `Automaton` over states of this width, in which these symbols differ."""

    def __init__(self, width: Width, symbols: Sequence[Symbol]) -> None:
        import _automaton_kernel as kernel

        self._width = width
        self._queue = _Queue(len(width) if isinstance(width, tuple) else width)
        symbols = symbols or [(0, 0, 0)]
        self._places, self._shifts, self._masks = (_array(column) for column in zip(*symbols, strict=True))
        self.shape, self.form = record(SHAPE), record(kernel.NODES)
        self._pool, self._heads = Words(1 << 8, large=True), Words(1 << 8, large=True)
        self._free, self._path, self._targets = (
            np.zeros(count, dtype=np.uint64) for count in (kernel.SIZE_CLASSES, len(symbols), kernel.SIZE_CLASSES)
        )
        self.form.root, self.form.end = kernel.FIRST_NODE, kernel.FIRST_NODE + kernel.HEADER
        self.form.nodes, self.form.buckets = 1, len(_halves(self._heads))
        _halves(self._pool)[kernel.FIRST_NODE] = 1

    def store(self) -> Automaton:
        from _automaton_kernel import Automaton

        common = (self._width, np.uint64(self._queue.entry), self._queue.words.array, self.shape)
        nodes = (_halves(self._pool), _halves(self._heads), self._free, self.form)
        symbols = (self._places, self._shifts, self._masks)
        return Automaton(*common, *symbols, *nodes, self._path, self._targets)

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """As of the engine's own stores."""
        self._queue.note_used(entries, expanded)

    @property
    def words(self) -> int:
        return -(-int(self.form.end) // 2) + len(self._heads) + self._queue.waiting

    def grow(self, affordable: Affordable) -> bool:
        shape, form = self.shape, self.form
        if int(form.wanted) > 1 << 32:
            raise ResourceError("the automaton has more nodes than can be numbered")
        for array, wanted, factor in ((self._pool, form.wanted, 1.125), (self._heads, shape.wanted_table, 1.0)):
            if not grow_array(array, -(-int(wanted) // 2), factor, affordable):
                return False
        form.wanted = shape.wanted_table = 0
        return self._queue.grow(shape, affordable)

    def details(self) -> str:
        """Return the store's own figures as text."""
        form, count = self.form, int(self.shape.count)
        pool, chains = 4 * int(form.end) / count, 8 * len(self._heads) / count
        nodes = f"{int(form.nodes):,} nodes, {int(form.edges):,} edges in {len(self._path)} layers"
        return f"{nodes}; bytes a state: {pool:.2f} of nodes at most, {chains:.2f} of their table"

    def close(self) -> None:
        for words in (self._pool, self._heads, self._queue.words):
            words.close()


class CollapsePart(Part):
    """A `Collapse` of states of this width, which consist of these components."""

    def __init__(self, width: Width, components: Sequence[Bits]) -> None:
        import _collapse_kernel as kernel

        self._width, self._queue = width, _Queue(1)
        words = len(width) if isinstance(width, tuple) else width
        parts = [part for component in components for part in component]
        self._places, self._masks = _array(word for word, _ in parts), _array(mask for _, mask in parts)
        self.components: Any = np.zeros(len(components), dtype=kernel.COMPONENT)
        self._most_bits = np.array([sum(mask.bit_count() for _, mask in component) for component in components])
        self._slots, self._contents = np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint64)
        first = 0
        for which, component in enumerate(components):
            row = self.components[which]
            row.part, row.parts = first, len(component)
            first += len(component)
        for which in range(len(components)):
            self._enlarge(which, _FEW_SLOTS, _FEW_ENTRIES)
        self._sources = np.zeros(BATCH * words, dtype=np.uint64)
        self._kept = np.zeros(BATCH, dtype=np.uint64)
        self._wants = record(kernel.WANTS)
        self._keys = TreePart((0,), bits=0)
        self._most = 0

    def store(self) -> Collapse:
        from _collapse_kernel import Collapse

        keys = self._keys.store()
        common = (self._width, np.uint64(1), self._queue.words.array, keys.shape, keys.keys, self.components)
        tables = (self._places, self._masks, self._slots, self._contents)
        return Collapse(*common, *tables, self._sources, self._kept, self._wants)

    def note_used(self, entries: int, expanded: int = 0) -> None:
        """As of the engine's own stores."""
        self._queue.note_used(entries, expanded)
        self._keys.note_used(0)

    @property
    def words(self) -> int:
        """A table of keys that is being replaced counts with the one that replaces it."""
        return max(self._now, self._most)

    @property
    def passing(self) -> int:
        """Words of `words` that were there only while keys were made anew."""
        return max(0, self._most - self._now)

    @property
    def _now(self) -> int:
        tables = -(-len(self._slots) // 2) + len(self._contents)
        return tables + self._keys.words + self._queue.waiting + len(self._sources) + len(self._kept)

    def details(self) -> str:
        """Return the store's own figures as text."""
        count = int(self._keys.shape.count)
        tables, keys = (self._slots.nbytes + self._contents.nbytes) / count, 8 * self._keys.words / count
        bits = [int(used - 1).bit_length() for used in self.components["used"]]
        sizes = f"bytes a state: {keys:.2f} of keys, {tables:.2f} of components"
        keys_of = f"keys of {sum(bits)} bits ({' + '.join(map(str, bits))})"
        return f"{keys_of}, {int(self.components['used'].sum()):,} contents; {sizes}"

    def grow(self, affordable: Affordable) -> bool:
        wants = self._wants
        if wants.room:
            row = self.components[int(wants.room) - 1]
            self._enlarge(int(wants.room) - 1, 2 * int(row.slots), max(int(row.room) * 3 // 2, int(row.room) + 8))
        if wants.bits:
            self._widen(int(wants.bits) - 1)
        wants.room = wants.bits = 0
        return self._queue.grow(self._keys.shape, affordable) and self._keys.grow(affordable)

    def _enlarge(self, which: int, slots: int, room: int) -> None:
        """Give a component so many slots, unless those that it has are enough, and room for so many entries."""
        from _collapse_kernel import fill_slots

        rows = self.components
        now = [self._slots[int(row.slot) : int(row.slot + row.slots)] for row in rows]
        entries = [self._contents[int(row.entry) : int(row.entry + row.used * row.parts)] for row in rows]
        enough = int(rows[which].slots) * 13 // 20
        if enough > int(rows[which].used) * 9 // 8:
            slots, room = int(rows[which].slots), min(room, enough)
        else:
            room = min(room, slots * 13 // 20)
            now[which] = np.zeros(slots, dtype=np.uint32)
        sizes_of = [int(row.room * row.parts) for row in rows]
        sizes_of[which] = room * int(rows[which].parts)
        rows[which].room = room
        contents = np.zeros(sum(sizes_of), dtype=np.uint64)
        slot = entry = 0
        for row, table, content, size in zip(rows, now, entries, sizes_of, strict=True):
            row.slot, row.slots, row.entry = slot, len(table), entry
            contents[entry : entry + len(content)] = content
            slot, entry = slot + len(table), entry + size
        self._slots, self._contents = np.concatenate(now), contents
        row = rows[which]
        if int(row.used) and not now[which].any():
            fill_slots(self._slots, row.slot, row.slots, rows, np.uint64(which), contents)

    def _widen(self, which: int) -> None:
        """Numbers of a component get a bit more: all keys are made anew. Bits that keys have anyway are given to those
        that will need them next. What was opened has its keys changed too."""
        from _collapse_kernel import refill, repack
        from strandline.engine.store.bucket_kernel import LEAST_BITS

        bits = self.components["bits"].astype(np.int64)
        bits[which] += 1
        while bits.sum() < min(LEAST_BITS, self._most_bits.sum()):
            bits[np.argmax(np.where(bits < self._most_bits, self.components["used"] / 2.0**bits, -1.0))] += 1
        if int(bits.sum()) > 64:
            raise ResourceError("the numbers of the components need more than 64 bits")
        lows = np.concatenate(([0], np.cumsum(bits)[:-1])).astype(np.uint64)
        keys = self._as_large(int(bits.sum()))
        for block in self._listed():
            repack(block, self.components, lows)
            first, code = 0, GROW
            while code != CONTINUE:
                first, code = refill(keys.store(), block, np.uint64(first))
                if code == GROW:
                    keys.grow(lambda: 1 << 60)
        keys.note_used(0)
        for waiting in (self._queue.in_use(), self._kept):
            repack(waiting, self.components, lows)
        self._most = max(self._most, self._now + keys.words)
        self._keys.close()
        self._keys = keys
        self.components["bits"], self.components["low"] = bits, lows
        self.components["mask"] = ((np.uint64(1) << bits.astype(np.uint64)) - np.uint64(1)) << lows

    def _as_large(self, bits: int) -> TreePart:
        """An empty table for as many keys, of so many bits. In a smaller one, which grows, keys that come in the order
        in which they lie would fill its beginning."""
        from strandline.engine.store.quotient_kernel import SPARE, compute_form

        keys, count = TreePart((0,), bits=bits), int(self._keys.shape.count)
        form, lines = keys.store().keys.form, int(self._keys.store().keys.form.buckets)
        if lines:
            most = int(compute_form(form, form.bits, np.uint64(lines)))
            while most <= count:
                lines += max(1, lines // 16)
                most = int(compute_form(form, form.bits, np.uint64(lines)))
            keys.table.grow(8 * (lines + SPARE))
            keys.shape.places, keys.shape.most = lines, most
        return keys

    def _listed(self) -> Iterator[WordArray]:
        from strandline.engine.store.quotient_kernel import list_keys

        line = beside = 0
        while True:
            found = np.zeros(_LISTED, dtype=np.uint64)
            count, line, beside = list_keys(self._keys.store().keys, np.uint64(line), np.uint64(beside), found)
            if not count:
                return
            yield found[: int(count)]

    def close(self) -> None:
        self._keys.close()
        self._queue.words.close()


class SearchWith(BreadthFirstSearch):
    """Breadth-first search with a store that the engine does not have. Only one thread."""

    def __init__(self, kernel: Kernel, part: AutomatonPart | CollapsePart, **terms: Unpack[SearchArguments]) -> None:
        super().__init__(kernel, **terms)
        former = self._table
        former.close()
        self._table = cast(Any, part)
        self.parts = tuple(part if one is former else one for one in self.parts)

    def _begin(self) -> None:
        from strandline.engine.parts.batch_kernel import prepare_initial

        if not self._begun:
            search = self._all()
            prepare_initial(search.expansion, search.batch, search.store, self.expansion.rest.count)
        self._begun = True


def register() -> None:
    """Let the engine's kernels know these stores; their machine code must not lie with the engine's own."""
    import _automaton_kernel
    import _collapse_kernel
    from strandline.engine.store.interface import STORES

    STORES[_automaton_kernel.Automaton] = _automaton_kernel
    STORES[_collapse_kernel.Collapse] = _collapse_kernel
