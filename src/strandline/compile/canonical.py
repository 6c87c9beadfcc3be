"""States in canonical form: of those that differ by exchanging processes, one.

What goes with a process is a number, its entries' bits one after the other; a state is in canonical form where these
numbers increase. As exchanging processes exchanges nothing but these numbers, every orbit has exactly one such state.

    @exchanged    as the Kernel's `successors`, with targets in canonical form
    @canonical    brings the words of one state into it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.compile.llvm.function import Function
from strandline.errors import InternalError
from strandline.model.layout import Layout
from strandline.model.symmetry import Exchange, Slot

ENTRY = "exchanged"
_HEADER = "(ptr noalias readonly %state, ptr noalias %records, i64 %capacity, ptr noalias %labels) nounwind"


@dataclass(frozen=True, slots=True)
class _Bits:
    """Where an entry lies in the words of a state, and how wide it is."""

    word: int
    shift: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


class Canonical:
    """Brings states of a layout into canonical form. Raises `InternalError` where entries that correspond are not
    packed alike: see `packed_alike`."""

    def __init__(self, layout: Layout, exchanges: Sequence[Exchange]) -> None:
        if not packed_alike(layout, exchanges):
            raise InternalError("processes are exchanged whose variables are packed in different ways")
        self._words = layout.words
        self._groups = [[[_bits(layout, slot) for slot in block] for block in one.blocks] for one in exchanges]

    def __call__(self, state: tuple[int, ...]) -> tuple[int, ...]:
        words = list(state)
        for blocks in self._groups:
            for block, number in zip(blocks, sorted(_read(words, block) for block in blocks), strict=True):
                _write(words, block, number)
        return tuple(words)

    def functions(self, entry: str, stride: int) -> dict[str, str]:
        """The functions by name; `entry` is the one that finds successors."""
        return {"canonical": self._canonical(), ENTRY: _exchanged(entry, stride)}

    def _canonical(self) -> str:
        code = Function("define internal void @canonical(ptr %record) nounwind")
        places = [code.value(f"getelementptr i64, ptr %record, i64 {word}") for word in range(self._words)]
        words = [code.value(f"load i64, ptr {place}") for place in places]
        for blocks in self._groups:
            kind = f"i{max(1, sum(bits.width for bits in blocks[0]))}"
            numbers = [_packed(code, kind, words, block) for block in blocks]
            for end in range(len(numbers) - 1, 0, -1):
                for one in range(end):
                    numbers[one : one + 2] = _in_order(code, kind, *numbers[one : one + 2])
            for block, number in zip(blocks, numbers, strict=True):
                _unpack(code, kind, number, words, block)
        for place, word in zip(places, words, strict=True):
            code.do(f"store i64 {word}, ptr {place}")
        code.do("ret void")
        return code.text()


def packed_alike(layout: Layout, exchanges: Sequence[Exchange]) -> bool:
    """Whether entries that correspond have the same ranges."""
    for one in exchanges:
        for slots in zip(*one.blocks, strict=True):
            fields = {(layout.by_variable[variable].low, layout.by_variable[variable].width) for variable, _ in slots}
            if len(fields) > 1:
                return False
    return True


def _bits(layout: Layout, slot: Slot) -> _Bits:
    field = layout.by_variable[slot[0]]
    return _Bits(*field.place(slot[1]), field.width)


def _read(words: Sequence[int], block: Sequence[_Bits]) -> int:
    number = 0
    for bits in block:
        number = number << bits.width | words[bits.word] >> bits.shift & bits.mask
    return number


def _write(words: list[int], block: Sequence[_Bits], number: int) -> None:
    for bits in reversed(block):
        words[bits.word] &= ~(bits.mask << bits.shift)
        words[bits.word] |= (number & bits.mask) << bits.shift
        number >>= bits.width


def _packed(code: Function, kind: str, words: Sequence[str], block: Sequence[_Bits]) -> str:
    number = "0"
    for bits in block:
        if not bits.width:
            continue
        shifted = code.value(f"lshr i64 {words[bits.word]}, {bits.shift}")
        part = _resized(code, code.value(f"and i64 {shifted}, {bits.mask}"), "i64", kind)
        if number != "0":
            number = code.value(f"shl {kind} {number}, {bits.width}")
        number = code.value(f"or {kind} {number}, {part}")
    return number


def _in_order(code: Function, kind: str, first: str, second: str) -> tuple[str, str]:
    rising = code.value(f"icmp ule {kind} {first}, {second}")
    smaller = code.value(f"select i1 {rising}, {kind} {first}, {kind} {second}")
    return smaller, code.value(f"select i1 {rising}, {kind} {second}, {kind} {first}")


def _unpack(code: Function, kind: str, number: str, words: list[str], block: Sequence[_Bits]) -> None:
    below = 0
    for bits in reversed(block):
        if not bits.width:
            continue
        shifted = number if not below else code.value(f"lshr {kind} {number}, {below}")
        part = code.value(f"and i64 {_resized(code, shifted, kind, 'i64')}, {bits.mask}")
        there = code.value(f"shl i64 {part}, {bits.shift}")
        others = ~(bits.mask << bits.shift) & ((1 << 64) - 1)
        cleared = code.value(f"and i64 {words[bits.word]}, {others}")
        words[bits.word] = code.value(f"or i64 {cleared}, {there}")
        below += bits.width


def _resized(code: Function, value: str, before: str, after: str) -> str:
    if before == after:
        return value
    how = "trunc" if int(before[1:]) > int(after[1:]) else "zext"
    return code.value(f"{how} {before} {value} to {after}")


def _exchanged(entry: str, stride: int) -> str:
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
