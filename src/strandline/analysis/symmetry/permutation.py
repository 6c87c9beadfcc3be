"""States with names exchanged: which entries of a state change their places, and which their values.

A *family* are the entries of a state that can come to lie in each other's places: what the processes of a group have
under one name, the elements of an array that is indexed by names, of a process's own such array both at once. An
entry is found in its family by the names that it belongs to, its *coordinates*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

from strandline.analysis.ranges import analyse_ranges
from strandline.analysis.symmetry.detection import Exchange, Slot
from strandline.model.intervals import Interval, join
from strandline.model.system import System, Variable

Positions = Sequence[Sequence[int]]
"""For every set of names, what each of them becomes."""

MOST_INITIAL = 10_000
"""So many initial states there may be after all exchanges."""


@dataclass(frozen=True, slots=True)
class Family:
    """Entries that are moved: `slots` by their coordinates, each a name of one of the sets, the last one counted up
    first. `holds`: the set whose names are their values, and the number of the first name."""

    sets: tuple[int, ...]
    sizes: tuple[int, ...]
    slots: tuple[Slot, ...]
    holds: tuple[int, int] | None

    def places(self) -> Iterator[tuple[tuple[int, ...], Slot]]:
        """The entries with their coordinates."""
        return zip(product(*map(range, self.sizes)), self.slots, strict=True)

    def number(self, coordinates: Sequence[int]) -> int:
        """Which of the slots that is."""
        number = 0
        for coordinate, size in zip(coordinates, self.sizes, strict=True):
            number = number * size + coordinate
        return number


def families(exchanges: Sequence[Exchange]) -> list[Family]:
    """All entries that exchanges of names change."""
    coordinates: dict[Slot, list[tuple[int, int]]] = defaultdict(list)
    corresponding: dict[Slot, list[Slot]] = defaultdict(list)
    for number, one in enumerate(exchanges):
        for blocks in (one.blocks, one.inner):
            for rank, block in enumerate(blocks):
                for slot, first in zip(block, blocks[0], strict=True):
                    coordinates[slot].append((number, rank))
                    corresponding[slot].append(first)
                    corresponding[first].append(slot)
    held = {variable: (number, first) for number, one in enumerate(exchanges) for variable, first in one.holders}
    for variable in held:
        for index in range(variable.slots):
            coordinates.setdefault((variable, index), [])
    found, seen = [], set[Slot]()
    for slot in coordinates:
        if slot not in seen:
            together = _reached(slot, corresponding)
            seen |= together
            found.append(_family(together, coordinates, exchanges, held))
    return found


def _reached(slot: Slot, corresponding: Mapping[Slot, list[Slot]]) -> set[Slot]:
    reached, waiting = {slot}, [slot]
    while waiting:
        for other in corresponding.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def _family(
    slots: set[Slot],
    coordinates: Mapping[Slot, list[tuple[int, int]]],
    exchanges: Sequence[Exchange],
    held: Mapping[Variable, tuple[int, int]],
) -> Family:
    ordered = sorted(slots, key=lambda slot: [rank for _, rank in coordinates[slot]])
    sets = tuple(number for number, _ in coordinates[ordered[0]])
    sizes = tuple(exchanges[number].size for number in sets)
    return Family(sets, sizes, tuple(ordered), held.get(ordered[0][0]))


def permuted(
    valuation: Sequence[int], offsets: Mapping[Variable, int], moved: Sequence[Family], positions: Positions
) -> tuple[int, ...]:
    """A valuation in which every name has become another."""
    values = list(valuation)
    for family in moved:
        for coordinates, (variable, index) in family.places():
            value = valuation[offsets[variable] + index]
            if family.holds is not None:
                value = renamed(value, family.holds[1], positions[family.holds[0]])
            there = [positions[number][rank] for number, rank in zip(family.sets, coordinates, strict=True)]
            target, element = family.slots[family.number(there)]
            values[offsets[target] + element] = value
    return tuple(values)


def renamed(value: int, first: int, positions: Sequence[int]) -> int:
    """What a value becomes where some values, from the first one on, are names."""
    return first + positions[value - first] if 0 <= value - first < len(positions) else value


def closed(system: System, exchanges: Sequence[Exchange]) -> System | None:
    """The System with all initial states that exchanges make of its own, so that what is reachable is closed under
    exchanges; itself where they are its own. None where they are too many."""
    moved = families(exchanges)
    neighbours = list(_neighbours(exchanges))
    found = dict.fromkeys(system.initial)
    waiting = list(found)
    while waiting:
        valuation = waiting.pop()
        for positions in neighbours:
            other = permuted(valuation, system.offsets, moved, positions)
            if other not in found:
                if len(found) >= MOST_INITIAL + len(system.initial):
                    return None
                found[other] = None
                waiting.append(other)
    return system if len(found) == len(system.initial) else replace(system, initial=tuple(found))


def stored_ranges(system: System, exchanges: Sequence[Exchange]) -> dict[Variable, Interval]:
    """A box for every variable, that holds its values in all reachable states with whatever names exchanged; the same
    for those of a family. Of a System that is `closed`."""
    boxes = dict(analyse_ranges(system).variables)
    moved = [list(dict.fromkeys(variable for variable, _ in family.slots)) for family in families(exchanges)]
    changed = True
    while changed:
        changed = False
        for variables in moved:
            box = reduce(join, (boxes[variable] for variable in variables))
            changed |= any(boxes[variable] != box for variable in variables)
            boxes.update(dict.fromkeys(variables, box))
    return boxes


def _neighbours(exchanges: Sequence[Exchange]) -> Iterator[Positions]:
    for number, one in enumerate(exchanges):
        for first in range(one.size - 1):
            positions = [list(range(other.size)) for other in exchanges]
            positions[number][first : first + 2] = [first + 1, first]
            yield positions
