"""Order names independently of their numbers.

Where entries of a state hold names, sorting the entries of each name is not enough: the sorted numbers would contain
names. So each name gets a *key*, a hash of the entries that belong to it and of the entries that hold it, refined by
the keys of the other names in these entries (colour refinement, Weisfeiler and Leman 1968). The names of a set are
ordered by their keys. Where two keys are equal, the first name is individualised by changing its key, and the keys are
refined again (McKay and Piperno, Practical graph isomorphism II, 2014, without backtracking).

Names with equal keys are nearly always automorphic, and then every orbit has one canonical state. Where they are not,
an orbit has several, which is sound: each state is replaced by one with the same future, whatever the order. A hash
collision costs no more than that.

This is the definition; `naming_code` emits it as LLVM IR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strandline.analysis.symmetry.detection import Slot
from strandline.analysis.symmetry.permutation import Family, Positions
from strandline.model.layout import Layout

WORD = (1 << 64) - 1
SPREAD = 0x9E3779B97F4A7C15
"""Multiplier of the hash: odd, without a pattern."""
SHIFT = 32
HELD = 0x632BE59BD9B4E019
"""Number hashed in place of a value that is a name."""
ITSELF = 0xD6E8FEB86659FD93
"""Number hashed for an entry that holds the name it belongs to."""
TAKEN = 0xA0761D6478BD642F
"""Number hashed into the key of an individualised name."""
PARTS = (0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)
"""Per-coordinate multipliers, so that a name's hash depends on which position of an entry it occupies."""
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Bits:
    """The position of an entry in the words of a state, and its width."""

    word: int
    shift: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a family.

    `names` are the names it belongs to. `held` is given if it may hold a name: the number of the first name of that
    set, the size of the set, and the offset from the entry's bits to the name's rank.
    """

    bits: Bits
    names: tuple[int, ...]
    held: tuple[int, int, int] | None
    seed: int
    """A number that identifies the family, and differs if the entry's first two names are the same."""


class Naming:
    """Computes the order of names in states of a layout.

    Names of all sets are numbered consecutively; one more number stands for no name.
    """

    def __init__(self, layout: Layout, moved: Sequence[Family], sizes: Sequence[int]) -> None:
        self.sizes, self.total = list(sizes), sum(sizes)
        self.bases = [sum(sizes[:number]) for number in range(len(sizes))]
        narrowed = [_narrow(layout, family, sizes) for family in moved]
        self.families = [family for family in narrowed if (family.sets or family.holds) and _has_bits(layout, family)]
        self.entries = [
            [self._entry(layout, number, family, coordinates, slot) for coordinates, slot in family.places()]
            for number, family in enumerate(self.families)
        ]
        many = [family for family in self.families if len(family.sets) > 1]
        self.always_related = {
            self.bases[one] + rank for family in many for one in family.sets for rank in range(sizes[one])
        }
        """Names that share an entry with another name in every state."""

    def _entry(self, layout: Layout, number: int, family: Family, coordinates: tuple[int, ...], slot: Slot) -> Entry:
        field = layout.by_variable[slot[0]]
        names = tuple(self.bases[one] + rank for one, rank in zip(family.sets, coordinates, strict=True))
        same = len(names) > 1 and names[0] == names[1]
        held = None
        if family.holds is not None:
            one, first = family.holds
            held = self.bases[one], self.sizes[one], field.low - first
        seed = ((2 * number + same + 1) * SPREAD) & WORD
        return Entry(Bits(*field.place(slot[1]), field.width), names, held, seed)

    def positions(self, state: Sequence[int]) -> Positions:
        """Return for every set the positions of its names in the order of this state."""
        values = [[entry_bits(state, entry.bits) for entry in family] for family in self.entries]
        held = [
            [self._held_name(entry, value) for entry, value in zip(family, row, strict=True)]
            for family, row in zip(self.entries, values, strict=True)
        ]
        keys = [0] * (self.total + 1)
        # Colour refinement: after n rounds a key depends on all names at most n references away.
        for _ in range(ROUNDS):
            keys = self._refine(keys, values, held)
        related = self._sharing_names(held)
        found = []
        for base, size in zip(self.bases, self.sizes, strict=True):
            positions = [-1] * size
            for position in range(size):
                waiting = [rank for rank in range(size) if positions[rank] < 0]
                best = min(waiting, key=lambda rank: keys[base + rank])
                alike = sum(keys[base + rank] == keys[base + best] for rank in waiting) > 1
                positions[best] = position
                # A tie between names that others refer to: individualise the chosen one and refine, since it now
                # distinguishes the names related to it. Ties of unrelated names are symmetric: any order will do.
                if alike and related[base + best]:
                    keys[base + best] = mix(keys[base + best] ^ TAKEN)
                    keys = self._refine(keys, values, held)
            found.append(positions)
        return found

    def _held_name(self, entry: Entry, value: int) -> int:
        """Return the name that an entry holds, or the number of no name."""
        if entry.held is None:
            return self.total
        base, size, above = entry.held
        return base + value + above if 0 <= value + above < size else self.total

    def _sharing_names(self, held: Sequence[Sequence[int]]) -> list[bool]:
        """Return, for each name, True if it shares an entry with another name."""
        related = [name in self.always_related for name in range(self.total + 1)]
        for family, row in zip(self.entries, held, strict=True):
            for entry, name in zip(family, row, strict=True):
                if entry.held is not None and name != self.total:
                    for other in entry.names:
                        if other != name:
                            related[other] = related[name] = True
        return related

    def _refine(self, keys: Sequence[int], values: Sequence[Sequence[int]], held: Sequence[Sequence[int]]) -> list[int]:
        found = list(keys)
        for family, row, names in zip(self.entries, values, held, strict=True):
            for entry, value, name in zip(family, row, names, strict=True):
                hash_ = mix(entry.seed + (HELD if name != self.total else value))
                for other in entry.names:
                    hash_ = mix(hash_ + keys[other])
                if entry.held is not None:
                    itself = sum(ITSELF * PARTS[part] for part, other in enumerate(entry.names) if other == name)
                    hash_ = mix(hash_ + keys[name] + itself)
                    found[name] += hash_ * PARTS[2]
                for part, other in enumerate(entry.names):
                    found[other] += hash_ * PARTS[part]
        return [*(mix(key) for key in found[:-1]), 0]


def _narrow(layout: Layout, family: Family, sizes: Sequence[int]) -> Family:
    """Clear `holds` of a family whose entries have too small a range to hold all names, and so hold none."""
    if family.holds is None:
        return family
    one, first = family.holds
    fields = [layout.by_variable[variable] for variable, _ in family.slots]
    if all(field.low <= first and first + sizes[one] - 1 <= field.high for field in fields):
        return family
    return replace(family, holds=None)


def _has_bits(layout: Layout, family: Family) -> bool:
    return layout.by_variable[family.slots[0][0]].width > 0


def entry_bits(state: Sequence[int], bits: Bits) -> int:
    return state[bits.word] >> bits.shift & bits.mask


def mix(key: int) -> int:
    """Mix all bits of a key."""
    key = (key & WORD) * SPREAD & WORD
    key ^= key >> SHIFT
    return key * SPREAD & WORD
