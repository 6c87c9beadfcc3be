"""Progress measures as text: `EXPR`, or `mono(EXPR)` for one that never decreases along a step.

Their meaning, and how several make one measure, is described in `strandline.model.measure`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from strandline.analysis.measure_combination import measure_of
from strandline.errors import InputError, MeasureError, ModelError, Option, UsageError
from strandline.model.expression import variables_read
from strandline.model.measure import Component, Measure, Reason
from strandline.model.system import System
from strandline.source import Source, Span

_MONOTONE = re.compile(r"\s*(?P<word>mono)\s*\(")


def parse_measures(texts: Sequence[str], system: System, *, componentwise: bool = False) -> Measure:
    """Parse the measure of a sweep from one or more texts; `componentwise` as in `Options`."""
    components = [
        _component(text, system, "measure" if len(texts) == 1 else f"measure {number}")
        for number, text in enumerate(texts, 1)
    ]
    return measure_of(components, system, componentwise=componentwise)


def component_text(component: Component, system: System) -> str:
    """Render a component of a measure: as its author wrote or named it, or, if found, in the model's language."""
    return system.scope.render(component.expression) if component.name is None else component.name


def measure_texts(measure: Measure, system: System) -> tuple[str, ...]:
    """Render each component of a measure as the argument of a `--measure`; together they give the same measure."""
    texts = [(system.scope.render(one.expression), one.monotone) for one in measure.components] or [("0", False)]
    return tuple(f"mono({text})" if monotone else text for text, monotone in texts)


def _component(text: str, system: System, name: str) -> Component:
    opening = _MONOTONE.match(text)
    monotone = opening is not None and _closes_last(text, opening.end())
    # `mono(...)` is blanked out, not cut off, so that places in messages are places in the user's text.
    inner = text
    if opening is not None and monotone:
        inner = " " * opening.end() + text[opening.end() : text.rindex(")")] + " "
    source = Source(name, text)
    if opening is not None and not monotone:
        closed = text.count("(") <= text.count(")")
        problem = "'mono(...)' goes around the whole measure" if closed else "the parenthesis is not closed"
        raise MeasureError(problem, source, Span(opening.start("word"), opening.end()))
    if text.strip() == "auto":
        raise UsageError(
            "{} cannot be combined with other measures: it finds the whole measure", options=[Option("measure", "auto")]
        )
    try:
        expression = system.scope.parse(inner, name=name)
        if variables_read(expression) & set(system.scope.histories):
            raise ModelError("a measure cannot refer to the last step", Source(name, inner), Span(0, len(inner)))
    except InputError as error:
        raise type(error)(error.message, source, error.span) from None
    whole = Span(0, len(text))
    return Component(expression, monotone, text, Reason("given: {}", text), source, whole)


def _closes_last(text: str, start: int) -> bool:
    """Return True if the parenthesis opened before `start` is closed by the last character of the text."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return not text[place + 1 :].strip()
    return False
