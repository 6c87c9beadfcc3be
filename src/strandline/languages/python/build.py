"""Building expressions, with constants folded and branches that agree joined, so that they stay small."""

from __future__ import annotations

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
)
from strandline.model.intervals import INT64, Environment, Interval, within
from strandline.model.system import Assign, Variable
from strandline.source import Span

_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(operand: Expression) -> Expression:
    """The opposite of a truth."""
    match operand:
        case Const(value=value):
            return FALSE if value else TRUE
        case Unary(operator="not", operand=inner):
            return inner
        case Binary(operator=operator, left=left, right=right, span=span) if operator in _NEGATED:
            return Binary(_NEGATED[operator], left, right, span)
    return Unary("not", operand)


def both(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Const):
        return right if left.value else FALSE
    if right == TRUE:
        return left
    return Binary("and", left, right)


def either(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Const):
        return TRUE if left.value else right
    if right == FALSE:
        return left
    if right == TRUE and not may_fault(left):
        return TRUE
    return Binary("or", left, right)


def implies(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Const):
        return right if left.value else TRUE
    return TRUE if right == TRUE else Binary("imply", left, right)


def add(left: Expression, amount: int) -> Expression:
    """An expression plus a constant."""
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
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left.value == right.value else FALSE
    if left == right and not may_fault(left):
        return TRUE
    return Binary("==", left, right, span)


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then` where the condition (a truth, 0 or 1) holds, else `otherwise`."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    if then == otherwise:
        return then
    if then == TRUE and otherwise == FALSE:
        return condition
    if then == FALSE and otherwise == TRUE:
        return negate(condition)
    # A counter that one branch increases: the tree would double with every branch if both kept it.
    if isinstance(then, Binary) and then.operator == "+" and then.left == otherwise:
        return Binary("+", otherwise, choose(condition, then.right, FALSE), then.span)
    if isinstance(otherwise, Binary) and otherwise.operator == "+" and otherwise.left == then:
        return Binary("+", then, choose(condition, FALSE, otherwise.right), otherwise.span)
    return Choice(condition, then, otherwise)


def substitute(expression: Expression, effect: Assign) -> Expression:
    """The expression before an assignment that means what it means after it."""
    written = effect.target.variable
    match expression:
        case Const():
            return expression
        case Read(variable=variable):
            return effect.value if variable is written else expression
        case Element(variable=variable, index=index, span=span):
            place = substitute(index, effect)
            kept = Element(variable, place, span)
            if variable is not written:
                return kept
            assert isinstance(effect.target, Element)
            return choose(equal(place, effect.target.index), effect.value, kept)
        case Unary(operator=operator, operand=operand, span=span):
            return Unary(operator, substitute(operand, effect), span)
        case Binary(operator=operator, left=left, right=right, span=span):
            return Binary(operator, substitute(left, effect), substitute(right, effect), span)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return choose(
                substitute(condition, effect), substitute(then, effect), substitute(otherwise, effect)
            )


class DeclaredRanges(dict[Variable, Interval]):
    """Every variable may have any value of its domain."""

    def __missing__(self, variable: Variable) -> Interval:
        return variable.domain.low, variable.domain.high


def interval(expression: Expression) -> Interval:
    """Every value that the expression can have by the domains of its variables."""
    return Environment(DeclaredRanges()).interval(expression)


def may_fault(expression: Expression) -> bool:
    """Whether evaluating it could fault, as far as the domains of its variables tell."""
    match expression:
        case Const() | Read():
            return False
        case Element(variable=variable, index=index):
            return may_fault(index) or not within(interval(index), (0, variable.slots - 1))
        case Unary(operand=operand):
            return may_fault(operand)
        case Binary(operator=operator, left=left, right=right):
            if may_fault(left) or may_fault(right):
                return True
            low, high = interval(right)
            if operator in ("//", "mod"):
                return low <= 0 <= high
            if operator in ("<<", ">>") and not within((low, high), (0, 63)):
                return True
            return not within(interval(expression), INT64)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return may_fault(condition) or may_fault(then) or may_fault(otherwise)


def evaluates(expression: Expression) -> Expression:
    """True, or the fault of the expression."""
    return Binary("or", Binary(">=", expression, Const(0)), TRUE)
