"""Assignments whose order makes no difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from strandline.model.expression import Const, Element, Read, walk
from strandline.model.system import Assign, Variable


class AssignmentRow:
    """Simultaneous assignments: the forms of their targets and values, the written places, and the accessed ones."""

    def __init__(self, row: Sequence[Assign], pairs: Sequence[tuple[int, int]]) -> None:
        self._row, self._pairs = row, pairs
        self._written = {_place(one.target) for one in row}
        nodes = (node for one in row for part in (one.target, one.value) for node in walk(part))
        self._touched = {_place(node) for node in nodes if isinstance(node, Read | Element)}

    @property
    def form(self) -> tuple[tuple[int, int], ...]:
        """Return a form that ignores the order of assignments if they write different places."""
        apart = len(self._written) == len(self._row) and all(index is not None for _, index in self._written)
        return tuple(sorted(self._pairs) if apart else self._pairs)

    def conflicts_with(self, other: AssignmentRow) -> bool:
        """Return True if one may access a place that the other writes."""
        return _overlap(self._written, other._touched) or _overlap(other._written, self._touched)

    def single(self) -> Sequence[AssignmentRow]:
        """Return the assignments one by one, if none accesses a place that another one writes."""
        alone = [AssignmentRow([one], [pair]) for one, pair in zip(self._row, self._pairs, strict=True)]
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


def _place(target: Read | Element) -> tuple[Variable, int | None]:
    """Return a variable, or an array element; None as index if it depends on the state."""
    if isinstance(target, Read):
        return target.variable, 0
    return target.variable, target.index.value if isinstance(target.index, Const) else None


def _overlap(some: set[tuple[Variable, int | None]], others: set[tuple[Variable, int | None]]) -> bool:
    """Return True if there may be a place in both sets."""
    return any(
        one is other and (index is None or another is None or index == another)
        for one, index in some
        for other, another in others
    )
