"""Forms of expressions and actions: numbers that are the same where two mean the same up to the order of what commutes,
also after names have been exchanged for each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    walk,
)
from strandline.model.intervals import DeclaredRanges, Environment
from strandline.model.sorts import Holds, Kind, Sorted, Sorts
from strandline.model.system import Action, Assign, Variable

_ORDERED = {">": "<", ">=": "<="}
_ASSOCIATIVE = frozenset({"and", "or", "+", "*", "&", "|", "^"})
_SYMMETRIC = frozenset({"==", "!="})
_FAULTING = frozenset({"/", "%", "//", "mod", "<<", ">>"})


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
        rank = value - context.above - self.firsts[context.sort]
        return value + self.ranks.get(rank, rank) - rank


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
        self._kept_alive: list[Expression] = []
        self._ranges = Environment(DeclaredRanges())

    def of(self, expression: Expression, context: Sorted | None = None) -> int:
        """The form of an expression; of a constant, where it stands for something of a sort."""
        if isinstance(expression, Const):
            return self._numbered("const", self._renaming.constant(expression.value, context))
        for node in upwards(expression, self._known):
            self._known[id(node)] = self._number(node)
            self._kept_alive.append(node)
        return self._known[id(expression)]

    def action(self, action: Action) -> int:
        processes = self._renaming.processes
        moves = tuple(
            sorted((processes.get(move.process, move.process), move.source, move.target) for move in action.moves)
        )
        guard = None if action.guard is None else self.of(action.guard)
        return self._numbered("action", moves, guard, self._effects(action.effects), action.committed)

    def _effects(self, effects: Sequence[Assign]) -> tuple[object, ...]:
        pairs = [
            (self.of(one.target), self.of(one.value, self._sorts.of(Holds(one.target.variable)))) for one in effects
        ]
        if self._unordered(effects):
            return tuple(sorted(pairs))
        return tuple((*pair, one.together) for pair, one in zip(pairs, effects, strict=True))

    def _unordered(self, effects: Sequence[Assign]) -> bool:
        """Whether it does not matter in which order the effects are made, or whether at once."""
        places = [_place(effect.target) for effect in effects]
        if len(set(places)) < len(places) or any(place is None for place in places):
            return False
        if any(self._faults(effect.value) for effect in effects):
            return False
        return all(effect.together for effect in effects[1:]) or not any(
            one is not other and _may_read(other.value, one.target) for one in effects for other in effects
        )

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
        if operator not in _ASSOCIATIVE or self._faults(node):
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
        low, high = self._ranges.interval(name)
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

    def _faults(self, expression: Expression) -> bool:
        """Whether evaluating it can be a fault of a kind that depends on the state, overflows aside."""
        return any(
            isinstance(node, Undefined)
            or (isinstance(node, Element) and not self._surely_inside(node))
            or (isinstance(node, Binary) and node.operator in _FAULTING)
            for node in walk(expression)
        )

    def _surely_inside(self, element: Element) -> bool:
        if isinstance(element.index, Const):
            return True
        low, high = self._ranges.interval(element.index)
        return low >= 0 and high < element.variable.slots


def _place(target: Read | Element) -> tuple[Variable, int] | None:
    """Where is written, whatever the state is; None where that depends on it."""
    if isinstance(target, Read):
        return target.variable, 0
    return (target.variable, target.index.value) if isinstance(target.index, Const) else None


def _may_read(expression: Expression, target: Read | Element) -> bool:
    """Whether an expression may depend on what lies in a fixed place."""
    place = _place(target)
    return any(
        isinstance(node, Read | Element) and node.variable is target.variable and _place(node) in (place, None)
        for node in walk(expression)
    )


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
