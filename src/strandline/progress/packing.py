"""Combine several terms into one weighted sum; the weights follow from the observed ranges of the terms."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.model.expression import Binary, Const, Expression, walk
from strandline.model.intervals import INT64, Environment, Interval, within


def pack_terms(parts: Sequence[Expression], intervals: Sequence[Interval]) -> Expression:
    """Return a weighted sum that orders states as the parts do lexicographically, within their intervals.

    If a part leaves its interval, the sum is still a measure, in a slightly different order.
    """
    result = parts[0]
    for part, (low, high) in zip(parts[1:], intervals[1:], strict=True):
        # Nested multiplications keep every weight within the numbers that languages accept.
        result = Binary("+", Binary("*", Const(high - low + 1), result), part)
    return result


def fits(expression: Expression, environment: Environment) -> bool:
    """Return True if the value, and all intermediate results, certainly fit 64 bits."""
    return all(within(environment.interval(part), (INT64[0] // 2, INT64[1] // 2)) for part in walk(expression))
