"""Normal forms of expressions and actions, as numbers.

Two expressions with the same number mean the same, up to the order of commuting parts; the forms can be taken after a
renaming of names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from strandline.analysis.commutation import AssignmentRow, layers
from strandline.analysis.dependencies import Slots
from strandline.analysis.faults import FAULTING, Faults
from strandline.analysis.symmetry.scalarsets import Holds, Kind, SortRef, Sorts
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
    rebuild,
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
    """Assigns numbers to hashable values, the same to equal values."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __call__(self, *what: object) -> int:
        return self._numbers.setdefault(what, len(self._numbers))


@dataclass(frozen=True, slots=True)
class Renaming:
    """A permutation of processes and variables, and of the names in constants.

    `ranks` gives the new number of each name; `firsts` maps each sort that holds names to the number of the first name.
    Numbers of other sorts stay.
    """

    variables: Mapping[Variable, Variable] = field(default_factory=dict)
    processes: Mapping[int, int] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    firsts: Mapping[Kind, int] = field(default_factory=dict)

    def constant(self, value: int, context: SortRef | None) -> int:
        """Return the renamed constant, if it stands for a name of a sort, else the constant itself."""
        if context is None or context.sort not in self.firsts:
            return value
        rank = (value - context.offset) // context.factor - self.firsts[context.sort]
        return value + (self.ranks.get(rank, rank) - rank) * context.factor


@dataclass(frozen=True, slots=True)
class _Cases:
    """A chain of conditional expressions as a case distinction: a value per constant, and a default if there is one."""

    asked: int
    values: Mapping[int, int]
    otherwise: int | None


class NormalForms:
    """Computes normal forms after a renaming. Forms that share a numbering can be compared."""

    def __init__(self, numbering: Numbering, sorts: Sorts, renaming: Renaming, slots: Slots) -> None:
        self._intern, self._sorts, self._renaming, self._slots = numbering, sorts, renaming, slots
        self._rows: dict[int, tuple[str, list[int]]] = {}
        """For the number of a flattened operation such as a + b + c: its operator and the numbers of its operands."""
        self._cases: dict[int, _Cases] = {}
        self._known: dict[int, int] = {}
        self._faults = Faults()
        self._fault_forms: dict[int, int | None] = {}
        """The form of the faults of an expression that is only evaluated for these; None if it cannot fault."""
        self._kept_alive: list[Expression] = []
        self._ranges = Environment(DeclaredRanges())

    def of(self, expression: Expression, context: SortRef | None = None) -> int:
        """Return the number of an expression's form; a constant is renamed by the sort given as `context`."""
        if isinstance(expression, Const):
            return self._intern("const", self._renaming.constant(expression.value, context))
        for node in upwards(expression, self._known):
            self._kept_alive.append(node)
            self._faults.note(node)
            self._known[id(node)] = self._node_form(node)
            self._fault_forms[id(node)] = self._fault_form(node)
        return self._known[id(expression)]

    def action(self, action: Action) -> int:
        processes = self._renaming.processes
        moves = tuple(
            sorted((processes.get(move.process, move.process), move.source, move.target) for move in action.moves)
        )
        guard = None if action.guard is None else self.of(action.guard)
        return self._intern("action", moves, guard, self._effects_form(action.effects), action.committed)

    def _effects_form(self, effects: Sequence[Assign]) -> object:
        """Return a form of effects in sequence that ignores the order of those that commute."""
        made = [AssignmentRow(row, [self._assignment_form(one) for one in row], self._slots) for row in rows(effects)]
        if len(self._kinds_of_faults(effects)) > 1:
            return "in order", tuple(one.form for one in made)
        return "in layers", tuple(tuple(sorted(one.form for one in layer)) for layer in layers(made))

    def _assignment_form(self, effect: Assign) -> tuple[int, int]:
        return self.of(effect.target), self.of(effect.value, self._sorts.of(Holds(effect.target.variable)))

    def _kinds_of_faults(self, effects: Sequence[Assign]) -> frozenset[str]:
        """Return the kinds of faults that the effects may cause, out-of-range values included only if possible."""
        kinds = _NONE.union(*(self._faults.of(one.value) | self._faults.of(one.target) for one in effects))
        fit = all(self._surely_fits(one) for one in effects)
        return kinds if fit else kinds | {RANGE_FAULT}

    def _surely_fits(self, effect: Assign) -> bool:
        domain = effect.target.variable.domain
        return domain.wraps or within(self._ranges.interval(effect.value), (domain.low, domain.high))

    def _node_form(self, node: Expression) -> int:
        contexts = self._sorts.contexts(node)
        below = [
            self.of(child, context) if isinstance(child, Const) else self._known[id(child)]
            for child, context in zip(children(node), contexts, strict=True)
        ]
        match node:
            case Const(value=value):
                return self._intern("const", value)
            case Read(variable=variable):
                return self._intern("read", self._renaming.variables.get(variable, variable))
            case Element(variable=variable):
                return self._intern("element", self._renaming.variables.get(variable, variable), *below)
            case Unary(operator=operator):
                return self._intern("unary", operator, *below)
            case Binary(operator=operator):
                return self._binary_form(node, operator, below)
            case Lookup(table=table):
                return self._intern("lookup", table, *below)
            case Undefined(reason=reason):
                return self._intern("undefined", reason)
            case Choice():
                return self._choice_form(node, below)

    def _binary_form(self, node: Binary, operator: str, below: list[int]) -> int:
        if operator in _ORDERED:
            return self._intern("binary", _ORDERED[operator], *reversed(below))
        if operator in _SYMMETRIC:
            return self._intern("binary", operator, *sorted(below))
        if operator == "or" and isinstance(node.right, Const) and node.right.value:
            return self._intern("evaluated", self._fault_forms.get(id(node.left)))
        if operator not in _ASSOCIATIVE or not (self._faults.never(node.left) and self._faults.never(node.right)):
            return self._intern("binary", operator, *below)
        parts = sorted(part for one in below for part in self._operands(one, operator))
        number = self._intern("row", operator, *parts)
        self._rows[number] = operator, parts
        return number

    def _operands(self, number: int, operator: str) -> list[int]:
        row = self._rows.get(number)
        return row[1] if row is not None and row[0] == operator else [number]

    # Case distinctions: the order in which constants are tested does not matter

    def _choice_form(self, node: Choice, below: list[int]) -> int:
        asked = self._tested_constant(node.condition)
        if asked is None:
            return self._intern("choice", *below)
        name, constant, equals = asked
        then, otherwise = (below[1], below[2]) if equals else (below[2], below[1])
        further = self._cases.get(otherwise)
        form = self._known[id(name)]
        if further is not None and further.asked == form:
            cases = _Cases(form, {**further.values, constant: then}, further.otherwise)
        else:
            cases = _Cases(form, {constant: then}, otherwise)
        cases = self._close_cases(cases, name)
        listed = tuple(sorted(cases.values.items()))
        number = self._intern("cases", cases.asked, listed, cases.otherwise)
        self._cases[number] = cases
        return number

    def _tested_constant(self, condition: Expression) -> tuple[Expression, int, bool] | None:
        """Return the expression, the renamed constant, and the polarity, of a comparison with a constant."""
        if not isinstance(condition, Binary) or condition.operator not in _SYMMETRIC:
            return None
        for name, constant in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(constant, Const) and not isinstance(name, Const):
                value = self._renaming.constant(constant.value, self._sorts.sort_of(name))
                return name, value, condition.operator == "=="
        return None

    def _close_cases(self, cases: _Cases, name: Expression) -> _Cases:
        """Make the default of a case distinction explicit where only one value remains for it."""
        low, high = self._faults.possible(name)
        missing = high - low + 1 - sum(low <= value <= high for value in cases.values)
        if cases.otherwise is None or missing > 1 or not self._members_within(low, high, self._sorts.sort_of(name)):
            return cases
        rest = {value: cases.otherwise for value in range(low, high + 1) if value not in cases.values}
        return _Cases(cases.asked, {**cases.values, **rest}, None)

    def _members_within(self, low: int, high: int, sort: SortRef | None) -> bool:
        """Return True if all permuted names are within the bounds, so that these also hold after the permutation."""
        if sort is None or sort.sort not in self._renaming.firsts:
            return True
        first = self._renaming.firsts[sort.sort] + sort.offset
        return all(low <= first + rank <= high for rank in self._renaming.ranks)

    def _fault_form(self, node: Expression) -> int | None:
        if not self._faults.of(node):
            return None
        below = [self._fault_forms.get(id(child)) for child in children(node)]
        match node:
            case Choice() if below[1:] == [None, None]:
                return below[0]
            case Choice(condition=condition):
                return self._intern("risky choice", self.of(condition), *below[1:])
            case Binary(operator=operator) if operator not in LOGICAL and operator not in FAULTING:
                return self._intern("risks", *below)
            case Unary():
                return below[0]
            case _:
                return self._known[id(node)]


def fold_constants(expression: Place) -> Place:
    """Fold sums and differences of constants."""
    made: dict[int, Expression] = {}
    for node in upwards(expression, made):
        parts = [made[id(child)] for child in children(node)]
        match node, parts:
            case Binary(operator="+" | "-" as sign), [Const(value=left), Const(value=right)]:
                made[id(node)] = Const(left + right if sign == "+" else left - right)
            case _:
                made[id(node)] = rebuild(node, parts)
    return made[id(expression)]  # type: ignore[return-value]


def constants(expression: Expression, sorts: Sorts, context: SortRef | None) -> Iterator[tuple[SortRef, int]]:
    """Yield the constants in an expression that may be process numbers or other names, each with its sort."""
    if isinstance(expression, Const):
        if context is not None:
            yield context, expression.value
        return
    for node in walk(expression):
        for child, inner in zip(children(node), sorts.contexts(node), strict=True):
            if isinstance(child, Const) and inner is not None:
                yield inner, child.value
