"""Apply permutations of names to states: move the entries that belong to names, rename values that are names.

A *family* is a set of entries of a state that permutations map to each other: the entries of one name of the processes
of a group, the elements of an array that is indexed by names, or both at once for such an array that each process owns.
An entry is identified within its family by the names that it belongs to, its *coordinates*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

from strandline.analysis.ranges import analyse_ranges
from strandline.analysis.symmetry.detection import Scalarset, Slot
from strandline.model.intervals import Interval, join
from strandline.model.system import System, Variable

Positions = Sequence[Sequence[int]]
"""For every scalarset, the position to which each of its names is moved."""

MOST_INITIAL = 10_000
"""Most initial states after closure under all permutations."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of entries.

    `slots` is ordered by the coordinates, one name per scalarset in `sets`, the last one varying fastest. `holds` is
    given if the values are names: the number of their scalarset, and the value of its first name.
    """

    sets: tuple[int, ...]
    sizes: tuple[int, ...]
    slots: tuple[Slot, ...]
    holds: tuple[int, int] | None

    def places(self) -> Iterator[tuple[tuple[int, ...], Slot]]:
        """Yield each entry's coordinates and the entry."""
        return zip(product(*map(range, self.sizes)), self.slots, strict=True)

    def number(self, coordinates: Sequence[int]) -> int:
        """Return the index into `slots` of the entry with these coordinates."""
        number = 0
        for coordinate, size in zip(coordinates, self.sizes, strict=True):
            number = number * size + coordinate
        return number


def families(scalarsets: Sequence[Scalarset]) -> list[Family]:
    """Return all families of entries that permutations of names change."""
    coordinates: dict[Slot, list[tuple[int, int]]] = defaultdict(list)
    corresponding: dict[Slot, list[Slot]] = defaultdict(list)
    for number, one in enumerate(scalarsets):
        for blocks in (one.blocks, one.inner):
            for rank, block in enumerate(blocks):
                for slot, first in zip(block, blocks[0], strict=True):
                    coordinates[slot].append((number, rank))
                    corresponding[slot].append(first)
                    corresponding[first].append(slot)
    held = {variable: (number, first) for number, one in enumerate(scalarsets) for variable, first in one.holders}
    # A holder outside of all blocks keeps its place; only its value is renamed.
    for variable in held:
        for index in range(variable.slots):
            coordinates.setdefault((variable, index), [])
    found, seen = [], set[Slot]()
    for slot in coordinates:
        if slot not in seen:
            # Entries that permutations map to each other are connected.
            together = _connected_slots(slot, corresponding)
            seen |= together
            found.append(_family(together, coordinates, scalarsets, held))
    return found


def _connected_slots(slot: Slot, corresponding: Mapping[Slot, list[Slot]]) -> set[Slot]:
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
    scalarsets: Sequence[Scalarset],
    held: Mapping[Variable, tuple[int, int]],
) -> Family:
    ordered = sorted(slots, key=lambda slot: [rank for _, rank in coordinates[slot]])
    sets = tuple(number for number, _ in coordinates[ordered[0]])
    sizes = tuple(scalarsets[number].size for number in sets)
    return Family(sets, sizes, tuple(ordered), held.get(ordered[0][0]))


def permute(
    valuation: Sequence[int], offsets: Mapping[Variable, int], moved: Sequence[Family], positions: Positions
) -> tuple[int, ...]:
    """Apply a permutation of every scalarset to a valuation."""
    values = list(valuation)
    for family in moved:
        for coordinates, (variable, index) in family.places():
            value = valuation[offsets[variable] + index]
            if family.holds is not None:
                value = rename_value(value, family.holds[1], positions[family.holds[0]])
            there = [positions[number][rank] for number, rank in zip(family.sets, coordinates, strict=True)]
            target, element = family.slots[family.number(there)]
            values[offsets[target] + element] = value
    return tuple(values)


def rename_value(value: int, first: int, positions: Sequence[int]) -> int:
    """Apply a permutation to a value; names are consecutive from `first`, other values stay."""
    return first + positions[value - first] if 0 <= value - first < len(positions) else value


def close_initial_states(system: System, scalarsets: Sequence[Scalarset]) -> System | None:
    """Add all permuted initial states, so that the reachable states are closed under permutations.

    Returns the System itself if nothing was added, and None if there are more than `MOST_INITIAL`.
    """
    moved = families(scalarsets)
    neighbours = list(_neighbours(scalarsets))
    found = dict.fromkeys(system.initial)
    waiting = list(found)
    while waiting:
        valuation = waiting.pop()
        for positions in neighbours:
            other = permute(valuation, system.offsets, moved, positions)
            if other not in found:
                if len(found) >= MOST_INITIAL + len(system.initial):
                    return None
                found[other] = None
                waiting.append(other)
    return system if len(found) == len(system.initial) else replace(system, initial=tuple(found))


def stored_ranges(system: System, scalarsets: Sequence[Scalarset]) -> dict[Variable, Interval]:
    """Return for every variable an interval of its values in all reachable states, under all permutations.

    Variables of the same family have the same interval. The System's initial states must be closed under permutations.
    """
    intervals = dict(analyse_ranges(system).variables)
    moved = [list(dict.fromkeys(variable for variable, _ in family.slots)) for family in families(scalarsets)]
    changed = True
    while changed:
        changed = False
        for variables in moved:
            interval = reduce(join, (intervals[variable] for variable in variables))
            changed |= any(intervals[variable] != interval for variable in variables)
            intervals.update(dict.fromkeys(variables, interval))
    return intervals


def _neighbours(scalarsets: Sequence[Scalarset]) -> Iterator[Positions]:
    for number, one in enumerate(scalarsets):
        for first in range(one.size - 1):
            positions = [list(range(other.size)) for other in scalarsets]
            positions[number][first : first + 2] = [first + 1, first]
            yield positions
