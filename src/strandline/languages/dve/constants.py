"""Evaluation of constant expressions: array lengths and initial values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NoReturn

from strandline.errors import ModelError
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary
from strandline.source import Source, Span

_TOTAL: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGEST = 2**63 - 1


class ConstantEvaluator:
    """Evaluates constant expressions by the rules of `strandline.model.expression`.

    A fault, such as a division by zero, raises `ModelError`.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    def value(self, expression: Expression, whole: Span) -> int:
        """Return the value of an expression; errors in a part without a source position point to `whole`."""
        match expression:
            case Const(value=value):
                return value
            case Unary(operator=sign, operand=operand, span=span):
                value = self.value(operand, whole)
                negated = -value if sign == "-" else ~value if sign == "~" else int(not value)
                return self._fitting(negated, span or whole)
            case Binary(operator="and" | "or" | "imply" as sign, left=left, right=right):
                decided = bool(self.value(left, whole)) == (sign == "or")
                return int(sign != "and") if decided else int(bool(self.value(right, whole)))
            case Binary(operator=sign, left=left, right=right, span=span):
                return self._binary(sign, self.value(left, whole), self.value(right, whole), span or whole)
            case Element(variable=variable, index=Const(value=index), span=span):
                self._fail(f"index {index} is outside '{variable.name}'", span or whole)
            case Read(variable=variable) | Element(variable=variable):
                self._fail(f"'{variable.name}' is not a constant", whole)
        self._fail("this is not a constant", whole)

    def _binary(self, sign: str, left: int, right: int, span: Span) -> int:
        if sign in ("/", "%"):
            if right == 0:
                self._fail("division by zero", span)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return self._fitting(quotient if sign == "/" else left - quotient * right, span)
        if sign in ("<<", ">>"):
            if not 0 <= right <= 63:
                self._fail(f"shift amount {right} is outside 0..63", span)
            return self._fitting(left << right, span) if sign == "<<" else left >> right
        return self._fitting(int(_TOTAL[sign](left, right)), span)

    def _fitting(self, value: int, span: Span) -> int:
        if not -_LARGEST - 1 <= value <= _LARGEST:
            self._fail("the value does not fit 64 bits", span)
        return value

    def _fail(self, message: str, span: Span) -> NoReturn:
        raise ModelError(message, self._source, span)
