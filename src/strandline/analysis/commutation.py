"""Commuting assignments: normal forms of sequences in which the order makes no difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from strandline.analysis.dependencies import Slots
from strandline.model.system import Assign


class AssignmentRow:
    """Simultaneous assignments: the normal forms of their targets and values, and the slots that they access."""

    def __init__(self, row: Sequence[Assign], pairs: Sequence[tuple[int, int]], slots: Slots) -> None:
        self._row, self._pairs, self._slots = row, pairs, slots
        self._targets = [slots.of_place(one.target) for one in row]
        self._written = reduce(or_, self._targets, 0)
        self._accessed = self._written | slots.read_by_all(part for one in row for part in (one.target, one.value))

    @property
    def form(self) -> tuple[tuple[int, int], ...]:
        """Return a normal form, which ignores the order of assignments if they certainly write different slots."""
        apart = len(set(self._targets)) == len(self._row) and all(one.bit_count() == 1 for one in self._targets)
        return tuple(sorted(self._pairs) if apart else self._pairs)

    def conflicts_with(self, other: AssignmentRow) -> bool:
        """Return True if one may access a slot that the other writes."""
        return bool(self._written & other._accessed or other._written & self._accessed)

    def single(self) -> Sequence[AssignmentRow]:
        """Return the assignments one by one, if none accesses a slot that another one writes."""
        alone = [AssignmentRow([one], [pair], self._slots) for one, pair in zip(self._row, self._pairs, strict=True)]
        return [self] if any(one.conflicts_with(other) for one, other in combinations(alone, 2)) else alone


def layers(made: Iterable[AssignmentRow]) -> list[list[AssignmentRow]]:
    """Arrange assignments in layers within which the order makes no difference.

    Each moves as far to the front as conflicts allow (the normal form of Cartier and Foata).
    """
    found: list[list[AssignmentRow]] = []
    for one in made:
        for part in one.single():
            place = max(
                (number + 1 for number, layer in enumerate(found) if any(map(part.conflicts_with, layer))), default=0
            )
            if place == len(found):
                found.append([])
            found[place].append(part)
    return found
