"""Several measures as one number: the first counts most, as the digits of a number do."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.model.expression import Binary, Const, Expression, walk
from strandline.model.intervals import INT64, Environment, Interval, within


class DoesNotFit(Exception):
    """The combination may not fit 64 bits; `number` is the part that is one too many."""

    def __init__(self, number: int) -> None:
        super().__init__(f"part {number} is one too many for 64 bits")
        self.number = number


def combined(parts: Sequence[Expression], environment: Environment) -> Expression:
    """One expression that orders states as the parts do lexicographically. Its size follows from the ranges of the
    parts in the environment; raises `DoesNotFit`."""
    if not parts:
        return Const(0)
    result, box = parts[0], environment.fitted(parts[0])
    for number, part in enumerate(parts[1:], 1):
        low, high = environment.fitted(part)
        size = high - low + 1
        box = box[0] * size, box[1] * size + size - 1
        if not within((low, high), (INT64[0] // 2, INT64[1] // 2)) or not within(box, INT64):
            raise DoesNotFit(number)
        result = Binary("+", Binary("*", result, Const(size)), Binary("-", part, Const(low)))
    return result


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
