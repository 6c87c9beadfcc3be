"""Decide which expressions can fault, and number the faults for machine code.

Checks that cannot fail are omitted, so this determines how fast a model runs; it is conservative.
"""

# The type checker does not know the results that walks get by `yield`.
# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Iterable, Mapping

from strandline.compile.kernel import FaultSite
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
)
from strandline.model.intervals import (
    INT64,
    TRUTH,
    Contradiction,
    Environment,
    Interval,
    binary_interval,
    join,
    unary_interval,
    within,
)
from strandline.model.system import Variable
from strandline.model.walk import Fold, Walk, walk_down
from strandline.source import Span


class _Intervals(Fold[Interval | None]):
    """Intervals around the values of expressions that cannot fault; None for others."""

    def __init__(self, ranges: Mapping[Variable, Interval]) -> None:
        super().__init__()
        self._ranges = ranges

    def constant(self, node: Const) -> Interval | None:
        return node.value, node.value

    def read(self, node: Read) -> Interval | None:
        return self._ranges[node.variable]

    def element(self, node: Element, index: Interval | None) -> Interval | None:
        fits = index is not None and within(index, (0, node.variable.slots - 1))
        return self._ranges[node.variable] if fits else None

    def unary(self, node: Unary, operand: Interval | None) -> Interval | None:
        return None if operand is None else _without_overflow(unary_interval(node.operator, operand))

    def binary(self, node: Binary, left: Interval | None, right: Interval | None) -> Interval | None:
        if left is None or right is None:
            return None
        if node.operator in LOGICAL:
            return TRUTH
        if _operands_may_fault(node.operator, right):
            return None
        return _without_overflow(binary_interval(node.operator, left, right))

    def choice(
        self, node: Choice, condition: Interval | None, then: Interval | None, otherwise: Interval | None
    ) -> Interval | None:
        if condition is None or then is None or otherwise is None:
            return None
        return _without_overflow(join(then, otherwise))

    def lookup(self, node: Lookup, index: Interval | None) -> Interval | None:
        return None if index is None else node.table.range

    def undefined(self, node: Undefined) -> Interval | None:
        return None


def _without_overflow(interval: Interval) -> Interval | None:
    return interval if within(interval, INT64) else None


class FaultTable:
    """The fault sites of a Kernel, numbered in the order of their discovery; caches which expressions cannot fault.

    Without the cache, large guards would be analysed again at every level. Sites that are `known` keep their numbers.
    """

    def __init__(self, ranges: Mapping[Variable, Interval], known: Iterable[FaultSite] = ()) -> None:
        self._numbers: dict[FaultSite, int] = {site: number for number, site in enumerate(known)}
        self._intervals = _Intervals(ranges)

    def code(self, kind: str, span: Span | None) -> int:
        """Return the negative code of this fault."""
        return -1 - self._numbers.setdefault(FaultSite(kind, span), len(self._numbers))

    def cannot_fault(self, expression: Expression) -> bool:
        """Return True if no state makes the expression fault, according to the variables' ranges."""
        return self._intervals.of(expression) is not None

    def sites(self) -> tuple[FaultSite, ...]:
        return tuple(self._numbers)


def assuming(environment: Environment, condition: Expression, truth: bool) -> Environment | None:
    """Return the environment under the condition; None if that is contradictory."""
    further = environment.copy()
    try:
        further.assume(condition, truth)
    except Contradiction:
        return None
    return further


def _operands_may_fault(operator: str, right: Interval) -> bool:
    """Return True if a right operand in the interval may be invalid for the operator."""
    if operator in ("/", "%", "//", "mod"):
        return right[0] <= 0 <= right[1]
    return operator in ("<<", ">>") and not within(right, (0, 63))


def may_fault(expression: Expression, environment: Environment | None) -> bool:
    """Return True if evaluating the expression may fault, according to the intervals.

    Unreachable code (no environment) cannot.
    """
    return walk_down(_may_fault(expression, environment))


def _may_fault(expression: Expression, environment: Environment | None) -> Walk[bool]:
    if environment is None:
        return False
    match expression:
        case Const() | Read():
            return False
        case Undefined():
            return True
        case Element(variable=variable, index=index):
            inside = within(environment.checked_interval(index), (0, variable.slots - 1))
            return not inside or (yield _may_fault(index, environment))
        case Lookup(index=index):
            return (yield _may_fault(index, environment))
        case Unary(operand=operand):
            return (yield _may_fault(operand, environment)) or not within(environment.interval(expression), INT64)
        case Binary(operator="and" | "or" | "imply", left=left, right=right):
            if (yield _may_fault(left, environment)):
                return True
            assumed = assuming(environment, left, expression.operator != "or")
            return (yield _may_fault(right, assumed))
        case Binary(operator=operator, left=left, right=right):
            if (yield _may_fault(left, environment)) or (yield _may_fault(right, environment)):
                return True
            if _operands_may_fault(operator, environment.checked_interval(right)):
                return True
            return not within(environment.interval(expression), INT64)
        case Choice():
            for part in children(expression):
                if (yield _may_fault(part, environment)):
                    return True
            return False
