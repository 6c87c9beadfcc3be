"""Progress measures: the components of a measure, and the column and layer that a sweep computes from them.

Components are combined lexicographically, the first counts most: monotone ones into the column, the others into the
layer (000 §2, 002 §5). Componentwise, the combination only orders the layers: an edge regresses where any component
decreases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from strandline.errors import MeasureError
from strandline.model.expression import Expression, walk
from strandline.source import Source, Span

_NAMED = 4
"""Names of one kind that are listed before the others are only counted."""
_ANY_NUMBER = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for choosing a component: `kind` describes `subject`, as in `{} never decreasing` of `P.count`."""

    kind: str
    subject: str

    def __str__(self) -> str:
        return self.kind.format(self.subject)


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One component of a measure: an integer expression over states, and its origin. Compared by identity."""

    expression: Expression
    monotone: bool = False
    """True if no step decreases it as long as the monotone components before it stay the same.

    Promised by its author, or proved.
    """
    name: str | None = None
    """Its name in the model or on the command line; None for one that was found automatically."""
    reason: Reason | None = None
    source: Source | None = None
    """The text in which the component is defined."""
    span: Span | None = None

    def blame(self, message: str, span: Span | None = None) -> MeasureError:
        """Return an error that points at this component."""
        return MeasureError(message, self.source, span or self.span)


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A measure of a sweep: `column` never decreases along an edge, `layer` may (a regress edge)."""

    column: Expression
    layer: Expression
    compared: tuple[Expression, ...] = ()
    """The components of a partial order of progress (002 §3); empty for a total order.

    `layer` is then a linear extension of that order, and every edge inside a column along which some component
    decreases is a regress edge.
    """
    components: tuple[Component, ...] = ()
    """The components. Without any, all states have the same progress, and none is deleted."""
    columns: tuple[int, int] = _ANY_NUMBER
    layers: tuple[int, int] = _ANY_NUMBER
    """Bounds of column and layer, by the ranges of the variables."""

    @property
    def monotone(self) -> bool:
        """True if no edge regresses."""
        return all(one.monotone for one in self.components)

    @property
    def reason(self) -> str:
        """The reasons for choosing this measure, in words."""
        return in_words(one.reason for one in self.components if one.reason is not None) or "all states are kept"

    def fraction(self, line: tuple[int, int]) -> float:
        """Return how far a sweep-line is between the least and the largest progress, from 0 to 1."""
        (first, last), (lowest, highest) = self.columns, self.layers
        inside = (line[1] - lowest) / (highest - lowest + 1)
        return min(max((line[0] - first + inside) / (last - first + 1), 0.0), 1.0)

    def owner(self, span: Span | None) -> Component | None:
        """Return the component that contains the expression with this span; None if there is none.

        Spans are compared by identity, because those of other texts may have the same numbers.
        """
        if span is None:
            return None
        for component in self.components:
            if any(getattr(node, "span", None) is span for node in walk(component.expression)):
                return component
        return None


def in_words(reasons: Iterable[Reason]) -> str:
    """Render several reasons, those of the same kind combined."""
    alike = groupby(reasons, key=lambda one: one.kind)
    return "; then ".join(kind.format(render_names([one.subject for one in some])) for kind, some in alike)


def render_names(names: Sequence[str]) -> str:
    """Render a list of names as `a, b, c`; if there are many, only the first and the number of the others."""
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
