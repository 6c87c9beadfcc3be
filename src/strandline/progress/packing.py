"""Several terms as one weighted sum, where what was seen of them says how large the weights must be."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.model.expression import Binary, Const, Expression, walk
from strandline.model.intervals import INT64, Environment, Interval, within


def packed(parts: Sequence[Expression], boxes: Sequence[Interval]) -> Expression:
    """A weighted sum that orders states as the parts do lexicographically, as long as every part stays in its box.
    Where one does not, it is still a measure, in a slightly different order."""
    result = parts[0]
    for part, (low, high) in zip(parts[1:], boxes[1:], strict=True):
        # Step by step, so that no weight is larger than what a language takes for a number.
        result = Binary("+", Binary("*", Const(high - low + 1), result), part)
    return result


def fits(expression: Expression, environment: Environment) -> bool:
    """Whether the value, and whatever is computed on the way to it, surely fits 64 bits."""
    return all(within(environment.interval(part), (INT64[0] // 2, INT64[1] // 2)) for part in walk(expression))
