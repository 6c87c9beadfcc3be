"""Simplifying constructors of expressions: they fold constants and join equal branches.

Symbolic execution doubles expressions at every branch; these constructors keep them small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from strandline.model.expression import (
    FALSE,
    TRUE,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
    children,
    get_or_compute,
    rebuild,
    upwards,
)
from strandline.model.intervals import INT64, DeclaredRanges, Environment, Interval, within
from strandline.model.system import Assign, Variable
from strandline.source import Span

ROW = 16
"""The most operands that `join_with` puts into a linear chain; longer chains become balanced trees."""
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(operand: Expression) -> Expression:
    """Return the negation of a Boolean expression."""
    match operand:
        case Const(value=value):
            return FALSE if value else TRUE
        case Unary(operator="not", operand=inner):
            return inner
        case Binary(operator=operator, left=left, right=right, span=span) if operator in _NEGATED:
            return Binary(_NEGATED[operator], left, right, span)
    return Unary("not", operand)


def conjoin(left: Expression, right: Expression) -> Expression:
    """Return the conjunction; `right` is evaluated only where `left` holds."""
    if isinstance(left, Const):
        return right if left.value else FALSE
    if right == TRUE:
        return left
    if right == FALSE and not may_fault(left):
        return FALSE
    match right:
        case Binary(operator="==", left=one, right=Const(value=value)) if value and left == Binary("!=", one, FALSE):
            # `x != 0 and x == v` with v != 0: the second implies the first.
            return right
    return Binary("and", left, right)


def disjoin(left: Expression, right: Expression) -> Expression:
    """Return the disjunction; `right` is evaluated only where `left` does not hold."""
    if isinstance(left, Const):
        return TRUE if left.value else right
    if right == FALSE:
        return left
    if right == TRUE and not may_fault(left):
        return TRUE
    return Binary("or", left, right)


def join_with(operator: str, parts: Sequence[Expression]) -> Expression:
    """Combine the parts with one operator, evaluated from left to right.

    Long chains become balanced trees, so that the depth stays logarithmic.
    """
    if len(parts) > ROW:
        middle = len(parts) // 2
        return Binary(operator, join_with(operator, parts[:middle]), join_with(operator, parts[middle:]))
    return reduce(lambda left, right: Binary(operator, left, right), parts)


def all_of(parts: Iterable[Expression]) -> Expression:
    """Return the conjunction of the parts, with short-circuit evaluation from left to right."""
    kept: list[Expression] = []
    for part in parts:
        if part != TRUE:
            kept.append(part)
        if part == FALSE:
            break
    return join_with("and", kept) if kept else TRUE


def any_of(parts: Iterable[Expression]) -> Expression:
    """Return the disjunction of the parts, with short-circuit evaluation from left to right."""
    kept: list[Expression] = []
    for part in parts:
        if part != FALSE:
            kept.append(part)
        if part == TRUE:
            break
    if kept and kept[-1] == TRUE and not any(map(may_fault, kept)):
        return TRUE
    return join_with("or", kept) if kept else FALSE


def implies(left: Expression, right: Expression) -> Expression:
    """Return the implication; `right` is evaluated only where `left` holds."""
    if isinstance(left, Const):
        return right if left.value else TRUE
    return TRUE if right == TRUE else Binary("imply", left, right)


def add(left: Expression, amount: int) -> Expression:
    """Return the sum of an expression and a constant."""
    match left:
        case _ if amount == 0:
            return left
        case Const(value=value):
            return Const(value + amount)
        case Binary(operator="+", left=inner, right=Const(value=value), span=span):
            return _plus(inner, value + amount, span)
        case Binary(operator="-", left=inner, right=Const(value=value), span=span):
            return _plus(inner, amount - value, span)
    return _plus(left, amount, None)


def _plus(left: Expression, amount: int, span: Span | None) -> Expression:
    if amount == 0:
        return left
    return Binary("+", left, Const(amount), span) if amount > 0 else Binary("-", left, Const(-amount), span)


def equal(left: Expression, right: Expression, span: Span | None = None) -> Expression:
    """Return `left == right`, a constant where the expressions themselves decide it."""
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left.value == right.value else FALSE
    if left == right and not may_fault(left):
        return TRUE
    match left, right:
        case Binary(operator="+" | "-" as sign, left=inner, right=Const(value=amount)), Const() if not may_fault(left):
            return equal(inner, add(right, amount if sign == "-" else -amount), span)
    return Binary("==", left, right, span)


def less(left: Expression, right: Expression) -> Expression:
    """Return `left < right`, a constant where the intervals decide it and neither side can fault."""
    if not (may_fault(left) or may_fault(right)):
        if interval(left)[1] < interval(right)[0]:
            return TRUE
        if interval(left)[0] >= interval(right)[1]:
            return FALSE
    return Binary("<", left, right)


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Return `then` where the condition (0 or 1) holds, else `otherwise`."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    if then == otherwise:
        return then
    if then == TRUE and otherwise == FALSE:
        return condition
    if then == FALSE and otherwise == TRUE:
        return negate(condition)
    if otherwise == FALSE and condition == Binary("!=", then, FALSE):
        return then
    if otherwise == FALSE and isinstance(condition, Choice) and condition.then == FALSE:
        return choose(condition.condition, FALSE, choose(condition.otherwise, then, FALSE))

    # A counter that one branch increases: the tree would double with every branch if both kept it.
    if isinstance(then, Binary) and then.operator == "+" and then.left == otherwise:
        return Binary("+", otherwise, choose(condition, then.right, FALSE), then.span)
    if isinstance(otherwise, Binary) and otherwise.operator == "+" and otherwise.left == then:
        return Binary("+", then, choose(condition, FALSE, otherwise.right), otherwise.span)
    return Choice(condition, then, otherwise)


def substitute(expression: Expression, row: Sequence[Assign]) -> Expression:
    """Return the weakest precondition of an expression with respect to simultaneous assignments.

    The result, evaluated before the assignments, has the value of `expression` after them.
    """
    written: dict[Variable, list[Assign]] = {}
    for effect in row:
        written.setdefault(effect.target.variable, []).append(effect)
    before: dict[int, Expression] = {}
    for node in upwards(expression, before):
        parts = [before[id(child)] for child in children(node)]
        new = choose(*parts) if isinstance(node, Choice) else rebuild(node, parts)
        if isinstance(node, Read | Element):
            for effect in written.get(node.variable, ()):
                target = effect.target
                same = equal(parts[0], target.index) if isinstance(target, Element) else TRUE
                new = choose(same, effect.value, new)
        before[id(node)] = new
    return before[id(expression)]


class _Declared(Environment):
    """An interval environment in which each variable has its declared domain.

    It never changes, so computed intervals are cached in the expression nodes.
    """

    def __init__(self) -> None:
        super().__init__(DeclaredRanges())

    def copy(self) -> Environment:
        return Environment(self._ranges)

    def interval(self, expression: Expression) -> Interval:
        return get_or_compute(expression, "_declared", self._compute)


_DECLARED = _Declared()


def interval(expression: Expression) -> Interval:
    """Return an interval of all values that the expression can have, by the domains of its variables."""
    return _DECLARED.interval(expression)


def may_fault(expression: Expression) -> bool:
    """Return True if evaluating the expression could fault, judged by the domains of its variables."""
    return get_or_compute(expression, "_may_fault", _may_fault)


def _may_fault(expression: Expression) -> bool:
    if any(map(may_fault, children(expression))):
        return True
    match expression:
        case Element(variable=variable, index=index):
            return not within(interval(index), (0, variable.slots - 1))
        case Binary(operator=operator, right=right):
            low, high = interval(right)
            if operator in ("//", "mod"):
                return low <= 0 <= high
            if operator in ("<<", ">>") and not within((low, high), (0, 63)):
                return True
            return not within(interval(expression), INT64)
        case Undefined():
            return True
        case _:
            return False


def evaluation_of(expression: Expression) -> Expression:
    """Return an expression that faults where `expression` faults, and is true elsewhere."""
    return Binary("or", Binary(">=", expression, Const(0)), TRUE)


def in_bounds(expression: Expression, low: int, high: int) -> Expression:
    """Return `low <= expression <= high` without the comparisons that the expression's interval decides."""
    least, most = interval(expression)
    above = TRUE if low <= least else Binary(">=", expression, Const(low))
    return conjoin(above, TRUE if most <= high else Binary("<=", expression, Const(high)))
