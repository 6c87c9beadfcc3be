"""Assignments whose order makes no difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from strandline.model.expression import Const, Element, Read, walk
from strandline.model.system import Assign, Variable


class Made:
    """Assignments that are made at once: the forms of their targets and values, which places they write, and which they
    read or write."""

    def __init__(self, row: Sequence[Assign], pairs: Sequence[tuple[int, int]]) -> None:
        self._row, self._pairs = row, pairs
        self._written = {_place(one.target) for one in row}
        nodes = (node for one in row for part in (one.target, one.value) for node in walk(part))
        self._touched = {_place(node) for node in nodes if isinstance(node, Read | Element)}

    @property
    def form(self) -> tuple[tuple[int, int], ...]:
        """The same in whatever order they stand, where they write different places."""
        apart = len(self._written) == len(self._row) and all(index is not None for _, index in self._written)
        return tuple(sorted(self._pairs) if apart else self._pairs)

    def meets(self, other: Made) -> bool:
        """Whether one may read or write what the other one writes."""
        return _overlap(self._written, other._touched) or _overlap(other._written, self._touched)

    def single(self) -> Sequence[Made]:
        """The assignments one by one, where none of them reads or writes what another one writes."""
        alone = [Made([one], [pair]) for one, pair in zip(self._row, self._pairs, strict=True)]
        return [self] if any(one.meets(other) for one, other in combinations(alone, 2)) else alone


def layers(made: Iterable[Made]) -> list[list[Made]]:
    """Assignments in sequence, as far in front as those allow that they meet; the order inside of a layer makes no
    difference (the normal form of Cartier and Foata)."""
    found: list[list[Made]] = []
    for one in made:
        for part in one.single():
            place = max((number + 1 for number, layer in enumerate(found) if any(map(part.meets, layer))), default=0)
            if place == len(found):
                found.append([])
            found[place].append(part)
    return found


def _place(target: Read | Element) -> tuple[Variable, int | None]:
    """A variable, or an element of an array; None for the index that depends on the state."""
    if isinstance(target, Read):
        return target.variable, 0
    return target.variable, target.index.value if isinstance(target.index, Const) else None


def _overlap(some: set[tuple[Variable, int | None]], others: set[tuple[Variable, int | None]]) -> bool:
    """Whether there may be a place in both."""
    return any(
        one is other and (index is None or another is None or index == another)
        for one, index in some
        for other, another in others
    )
