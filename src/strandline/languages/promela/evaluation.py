"""Values of expressions where they can be known without a run: initial values, and processes that start others."""

from __future__ import annotations

from collections.abc import Callable

from strandline.languages.promela.reading import constant
from strandline.languages.promela.syntax import (
    BinaryExpr,
    Conditional,
    Expr,
    Number,
    Reference,
    Special,
    UnaryExpr,
)

Lookup = Callable[[Reference], int | None]


def value_of(expression: Expr, lookup: Lookup, pid: int | None) -> int | None:
    """Return the value of an expression; None if it is not known."""
    match expression:
        case Number(value=value):
            return value
        case Reference():
            return lookup(expression)
        case Special(name="_pid"):
            return pid
        case UnaryExpr(operator=operator, operand=operand, token=token):
            inner = value_of(operand, lookup, pid)
            return None if inner is None else constant(UnaryExpr(operator, Number(inner, token), token), "")
        case BinaryExpr(operator=operator, left=left, right=right, token=token):
            first, second = value_of(left, lookup, pid), value_of(right, lookup, pid)
            decisive = {"&&": False, "||": True}.get(operator)
            for one in (first, second):
                if decisive is not None and one is not None and bool(one) == decisive:
                    return int(decisive)
            if first is None or second is None or (operator in ("/", "%") and second == 0):
                return None
            if operator in ("<<", ">>") and not 0 <= second <= 31:
                return None
            return constant(BinaryExpr(operator, Number(first, token), Number(second, token), token), "")
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            decided = value_of(condition, lookup, pid)
            return None if decided is None else value_of(then if decided else otherwise, lookup, pid)
    return None
