"""Emit heavily shared expressions as straight-line code, each subexpression once.

Both sides of every choice are computed, and with each value the fault that computing it caused, 0 for none. A value
beside a fault is never used: a choice takes over the fault of the side it takes, an operator the first of its operands'
faults. So the fault of the whole expression is the one that the interpreter raises, and it is tested once at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from strandline.compile.llvm.faults import FaultTable
from strandline.compile.llvm.function import CHECKED, COMPARE, Function, floor_division
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.tables import emit_lookup
from strandline.model.expression import (
    COMPARISONS,
    DIVISION_FAULT,
    INDEX_FAULT,
    LOGICAL,
    OVERFLOW_FAULT,
    SHIFT_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    size,
    walk,
)
from strandline.model.intervals import INT64, Environment, Interval, within
from strandline.model.walk import Fold
from strandline.source import Span

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
_NONE = "0"

_LARGE_TREE, _VAST_TREE = 300, 1_000_000
_SHARING = 3


def is_tangled(expression: Expression) -> bool:
    """Return True if the expression is much larger as a tree than as a graph."""
    nodes = size(expression)
    return nodes > _VAST_TREE or (nodes > _LARGE_TREE and nodes > _SHARING * sum(1 for _ in walk(expression)))


@dataclass(frozen=True, slots=True)
class _Result:
    """A value of type `kind` (i1 for truth values, else i64), and its fault code, "0" if it cannot fault."""

    value: str
    fault: str = _NONE
    kind: str = "i64"


class Speculation(Fold[_Result]):
    """Computes expressions in one state, which must not change meanwhile."""

    def __init__(self, code: Function, state: PackedState, environment: Environment, faults: FaultTable) -> None:
        super().__init__()
        self.code, self.state, self.environment, self.faults = code, state, environment, faults

    def value(self, expression: Expression) -> tuple[str, str]:
        """Return the value as an i64, and the fault."""
        result = self.of(expression)
        return self._number(result), result.fault

    def truth(self, expression: Expression) -> tuple[str, str]:
        """Return whether the value is non-zero as an i1, and the fault."""
        result = self.of(expression)
        return self._bit(result), result.fault

    # --- parts ------------------------------------------------------------------------------------------------

    def _number(self, result: _Result) -> str:
        return result.value if result.kind == "i64" else self.code.value(f"zext i1 {result.value} to i64")

    def _bit(self, result: _Result) -> str:
        return result.value if result.kind == "i1" else self.code.value(f"icmp ne i64 {result.value}, 0")

    def _first(self, *faults: str) -> str:
        """Return the first non-zero fault."""
        met = [fault for fault in faults if fault != _NONE]
        result = met.pop() if met else _NONE
        while met:
            earlier = met.pop()
            result = self._select(self.code.value(f"icmp ne i64 {earlier}, 0"), "i64", earlier, result)
        return result

    def _select(self, test: str, kind: str, yes: str, no: str) -> str:
        return yes if yes == no else self.code.value(f"select i1 {test}, {kind} {yes}, {kind} {no}")

    def _fault_unless(self, fine: str, kind: str, span: Span | None) -> str:
        return self._select(fine, "i64", _NONE, str(self.faults.code(kind, span)))

    def _interval(self, expression: Expression) -> Interval | None:
        """Return the interval of a value; None if it may be invalid because of a fault."""
        return self.environment.checked_interval(expression) if self.of(expression).fault == _NONE else None

    # --- nodes ------------------------------------------------------------------------------------------------

    def constant(self, node: Const) -> _Result:
        return _Result(str(node.value))

    def read(self, node: Read) -> _Result:
        return _Result(self.state.read(self.state.layout.by_variable[node.variable]))

    def binary(self, node: Binary, left: _Result, right: _Result) -> _Result:
        if node.operator in LOGICAL:
            return self._logical(node, left, right)
        if node.operator in COMPARISONS:
            test = f"icmp {COMPARE[node.operator]} i64 {self._number(left)}, {self._number(right)}"
            return _Result(self.code.value(test), self._first(left.fault, right.fault), "i1")
        return self._arithmetic(node, left, right)

    def lookup(self, node: Lookup, index: _Result) -> _Result:
        return _Result(emit_lookup(self.code, node.table, self._number(index)), index.fault)

    def undefined(self, node: Undefined) -> _Result:
        return _Result("0", str(self.faults.code(node.reason, node.span)))

    def element(self, node: Element, index: _Result) -> _Result:
        field = self.state.layout.by_variable[node.variable]
        last = node.variable.slots - 1
        if isinstance(node.index, Const) and 0 <= node.index.value <= last:
            return _Result(self.state.read(field, node.index.value))
        interval = self._interval(node.index)
        position = self._number(index)
        if interval is not None and within(interval, (0, last)):
            return _Result(self.state.read(field, position))
        inside = self.code.value(f"icmp ule i64 {position}, {last}")
        outside = self._fault_unless(inside, INDEX_FAULT, node.span)
        value = self.state.read(field, self._select(inside, "i64", position, "0"))
        return _Result(value, self._first(index.fault, outside))

    def unary(self, node: Unary, operand: _Result) -> _Result:
        if node.operator == "not":
            return _Result(self.code.value(f"xor i1 {self._bit(operand)}, true"), operand.fault, "i1")
        if node.operator == "~":
            return _Result(self.code.value(f"xor i64 {self._number(operand)}, -1"), operand.fault)
        value, overflow = self._emit_checked("-", "0", self._number(operand), node)
        return _Result(value, self._first(operand.fault, overflow))

    def _logical(self, node: Binary, left: _Result, right: _Result) -> _Result:
        first, second = self._bit(left), self._bit(right)
        if node.operator == "or":
            value = self.code.value(f"or i1 {first}, {second}")
            needed = self._select(first, "i64", _NONE, right.fault)
        else:
            needed = self._select(first, "i64", right.fault, _NONE)
            if node.operator == "and":
                value = self.code.value(f"and i1 {first}, {second}")
            else:
                value = self.code.value(f"or i1 {self.code.value(f'xor i1 {first}, true')}, {second}")
        return _Result(value, self._first(left.fault, needed), "i1")

    def choice(self, node: Choice, condition: _Result, then: _Result, otherwise: _Result) -> _Result:
        test = self._bit(condition)
        fault = self._first(condition.fault, self._select(test, "i64", then.fault, otherwise.fault))
        if then.kind == otherwise.kind == "i1":
            return _Result(self._select(test, "i1", then.value, otherwise.value), fault, "i1")
        return _Result(self._select(test, "i64", self._number(then), self._number(otherwise)), fault)

    def _arithmetic(self, node: Binary, left: _Result, right: _Result) -> _Result:
        first, second = self._number(left), self._number(right)
        match node.operator:
            case "+" | "-" | "*":
                value, own = self._emit_checked(node.operator, first, second, node)
            case "/" | "%" | "//" | "mod":
                value, own = self._division(node, first, second)
            case "<<" | ">>":
                value, own = self._shift(node, first, second)
            case operator:
                value, own = self.code.value(f"{_PLAIN[operator]} i64 {first}, {second}"), _NONE
        return _Result(value, self._first(left.fault, right.fault, own))

    def _emit_checked(self, operator: str, left: str, right: str, node: Unary | Binary) -> tuple[str, str]:
        code = self.code
        if within(self.environment.interval(node), INT64):
            return code.value(f"{_PLAIN[operator]} i64 {left}, {right}"), _NONE
        pair = code.value(f"call {{i64, i1}} @llvm.{CHECKED[operator]}.with.overflow.i64(i64 {left}, i64 {right})")
        fine = code.value(f"xor i1 {code.value(f'extractvalue {{i64, i1}} {pair}, 1')}, true")
        value = code.value(f"extractvalue {{i64, i1}} {pair}, 0")
        return value, self._fault_unless(fine, OVERFLOW_FAULT, node.span)

    def _division(self, node: Binary, left: str, right: str) -> tuple[str, str]:
        """Divide, by 1 where the machine's instruction would trap (0, or the least integer by -1), even if unused."""
        code = self.code
        divisor = self._interval(node.right)
        own = _NONE
        if divisor is None or divisor[0] <= 0 <= divisor[1]:
            nonzero = code.value(f"icmp ne i64 {right}, 0")
            own = self._fault_unless(nonzero, DIVISION_FAULT, node.span)
            right = self._select(nonzero, "i64", right, "1")
        if divisor is None or divisor[0] <= -1 <= divisor[1]:
            by_minus_one = code.value(f"icmp eq i64 {right}, -1")
            if node.operator in ("/", "//"):
                return self._quotient(node, left, right, by_minus_one, own)
            right = self._select(by_minus_one, "i64", "1", right)
        if node.operator in ("/", "%"):
            return code.value(f"{'sdiv' if node.operator == '/' else 'srem'} i64 {left}, {right}"), own
        return floor_division(code, node.operator, left, right), own

    def _quotient(self, node: Binary, left: str, right: str, by_minus_one: str, own: str) -> tuple[str, str]:
        """Divide by a divisor that may be -1: that is a negation, which may overflow."""
        code = self.code
        fits = code.value(f"icmp ne i64 {left}, {INT64[0]}")
        fine = code.value(f"or i1 {fits}, {code.value(f'xor i1 {by_minus_one}, true')}")
        overflow = self._fault_unless(fine, OVERFLOW_FAULT, node.span)
        safe = self._select(by_minus_one, "i64", "1", right)
        if node.operator == "/":
            quotient = code.value(f"sdiv i64 {left}, {safe}")
        else:
            quotient = floor_division(code, "//", left, safe)
        negated = code.value(f"sub i64 0, {left}")
        return self._select(by_minus_one, "i64", negated, quotient), self._first(own, overflow)

    def _shift(self, node: Binary, left: str, right: str) -> tuple[str, str]:
        code = self.code
        amount = self._interval(node.right)
        own = _NONE
        if amount is None or not within(amount, (0, 63)):
            fine = code.value(f"icmp ule i64 {right}, 63")
            own = self._fault_unless(fine, SHIFT_FAULT, node.span)
            right = self._select(fine, "i64", right, "0")
        if node.operator == ">>":
            return code.value(f"ashr i64 {left}, {right}"), own
        shifted = code.value(f"shl i64 {left}, {right}")
        if within(self.environment.interval(node), INT64):
            return shifted, own
        back = code.value(f"icmp eq i64 {code.value(f'ashr i64 {shifted}, {right}')}, {left}")
        return shifted, self._first(own, self._fault_unless(back, OVERFLOW_FAULT, node.span))
