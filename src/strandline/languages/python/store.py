"""The state while an action is executed symbolically.

`effects` are assignments that stand; every expression is over the state after them. `pending` holds writes that came
since: later reads see them, but what was read before still means the old values, so they become assignments only
when nothing needs those any more (`settle`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from strandline.languages.python.build import choose, equal, negate, substitute
from strandline.model.expression import Const, Element, Expression, Read, walk
from strandline.model.system import Assign, Domain, Variable
from strandline.source import Span

_NOWHERE = Const(0)
"""The index of a scalar."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """One write; index and value are over the state after the effects."""

    index: Expression
    value: Expression
    span: Span | None


class Store:
    """See the module's docstring."""

    def __init__(self) -> None:
        self.effects: list[Assign] = []
        self.pending: dict[Variable, list[Write]] = {}

    def fork(self) -> Store:
        """A copy for one branch; the effects are shared, because branches settle nothing."""
        twin = Store()
        twin.effects = self.effects
        twin.pending = {variable: list(writes) for variable, writes in self.pending.items()}
        return twin

    def read(self, variable: Variable, index: Expression = _NOWHERE, span: Span | None = None) -> Expression:
        return self._seen(self.pending.get(variable, ()), variable, index, span)

    def _seen(
        self, writes: Iterable[Write], variable: Variable, index: Expression, span: Span | None = None
    ) -> Expression:
        value: Expression = Read(variable, span) if variable.length is None else Element(variable, index, span)
        for write in writes:
            value = choose(_same(write.index, index), write.value, value)
        return value

    def write(
        self, variable: Variable, index: Expression, value: Expression, span: Span | None
    ) -> list[Write]:
        """Note a write; returns those that nobody sees any more because of it."""
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
        """Continue where both branches meet again."""
        variables = dict.fromkeys([*yes.pending, *no.pending])
        before = self.pending
        self.pending = {}
        for variable in variables:
            first, second = yes.pending.get(variable, []), no.pending.get(variable, [])
            if first == second:
                self.pending[variable] = first
            elif all(isinstance(write.index, Const) for write in (*first, *second)):
                self._merge_cells(variable, condition, yes, no, [*first, *second])
            else:
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
                old = self._seen(merged, variable, write.index if isinstance(write.index, Const) else _NOWHERE)
                merged.append(Write(index, choose(branch, write.value, old), write.span))
        self.pending[variable] = merged

    def settle(self) -> bool:
        """Turn the pending writes into assignments; False where their order cannot be right."""
        entries = [(variable, write) for variable, writes in self.pending.items() for write in writes]
        ordered = _ordered(entries)
        if ordered is None:
            return False
        for variable, write in ordered:
            self._assign(variable, write)
        self.pending = {}
        return True

    def settle_by_copies(self, copies: list[Variable]) -> None:
        """As `settle` where writes need each other's old values: those are kept in variables that are 0 before
        and after every step."""
        waiting = [(variable, write) for variable, writes in self.pending.items() for write in writes]
        used: list[Variable] = []
        while waiting:
            position = _next(waiting)
            if position is None:
                position = self._rescue(waiting, copies, used)
            self._assign(*waiting.pop(position))
        self.effects += [Assign(Read(copy), _NOWHERE) for copy in used]
        self.pending = {}

    def _rescue(self, waiting: list[tuple[Variable, Write]], copies: list[Variable], used: list[Variable]) -> int:
        """Save what one write will destroy, and let the others read it there; that write can be made then."""
        position = next((p for p, (_, w) in enumerate(waiting) if isinstance(w.index, Const)), 0)
        variable, write = waiting[position]
        if not isinstance(write.index, Const):
            # The index itself is saved: then it is a constant for all that follows.
            saved = self._copy(Domain(-1, variable.slots), copies, used, write.index)
            write = Write(saved, write.value, write.span)
        target = Read(variable) if variable.length is None else Element(variable, write.index, write.span)
        domain = Domain(min(variable.domain.low, 0), max(variable.domain.high, 0))
        kept = Assign(target, self._copy(domain, copies, used, target))
        for other, (where, one) in enumerate(waiting):
            if other != position:
                index, value = substitute(one.index, kept), substitute(one.value, kept)
                waiting[other] = (where, Write(index, value, one.span))
        waiting[position] = (variable, write)
        return position

    def _copy(self, domain: Domain, copies: list[Variable], used: list[Variable], value: Expression) -> Read:
        copy = next((one for one in copies if one not in used and one.domain == domain), None)
        if copy is None:
            copy = Variable(f"copy{len(copies)}", domain)
            copies.append(copy)
        used.append(copy)
        self.effects.append(Assign(Read(copy), value))
        return Read(copy)

    def _assign(self, variable: Variable, write: Write) -> None:
        target = Read(variable) if variable.length is None else Element(variable, write.index, write.span)
        if write.value != target:
            self.effects.append(Assign(target, write.value, write.span))

    def before(self, expression: Expression) -> Expression:
        """What an expression over the present state is over the state before the action."""
        for effect in reversed(self.effects):
            expression = substitute(expression, effect)
        return expression


def _same(first: Expression, second: Expression) -> Expression:
    return Const(1) if first == second else equal(first, second)


def _reads(expressions: Iterable[Expression], variable: Variable, index: Expression) -> bool:
    """Whether one of the expressions may look at the place."""
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Read) and node.variable is variable:
                return True
            if isinstance(node, Element) and node.variable is variable and _same(node.index, index) != Const(0):
                return True
    return False


def _ordered(entries: list[tuple[Variable, Write]]) -> list[tuple[Variable, Write]] | None:
    """An order in which no write changes what a later one still reads; None where there is none."""
    waiting, done = list(entries), []
    while waiting:
        position = _next(waiting)
        if position is None:
            return None
        done.append(waiting.pop(position))
    return done


def _next(waiting: list[tuple[Variable, Write]]) -> int | None:
    """A write that can be made: no other reads what it changes, and none that comes before it may meet it."""
    for position, (variable, write) in enumerate(waiting):
        others = waiting[:position] + waiting[position + 1 :]
        needed = _reads((e for _, one in others for e in (one.index, one.value)), variable, write.index)
        earlier = any(
            other is variable and _same(one.index, write.index) != Const(0) for other, one in waiting[:position]
        )
        if not needed and not earlier:
            return position
    return None
