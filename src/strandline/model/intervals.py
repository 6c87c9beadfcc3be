"""Interval arithmetic over expressions: sound bounds of every value that an expression can take.

An `Environment` holds an interval for each variable (for an array: one for all its elements) and for single expressions
that a guard has constrained. The range analysis uses it to compute the intervals, the compiler to omit checks that
cannot fail; both rely on the intervals containing every possible value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from strandline.model.expression import (
    LOGICAL,
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
    extent,
    size,
    upwards,
    variables_read,
)
from strandline.model.system import Assign, Variable

Interval: TypeAlias = tuple[int, int]

INT64: Interval = (-(2**63), 2**63 - 1)
_LEAST, _MOST = INT64
TRUTH: Interval = (0, 1)

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

_DEEP = 60
"""Depth of expressions up to which intervals are computed by recursion."""
_TINY = 4
"""Size of expressions up to which an interval is recomputed instead of cached."""
_SMALL, _NESTED = 60, 4
"""Most nodes of a branch, its condition included, and most enclosing branches, for which the condition is assumed."""


class Contradiction(Exception):
    """Raised when an assumption cannot be true: the code that follows is unreachable."""


def join(first: Interval, second: Interval) -> Interval:
    """Return the smallest interval that contains both."""
    return min(first[0], second[0]), max(first[1], second[1])


def within(inner: Interval, outer: Interval) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


Cell: TypeAlias = tuple[Variable, int]
"""A scalar variable (index 0), or the array element with this index."""


def cell_of(place: Expression) -> Cell | None:
    """Return the cell that an expression denotes in every state; None for anything else."""
    if type(place) is Read:
        return place.variable, 0
    if type(place) is Element and type(place.index) is Const:
        return place.variable, place.index.value
    return None


class DeclaredRanges(dict[Variable, Interval]):
    """The trivial ranges: every variable may have any value of its domain."""

    def __missing__(self, variable: Variable) -> Interval:
        return variable.domain.low, variable.domain.high


class Environment:
    """Intervals of variables at one point of an action. `assume` and `assign` change it in place.

    Computed intervals are cached until an interval changes, so an expression costs time linear in its nodes, however
    often its parts are shared or evaluated.
    """

    def __init__(self, ranges: Mapping[Variable, Interval], known: Mapping[Cell, Interval] | None = None) -> None:
        self._ranges = ranges
        self._cells: dict[Cell, Interval] = dict(known) if known else {}
        self._elements: dict[Element, Interval] = {}
        """Intervals of elements whose index is computed."""
        self._intervals: dict[int, tuple[Interval, Expression]] = {}
        """By the `id` of a node, which is kept alive beside its interval."""
        self._inside = 0
        """Number of enclosing branches of choices."""

    def copy(self) -> Environment:
        reference = Environment(self._ranges, self._cells)
        reference._elements = dict(self._elements)
        reference._intervals = self._intervals  # copied on write
        reference._inside = self._inside
        return reference

    def learn(self, known: Mapping[Cell, Interval]) -> None:
        """Intersect the intervals of single cells with known ones."""
        self._intervals = {}
        for cell, interval in known.items():
            old = self._cells.get(cell)
            if old is not None:
                interval = max(old[0], interval[0]), min(old[1], interval[1])
                if interval[0] > interval[1]:
                    raise Contradiction
            self._cells[cell] = interval

    def cell(self, cell: Cell) -> Interval:
        return self._cells.get(cell) or self._ranges[cell[0]]

    def interval(self, expression: Expression) -> Interval:
        """Return an interval of the expression's values, if its last operation could not overflow."""
        kind = type(expression)
        if kind is Const:
            return expression.value, expression.value  # type: ignore[union-attr]
        if kind is Read:
            variable = expression.variable  # type: ignore[union-attr]
            return self._cells.get((variable, 0)) or self._ranges[variable]
        nodes, levels = extent(expression)
        if nodes <= _TINY:
            return self._compute(expression)
        kept = self._intervals.get(id(expression))
        if kept is not None:
            return kept[0]
        if levels > _DEEP:
            # From the bottom up: each level takes several calls.
            for part in upwards(expression, self._intervals):
                self._intervals[id(part)] = (self._compute(part), part)
            return self._intervals[id(expression)][0]
        interval = self._compute(expression)
        self._intervals[id(expression)] = (interval, expression)
        return interval

    def _compute(self, expression: Expression) -> Interval:
        match expression:
            case Binary(operator=operator, left=left, right=right):
                if operator in LOGICAL:
                    return self._logical(expression)
                return binary_interval(operator, self.checked_interval(left), self.checked_interval(right))
            case Element(variable=variable):
                cell = cell_of(expression)
                if cell is not None:
                    return self._cells.get(cell) or self._ranges[variable]
                return self._elements.get(expression) or self._ranges[variable]
            case Unary(operator=operator, operand=operand):
                return unary_interval(operator, self.checked_interval(operand))
            case Choice():
                return self._choice(expression)
            case Read(variable=variable):
                return self._cells.get((variable, 0)) or self._ranges[variable]
            case Const(value=value):
                return value, value
            case Lookup(table=table):
                return table.range
            case Undefined():
                return 0, 0

    def checked_interval(self, expression: Expression) -> Interval:
        """Return an interval of the values that do not overflow; overflow is a fault."""
        interval = self.interval(expression)
        if interval[0] >= _LEAST and interval[1] <= _MOST:
            return interval
        return min(max(interval[0], _LEAST), _MOST), max(min(interval[1], _MOST), _LEAST)

    def _logical(self, expression: Binary) -> Interval:
        left = self.truth(expression.left)
        if expression.operator == "imply":
            left = None if left is None else not left
        decided = expression.operator != "and"
        if left is decided:
            return int(decided), int(decided)
        right = self.truth(expression.right)
        if right is decided:
            return int(decided), int(decided)
        if left is not None and right is not None:
            return int(not decided), int(not decided)
        return TRUTH

    def _choice(self, choice: Choice) -> Interval:
        decided = self.truth(choice.condition)
        if decided is not None:
            return self.checked_interval(choice.then if decided else choice.otherwise)
        intervals = [
            interval
            for branch, truth in ((choice.then, True), (choice.otherwise, False))
            if (interval := self._branch(choice.condition, truth, branch)) is not None
        ]
        return join(intervals[0], intervals[-1]) if intervals else TRUTH

    def _branch(self, condition: Expression, truth: bool, branch: Expression) -> Interval | None:
        """Return the interval of a conditional's branch under the condition; None if it has no value.

        The condition is only assumed for small branches: a part shared by many branches would be analysed in each of
        them.
        """
        if isinstance(branch, Undefined):
            return None
        if self._inside >= _NESTED or size(condition) + size(branch) > _SMALL:
            return self.checked_interval(branch)
        environment = self.copy()
        environment._inside += 1
        try:
            environment.assume(condition, truth)
        except Contradiction:
            return None
        return environment.checked_interval(branch)

    def truth(self, expression: Expression) -> bool | None:
        """Return True or False if the expression is certainly true or false, else None."""
        low, high = self.checked_interval(expression)
        if low > 0 or high < 0:
            return True
        return False if low == high == 0 else None

    def assume(self, condition: Expression, truth: bool = True) -> None:
        """Assume that a condition is true (or false) from here on."""
        waiting = [(condition, truth)]
        while waiting:
            condition, truth = waiting.pop()
            match condition:
                case Unary(operator="not", operand=operand):
                    waiting.append((operand, not truth))
                case Binary(operator="and", left=left, right=right) if truth:
                    waiting += [(right, True), (left, True)]
                case Binary(operator="or", left=left, right=right) if not truth:
                    waiting += [(right, False), (left, False)]
                case Binary(operator="imply", left=left, right=right) if not truth:
                    waiting += [(right, False), (left, True)]
                case _:
                    self._assume_single(condition, truth)

    def _assume_single(self, condition: Expression, truth: bool) -> None:
        """Assume a condition that is not a conjunction."""
        if isinstance(condition, Binary) and condition.operator in _NEGATED:
            self._learn_indices(condition)
            operator = condition.operator if truth else _NEGATED[condition.operator]
            first, second = self.checked_interval(condition.left), self.checked_interval(condition.right)
            if _comparison(operator, first, second) == (0, 0):
                raise Contradiction
            self._compare(condition.left, operator, second)
            self._compare(condition.right, _MIRRORED[operator], first)
            return
        if self.truth(condition) is (not truth):
            raise Contradiction
        self._learn_indices(condition)
        self._compare(condition, "!=" if truth else "==", (0, 0))

    def _compare(self, place: Expression, operator: str, bound: Interval) -> None:
        """Assume that a cell or element stands in the relation `operator` to some value of the interval."""
        if not isinstance(place, Read | Element):
            return
        low, high = self.interval(place)
        match operator:
            case "==":
                low, high = max(low, bound[0]), min(high, bound[1])
            case "<":
                high = min(high, bound[1] - 1)
            case "<=":
                high = min(high, bound[1])
            case ">":
                low = max(low, bound[0] + 1)
            case ">=":
                low = max(low, bound[0])
            case "!=" if bound[0] == bound[1]:
                low += low == bound[0]
                high -= high == bound[0]
        if low > high:
            raise Contradiction
        self._refine(place, (low, high))

    def _refine(self, place: Read | Element, interval: Interval) -> None:
        if self.interval(place) != interval:
            self._intervals = {}
        cell = cell_of(place)
        if cell is not None:
            self._cells[cell] = interval
        elif isinstance(place, Element):
            self._elements[place] = interval

    def assign(self, effect: Assign) -> Interval:
        """Execute a single assignment; return the interval of values that reach the variable."""
        return self.assign_row((effect,))[0]

    def assign_row(self, row: Sequence[Assign]) -> list[Interval]:
        """Execute simultaneous assignments; return the intervals of values that reach the variables.

        A value that is certainly outside its variable's range raises `Contradiction`, since nothing can follow.
        """
        for effect in row:
            self._learn_indices(effect.value)
            self._learn_indices(effect.target)
        stored = [stored_interval(effect.target.variable, self.checked_interval(effect.value)) for effect in row]
        if any(low > high for low, high in stored):
            raise Contradiction
        self._intervals = {}
        written = {effect.target.variable for effect in row}
        for effect, interval in zip(row, stored, strict=True):
            self._store(effect.target, interval, written)
        return stored

    def _store(self, target: Read | Element, interval: Interval, written: set[Variable]) -> None:
        """Record that the place holds a value of the interval.

        An index that reads a variable in `written` denotes another place from here on.
        """
        if self._elements:
            self._forget_elements(target.variable)
        cell = cell_of(target)
        if cell is not None:
            self._cells[cell] = interval
            return
        for old in [known for known in self._cells if known[0] is target.variable]:
            del self._cells[old]
        if isinstance(target, Element) and not written & variables_read(target.index):
            self._refine(target, interval)

    def _learn_indices(self, evaluated: Expression) -> None:
        """Assume that the indices in an expression that was evaluated without a fault are in range."""
        stack: list[Expression] = [] if isinstance(evaluated, Const | Read) else [evaluated]
        seen: set[int] = set()
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is Const or kind is Read or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, Element):
                self._compare(node.index, ">=", (0, 0))
                self._compare(node.index, "<=", (node.variable.slots - 1,) * 2)
            lazy = isinstance(node, Choice) or (isinstance(node, Binary) and node.operator in LOGICAL)
            stack.extend(children(node)[:1] if lazy else children(node))

    def _forget_elements(self, variable: Variable) -> None:
        stale = [place for place in self._elements if variable in variables_read(place)]
        for place in stale:
            del self._elements[place]


def stored_interval(variable: Variable, value: Interval) -> Interval:
    """Return the values that the variable holds after assigning a value of the interval."""
    domain = variable.domain
    if within(value, (domain.low, domain.high)):
        return value
    if domain.wraps:
        return domain.low, domain.high
    return max(value[0], domain.low), min(value[1], domain.high)


def unary_interval(operator: str, value: Interval) -> Interval:
    """Return an interval of all results of the operator on values of the interval."""
    match operator:
        case "-":
            return -value[1], -value[0]
        case "~":
            return ~value[1], ~value[0]
        case _:
            if value == (0, 0):
                return 1, 1
            return (0, 0) if value[0] > 0 or value[1] < 0 else TRUTH


def binary_interval(operator: str, left: Interval, right: Interval) -> Interval:
    """Return an interval of all results of an operator that evaluates both operands."""
    match operator:
        case "+":
            return left[0] + right[0], left[1] + right[1]
        case "-":
            return left[0] - right[1], left[1] - right[0]
        case "*":
            corners = [a * b for a in left for b in right]
            return min(corners), max(corners)
        case "/" | "//":
            return _quotient(left, right)
        case "%" | "mod":
            return _remainder(operator, left, right)
        case "&" | "|" | "^":
            return _bitwise(operator, left, right)
        case "<<":
            return _left_shift(left, right)
        case ">>":
            corners = [a >> min(max(b, 0), 63) for a in left for b in right]
            return min(corners), max(corners)
        case _:
            return _comparison(operator, left, right)


def _quotient(left: Interval, right: Interval) -> Interval:
    largest = max(abs(left[0]), abs(left[1]))
    if right[0] > 0 and left[0] >= 0:
        return left[0] // right[1], left[1] // right[0]
    return -largest, largest


def _remainder(operator: str, left: Interval, right: Interval) -> Interval:
    bound = max(abs(right[0]), abs(right[1]), 1) - 1
    if operator == "mod":
        return (-bound if right[0] < 0 else 0), (bound if right[1] > 0 else 0)
    if left[0] >= 0:
        return left if right[0] > left[1] else (0, min(left[1], bound))
    return -min(bound, max(abs(left[0]), abs(left[1]))), (min(bound, left[1]) if left[1] > 0 else 0)


def _bitwise(operator: str, left: Interval, right: Interval) -> Interval:
    if operator == "&" and (left[0] >= 0 or right[0] >= 0):
        return 0, min(interval[1] for interval in (left, right) if interval[0] >= 0)
    bits = max(value.bit_length() for value in (*left, *right))
    if left[0] >= 0 and right[0] >= 0:
        return 0, (1 << bits) - 1
    return -(1 << bits), (1 << bits) - 1


def _left_shift(left: Interval, right: Interval) -> Interval:
    corners = [a << b for a in left for b in (min(max(amount, 0), 63) for amount in right)]
    return min(corners), max(corners)


def _comparison(operator: str, left: Interval, right: Interval) -> Interval:
    below, above = left[1] < right[0], left[0] > right[1]
    at_most, at_least = left[1] <= right[0], left[0] >= right[1]
    single = left[0] == left[1] == right[0] == right[1]
    certain = {
        "==": (single, below or above),
        "!=": (below or above, single),
        "<": (below, at_least),
        "<=": (at_most, above),
        ">": (above, at_most),
        ">=": (at_least, below),
    }[operator]
    return (1, 1) if certain[0] else (0, 0) if certain[1] else TRUTH
