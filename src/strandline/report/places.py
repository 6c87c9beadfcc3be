"""Places of properties and steps in a model's text, for tools that show results beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.errors import InputError
from strandline.model.system import System
from strandline.report.html.sources import places_data
from strandline.source import Place, Span
from strandline.traces.following import actions_along
from strandline.traces.stored import MOST_HELD


def place_of_property(system: System, one: PropertyVerdict, steps: Sequence[tuple[str, Place | None]]) -> Place:
    """Return the place of a property: where it is declared or the model faults, else that of the trace's last step."""
    fault = None if one.trace is None else one.trace.fault
    if fault is not None and fault.span is not None:
        return system.source.place(fault.span)
    declared = next((span for name, span in _declared(system) if name == one.name and span is not None), None)
    if declared is not None:
        return system.source.place(declared)
    return next((place for _, place in reversed(steps) if place is not None), Place(system.source.name))


def _declared(system: System) -> Iterator[tuple[str, Span | None]]:
    yield from ((one.name, one.span) for one in (*system.assertions, *system.invariants, *system.goals))
    yield from ((one.name, one.span) for one in system.claims)


def place_of_error(error: InputError) -> Place | None:
    """Return the place of a mistake of the user; None if it belongs to no text."""
    if error.source is None:
        return None
    return Place(error.source.name) if error.span is None else error.source.place(error.span)


def place_of_result(result: Exploration | Verdict) -> Place | None:
    """Return the place of the first violated property of a result; None if none is violated."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    properties = result.properties if isinstance(result, Verdict) else (result.fault,)
    violated = next((one for one in properties if one is not None and one.answer is Answer.VIOLATED), None)
    if violated is None:
        return None
    return place_of_property(exploration.system, violated, places_of_steps(exploration.system, violated))


def places_of_steps(system: System, one: PropertyVerdict) -> list[tuple[str, Place | None]]:
    """Return the action of each step of a property's trace with its place; nothing for a very long trace."""
    trace = one.trace
    if trace is None or len(trace) > MOST_HELD:
        return []
    data = places_data(system, actions_along(system, trace))
    if data is None:
        return [(step.action, None) for step in trace]
    spans = [system.source.place(Span(start, end)) for start, end in data["spans"]]
    return [(step.action, spans[found[0]] if found else None) for step, found in zip(trace, data["steps"], strict=True)]
