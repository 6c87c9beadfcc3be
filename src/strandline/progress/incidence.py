"""Compute linear measures from the incidence matrix: the amounts that steps add to variables in every state.

K. Schmidt assigns progress to the transitions of a Petri net (Automated generation of a progress measure for the
sweep-line method, 2004): 1 to each of a maximal linearly independent set; the effect of any other is a linear
combination of theirs, and so is its progress. The result is a weighted sum of the variables. A step regresses only if
its effect depends on those of others, which is where the state space has cycles.

The choice of the independent steps depends on the order in which they are processed; each order gives a measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from strandline.model.expression import Binary, Const, Element, Expression, Read, row
from strandline.model.intervals import Cell
from strandline.progress.changes import Changes

_BUDGET = 300_000
"""Most fractions that are computed for one measure."""
_HEAVIEST = 1 << 30

Vector = dict[Cell, Fraction]


def linear_measures(changes: Changes) -> Iterator[Expression]:
    """Yield weighted sums of variables that every step of a maximal independent set increases by the same amount.

    There are none if steps change variables by amounts that depend on the state, or if weights grow too large.
    """
    vectors = list(_vectors(changes))
    seen: list[dict[Cell, int]] = []
    for order in (vectors, vectors[::-1]):
        weights = _weights(order)
        if weights and weights not in seen:
            seen.append(weights)
            yield _sum(weights)


def _vectors(changes: Changes) -> Iterator[dict[Cell, int]]:
    """Yield the amounts that each step adds to the cells that all steps change by fixed amounts."""
    moving = {cell for step in changes.steps for cell, (low, high) in step.cells.items() if low != high}
    unknown = {variable for step in changes.steps for variable, _ in step.somewhere}
    unknown |= {variable for step in changes.steps for variable in step.moves}
    for step in changes.steps:
        found = {
            cell: amount
            for cell, (amount, _) in step.cells.items()
            if amount and cell not in moving and cell[0] not in unknown
        }
        if found:
            yield found


def _weights(vectors: Sequence[dict[Cell, int]]) -> dict[Cell, int] | None:
    """Return integer weights of cells by which each vector that is independent of those before it has the value 1.

    Returns None if that takes too long or weights grow too large. Gaussian elimination, sparse and exact.
    """
    pivots: dict[Cell, tuple[Vector, Fraction]] = {}
    budget = _BUDGET
    for vector in vectors:
        rest: Vector = {cell: Fraction(amount) for cell, amount in vector.items()}
        value = Fraction(1)
        for cell in list(pivots):
            factor = rest.get(cell)
            if factor:
                known, amount = pivots[cell]
                value -= factor * amount
                budget -= len(known)
                _subtract(rest, factor, known)
        if budget < 0:
            return None
        if rest:
            cell = next(iter(rest))
            scale = rest[cell]
            pivots[cell] = {one: amount / scale for one, amount in rest.items()}, value / scale
    return _integers(_solve(pivots))


def _subtract(vector: Vector, factor: Fraction, other: Vector) -> None:
    for cell, amount in other.items():
        left = vector.get(cell, Fraction(0)) - factor * amount
        if left:
            vector[cell] = left
        else:
            vector.pop(cell, None)


def _solve(pivots: dict[Cell, tuple[Vector, Fraction]]) -> dict[Cell, Fraction]:
    """Solve from the last pivot to the first; free cells have weight 0."""
    weights: dict[Cell, Fraction] = {}
    for cell, (vector, value) in reversed(pivots.items()):
        weights[cell] = value
        for one, amount in vector.items():
            if one != cell:
                weights[cell] -= amount * weights.get(one, 0)
    return weights


def _integers(weights: dict[Cell, Fraction]) -> dict[Cell, int] | None:
    scale = lcm(*(weight.denominator for weight in weights.values()))
    whole = {cell: int(weight * scale) for cell, weight in weights.items() if weight}
    return whole if all(abs(weight) <= _HEAVIEST for weight in whole.values()) else None


def _sum(weights: dict[Cell, int]) -> Expression:
    terms: list[Expression] = []
    for (variable, index), weight in weights.items():
        place: Expression = Read(variable) if variable.length is None else Element(variable, Const(index))
        terms.append(place if weight == 1 else Binary("*", Const(weight), place))
    return row("+", terms)
