"""Combine several measures into one number lexicographically; the first counts most."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.ranges import analyse_ranges
from strandline.model.expression import Binary, Const, Expression
from strandline.model.intervals import INT64, Environment, within
from strandline.model.measure import Component, Measure
from strandline.model.system import System


class DoesNotFit(Exception):
    """Raised if the combination may not fit 64 bits; `number` is the first component that does not fit."""

    def __init__(self, number: int) -> None:
        super().__init__(f"part {number} is one too many for 64 bits")
        self.number = number


def combine_lexicographically(parts: Sequence[Expression], environment: Environment) -> Expression:
    """Return one expression that orders states as the parts do lexicographically.

    Its size follows from the ranges of the parts in the environment. Raises `DoesNotFit`.
    """
    if not parts:
        return Const(0)
    result, interval = parts[0], environment.checked_interval(parts[0])
    for number, part in enumerate(parts[1:], 1):
        low, high = environment.checked_interval(part)
        size = high - low + 1
        interval = interval[0] * size, interval[1] * size + size - 1
        if not within((low, high), (INT64[0] // 2, INT64[1] // 2)) or not within(interval, INT64):
            raise DoesNotFit(number)
        result = Binary("+", Binary("*", result, Const(size)), Binary("-", part, Const(low)))
    return result


def measure_of(components: Sequence[Component], system: System, *, componentwise: bool = False) -> Measure:
    """Make the measure of a sweep from its components, the first of which counts most.

    Raises `MeasureError` at the component with which the combination may no longer fit 64 bits, by the ranges of the
    variables. Componentwise, an edge regresses where any component that is not monotone decreases.
    """
    environment = analyse_ranges(system).environment()
    rising = [one for one in components if one.monotone]
    falling = [one for one in components if not one.monotone]
    column, layer = _combine(rising, environment), _combine(falling, environment)
    # A lexicographic combination is a linear extension. Of a single component it is the order itself.
    compared = tuple(one.expression for one in falling) if componentwise and len(falling) > 1 else ()
    return Measure(
        column,
        layer,
        compared,
        tuple(components),
        environment.checked_interval(column),
        environment.checked_interval(layer),
    )


def _combine(components: Sequence[Component], environment: Environment) -> Expression:
    try:
        return combine_lexicographically([one.expression for one in components], environment)
    except DoesNotFit as misfit:
        message = "combined with the measures before it, the result may not fit 64 bits"
        raise components[misfit.number].blame(message) from None
