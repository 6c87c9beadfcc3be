"""A measure that is being tried: the terms it consists of, and what is known of each without running the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from strandline.analysis.measure_combination import DoesNotFit, combined
from strandline.model.expression import Binary, Const, Expression, Read, Unary, row, size
from strandline.model.intervals import Environment, Interval
from strandline.model.measure import Component, Measure, Reason, in_words
from strandline.model.system import Variable
from strandline.progress.changes import Changes, monotone_length
from strandline.progress.packing import fits, packed


@dataclass(frozen=True, eq=False)
class Term:
    """What may become a component of a measure."""

    expression: Expression
    reason: Reason
    changes: Changes = field(repr=False)
    observed: bool = False
    """It was made so that no edge that was seen goes against it."""

    @cached_property
    def least(self) -> npt.NDArray[np.int64]:
        """The least by which each step of the system changes it."""
        return self.changes.least(self.expression)

    @property
    def monotone(self) -> bool:
        """Whether it is proved that no step decreases it."""
        return bool((self.least >= 0).all())


Block = tuple[Term, ...]
"""SearchArguments that are used together, one after the other."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """SearchArguments that count from the first to the last, lexicographically. Without any, all states are equal."""

    terms: Block
    joint: int = 0
    """Where it was put together: so many terms, and the others, were used before."""
    given: Measure | None = None
    """What the model declares, or the user gives: which of its components are monotone is promised and not proved."""

    @classmethod
    def of(cls, measure: Measure, changes: Changes) -> Candidate:
        """A measure that was not found here; its monotone components come first."""
        ordered = sorted(measure.components, key=lambda one: not one.monotone)
        return cls(
            tuple(Term(one.expression, one.reason or Reason("{}", one.name or ""), changes) for one in ordered),
            given=measure,
        )

    @property
    def parts(self) -> tuple[Block, Block]:
        """The two blocks of which it was made; the second may be empty."""
        joint = self.joint or len(self.terms)
        return self.terms[:joint], self.terms[joint:]

    @cached_property
    def columns(self) -> int:
        """How many of the first terms are monotone together; they become the column."""
        if self.given is not None:
            return sum(one.monotone for one in self.given.components)
        return monotone_length(term.least for term in self.terms)

    @property
    def monotone(self) -> bool:
        return self.columns == len(self.terms)

    @cached_property
    def effort(self) -> float:
        """What computing the measure for every successor makes of the time of a visit: measured, a thousand nodes
        double it."""
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
"""Between what an expression was seen to lie."""


def fitted(candidate: Candidate, environment: Environment, bounds: Bounds) -> Candidate:
    """The candidate so that column and layer fit 64 bits: terms that are one too many for a column go to the layer,
    where digits are as large as was seen and not as large as they might be; the last ones are left out."""
    columns = candidate.terms[: candidate.columns]
    while columns and not _combines(columns, environment):
        columns = columns[:-1]
    layers = candidate.terms[len(columns) :]
    if len(columns) == candidate.columns and _combines(layers, environment):
        return candidate
    while layers:
        parts = [term.expression for term in layers]
        together = packed(parts, [bounds(part) for part in parts])
        if fits(together, environment):
            reason = Reason("{}", in_words(term.reason for term in layers))
            observed = any(term.observed for term in layers)
            return Candidate((*columns, Term(together, reason, layers[0].changes, observed)))
        layers = layers[:-1]
    return Candidate(columns)


def _combines(terms: Block, environment: Environment) -> bool:
    try:
        combined([term.expression for term in terms], environment)
    except DoesNotFit:
        return False
    return True


def negated(expression: Expression) -> Expression:
    return Unary("-", expression)


def total(expressions: Sequence[Expression]) -> Expression:
    """The sum of at least one expression."""
    return row("+", expressions)


def ranked(variable: Variable, ranks: dict[int, int]) -> Expression:
    """The rank of a variable's value as a sum over its values; those that are not mentioned have rank 0."""
    terms: list[Expression] = []
    for value, rank in sorted(ranks.items()):
        here: Expression = Binary("==", Read(variable), Const(value))
        if rank:
            terms.append(here if rank == 1 else Binary("*", Const(rank), here))
    return total(terms) if terms else Const(0)
