"""Compile conditions to bit tests of a packed state, several of them at once.

A condition that leaves one value for a field is `word & mask == value`; those of one word are one test. So a guard over
many flags costs as many tests as it reads words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from strandline.compile.llvm.packed_state import PackedState, wrap_signed
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary
from strandline.model.intervals import Environment, Interval
from strandline.model.layout import Field, Layout

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NARROWED: dict[str, Callable[[int, int, int], Interval]] = {
    "==": lambda low, high, bound: (max(low, bound), min(high, bound)),
    "!=": lambda low, high, bound: (low + (low == bound), high - (high == bound)),
    "<": lambda low, high, bound: (low, min(high, bound - 1)),
    "<=": lambda low, high, bound: (low, min(high, bound)),
    ">": lambda low, high, bound: (max(low, bound + 1), high),
    ">=": lambda low, high, bound: (max(low, bound), high),
}


class MaskTest(NamedTuple):
    """A test that the word has exactly these bits of the mask."""

    word: int
    mask: int
    value: int


class AnyBit(NamedTuple):
    """A test that the word has any bit of the mask, whose bits are contiguous."""

    word: int
    mask: int


def mask_test(condition: Expression, layout: Layout, environment: Environment) -> MaskTest | None:
    """Return the condition as a test of one word; None if it is not one. Such a condition cannot fault."""
    left = _remaining_values(condition, layout, environment)
    if left is None or left.least != left.most or left.field.width == 0:
        return None
    word, shift = left.field.place(left.element)
    return MaskTest(word, left.field.mask << shift, (left.least - left.field.low) << shift)


def any_bit_test(condition: Expression, layout: Layout, environment: Environment) -> AnyBit | None:
    """Return the condition as a test that a field is not zero; None if it is not one."""
    left = _remaining_values(condition, layout, environment)
    if left is None or left.least != left.field.low + 1 or left.most < left.highest:
        return None
    word, shift = left.field.place(left.element)
    return AnyBit(word, left.field.mask << shift)


class _Remaining(NamedTuple):
    """The values of a field that satisfy a condition, and the highest value that it could have before."""

    field: Field
    element: int
    least: int
    most: int
    highest: int


def _remaining_values(condition: Expression, layout: Layout, environment: Environment) -> _Remaining | None:
    """Return the values that a condition on one place leaves for it; None for another condition."""
    compared = _comparison(condition)
    if compared is None:
        return None
    place, operator, bound = compared
    index = 0
    if isinstance(place, Element):
        if not isinstance(place.index, Const) or not 0 <= place.index.value < place.variable.slots:
            return None
        index = place.index.value
    field = layout.by_variable[place.variable]
    interval = environment.interval(place)
    low, high = max(interval[0], field.low), min(interval[1], field.high)
    return _Remaining(field, index, *_NARROWED[operator](low, high, bound), high)


def _comparison(condition: Expression) -> tuple[Read | Element, str, int] | None:
    """Return a place, the comparison, and the constant with which it is compared."""
    match condition:
        case Read() | Element():
            return condition, "!=", 0
        case Unary(operator="not", operand=Read() | Element() as place):
            return place, "==", 0
        case Binary(operator=operator, left=Read() | Element() as place, right=Const(value=bound)) if (
            operator in _MIRRORED
        ):
            return place, operator, bound
        case Binary(operator=operator, left=Const(value=bound), right=Read() | Element() as place) if (
            operator in _MIRRORED
        ):
            return place, _MIRRORED[operator], bound
    return None


class MaskTests:
    """Tests that are made together."""

    def __init__(self) -> None:
        self._by_word: dict[int, tuple[int, int]] = {}

    def add(self, test: MaskTest) -> None:
        """Add a test. It never contradicts an earlier one, because the environment knows that one."""
        mask, value = self._by_word.get(test.word, (0, 0))
        self._by_word[test.word] = (mask | test.mask, value | test.value)

    def write(self, state: PackedState, branch: Callable[[str], None]) -> None:
        """Emit and clear the tests; `branch` continues where its operand, an i1, is true."""
        for word, (mask, value) in sorted(self._by_word.items()):
            masked = state.code.value(f"and i64 {state.keep(word)}, {wrap_signed(mask)}")
            branch(state.code.value(f"icmp eq i64 {masked}, {wrap_signed(value)}"))
        self._by_word.clear()
