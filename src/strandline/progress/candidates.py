"""Candidate measures: sequences of terms, with a proof for each term that is monotone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from strandline.analysis.measure_combination import DoesNotFit, combine_lexicographically
from strandline.model.expression import Binary, Const, Expression, Read, Unary, row, size
from strandline.model.intervals import Environment, Interval
from strandline.model.measure import Component, Measure, Reason, in_words
from strandline.model.system import Variable
from strandline.progress.changes import Changes, monotone_length
from strandline.progress.packing import fits, pack_terms


@dataclass(frozen=True, eq=False)
class Term:
    """An expression that may become a component of a measure."""

    expression: Expression
    reason: Reason
    changes: Changes = field(repr=False)
    observed: bool = False
    """True if it was made so that no observed edge decreases it."""

    @cached_property
    def least(self) -> npt.NDArray[np.int64]:
        """For each step of the system, the least change of the term."""
        return self.changes.least(self.expression)

    @property
    def monotone(self) -> bool:
        """True if it is proved that no step decreases it."""
        return bool((self.least >= 0).all())


Block = tuple[Term, ...]
"""A sequence of terms that are used together, in this order."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A measure that may be chosen: a lexicographic sequence of terms. Without terms, all states are equal."""

    terms: Block
    joint: int = 0
    """The number of terms of the first of the two blocks from which it was combined."""
    given: Measure | None = None
    """True if declared by the model or given by the user: monotonicity is then promised, not proved."""

    @classmethod
    def of(cls, measure: Measure, changes: Changes) -> Candidate:
        """Make a candidate of a measure that was not found here; its monotone components come first."""
        ordered = sorted(measure.components, key=lambda one: not one.monotone)
        return cls(
            tuple(Term(one.expression, one.reason or Reason("{}", one.name or ""), changes) for one in ordered),
            given=measure,
        )

    @property
    def parts(self) -> tuple[Block, Block]:
        """The two blocks from which it was combined; the second may be empty."""
        joint = self.joint or len(self.terms)
        return self.terms[:joint], self.terms[joint:]

    @cached_property
    def columns(self) -> int:
        """The number of leading terms that are monotone together; they become the column."""
        if self.given is not None:
            return sum(one.monotone for one in self.given.components)
        return monotone_length(term.least for term in self.terms)

    @property
    def monotone(self) -> bool:
        return self.columns == len(self.terms)

    @cached_property
    def effort(self) -> float:
        """The relative time of a visit including the computation of the measure.

        Measured: a thousand nodes double the time.
        """
        return 1 + sum(size(term.expression) for term in self.terms) / 1000

    @property
    def components(self) -> tuple[Component, ...]:
        """The terms as components of a measure."""
        if self.given is not None:
            return self.given.components
        return tuple(
            Component(term.expression, number < self.columns, reason=term.reason)
            for number, term in enumerate(self.terms)
        )


Bounds = Callable[[Expression], Interval]
"""A function that returns the observed bounds of an expression."""


def fit_to_64_bits(candidate: Candidate, environment: Environment, bounds: Bounds) -> Candidate:
    """Return a candidate whose column and layer fit 64 bits.

    Terms that do not fit the column go to the layer, whose digits are only as large as observed; the last ones are
    dropped.
    """
    columns = candidate.terms[: candidate.columns]
    while columns and not _combines(columns, environment):
        columns = columns[:-1]
    layers = candidate.terms[len(columns) :]
    if len(columns) == candidate.columns and _combines(layers, environment):
        return candidate
    while layers:
        parts = [term.expression for term in layers]
        together = pack_terms(parts, [bounds(part) for part in parts])
        if fits(together, environment):
            reason = Reason("{}", in_words(term.reason for term in layers))
            observed = any(term.observed for term in layers)
            return Candidate((*columns, Term(together, reason, layers[0].changes, observed)))
        layers = layers[:-1]
    return Candidate(columns)


def _combines(terms: Block, environment: Environment) -> bool:
    try:
        combine_lexicographically([term.expression for term in terms], environment)
    except DoesNotFit:
        return False
    return True


def negate(expression: Expression) -> Expression:
    return Unary("-", expression)


def total(expressions: Sequence[Expression]) -> Expression:
    """Return the sum of at least one expression."""
    return row("+", expressions)


def rank_sum(variable: Variable, ranks: dict[int, int]) -> Expression:
    """Return the rank of a variable's value as a sum over its values; values not in `ranks` have rank 0."""
    terms: list[Expression] = []
    for value, rank in sorted(ranks.items()):
        here: Expression = Binary("==", Read(variable), Const(value))
        if rank:
            terms.append(here if rank == 1 else Binary("*", Const(rank), here))
    return total(terms) if terms else Const(0)
