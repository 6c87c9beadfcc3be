"""A measure that was proposed: what it consists of, why, and how it is given to a sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import groupby

import numpy as np
import numpy.typing as npt

from strandline.compile.kernel import Measure
from strandline.model.expression import Binary, Const, Expression, Read, Unary, render, size
from strandline.model.intervals import Environment, Interval
from strandline.model.system import Variable
from strandline.progress.changes import Changes, monotone_length
from strandline.progress.lexicographic import DoesNotFit, combined, fits, packed

_NAMED = 4
"""How many things of a kind are named before the others are only counted."""


@dataclass(frozen=True, eq=False)
class Term:
    """One part of a measure: an expression over the state, and why it was proposed: `kind` says it of `subject`, as
    in `{} never decreases` of `P.count`."""

    expression: Expression
    kind: str
    subject: str
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
"""Terms that are used together, one after the other."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A measure: its terms count from the first to the last, lexicographically. Without any, all states are equal."""

    terms: Block
    joint: int = 0
    """Where it was put together: so many terms, and the others, were used before."""
    promised: int | None = None
    """How many of the first terms the user promises to be monotone; None where that is to be proved."""

    @property
    def parts(self) -> tuple[Block, Block]:
        """The two blocks of which it was made; the second may be empty."""
        joint = self.joint or len(self.terms)
        return self.terms[:joint], self.terms[joint:]

    @cached_property
    def columns(self) -> int:
        """How many of the first terms are monotone together; they become the column."""
        return monotone_length(term.least for term in self.terms) if self.promised is None else self.promised

    @property
    def monotone(self) -> bool:
        return self.columns == len(self.terms)

    @cached_property
    def effort(self) -> float:
        """What computing the measure for every successor makes of the time of a visit: measured, a thousand nodes
        double it."""
        return 1 + sum(size(term.expression) for term in self.terms) / 1000

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """As given to `--measure`."""
        shown = [render(term.expression) for term in self.terms] or ["0"]
        return tuple(f"mono({text})" if number < self.columns else text for number, text in enumerate(shown))

    @property
    def reason(self) -> str:
        """Why it was proposed, in words."""
        reasons = [
            kind.format(listed([term.subject for term in terms]))
            for kind, terms in groupby(self.terms, key=lambda term: term.kind)
        ]
        return "; then ".join(reasons) or "all states are kept"

    def measure(self, environment: Environment) -> Measure:
        """Column and layer as expressions; raises `DoesNotFit`."""
        expressions = [term.expression for term in self.terms]
        column = combined(expressions[: self.columns], environment)
        return Measure(column, combined(expressions[self.columns :], environment))


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
            reason = Candidate(layers).reason
            observed = any(term.observed for term in layers)
            return Candidate((*columns, Term(together, "{}", reason, layers[0].changes, observed)))
        layers = layers[:-1]
    return Candidate(columns)


def _combines(terms: Block, environment: Environment) -> bool:
    try:
        combined([term.expression for term in terms], environment)
    except DoesNotFit:
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """`a, b, c`; of many names the first and how many more there are."""
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def negated(expression: Expression) -> Expression:
    return Unary("-", expression)


def total(expressions: Sequence[Expression]) -> Expression:
    """The sum of at least one expression."""
    return reduce(lambda left, right: Binary("+", left, right), expressions)


def ranked(variable: Variable, ranks: dict[int, int]) -> Expression:
    """The rank of a variable's value as a sum over its values; those that are not mentioned have rank 0."""
    terms: list[Expression] = []
    for value, rank in sorted(ranks.items()):
        here: Expression = Binary("==", Read(variable), Const(value))
        if rank:
            terms.append(here if rank == 1 else Binary("*", Const(rank), here))
    return total(terms) if terms else Const(0)
