"""The packing of valuations into 64-bit words.

Every variable gets the bits that its range needs, biased so that its least value is stored as zero; a constant gets
none. An element never straddles two words. An array that fits one word lies inside it; a longer one takes consecutive
words from bit 0, the same number of elements in each, so that a computed index costs a shift or a division by a
constant. A state of one word leaves its top bit free: the state store marks occupied slots with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from strandline.errors import InternalError
from strandline.model.intervals import Interval
from strandline.model.system import System, Variable

WORD_BITS = 64
_SINGLE_WORD_BITS = WORD_BITS - 1


@dataclass(frozen=True, slots=True)
class Field:
    """The position of a variable in a state.

    Element `i` is in word `word + i // per_word`, at bit `shift + (i % per_word) * width`; its value is the bits found
    there plus `low`.
    """

    variable: Variable
    low: int
    high: int
    width: int
    word: int
    shift: int
    per_word: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def place(self, index: int) -> tuple[int, int]:
        """Return the word and the shift of element `index`."""
        return self.word + index // self.per_word, self.shift + index % self.per_word * self.width


@dataclass(frozen=True)
class Layout:
    """The packing of one System's states."""

    fields: tuple[Field, ...]
    words: int
    bits: int
    """Number of bits in use."""

    @cached_property
    def by_variable(self) -> dict[Variable, Field]:
        return {field.variable: field for field in self.fields}

    @cached_property
    def _places(self) -> list[tuple[int, int, int, int, int]]:
        """Word, shift, mask, low and high of every entry of a valuation."""
        return [
            (*field.place(index), field.mask, field.low, field.high)
            for field in self.fields
            for index in range(field.variable.slots)
        ]

    def pack(self, valuation: Sequence[int]) -> tuple[int, ...]:
        words = [0] * self.words
        for value, (word, shift, _, low, high) in zip(valuation, self._places, strict=True):
            if not low <= value <= high:
                raise InternalError(f"the range analysis promised {low}..{high}, but {value} was reached")
            words[word] |= (value - low) << shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        return tuple(((int(words[word]) >> shift) & mask) + low for word, shift, mask, low, _ in self._places)


def make_layout(system: System, ranges: Mapping[Variable, Interval], *, balanced: bool = False) -> Layout:
    """Pack the System's variables, given their ranges, into as few words as first-fit decreasing finds.

    With `balanced`, the words of a larger state hold about as many bits each, and variables that are declared together
    lie together, so that different states often have words in common. The location of a property process lies after the
    variables of the System that it was put beside, which keep their positions, unless this takes a word more.
    """
    layout = _pack_tightly(system, ranges, None)
    if balanced and layout.words > 1:
        return _pack_balanced(layout)
    if system.observer is not None and system.observed_system is not None:
        behind = _pack_tightly(system, ranges, system.observer.location)
        return behind if behind.words == layout.words else layout
    return layout


def _pack_tightly(system: System, ranges: Mapping[Variable, Interval], last: Variable | None) -> Layout:
    layout = _pack(system, ranges, _SINGLE_WORD_BITS, last)
    return layout if layout.words == 1 else _pack(system, ranges, WORD_BITS, last)


def _pack_balanced(tight: Layout) -> Layout:
    """Pack into words of about equal size: first arrays that are longer than a word, then the others in order.

    Three words become four, which can be split in half evenly by tree compression.
    """
    words = 4 if tight.words == 3 else tight.words
    share = tight.bits / words
    used: list[int] = []
    placed: dict[Variable, tuple[int, int, int]] = {}
    for field in tight.fields:
        slots = field.variable.slots
        if slots > 1 and field.width * slots > share:
            per_word = min(ceil(slots / ceil(field.width * slots / share)), WORD_BITS // field.width)
            placed[field.variable] = (len(used), 0, per_word)
            used.extend(min(per_word, slots - first) * field.width for first in range(0, slots, per_word))
    used.extend([0] * (words - len(used)))
    word = 0
    for field in tight.fields:
        if field.variable not in placed:
            size = field.width * field.variable.slots
            # Go on when more than half of the variable would exceed the share of the word.
            while word < len(used) - 1 and used[word] + size / 2 > share:
                word += 1
            # Within its share a word may still lack room for a large variable.
            at = next((one for one in (word, *range(len(used))) if used[one] + size <= WORD_BITS), len(used))
            if at == len(used):
                used.append(0)
            placed[field.variable] = (at, used[at], field.variable.slots) if size else (0, 0, field.variable.slots)
            used[at] += size
    fields = tuple(
        Field(field.variable, field.low, field.high, field.width, *placed[field.variable]) for field in tight.fields
    )
    return Layout(fields, len(used), tight.bits)


def _pack(system: System, ranges: Mapping[Variable, Interval], word_bits: int, last: Variable | None) -> Layout:
    widths = {variable: (ranges[variable][1] - ranges[variable][0]).bit_length() for variable in system.variables}
    used: list[int] = []
    placed: dict[Variable, tuple[int, int, int]] = {}
    for variable, width in widths.items():
        if width * variable.slots > word_bits:
            per_word = WORD_BITS // width
            full, rest = divmod(variable.slots, per_word)
            placed[variable] = (len(used), 0, per_word)
            used.extend([per_word * width] * full + ([rest * width] if rest else []))
    small = [variable for variable in system.variables if variable not in placed]
    for variable in sorted(small, key=lambda variable: (variable is last, -widths[variable] * variable.slots)):
        size = widths[variable] * variable.slots
        word = next((index for index, bits in enumerate(used) if bits + size <= word_bits), len(used))
        if word == len(used):
            used.append(0)
        placed[variable] = (word, used[word], variable.slots)
        used[word] += size
    fields = tuple(
        Field(variable, *ranges[variable], widths[variable], *placed[variable]) for variable in system.variables
    )
    words = max(len(used), 1)
    if words == 1 and sum(used) > _SINGLE_WORD_BITS:
        words = 2
    return Layout(fields, words, sum(used))
