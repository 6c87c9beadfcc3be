"""The symbolic store: assignments made so far, and pending writes.

`effects` are final assignments; every expression is over the state after them. `pending` holds later writes: a read
returns the written value, but expressions read earlier still refer to the old value. Pending writes become assignments
(`settle`) only when no live expression refers to the old values any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from strandline.languages.symbolic_execution.building import choose, equal, interval, negate, substitute
from strandline.model.expression import FALSE, Const, Element, Expression, Read, walk
from strandline.model.intervals import within
from strandline.model.system import Assign, Variable, rows
from strandline.source import Span

_NOWHERE = Const(0)
"""The index of a `Write` to a scalar."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A pending write; `index` and `value` are over the state after `Store.effects`."""

    index: Expression
    value: Expression
    span: Span | None


class Store:
    """The symbolic store: final assignments (`effects`), and by variable the later writes (`pending`)."""

    def __init__(self) -> None:
        self.effects: list[Assign] = []
        self.pending: dict[Variable, list[Write]] = {}

    def fork(self) -> Store:
        """Return a copy for one branch.

        The list `effects` is shared, because no pending write becomes an assignment inside a branch.
        """

        copy = Store()
        copy.effects = self.effects
        copy.pending = {variable: list(writes) for variable, writes in self.pending.items()}
        return copy

    def read(self, variable: Variable, index: Expression = _NOWHERE, span: Span | None = None) -> Expression:
        """Return the current value of a variable or an array element, an expression over the state after `effects`."""
        return self._value_after(self.pending.get(variable, ()), variable, index, span)

    def _value_after(
        self, writes: Iterable[Write], variable: Variable, index: Expression, span: Span | None = None
    ) -> Expression:
        value: Expression = Read(variable, span) if variable.length is None else Element(variable, index, span)
        for write in writes:
            value = choose(_same(write.index, index), write.value, value)
        return value

    def write(self, variable: Variable, index: Expression, value: Expression, span: Span | None) -> list[Write]:
        """Add a pending write; return the earlier pending writes that it replaces in every state."""
        writes = self.pending.setdefault(variable, [])
        kept: list[Write] = []
        dropped: list[Write] = []
        for position, old in enumerate(writes):
            covered = old.index == index and all(
                _same(later.index, index) == Const(0) for later in writes[position + 1 :]
            )
            (dropped if covered else kept).append(old)
        self.pending[variable] = [*kept, Write(index, value, span)]
        return dropped

    def merge(self, condition: Expression, yes: Store, no: Store) -> None:
        """Merge into this store those of the branches where `condition` holds (`yes`) and where it does not (`no`)."""
        variables = dict.fromkeys([*yes.pending, *no.pending])
        before = self.pending
        self.pending = {}
        for variable in variables:
            first, second = yes.pending.get(variable, []), no.pending.get(variable, [])
            if first == second:
                self.pending[variable] = first
            elif all(isinstance(write.index, Const) for write in (*first, *second)):
                # One write for each index, with the value that the condition chooses.
                self._merge_cells(variable, condition, yes, no, [*first, *second])
            else:
                # Indices may coincide: all writes stay in order, each without effect where the other branch is taken.
                self._merge_lists(variable, condition, before.get(variable, []), first, second)

    def _merge_cells(
        self, variable: Variable, condition: Expression, yes: Store, no: Store, writes: list[Write]
    ) -> None:
        merged: dict[Expression, Write] = {}
        for write in writes:
            value = choose(condition, yes.read(variable, write.index), no.read(variable, write.index))
            merged.setdefault(write.index, Write(write.index, value, write.span))
        self.pending[variable] = list(merged.values())

    def _merge_lists(
        self, variable: Variable, condition: Expression, before: list[Write], first: list[Write], second: list[Write]
    ) -> None:
        shared = 0
        while shared < min(len(first), len(second), len(before)) and first[shared] is second[shared]:
            shared += 1
        merged = list(first[:shared])
        for branch, writes in ((condition, first[shared:]), (negate(condition), second[shared:])):
            for write in writes:
                index = write.index if isinstance(write.index, Const) else choose(branch, write.index, _NOWHERE)
                old = self._value_after(merged, variable, write.index if isinstance(write.index, Const) else _NOWHERE)
                merged.append(Write(index, choose(branch, write.value, old), write.span))
        self.pending[variable] = merged

    def surely_fits(self) -> bool:
        """Return True if no pending write can leave its variable's domain."""
        return all(
            within(interval(write.value), (variable.domain.low, variable.domain.high))
            for variable, writes in self.pending.items()
            for write in writes
        )

    def settle(self) -> None:
        """Turn the pending writes into assignments.

        All are over the state after `effects`, so an assignment that reads a variable that an earlier one writes is
        made simultaneous with it.
        """
        entries = [(variable, write) for variable, writes in self.pending.items() for write in writes]
        assignments = [
            Assign(_target(variable, write), write.value, write.span)
            for position, (variable, write) in enumerate(entries)
            if write.value != _target(variable, write) or any(other is variable for other, _ in entries[:position])
        ]
        self.effects += _at_once(assignments)
        self.pending = {}

    def before(self, expression: Expression) -> Expression:
        """Rewrite an expression over the state after `effects` as one over the state before the step."""
        for row in reversed(list(rows(self.effects))):
            expression = substitute(expression, row)
        return expression


def _target(variable: Variable, write: Write) -> Read | Element:
    return Read(variable) if variable.length is None else Element(variable, write.index, write.span)


def _same(first: Expression, second: Expression) -> Expression:
    return Const(1) if first == second else equal(first, second)


def _at_once(assignments: list[Assign]) -> list[Assign]:
    """Return the assignments, with `together` set for those that must be simultaneous with earlier ones.

    These are each assignment that reads a variable that an earlier one writes, and those between the two.
    """
    marked: set[int] = set()
    for position, assignment in enumerate(assignments):
        seen = _places(assignment)
        first = next((p for p in range(position) if _may_be_in(assignments[p].target, seen)), position)
        marked.update(range(first + 1, position + 1))
    return [replace(one, together=True) if position in marked else one for position, one in enumerate(assignments)]


def _places(assignment: Assign) -> dict[Variable, set[Expression]]:
    """Return the variables that an assignment reads; for an array, also the indices of the elements read."""
    found: dict[Variable, set[Expression]] = {}
    index = [assignment.target.index] if isinstance(assignment.target, Element) else []
    for expression in (*index, assignment.value):
        for node in walk(expression):
            if isinstance(node, Read):
                found.setdefault(node.variable, set())
            elif isinstance(node, Element):
                found.setdefault(node.variable, set()).add(node.index)
    return found


def _may_be_in(target: Read | Element, places: dict[Variable, set[Expression]]) -> bool:
    if isinstance(target, Read):
        return target.variable in places
    return any(_same(index, target.index) != FALSE for index in places.get(target.variable, ()))
