"""Progress measures given as text: `EXPR`, or `mono(EXPR)` for one that never decreases along a step.

Several measures are combined lexicographically, the first given counts most: monotone ones into the column,
the others into the layer (000 §2, 002 §5). The combination must fit 64 bits by the ranges of its parts, else
it is refused. Componentwise, what is combined only orders the layers: an edge regresses where any part decreases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from strandline.compile.kernel import Measure
from strandline.errors import InputError, MeasureError, Option, UsageError
from strandline.languages import parse_expression
from strandline.model.expression import Expression, walk
from strandline.model.intervals import Interval
from strandline.model.ranges import analyse_ranges
from strandline.model.system import System
from strandline.progress.lexicographic import DoesNotFit, combined
from strandline.source import Source, Span

_MONOTONE = re.compile(r"\s*(?P<word>mono)\s*\(")


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One measure as the user wrote it."""

    expression: Expression
    monotone: bool
    source: Source
    place: Span | None = None
    """Where it stands in the source; None where it is the whole of it."""
    name: str | None = None
    """Of one that the model declares."""

    @property
    def text(self) -> str:
        """As it was written, or what the model calls it."""
        return self.source.text if self.name is None else self.name

    def blame(self, message: str, span: Span | None = None) -> MeasureError:
        """An error that points at this measure."""
        return MeasureError(message, self.source, span or self.place or Span(0, len(self.source.text)))


@dataclass(frozen=True, slots=True, eq=False)
class ParsedMeasure:
    """All measures of a sweep and what they are combined to."""

    components: tuple[Component, ...]
    measure: Measure
    columns: Interval
    layers: Interval
    """What the two parts can be at most, by the ranges of the variables."""

    def fraction(self, line: tuple[int, int]) -> float:
        """How far a line has come on its way from the least to the largest progress, from 0 to 1."""
        (first, last), (lowest, highest) = self.columns, self.layers
        inside = (line[1] - lowest) / (highest - lowest + 1)
        return min(max((line[0] - first + inside) / (last - first + 1), 0.0), 1.0)

    def owner(self, span: Span | None) -> Component | None:
        """The component one of whose parts stands at just this span; a span is told by its identity, because
        the spans of other texts may have the same numbers."""
        for component in self.components:
            if any(getattr(node, "span", None) is span for node in walk(component.expression)):
                return None if span is None else component
        return None


def parse_measures(texts: Sequence[str], system: System, *, componentwise: bool = False) -> ParsedMeasure:
    """The measure of a sweep from one or more texts; `componentwise` as in `Options`."""
    return _measure(
        tuple(
            _component(text, system, "measure" if len(texts) == 1 else f"measure {number}")
            for number, text in enumerate(texts, 1)
        ),
        system,
        componentwise,
    )


def declared_measures(system: System, *, componentwise: bool = False) -> ParsedMeasure:
    """The measure of a sweep from what the model declares; a `UsageError` where it declares none."""
    if not system.measures:
        raise UsageError("a sweep needs a measure of progress: give {}", options=[Option("measure", "EXPR")])
    components = (
        Component(one.expression, one.monotone, system.source, one.span, one.name) for one in system.measures
    )
    return _measure(tuple(components), system, componentwise)


def _measure(components: tuple[Component, ...], system: System, componentwise: bool) -> ParsedMeasure:
    column = _combined([one for one in components if one.monotone], system)
    falling = [one for one in components if not one.monotone]
    layer = _combined(falling, system)
    environment = analyse_ranges(system).environment()
    # A lexicographic combination is a linear extension. Of a single component it is the order itself.
    compared = tuple(one.expression for one in falling) if componentwise and len(falling) > 1 else ()
    return ParsedMeasure(
        components, Measure(column, layer, compared), environment.fitted(column), environment.fitted(layer)
    )


def _component(text: str, system: System, name: str) -> Component:
    opening = _MONOTONE.match(text)
    monotone = opening is not None and _closes_last(text, opening.end())
    # The form is blanked out and not cut off, so that places in messages are places in what was written.
    inner = text
    if opening is not None and monotone:
        inner = " " * opening.end() + text[opening.end() : text.rindex(")")] + " "
    source = Source(name, text)
    if opening is not None and not monotone:
        closed = text.count("(") <= text.count(")")
        problem = "'mono(...)' goes around the whole measure" if closed else "the parenthesis is not closed"
        raise MeasureError(problem, source, Span(opening.start("word"), opening.end()))
    if text.strip() == "auto":
        raise UsageError("{} stands alone: it finds the whole measure", options=[Option("measure", "auto")])
    try:
        return Component(parse_expression(inner, system, name=name), monotone, source)
    except InputError as error:
        raise type(error)(error.message, source, error.span) from None


def _closes_last(text: str, start: int) -> bool:
    """Whether the parenthesis opened before `start` is closed by the last character of the text."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return not text[place + 1 :].strip()
    return False


def _combined(components: Sequence[Component], system: System) -> Expression:
    try:
        return combined([one.expression for one in components], analyse_ranges(system).environment())
    except DoesNotFit as misfit:
        message = "combined with the measures before it, the result may not fit 64 bits"
        raise components[misfit.number].blame(message) from None
