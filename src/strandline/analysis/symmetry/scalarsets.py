"""What variables hold and what arrays are indexed by: which of these are the same kind of thing.

A *sort* is a class of variables' values and arrays' indices that meet: they are assigned to each other, compared by
`==` or `!=`, or one is used as the other's index. What is only ever treated so can be a name of something, such as the
number of a process, which can as well be another (the scalarsets of Ip and Dill, Better verification through symmetry,
FMSD 9, 1996, found instead of declared). Whatever is computed with, ordered, looked up or taken for a truth is a number
and nothing else: its sort is *plain*, and the expression that makes it so is kept.

One name may be written as different numbers in different places: 0 for nobody and k + 1 for number k here, k there. So
members of a sort are related by how far their numbers are apart, as `x - 1` is from `x`, and a comparison by order with
a constant is no more than a *threshold*: it tells apart only names on its two sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    children,
    upwards,
)
from strandline.model.system import Assign, System, Variable

_EQUALITY = frozenset({"==", "!="})
_THRESHOLD = {"<": 0, ">=": 0, "<=": 1, ">": 1}
"""How far behind the constant on the right those begin for which the answer is the other one."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Holds:
    """What a variable holds, or all elements of an array."""

    variable: Variable


@dataclass(frozen=True, slots=True)
class Indexes:
    """What an array is indexed by."""

    variable: Variable


Kind: TypeAlias = Holds | Indexes | int
"""What has a sort; a number is a choice between constants."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """The sort of something: its numbers are those of the sort, `times` as large, and so much `above` that. Indices of
    arrays in which every name has a row of elements are several times as large."""

    sort: Kind
    above: int
    times: int = 1


class Sorts:
    """The sorts of a System's variables and arrays, as its actions and some expressions treat them."""

    def __init__(self, system: System, watched: Iterable[Expression]) -> None:
        self._above: dict[Kind, Sorted] = {}
        self._plain: dict[Kind, Expression | None] = {}
        """By sort that is plain: where that is seen; None where nothing can tell."""
        self._thresholds: dict[Kind, set[int]] = {}
        self.rows: dict[Variable, int] = {}
        """Of arrays in which every name has a row of elements, how many these are; else one."""
        self._of: dict[int, Sorted | None] = {}
        """By `id` of an expression: None for what is a number, and for constants, which may be anything."""
        self._kept_alive: list[Expression] = []
        self._choices = 0
        for variable in system.locations:
            self._plain[Holds(variable)] = None
        for action in system.actions:
            if action.guard is not None:
                self._number(action.guard, action.guard)
            for effect in action.effects:
                self._assigned(effect)
        for expression in watched:
            self._number(expression, expression)

    def of(self, kind: Kind) -> Sorted:
        """The sort of what a variable holds, or an array is indexed by."""
        above, root = 0, kind
        while root in self._above:
            above, root = above + self._above[root].above, self._above[root].sort
        return Sorted(root, above)

    def plain(self, sort: Kind) -> bool:
        return sort in self._plain

    def why_plain(self, sort: Kind) -> Expression | None:
        """The expression that treats it as a number, where there is one."""
        return self._plain.get(sort)

    def thresholds(self, sort: Kind) -> set[int]:
        """The sort's numbers from which on some comparison by order has another answer."""
        return self._thresholds.get(sort, set())

    def members(self, sort: Kind) -> Iterator[tuple[Kind, int]]:
        """What has the sort, and how much larger its numbers are."""
        if not isinstance(sort, int):
            yield sort, 0
        for kind in self._above:
            found = self.of(kind)
            if found.sort == sort and not isinstance(kind, int):
                yield kind, found.above

    def unite(self, one: Kind, other: Kind) -> None:
        """These two hold the same kind of thing, by the same numbers."""
        self._meet(self.of(one), self.of(other), None)

    def contexts(self, node: Expression) -> tuple[Sorted | None, ...]:
        """Of each sub-expression of a node, what a constant in its place would stand for; None: a number."""
        match node:
            case Element(variable=variable):
                return (_multiplied(self.of(Indexes(variable)), self.rows.get(variable, 1)),)
            case Binary(operator=operator, left=left, right=right) if operator in _EQUALITY:
                return self.sort_of(right), self.sort_of(left)
            case Choice():
                own = self.sort_of(node)
                return None, own, own
            case _:
                return (None,) * len(children(node))

    def sort_of(self, node: Expression) -> Sorted | None:
        """The sort of an expression that was looked at; None of a number, and of a constant."""
        found = self._of.get(id(node))
        return None if found is None else _added(_multiplied(self.of(found.sort), found.times), found.above)

    # What expressions do to sorts

    def _assigned(self, effect: Assign) -> None:
        self._visit(effect.target)
        self._visit(effect.value)
        holds = Holds(effect.target.variable)
        self._same(Sorted(holds, 0), effect.value, effect.value)
        if effect.target.variable.domain.wraps and not _surely_held(effect):
            self._make_plain(holds, effect.value)

    def _number(self, expression: Expression, where: Expression) -> None:
        """An expression that is taken for a number, or a truth."""
        self._visit(expression)
        found = self._of[id(expression)]
        if found is not None:
            self._make_plain(found.sort, where)

    def _indexed(self, variable: Variable, index: Expression, where: Expression) -> None:
        """An array is indexed; where that is by the first element of a row, or another one, it says whose row it is."""
        found = self._of[id(index)]
        if found is None:
            self._same(Sorted(Indexes(variable), 0), index, where)
        elif self.rows.setdefault(variable, found.times) != found.times:
            self._make_plain(found.sort, where)
            self._make_plain(Indexes(variable), where)
        else:
            whose = _added(self.of(found.sort), found.above // found.times)
            self._meet(self.of(Indexes(variable)), whose, where)

    def _visit(self, expression: Expression) -> None:
        for node in upwards(expression, self._of):
            self._of[id(node)] = self._sorted(node)
            self._kept_alive.append(node)

    def _sorted(self, node: Expression) -> Sorted | None:
        match node:
            case Read(variable=variable):
                return Sorted(Holds(variable), 0)
            case Element(variable=variable, index=index):
                self._indexed(variable, index, node)
                return Sorted(Holds(variable), 0)
            case Binary(operator=operator, left=left, right=right) if operator in _EQUALITY:
                self._compared(left, right, node)
            case Binary(operator=operator, left=left, right=Const(value=value)) if operator in _THRESHOLD:
                self._separated(left, value + _THRESHOLD[operator])
            case Binary(operator=operator, left=Const(value=value), right=right) if operator in _THRESHOLD:
                self._separated(right, value + _THRESHOLD[_MIRRORED[operator]])
            case Binary(operator="+", left=left, right=Const(value=value)) if self._of[id(left)] is not None:
                return _added(self._of[id(left)], value)
            case Binary(operator="+", left=Const(value=value), right=right) if self._of[id(right)] is not None:
                return _added(self._of[id(right)], value)
            case Binary(operator="-", left=left, right=Const(value=value)) if self._of[id(left)] is not None:
                return _added(self._of[id(left)], -value)
            case Binary(operator="*", left=left, right=Const(value=value)) if value > 1 and self._of[id(left)]:
                return _multiplied(self._of[id(left)], value)
            case Binary(left=left, right=right):
                self._number(left, node)
                self._number(right, node)
            case Unary(operand=inner) | Lookup(index=inner):
                self._number(inner, node)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                self._number(condition, node)
                return self._chosen(then, otherwise, node)
        return None

    def _chosen(self, then: Expression, otherwise: Expression, node: Expression) -> Sorted | None:
        if isinstance(then, Const | Undefined) and isinstance(otherwise, Const | Undefined):
            self._choices += 1
            return Sorted(self._choices, 0)
        self._compared(then, otherwise, node)
        return self._of[id(then)] or self._of[id(otherwise)]

    def _compared(self, left: Expression, right: Expression, where: Expression) -> None:
        one, other = self._of[id(left)], self._of[id(right)]
        if one is not None:
            self._same(one, right, where)
        elif other is not None:
            self._same(other, left, where)

    def _same(self, one: Sorted, expression: Expression, where: Expression) -> None:
        """An expression has the same sort, and the same numbers; a constant may have any."""
        if isinstance(expression, Const | Undefined):
            return
        other = self._of[id(expression)]
        if other is None:
            self._make_plain(one.sort, where)
        elif one.times > 1 or other.times > 1:
            self._make_plain(one.sort, where)
            self._make_plain(other.sort, where)
        else:
            self._meet(_added(self.of(one.sort), one.above), _added(self.of(other.sort), other.above), where)

    def _meet(self, one: Sorted, other: Sorted, where: Expression | None) -> None:
        if one.sort == other.sort:
            if one.above != other.above:
                self._make_plain(one.sort, where)
            return
        # What is m + one.above there is m + other.above here.
        shift = other.above - one.above
        self._above[one.sort] = Sorted(other.sort, shift)
        if one.sort in self._plain:
            self._plain.setdefault(other.sort, self._plain[one.sort])
        self._thresholds.setdefault(other.sort, set()).update(
            value - shift for value in self._thresholds.pop(one.sort, ())
        )

    def _separated(self, expression: Expression, first: int) -> None:
        found = self.sort_of(expression)
        if found is not None and found.times > 1:
            self._make_plain(found.sort, expression)
        elif found is not None:
            self._thresholds.setdefault(found.sort, set()).add(first - found.above)

    def _make_plain(self, kind: Kind, where: Expression | None) -> None:
        self._plain.setdefault(self.of(kind).sort, where)


def _added(found: Sorted | None, amount: int) -> Sorted:
    assert found is not None
    return Sorted(found.sort, found.above + amount, found.times)


def _multiplied(found: Sorted | None, factor: int) -> Sorted:
    assert found is not None
    return Sorted(found.sort, found.above * factor, found.times * factor)


def _surely_held(effect: Assign) -> bool:
    """Whether the value is one of the variable's own, so that it does not become another one."""
    domain, value = effect.target.variable.domain, effect.value
    match value:
        case Const(value=number):
            return number in domain
        case Read(variable=variable) | Element(variable=variable):
            return variable.domain.low in domain and variable.domain.high in domain
        case _:
            return False
