"""The places that actions access: variables, and array elements as far as their indices are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from strandline.model.expression import Binary, Const, Element, Expression, Read, size, walk
from strandline.model.intervals import Cell, cell_of
from strandline.model.system import Action, Assign, Variable

Place: TypeAlias = tuple[Variable, int | None]
"""A scalar variable (index 0) or an array element; None as index stands for any element."""


_LARGE = 400
"""Size of expressions, as trees, up to which their values are analysed."""


def is_large(expressions: Iterable[Expression | None]) -> bool:
    """Return True if expressions are too large for case analysis."""
    return sum(size(one) for one in expressions if one is not None) > _LARGE


def places_read(expression: Expression) -> Iterator[Place]:
    """Return the places on which the value of an expression may depend."""
    for node in walk(expression):
        if isinstance(node, Read | Element):
            yield cell_of(node) or (node.variable, None)


def overlap(first: Iterable[Place], second: Iterable[Place]) -> bool:
    """Return True if a place of one set may be a place of the other."""
    known: dict[Variable, set[int | None]] = {}
    for variable, index in first:
        known.setdefault(variable, set()).add(index)
    for variable, index in second:
        indices = known.get(variable)
        if indices is not None and (index is None or index in indices or None in indices):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Effects:
    """The places that the effects of an action access.

    `adds` are places that are written once, by adding a constant, and only read for that; two actions that add to the
    same place commute. They are in `writes` but not in `reads`.
    """

    reads: frozenset[Place]
    writes: frozenset[Place]
    adds: frozenset[Place]

    def disturb(self, other: Effects) -> bool:
        """Return True if a write of these effects affects the other effects."""
        both_add = self.adds & other.adds
        return overlap(self.writes, other.reads) or overlap(self.writes - both_add, other.writes - both_add)


def effects_of(action: Action) -> Effects:
    added = _added_cells(action)
    reads: set[Place] = set()
    for effect in action.effects:
        if isinstance(effect.target, Element):
            reads.update(places_read(effect.target.index))
        if cell_of(effect.target) not in added:
            reads.update(places_read(effect.value))
    writes = {cell_of(effect.target) or (effect.target.variable, None) for effect in action.effects}
    return Effects(frozenset(reads), frozenset(writes), frozenset(added))


def _added_cells(action: Action) -> set[Cell]:
    adding_to = [None if (added := added_constant(effect)) is None else added[0] for effect in action.effects]
    candidates = {cell for cell in adding_to if cell is not None}
    for effect, cell in zip(action.effects, adding_to, strict=True):
        touched = {*places_read(effect.value), cell_of(effect.target) or (effect.target.variable, None)}
        if isinstance(effect.target, Element):
            touched.update(places_read(effect.target.index))
        candidates = {one for one in candidates if one == cell or not overlap([one], touched)}
    return {one for one in candidates if adding_to.count(one) == 1}


def added_constant(effect: Assign) -> tuple[Cell, int] | None:
    """Return the cell to which the effect adds a constant, and the constant."""
    cell, value = cell_of(effect.target), effect.value
    if cell is None or not isinstance(value, Binary) or value.operator not in ("+", "-"):
        return None
    if cell_of(value.left) == cell and isinstance(value.right, Const):
        return cell, value.right.value if value.operator == "+" else -value.right.value
    if value.operator == "+" and cell_of(value.right) == cell and isinstance(value.left, Const):
        return cell, value.left.value
    return None
