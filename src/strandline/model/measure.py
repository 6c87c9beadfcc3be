"""A measure of progress: its components, each with where it comes from, and what a sweep computes of them.

Several components are combined lexicographically, the first counts most: monotone ones into the column, the others
into the layer (000 §2, 002 §5). Componentwise, what is combined only orders the layers: an edge regresses where any
component decreases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from strandline.errors import MeasureError
from strandline.model.expression import Expression, walk
from strandline.source import Source, Span

_NAMED = 4
"""How many things of a kind are named before the others are only counted."""
_ANY_NUMBER = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a component was chosen: `kind` says it of `subject`, as in `{} never decreasing` of `P.count`."""

    kind: str
    subject: str

    def __str__(self) -> str:
        return self.kind.format(self.subject)


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One part of a measure: a number that states have, and where it comes from. Compared by identity."""

    expression: Expression
    monotone: bool = False
    """No step decreases it as long as the monotone ones before it stay the same: promised by its author, or proved."""
    name: str | None = None
    """As its author wrote or named it; None for one that the program has found."""
    reason: Reason | None = None
    source: Source | None = None
    """The text in which it stands."""
    span: Span | None = None

    def blame(self, message: str, span: Span | None = None) -> MeasureError:
        """An error that points at this component."""
        return MeasureError(message, self.source, span or self.span)


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """What a sweep goes by: `column` never decreases along an edge, `layer` may (a regress edge)."""

    column: Expression
    layer: Expression
    compared: tuple[Expression, ...] = ()
    """Where there are any, progress is partially ordered, part by part (002 §3), `layer` is a linear extension of that
    order, and every edge inside a column along which some part decreases is a regress edge."""
    components: tuple[Component, ...] = ()
    """What it was made of. None at all: all states have the same progress, and none is forgotten."""
    columns: tuple[int, int] = _ANY_NUMBER
    layers: tuple[int, int] = _ANY_NUMBER
    """What the two can be at most, by the ranges of the variables."""

    @property
    def monotone(self) -> bool:
        """No edge regresses."""
        return all(one.monotone for one in self.components)

    @property
    def reason(self) -> str:
        """Why it was chosen, in words."""
        return in_words(one.reason for one in self.components if one.reason is not None) or "all states are kept"

    def fraction(self, line: tuple[int, int]) -> float:
        """How far a line has come on its way from the least to the largest progress, from 0 to 1."""
        (first, last), (lowest, highest) = self.columns, self.layers
        inside = (line[1] - lowest) / (highest - lowest + 1)
        return min(max((line[0] - first + inside) / (last - first + 1), 0.0), 1.0)

    def owner(self, span: Span | None) -> Component | None:
        """The component one of whose parts stands at just this span; a span is told by its identity, because
        the spans of other texts may have the same numbers."""
        if span is None:
            return None
        for component in self.components:
            if any(getattr(node, "span", None) is span for node in walk(component.expression)):
                return component
        return None


def in_words(reasons: Iterable[Reason]) -> str:
    """Several reasons, one after the other; those of the same kind together."""
    alike = groupby(reasons, key=lambda one: one.kind)
    return "; then ".join(kind.format(listed([one.subject for one in some])) for kind, some in alike)


def listed(names: Sequence[str]) -> str:
    """`a, b, c`; of many names the first and how many more there are."""
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
