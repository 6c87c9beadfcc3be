"""Evaluate expressions over all states of a sample at once, by NumPy.

The values are those of `strandline.compile.interpret` where they are defined; where evaluation faults the result is
arbitrary, because a measure that faults ends a run with an error of its own.
"""

# The type checker does not know the results that walks get by `yield`.
# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from strandline.model.expression import Binary, Choice, Const, Element, Expression, Lookup, Read, Unary, Undefined
from strandline.model.system import Variable
from strandline.model.walk import Walk, walk_down

Integers = npt.NDArray[np.int64]
Cells = Callable[[Variable, int], Integers]


def values(expression: Expression, cell: Cells, count: int) -> Integers:
    """Return the values of an expression, given those of every variable (or array element) in `count` states."""
    return walk_down(_Evaluation(cell, count).sum(expression))


class _Evaluation:
    def __init__(self, cell: Cells, count: int) -> None:
        self.cell, self.count = cell, count

    def sum(self, expression: Expression) -> Walk[Integers]:
        """Evaluate a sum; many tests `variable == constant`, as in ranks of values, become one table lookup."""
        total = np.zeros(self.count, dtype=np.int64)
        tables: dict[Variable, dict[int, int]] = {}
        waiting = [(expression, 1)]
        while waiting:
            node, factor = waiting.pop()
            match node:
                case Binary(operator="+", left=left, right=right):
                    waiting += [(right, factor), (left, factor)]
                case Binary(operator="*", left=Const(value=value), right=other):
                    waiting.append((other, factor * value))
                case Const(value=value):
                    total += factor * value
                case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)):
                    ranks = tables.setdefault(variable, {})
                    ranks[value] = ranks.get(value, 0) + factor
                case _:
                    total += factor * (yield self._value(node))
        for variable, ranks in tables.items():
            total += _look_up(self.cell(variable, 0), ranks)
        return total

    def _value(self, node: Expression) -> Walk[Integers]:
        match node:
            case Const(value=value):
                return np.full(self.count, value, dtype=np.int64)
            case Read(variable=variable):
                return self.cell(variable, 0)
            case Element(variable=variable, index=Const(value=index)):
                return self.cell(variable, min(max(index, 0), variable.slots - 1))
            case Element(variable=variable, index=index):
                place = np.clip((yield self._value(index)), 0, variable.slots - 1)
                elements = np.stack([self.cell(variable, number) for number in range(variable.slots)])
                return elements[place, np.arange(self.count)]
            case Unary(operator=operator, operand=operand):
                inner = yield self._value(operand)
                return -inner if operator == "-" else ~inner if operator == "~" else (inner == 0).astype(np.int64)
            case Binary(operator="+"):
                return (yield self.sum(node))
            case Binary(operator=operator, left=left, right=right):
                first = yield self._value(left)
                second = yield self._value(right)
                return _OPERATORS[operator](first, second).astype(np.int64)
            case Lookup(table=table, index=index):
                places = yield self._value(index)
                values = np.array((*table.values, 0), dtype=np.int64)
                return values[np.where((places >= 0) & (places < len(table.values)), places, -1)]
            case Choice(condition=condition, then=then, otherwise=otherwise):
                test: Integers = yield self._value(condition)
                chosen: Integers = yield self._value(then)
                other: Integers = yield self._value(otherwise)
                return np.where(test != 0, chosen, other)
            case Undefined():
                return np.zeros(self.count, dtype=np.int64)


def _look_up(cell: Integers, ranks: dict[int, int]) -> Integers:
    low, high = min(ranks), max(ranks)
    if high - low > 1 << 20:
        return sum((rank * (cell == value) for value, rank in ranks.items()), np.zeros(len(cell), dtype=np.int64))
    table = np.zeros(high - low + 3, dtype=np.int64)
    for value, rank in ranks.items():
        table[value - low + 1] = rank
    return table[np.clip(cell, low - 1, high + 1) - (low - 1)]


def _divide(left: Integers, right: Integers) -> Integers:
    """Divide, truncating towards zero; the result is arbitrary where the divisor is zero."""
    divisor = np.where(right == 0, 1, right)
    quotient = np.abs(left) // np.abs(divisor)
    return np.where((left < 0) != (divisor < 0), -quotient, quotient)


def _remainder(left: Integers, right: Integers) -> Integers:
    return left - _divide(left, right) * np.where(right == 0, 1, right)


def _floor(left: Integers, right: Integers) -> Integers:
    return left // np.where(right == 0, 1, right)


_OPERATORS: dict[str, Callable[[Integers, Integers], npt.NDArray[np.generic]]] = {
    "-": np.subtract,
    "*": np.multiply,
    "/": _divide,
    "%": _remainder,
    "//": _floor,
    "mod": lambda left, right: left - _floor(left, right) * np.where(right == 0, 1, right),
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": lambda left, right: left << np.clip(right, 0, 63),
    ">>": lambda left, right: left >> np.clip(right, 0, 63),
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "and": lambda left, right: (left != 0) & (right != 0),
    "or": lambda left, right: (left != 0) | (right != 0),
    "imply": lambda left, right: (left == 0) | (right != 0),
}
