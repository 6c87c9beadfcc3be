"""Infer sorts: which variables and array indices range over the same kind of name.

A *sort* is a class of variables' values and array indices that are assigned to each other, compared by `==` or `!=`, or
used as each other's index. Numbers that are only used in these ways can be names, such as process numbers, and be
permuted (the scalarsets of Ip and Dill, Better verification through symmetry, FMSD 9, 1996, inferred instead of
declared). A number used in arithmetic, ordered comparisons, table lookups or as a truth value is not a name: its sort
is *plain*, and the expression that makes it so is kept for messages.

The same name may be written as different numbers in different places: 0 for nobody and k + 1 for process k here, k
there. So members of a sort are related by an offset, as `x - 1` is to `x`. An ordered comparison with a constant adds a
*threshold*: it only distinguishes names on its two sides.
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
"""For each comparison with a constant, the offset from the constant to the threshold."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Holds:
    """The values of a variable, or of all elements of an array, as members of a sort."""

    variable: Variable


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indices of an array, as members of a sort."""

    variable: Variable


Kind: TypeAlias = Holds | Indexes | int
"""A holder of values that has a sort: a variable, an array index, or (an int) a choice between constants."""


@dataclass(frozen=True, slots=True)
class SortRef:
    """A sort, and the affine map from its numbers to those of a member: `number * factor + offset`.

    Indices of arrays in which every name has a row of several elements have a factor above one.
    """

    sort: Kind
    offset: int
    factor: int = 1


class Sorts:
    """The sorts of a System's variables and arrays, inferred from its actions and some expressions."""

    def __init__(self, system: System, watched: Iterable[Expression]) -> None:
        self._above: dict[Kind, SortRef] = {}
        self._plain: dict[Kind, Expression | None] = {}
        """For each plain sort, the expression that makes it so; None if there is none to show."""
        self._thresholds: dict[Kind, set[int]] = {}
        self.rows: dict[Variable, int] = {}
        """For arrays in which every name has a row of elements, the length of a row; else one."""
        self._refs: dict[int, SortRef | None] = {}
        """By `id` of an expression; None for plain numbers, and for constants, which fit any sort."""
        self._kept_alive: list[Expression] = []
        self._choices = 0
        for variable in system.locations:
            self._plain[Holds(variable)] = None
        for action in system.actions:
            if action.guard is not None:
                self._use_as_number(action.guard, action.guard)
            for effect in action.effects:
                self._assign(effect)
        for expression in watched:
            self._use_as_number(expression, expression)

    def of(self, kind: Kind) -> SortRef:
        """Return the sort of a variable's values or an array's index."""
        above, root = 0, kind
        while root in self._above:
            above, root = above + self._above[root].offset, self._above[root].sort
        return SortRef(root, above)

    def plain(self, sort: Kind) -> bool:
        return sort in self._plain

    def why_plain(self, sort: Kind) -> Expression | None:
        """Return the expression that uses a plain sort as a number, if there is one."""
        return self._plain.get(sort)

    def thresholds(self, sort: Kind) -> set[int]:
        """Return the thresholds of a sort: numbers from which on some ordered comparison has another result."""
        return self._thresholds.get(sort, set())

    def members(self, sort: Kind) -> Iterator[tuple[Kind, int]]:
        """Yield the members of a sort with their offsets."""
        if not isinstance(sort, int):
            yield sort, 0
        for kind in self._above:
            found = self.of(kind)
            if found.sort == sort and not isinstance(kind, int):
                yield kind, found.offset

    def unite(self, one: Kind, other: Kind) -> None:
        """Merge the sorts of two variables or array indices in which the same number means the same name."""
        self._merge(self.of(one), self.of(other), None)

    def contexts(self, node: Expression) -> tuple[SortRef | None, ...]:
        """Return, for each operand of a node, the sort of a constant in its place; None for a plain number."""
        match node:
            case Element(variable=variable):
                return (_scale(self.of(Indexes(variable)), self.rows.get(variable, 1)),)
            case Binary(operator=operator, left=left, right=right) if operator in _EQUALITY:
                return self.sort_of(right), self.sort_of(left)
            case Choice():
                own = self.sort_of(node)
                return None, own, own
            case _:
                return (None,) * len(children(node))

    def sort_of(self, node: Expression) -> SortRef | None:
        """Return the sort of an expression that was visited; None for a number or a constant."""
        found = self._refs.get(id(node))
        return None if found is None else _shift(_scale(self.of(found.sort), found.factor), found.offset)

    # Inference from expressions

    def _assign(self, effect: Assign) -> None:
        self._visit(effect.target)
        self._visit(effect.value)
        holds = Holds(effect.target.variable)
        self._unify(SortRef(holds, 0), effect.value, effect.value)
        if effect.target.variable.domain.wraps and not _surely_fits(effect):
            self._make_plain(holds, effect.value)

    def _use_as_number(self, expression: Expression, where: Expression) -> None:
        """Visit an expression that is used as a number or truth value."""
        self._visit(expression)
        found = self._refs[id(expression)]
        if found is not None:
            self._make_plain(found.sort, where)

    def _index_array(self, variable: Variable, index: Expression, where: Expression) -> None:
        """Visit an array access; a scaled index means that each name has a row of elements."""
        found = self._refs[id(index)]
        if found is None:
            self._unify(SortRef(Indexes(variable), 0), index, where)
        elif self.rows.setdefault(variable, found.factor) != found.factor:
            self._make_plain(found.sort, where)
            self._make_plain(Indexes(variable), where)
        else:
            whose = _shift(self.of(found.sort), found.offset // found.factor)
            self._merge(self.of(Indexes(variable)), whose, where)

    def _visit(self, expression: Expression) -> None:
        for node in upwards(expression, self._refs):
            self._refs[id(node)] = self._sort_of_node(node)
            self._kept_alive.append(node)

    def _sort_of_node(self, node: Expression) -> SortRef | None:
        match node:
            case Read(variable=variable):
                return SortRef(Holds(variable), 0)
            case Element(variable=variable, index=index):
                self._index_array(variable, index, node)
                return SortRef(Holds(variable), 0)
            case Binary(operator=operator, left=left, right=right) if operator in _EQUALITY:
                self._compare(left, right, node)
            case Binary(operator=operator, left=left, right=Const(value=value)) if operator in _THRESHOLD:
                self._add_threshold(left, value + _THRESHOLD[operator])
            case Binary(operator=operator, left=Const(value=value), right=right) if operator in _THRESHOLD:
                self._add_threshold(right, value + _THRESHOLD[_MIRRORED[operator]])
            case Binary(operator="+", left=left, right=Const(value=value)) if self._refs[id(left)] is not None:
                return _shift(self._refs[id(left)], value)
            case Binary(operator="+", left=Const(value=value), right=right) if self._refs[id(right)] is not None:
                return _shift(self._refs[id(right)], value)
            case Binary(operator="-", left=left, right=Const(value=value)) if self._refs[id(left)] is not None:
                return _shift(self._refs[id(left)], -value)
            # An index `name * width + column`: each name has a row of an array.
            case Binary(operator="*", left=left, right=Const(value=value)) if value > 1 and self._refs[id(left)]:
                return _scale(self._refs[id(left)], value)
            case Binary(left=left, right=right):
                self._use_as_number(left, node)
                self._use_as_number(right, node)
            case Unary(operand=inner) | Lookup(index=inner):
                self._use_as_number(inner, node)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                self._use_as_number(condition, node)
                return self._sort_of_choice(then, otherwise, node)
        return None

    def _sort_of_choice(self, then: Expression, otherwise: Expression, node: Expression) -> SortRef | None:
        if isinstance(then, Const | Undefined) and isinstance(otherwise, Const | Undefined):
            self._choices += 1
            return SortRef(self._choices, 0)
        self._compare(then, otherwise, node)
        return self._refs[id(then)] or self._refs[id(otherwise)]

    def _compare(self, left: Expression, right: Expression, where: Expression) -> None:
        one, other = self._refs[id(left)], self._refs[id(right)]
        if one is not None:
            self._unify(one, right, where)
        elif other is not None:
            self._unify(other, left, where)

    def _unify(self, one: SortRef, expression: Expression, where: Expression) -> None:
        """Unify the sort of an expression with `one`; a constant fits any sort."""
        if isinstance(expression, Const | Undefined):
            return
        other = self._refs[id(expression)]
        if other is None:
            self._make_plain(one.sort, where)
        elif one.factor > 1 or other.factor > 1:
            self._make_plain(one.sort, where)
            self._make_plain(other.sort, where)
        else:
            self._merge(_shift(self.of(one.sort), one.offset), _shift(self.of(other.sort), other.offset), where)

    def _merge(self, one: SortRef, other: SortRef, where: Expression | None) -> None:
        if one.sort == other.sort:
            if one.offset != other.offset:
                self._make_plain(one.sort, where)
            return
        # The number m + one.above there is m + other.above here.
        shift = other.offset - one.offset
        self._above[one.sort] = SortRef(other.sort, shift)
        if one.sort in self._plain:
            self._plain.setdefault(other.sort, self._plain[one.sort])
        self._thresholds.setdefault(other.sort, set()).update(
            value - shift for value in self._thresholds.pop(one.sort, ())
        )

    def _add_threshold(self, expression: Expression, first: int) -> None:
        found = self.sort_of(expression)
        if found is not None and found.factor > 1:
            self._make_plain(found.sort, expression)
        elif found is not None:
            self._thresholds.setdefault(found.sort, set()).add(first - found.offset)

    def _make_plain(self, kind: Kind, where: Expression | None) -> None:
        self._plain.setdefault(self.of(kind).sort, where)


def _shift(found: SortRef | None, amount: int) -> SortRef:
    assert found is not None
    return SortRef(found.sort, found.offset + amount, found.factor)


def _scale(found: SortRef | None, factor: int) -> SortRef:
    assert found is not None
    return SortRef(found.sort, found.offset * factor, found.factor * factor)


def _surely_fits(effect: Assign) -> bool:
    """Return True if the assigned value always lies in the variable's domain, so that it never wraps around."""
    domain, value = effect.target.variable.domain, effect.value
    match value:
        case Const(value=number):
            return number in domain
        case Read(variable=variable) | Element(variable=variable):
            return variable.domain.low in domain and variable.domain.high in domain
        case _:
            return False
