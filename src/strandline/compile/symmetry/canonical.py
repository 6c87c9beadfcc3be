"""Canonical forms of states: one representative of those that permutations of names map to each other.

Where no variable holds names, the entries of a process are one number, its bits concatenated; a state is canonical if
these numbers are sorted. As permuting processes only permutes these numbers, every orbit has exactly one canonical
state. Where entries hold names, or belong to two names, `naming` defines the order.

    @canonical_successors    as the Kernel's `successors`, with canonical targets
    @canonical               makes the words of one state canonical
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.detection import Scalarset, Slot
from strandline.analysis.symmetry.permutation import Family, Positions, families, rename_value
from strandline.compile.llvm.function import Function
from strandline.compile.symmetry.naming import Bits, Naming, entry_bits
from strandline.compile.symmetry.naming_code import naming_functions
from strandline.errors import InternalError
from strandline.model.layout import Layout

ENTRY = "canonical_successors"
_HEADER = "(ptr noalias readonly %state, ptr noalias %records, i64 %capacity, ptr noalias %labels) nounwind"


class Canonical:
    """Makes states of a layout canonical.

    Corresponding entries must be packed alike (see `strandline.analysis.symmetry.permutation.stored_ranges`).
    """

    def __init__(self, layout: Layout, scalarsets: Sequence[Scalarset]) -> None:
        self._words, self._sizes = layout.words, [one.size for one in scalarsets]
        moved = families(scalarsets)
        if not all(_has_uniform_packing(layout, family) for family in moved):
            raise InternalError("entries of the same family are packed differently")
        named = {number for family in moved if _is_named(family) for number in _sets(family)}
        self._named = sorted(named)
        self._groups = {
            number: [[_bits(layout, slot) for slot in block] for block in one.blocks]
            for number, one in enumerate(scalarsets)
            if number not in named
        }
        sets = [scalarsets[number] for number in self._named]
        self._naming = Naming(layout, families(sets), [one.size for one in sets]) if sets else None
        self._moved = [
            (family, [_bits(layout, slot) for slot in family.slots], _lowest(layout, family)) for family in moved
        ]

    def __call__(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return self.permute(state, self.positions(state))

    def positions(self, state: tuple[int, ...]) -> Positions:
        """Return for every scalarset the positions of its names in the canonical form of a state."""
        found: list[Sequence[int]] = [[]] * len(self._sizes)
        for number, blocks in self._groups.items():
            numbers = [_read(state, block) for block in blocks]
            order = sorted(range(len(blocks)), key=numbers.__getitem__)
            found[number] = [order.index(rank) for rank in range(len(blocks))]
        if self._naming is not None:
            for number, positions in zip(self._named, self._naming.positions(state), strict=True):
                found[number] = positions
        return found

    def permute(self, state: tuple[int, ...], positions: Positions) -> tuple[int, ...]:
        """Apply a permutation of every scalarset to a state."""
        words = list(state)
        for family, bits, low in self._moved:
            for number, (coordinates, _) in enumerate(family.places()):
                value = entry_bits(state, bits[number])
                if family.holds is not None:
                    value = rename_value(value + low, family.holds[1], positions[family.holds[0]]) - low
                there = [positions[one][rank] for one, rank in zip(family.sets, coordinates, strict=True)]
                _write(words, [bits[family.number(there)]], value)
        return tuple(words)

    def functions(self, entry: str, stride: int) -> dict[str, str]:
        """Return the LLVM functions by name; `entry` is the name of the successor function."""
        named = {} if self._naming is None else naming_functions(self._naming)
        return {**named, "canonical": self._canonical(), ENTRY: _canonical_successors(entry, stride)}

    def _canonical(self) -> str:
        code = Function("define internal void @canonical(ptr %record) nounwind")
        if self._groups:
            self._sort(code)
        if self._naming is not None:
            code.do("call void @order_names(ptr %record)")
        code.do("ret void")
        return code.text()

    def _sort(self, code: Function) -> None:
        places = [code.value(f"getelementptr i64, ptr %record, i64 {word}") for word in range(self._words)]
        words = [code.value(f"load i64, ptr {place}") for place in places]
        for blocks in self._groups.values():
            kind = f"i{max(1, sum(bits.width for bits in blocks[0]))}"
            numbers = [_pack_block(code, kind, words, block) for block in blocks]
            for end in range(len(numbers) - 1, 0, -1):
                for one in range(end):
                    numbers[one : one + 2] = _sort_pair(code, kind, *numbers[one : one + 2])
            for block, number in zip(blocks, numbers, strict=True):
                _unpack_block(code, kind, number, words, block)
        for place, word in zip(places, words, strict=True):
            code.do(f"store i64 {word}, ptr {place}")


def _has_uniform_packing(layout: Layout, family: Family) -> bool:
    fields = [layout.by_variable[variable] for variable, _ in family.slots]
    return len({(field.low, field.width) for field in fields}) == 1


def _is_named(family: Family) -> bool:
    """Return True if the entries of a family hold names, or belong to two names."""
    return family.holds is not None or len(family.sets) > 1


def _sets(family: Family) -> list[int]:
    return [*family.sets, *([] if family.holds is None else [family.holds[0]])]


def _lowest(layout: Layout, family: Family) -> int:
    return layout.by_variable[family.slots[0][0]].low


def _bits(layout: Layout, slot: Slot) -> Bits:
    field = layout.by_variable[slot[0]]
    return Bits(*field.place(slot[1]), field.width)


def _read(words: Sequence[int], block: Sequence[Bits]) -> int:
    number = 0
    for bits in block:
        number = number << bits.width | words[bits.word] >> bits.shift & bits.mask
    return number


def _write(words: list[int], block: Sequence[Bits], number: int) -> None:
    for bits in reversed(block):
        words[bits.word] &= ~(bits.mask << bits.shift)
        words[bits.word] |= (number & bits.mask) << bits.shift
        number >>= bits.width


def _pack_block(code: Function, kind: str, words: Sequence[str], block: Sequence[Bits]) -> str:
    number = "0"
    for bits in block:
        if not bits.width:
            continue
        shifted = code.value(f"lshr i64 {words[bits.word]}, {bits.shift}")
        part = _resize(code, code.value(f"and i64 {shifted}, {bits.mask}"), "i64", kind)
        if number != "0":
            number = code.value(f"shl {kind} {number}, {bits.width}")
        number = code.value(f"or {kind} {number}, {part}")
    return number


def _sort_pair(code: Function, kind: str, first: str, second: str) -> tuple[str, str]:
    rising = code.value(f"icmp ule {kind} {first}, {second}")
    smaller = code.value(f"select i1 {rising}, {kind} {first}, {kind} {second}")
    return smaller, code.value(f"select i1 {rising}, {kind} {second}, {kind} {first}")


def _unpack_block(code: Function, kind: str, number: str, words: list[str], block: Sequence[Bits]) -> None:
    below = 0
    for bits in reversed(block):
        if not bits.width:
            continue
        shifted = number if not below else code.value(f"lshr {kind} {number}, {below}")
        part = code.value(f"and i64 {_resize(code, shifted, kind, 'i64')}, {bits.mask}")
        there = code.value(f"shl i64 {part}, {bits.shift}")
        others = ~(bits.mask << bits.shift) & ((1 << 64) - 1)
        cleared = code.value(f"and i64 {words[bits.word]}, {others}")
        words[bits.word] = code.value(f"or i64 {cleared}, {there}")
        below += bits.width


def _resize(code: Function, value: str, before: str, after: str) -> str:
    if before == after:
        return value
    how = "trunc" if int(before[1:]) > int(after[1:]) else "zext"
    return code.value(f"{how} {before} {value} to {after}")


def _canonical_successors(entry: str, stride: int) -> str:
    code = Function(f"define i64 @{ENTRY}{_HEADER}")
    count = code.value(f"call i64 @{entry}(ptr %state, ptr %records, i64 %capacity, ptr %labels)")
    fits = code.value(f"icmp sle i64 {count}, %capacity")
    last = code.value(f"select i1 {fits}, i64 {count}, i64 %capacity")
    loop, done = code.label(), code.label()
    code.branch(code.value(f"icmp sgt i64 {last}, 0"), loop, done)
    code.start(loop)
    code.do(f"%number = phi i64 [ 0, %entry ], [ %following, %{loop} ]")
    place = code.value(f"getelementptr i64, ptr %records, i64 {code.value(f'mul i64 %number, {stride}')}")
    code.do(f"call void @canonical(ptr {place})")
    code.do("%following = add i64 %number, 1")
    code.branch(code.value(f"icmp slt i64 %following, {last}"), loop, done)
    code.start(done)
    code.do(f"ret i64 {count}")
    return code.text()
