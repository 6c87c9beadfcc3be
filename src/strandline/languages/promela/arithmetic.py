"""Expressions of C's type `int`: 32 bits, wrapping around."""

from __future__ import annotations

from strandline.languages.symbolic_execution.building import interval, negate
from strandline.model.expression import FALSE, TRUE, Binary, Choice, Const, Expression, Unary, Undefined
from strandline.model.intervals import within
from strandline.model.system import Domain
from strandline.source import Span

INT = (-(1 << 31), (1 << 31) - 1)
_HALF, _WHOLE = Const(1 << 31), Const(1 << 32)
_OPERATORS = {"&&": "and", "||": "or"}


def wrapped(expression: Expression) -> Expression:
    """Return the value as C's `int` holds it."""
    if within(interval(expression), INT):
        return expression
    if isinstance(expression, Const):
        return Const((expression.value + (1 << 31)) % (1 << 32) - (1 << 31))
    return Binary("-", Binary("mod", Binary("+", expression, _HALF), _WHOLE), _HALF)


def unwrapped(expression: Expression) -> Expression:
    """Return the value before it was wrapped, for assignments, which wrap it themselves."""
    match expression:
        case Binary(operator="-", left=Binary(operator="mod", left=Binary(operator="+", left=inner), right=modulus)):
            if modulus is _WHOLE:
                return inner
    return expression


def truncated(expression: Expression, domain: Domain) -> Expression:
    """Return the value that a variable of a domain holds after an assignment."""
    if within(interval(expression), (domain.low, domain.high)):
        return expression
    if isinstance(expression, Const):
        return Const(domain.wrap(expression.value))
    shifted = unwrapped(expression)
    if domain.low == 0:
        return Binary("mod", shifted, Const(domain.size))
    return Binary("-", Binary("mod", Binary("+", shifted, Const(-domain.low)), Const(domain.size)), Const(-domain.low))


def binary(operator: str, left: Expression, right: Expression, span: Span | None) -> Expression:
    """Return the value of a binary operator of C."""
    if isinstance(left, Const) and isinstance(right, Const):
        known = _fold(operator, left.value, right.value)
        if known is not None:
            return wrapped(Const(known))
    if operator in _OPERATORS:
        return _logical(operator, left, right, span)
    if operator in ("<<", ">>"):
        return wrapped(Binary(operator, left, _amount(right), span))
    return wrapped(Binary(operator, left, right, span))


def _amount(right: Expression) -> Expression:
    return right if within(interval(right), (0, 31)) else Binary("&", right, Const(31))


def _logical(operator: str, left: Expression, right: Expression, span: Span | None) -> Expression:
    if isinstance(left, Const):
        decided = bool(left.value) == (operator == "||")
        return Const(int(operator == "||")) if decided else truth(right)
    if right == TRUE and operator == "&&":
        return truth(left)
    if right == FALSE and operator == "||":
        return truth(left)
    return Binary(_OPERATORS[operator], left, right, span)


def truth(expression: Expression) -> Expression:
    """Return 1 where an expression is not 0, else 0."""
    if within(interval(expression), (0, 1)):
        return expression
    return Binary("!=", expression, FALSE)


def unary(operator: str, operand: Expression, span: Span | None) -> Expression:
    """Return the value of a unary operator of C."""
    if isinstance(operand, Const):
        return wrapped(Const({"-": -operand.value, "~": ~operand.value, "!": int(not operand.value)}[operator]))
    if operator == "!":
        return negate(truth(operand))
    return wrapped(Unary(operator, operand, span))


def conditional(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Return the value of `(condition -> then : otherwise)`."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    return Choice(condition, then, otherwise)


def checked_index(index: Expression, length: int, span: Span | None, reason: str) -> Expression:
    """Return an index into a part of an array; it faults outside."""
    if within(interval(index), (0, length - 1)):
        return index
    inside = Binary("and", Binary("<=", Const(0), index), Binary("<", index, Const(length)))
    return Choice(inside, index, Undefined(reason, span))


def _fold(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<":
            return left << (right & 31)
        case ">>":
            return left >> (right & 31)
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
    return None
