"""Forms of expressions and actions: numbers that are the same where two mean the same up to the order of what commutes,
also after names have been exchanged for each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from strandline.analysis.commutation import Made, layers
from strandline.analysis.faults import FAULTING, Faults
from strandline.analysis.symmetry.scalarsets import Holds, Kind, Sorted, Sorts
from strandline.model.expression import (
    LOGICAL,
    RANGE_FAULT,
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
    rebuilt,
    upwards,
    walk,
)
from strandline.model.intervals import DeclaredRanges, Environment, within
from strandline.model.system import Action, Assign, Variable, rows

_ORDERED = {">": "<", ">=": "<="}
_ASSOCIATIVE = frozenset({"and", "or", "+", "*", "&", "|", "^"})
_SYMMETRIC = frozenset({"==", "!="})

_NONE: frozenset[str] = frozenset()
Place = TypeVar("Place", Expression, Read | Element)


class Numbering:
    """Numbers for whatever can be compared, the same for the same."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __call__(self, *what: object) -> int:
        return self._numbers.setdefault(what, len(self._numbers))


@dataclass(frozen=True, slots=True)
class Renaming:
    """Names that are exchanged: of processes and variables, and `ranks` of names. `firsts` has the sorts whose numbers
    are names, and the number of the first one; a number that is none stays what it is."""

    variables: Mapping[Variable, Variable] = field(default_factory=dict)
    processes: Mapping[int, int] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    firsts: Mapping[Kind, int] = field(default_factory=dict)

    def constant(self, value: int, context: Sorted | None) -> int:
        """What a constant becomes that stands for something of a sort."""
        if context is None or context.sort not in self.firsts:
            return value
        rank = (value - context.above) // context.times - self.firsts[context.sort]
        return value + (self.ranks.get(rank, rank) - rank) * context.times


@dataclass(frozen=True, slots=True)
class _Cases:
    """A choice by what something is: the value for each constant that it may be, and that for all others, if any."""

    asked: int
    values: Mapping[int, int]
    otherwise: int | None


class Forms:
    """Forms after a renaming. Two that share a numbering can be compared."""

    def __init__(self, numbered: Numbering, sorts: Sorts, renaming: Renaming) -> None:
        self._numbered, self._sorts, self._renaming = numbered, sorts, renaming
        self._rows: dict[int, tuple[str, list[int]]] = {}
        """Of the numbers of rows, such as a + b + c: the operator, and the numbers of the parts."""
        self._cases: dict[int, _Cases] = {}
        self._known: dict[int, int] = {}
        self._faults = Faults()
        self._risks: dict[int, int | None] = {}
        """What matters of an expression that is evaluated only for its faults; None where it has none."""
        self._kept_alive: list[Expression] = []
        self._ranges = Environment(DeclaredRanges())

    def of(self, expression: Expression, context: Sorted | None = None) -> int:
        """The form of an expression; of a constant, where it stands for something of a sort."""
        if isinstance(expression, Const):
            return self._numbered("const", self._renaming.constant(expression.value, context))
        for node in upwards(expression, self._known):
            self._kept_alive.append(node)
            self._faults.note(node)
            self._known[id(node)] = self._number(node)
            self._risks[id(node)] = self._risk(node)
        return self._known[id(expression)]

    def action(self, action: Action) -> int:
        processes = self._renaming.processes
        moves = tuple(
            sorted((processes.get(move.process, move.process), move.source, move.target) for move in action.moves)
        )
        guard = None if action.guard is None else self.of(action.guard)
        return self._numbered("action", moves, guard, self._effects(action.effects), action.committed)

    def _effects(self, effects: Sequence[Assign]) -> object:
        """Effects in sequence; where it makes no difference in which order some are made, these have one form."""
        made = [Made(row, [self._assigned(one) for one in row]) for row in rows(effects)]
        if len(self._kinds_of_faults(effects)) > 1:
            return "in order", tuple(one.form for one in made)
        return "in layers", tuple(tuple(sorted(one.form for one in layer)) for layer in layers(made))

    def _assigned(self, effect: Assign) -> tuple[int, int]:
        return self.of(effect.target), self.of(effect.value, self._sorts.of(Holds(effect.target.variable)))

    def _kinds_of_faults(self, effects: Sequence[Assign]) -> frozenset[str]:
        """The kinds of faults that the effects can be, overflows aside."""
        kinds = _NONE.union(*(self._faults.of(one.value) | self._faults.of(one.target) for one in effects))
        fit = all(self._surely_fits(one) for one in effects)
        return kinds if fit else kinds | {RANGE_FAULT}

    def _surely_fits(self, effect: Assign) -> bool:
        domain = effect.target.variable.domain
        return domain.wraps or within(self._ranges.interval(effect.value), (domain.low, domain.high))

    def _number(self, node: Expression) -> int:
        contexts = self._sorts.contexts(node)
        below = [
            self.of(child, context) if isinstance(child, Const) else self._known[id(child)]
            for child, context in zip(children(node), contexts, strict=True)
        ]
        match node:
            case Const(value=value):
                return self._numbered("const", value)
            case Read(variable=variable):
                return self._numbered("read", self._renaming.variables.get(variable, variable))
            case Element(variable=variable):
                return self._numbered("element", self._renaming.variables.get(variable, variable), *below)
            case Unary(operator=operator):
                return self._numbered("unary", operator, *below)
            case Binary(operator=operator):
                return self._binary(node, operator, below)
            case Lookup(table=table):
                return self._numbered("lookup", table, *below)
            case Undefined(reason=reason):
                return self._numbered("undefined", reason)
            case Choice():
                return self._choice(node, below)

    def _binary(self, node: Binary, operator: str, below: list[int]) -> int:
        if operator in _ORDERED:
            return self._numbered("binary", _ORDERED[operator], *reversed(below))
        if operator in _SYMMETRIC:
            return self._numbered("binary", operator, *sorted(below))
        if operator == "or" and isinstance(node.right, Const) and node.right.value:
            return self._numbered("evaluated", self._risks.get(id(node.left)))
        if operator not in _ASSOCIATIVE or not (self._faults.never(node.left) and self._faults.never(node.right)):
            return self._numbered("binary", operator, *below)
        parts = sorted(part for one in below for part in self._parts(one, operator))
        number = self._numbered("row", operator, *parts)
        self._rows[number] = operator, parts
        return number

    def _parts(self, number: int, operator: str) -> list[int]:
        row = self._rows.get(number)
        return row[1] if row is not None and row[0] == operator else [number]

    # Choices by what something is: the order in which constants are asked for does not matter

    def _choice(self, node: Choice, below: list[int]) -> int:
        asked = self._name_asked(node.condition)
        if asked is None:
            return self._numbered("choice", *below)
        name, constant, equals = asked
        then, otherwise = (below[1], below[2]) if equals else (below[2], below[1])
        further = self._cases.get(otherwise)
        form = self._known[id(name)]
        if further is not None and further.asked == form:
            cases = _Cases(form, {**further.values, constant: then}, further.otherwise)
        else:
            cases = _Cases(form, {constant: then}, otherwise)
        cases = self._completed(cases, name)
        listed = tuple(sorted(cases.values.items()))
        number = self._numbered("cases", cases.asked, listed, cases.otherwise)
        self._cases[number] = cases
        return number

    def _name_asked(self, condition: Expression) -> tuple[Expression, int, bool] | None:
        """Of a condition that compares something with a constant: what, what the constant has become, and whether they
        are to be the same."""
        if not isinstance(condition, Binary) or condition.operator not in _SYMMETRIC:
            return None
        for name, constant in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(constant, Const) and not isinstance(name, Const):
                value = self._renaming.constant(constant.value, self._sorts.sort_of(name))
                return name, value, condition.operator == "=="
        return None

    def _completed(self, cases: _Cases, name: Expression) -> _Cases:
        """Where the name can be only one more than those that are asked for, that is asked for too."""
        low, high = self._faults.possible(name)
        missing = high - low + 1 - sum(low <= value <= high for value in cases.values)
        if cases.otherwise is None or missing > 1 or not self._members_within(low, high, self._sorts.sort_of(name)):
            return cases
        rest = {value: cases.otherwise for value in range(low, high + 1) if value not in cases.values}
        return _Cases(cases.asked, {**cases.values, **rest}, None)

    def _members_within(self, low: int, high: int, sort: Sorted | None) -> bool:
        """Whether exchanged names are all between two numbers, which are then bounds after the exchange, too."""
        if sort is None or sort.sort not in self._renaming.firsts:
            return True
        first = self._renaming.firsts[sort.sort] + sort.above
        return all(low <= first + rank <= high for rank in self._renaming.ranks)

    def _risk(self, node: Expression) -> int | None:
        if not self._faults.of(node):
            return None
        below = [self._risks.get(id(child)) for child in children(node)]
        match node:
            case Choice() if below[1:] == [None, None]:
                return below[0]
            case Choice(condition=condition):
                return self._numbered("risky choice", self.of(condition), *below[1:])
            case Binary(operator=operator) if operator not in LOGICAL and operator not in FAULTING:
                return self._numbered("risks", *below)
            case Unary():
                return below[0]
            case _:
                return self._known[id(node)]


def folded(expression: Place) -> Place:
    """The expression with sums and differences of constants as constants."""
    made: dict[int, Expression] = {}
    for node in upwards(expression, made):
        parts = [made[id(child)] for child in children(node)]
        match node, parts:
            case Binary(operator="+" | "-" as sign), [Const(value=left), Const(value=right)]:
                made[id(node)] = Const(left + right if sign == "+" else left - right)
            case _:
                made[id(node)] = rebuilt(node, parts)
    return made[id(expression)]  # type: ignore[return-value]


def constants(expression: Expression, sorts: Sorts, context: Sorted | None) -> Iterator[tuple[Sorted, int]]:
    """The constants in an expression that stand for something of a sort, and for what."""
    if isinstance(expression, Const):
        if context is not None:
            yield context, expression.value
        return
    for node in walk(expression):
        for child, inner in zip(children(node), sorts.contexts(node), strict=True):
            if isinstance(child, Const) and inner is not None:
                yield inner, child.value
