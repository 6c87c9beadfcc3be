"""Decide which expressions can fault, and number the faults for machine code.

Checks that cannot fail are omitted, so this determines how fast a model runs; it is conservative.
"""

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
    upwards,
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
from strandline.source import Span


class FaultTable:
    """The fault sites of a Kernel, numbered in the order of their discovery; caches which expressions cannot fault.

    Without the cache, large guards would be analysed again at every level. Sites that are `known` keep their numbers.
    """

    def __init__(self, ranges: Mapping[Variable, Interval], known: Iterable[FaultSite] = ()) -> None:
        self._numbers: dict[FaultSite, int] = {site: number for number, site in enumerate(known)}
        self._ranges = ranges
        self._intervals: dict[int, Interval | None] = {}
        self._seen: list[Expression] = []

    def code(self, kind: str, span: Span | None) -> int:
        """Return the negative code of this fault."""
        return -1 - self._numbers.setdefault(FaultSite(kind, span), len(self._numbers))

    def cannot_fault(self, expression: Expression) -> bool:
        """Return True if no state makes the expression fault, according to the variables' ranges."""
        return self._interval(expression) is not None

    def _interval(self, expression: Expression) -> Interval | None:
        """Return an interval around the values of an expression that cannot fault, None for any other."""
        for node in upwards(expression, self._intervals):
            self._seen.append(node)  # keeps the key valid
            self._intervals[id(node)] = self._compute_interval(node)
        return self._intervals[id(expression)]

    def _compute_interval(self, expression: Expression) -> Interval | None:
        intervals = [self._intervals[id(child)] for child in children(expression)]
        known = [interval for interval in intervals if interval is not None]
        if len(known) < len(intervals):
            return None
        match expression:
            case Const(value=value):
                return value, value
            case Read(variable=variable):
                return self._ranges[variable]
            case Element(variable=variable):
                return self._ranges[variable] if within(known[0], (0, variable.slots - 1)) else None
            case Undefined():
                return None
            case Lookup(table=table):
                return table.range
            case Unary(operator=operator):
                result = unary_interval(operator, known[0])
            case Choice():
                result = join(known[1], known[2])
            case Binary(operator=operator):
                if operator in LOGICAL:
                    return TRUTH
                if _operands_may_fault(operator, known[1]):
                    return None
                result = binary_interval(operator, *known)
        return result if within(result, INT64) else None

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
    if environment is None:
        return False
    match expression:
        case Const() | Read():
            return False
        case Undefined():
            return True
        case Element(variable=variable, index=index):
            inside = within(environment.fitted(index), (0, variable.slots - 1))
            return not inside or may_fault(index, environment)
        case Lookup(index=index):
            return may_fault(index, environment)
        case Unary(operand=operand):
            return may_fault(operand, environment) or not within(environment.interval(expression), INT64)
        case Binary(operator="and" | "or" | "imply", left=left, right=right):
            if may_fault(left, environment):
                return True
            return may_fault(right, assuming(environment, left, expression.operator != "or"))
        case Binary(operator=operator, left=left, right=right):
            if may_fault(left, environment) or may_fault(right, environment):
                return True
            if _operands_may_fault(operator, environment.fitted(right)):
                return True
            return not within(environment.interval(expression), INT64)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return any(may_fault(part, environment) for part in (condition, then, otherwise))
