"""The verdict on a log as text and as data; `html/conformance.py` makes a page of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from strandline.conformance.logs import Entry
from strandline.conformance.verdict import Conformance, Conforms, Deviation, ModelCoverage, Reason
from strandline.model.values import show
from strandline.report.envelope import head
from strandline.report.exit_codes import HOLDS, SAFETY, UNKNOWN
from strandline.report.style import Style, with_noun
from strandline.traces.encoding import encode_value
from strandline.traces.text import change_lines, state_lines
from strandline.traces.trace_files import trace_data

CODES = {Conforms.CONFORMS: HOLDS, Conforms.DEVIATES: SAFETY, Conforms.UNKNOWN: UNKNOWN}
_COLOURS = {Conforms.CONFORMS: "green", Conforms.DEVIATES: "red", Conforms.UNKNOWN: "yellow"}
_LAST_STEPS, _MOST_REASONS, _MOST_NAMES = 8, 6, 12


def conformance_text(result: Conformance, style: Style | None = None, *, full: bool = False) -> str:
    """Return the report for people; with `full`, the whole trace and whole states."""
    style = style or Style()
    title = style.paint(result.answer.value, _COLOURS[result.answer], "bold")
    lines = [f"{title}  {result.system.title}"]
    if result.reason is not None:
        lines.append(f"  {result.reason}")
    if result.deviation is not None:
        lines += ["", *_deviation_lines(result.deviation, style, full=full)]
    rate = f", {result.events / result.seconds:,.0f} a second" if result.events > 10_000 and result.seconds else ""
    logs = "" if len(result.logs) == 1 else f" in {len(result.logs)} logs"
    lines += ["", f"  {with_noun(result.events, 'event')}{logs}{rate}"]
    if result.answer is Conforms.CONFORMS and result.candidates > 1:
        lines.append(f"  the model may be in {with_noun(result.candidates, 'state')} at the end")
    return "\n".join([*lines, *coverage_lines(result.coverage)])


def coverage_lines(coverage: ModelCoverage) -> list[str]:
    """Return the lines about the actions and locations that logs exercised."""
    lines = [f"  actions exercised: {len(coverage.certain) + len(coverage.possible)} of {coverage.actions}"]
    if coverage.possible and coverage.certain:
        lines.append(f"    perhaps: {_names(coverage.possible)}")
    if coverage.never:
        lines.append(f"    never: {_names(coverage.never)}")
    if coverage.unreached:
        lines.append(f"  locations never reached: {_names(coverage.unreached)}")
    return lines


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (
        f", and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    )


def event_text(entry: Entry) -> str:
    """Return an event in one line."""
    return json.dumps(entry.fields, ensure_ascii=False)


def _deviation_lines(deviation: Deviation, style: Style, *, full: bool) -> Iterator[str]:
    event = deviation.event
    yield f"{event.place}: no step of the model is this event"
    yield f"  {event_text(event)}"
    matched = (
        f"{with_noun(deviation.matched, 'event')} in front of it {'matches' if deviation.matched == 1 else 'match'}"
    )
    yield f"  {matched}" + ("" if deviation.last is None else f", the last one is {deviation.last.place}")
    yield ""
    for reason in deviation.reasons[: None if full else _MOST_REASONS]:
        yield f"  {style.paint(reason.action, 'bold')}: {reason.words}{_share(reason)}"
    if not full and len(deviation.reasons) > _MOST_REASONS:
        yield f"  ... and {len(deviation.reasons) - _MOST_REASONS} more actions (--full)"
    if deviation.missing:
        yield ""
        yield f"  the event would match after {' and '.join(deviation.missing)}"
    yield ""
    if deviation.candidates > 1:
        yield f"  the model may be in {deviation.candidates:,} states, for example"
    else:
        yield "  the state of the model"
    yield from state_lines(deviation.state, style.paint)
    for one in deviation.differences:
        yield f"    {one.name} may be {', '.join(map(show, one.values))}"
    yield ""
    yield from _trace_lines(deviation, style, full=full)


def _share(reason: Reason) -> str:
    return "" if reason.of <= 1 else f" (in {reason.states} of {reason.of} states)"


def _trace_lines(deviation: Deviation, style: Style, *, full: bool) -> Iterator[str]:
    steps = deviation.trace.steps
    skipped = 0 if full else max(0, len(steps) - _LAST_STEPS)
    yield f"  a run of the model with the events that match{', its last steps' if skipped else ''}"
    if not skipped:
        yield from state_lines(deviation.trace.initial, style.paint)
    for number, (step, entry) in enumerate(zip(steps, deviation.events, strict=True), 1):
        if number > skipped:
            place = "not logged" if entry is None else entry.place
            yield f"  {number:>3}  {step.action}  {style.paint(f'({place})', 'dim')}"
            yield from change_lines(step, "         ", style.paint)


def conformance_data(result: Conformance, model: str, code: int) -> dict[str, Any]:
    """Return the JSON object of `strandline conform`."""
    return {
        **head("conform", code),
        "model": model,
        "verdict": result.answer.value,
        "reason": result.reason,
        "logs": list(result.logs),
        "events": result.events,
        "candidates": result.candidates,
        "deviation": None if result.deviation is None else _deviation_data(result.deviation, result),
        "coverage": {
            "actions": result.coverage.actions,
            "certain": list(result.coverage.certain),
            "possible": list(result.coverage.possible),
            "never": list(result.coverage.never),
            "locations": list(result.coverage.locations),
            "unreached": list(result.coverage.unreached),
        },
        "seconds": round(result.seconds, 6),
        "error": None,
    }


def _deviation_data(deviation: Deviation, result: Conformance) -> dict[str, Any]:
    return {
        "event": _entry_data(deviation.event),
        "last": None if deviation.last is None else _entry_data(deviation.last),
        "matched": deviation.matched,
        "candidates": deviation.candidates,
        "state": {name: encode_value(value) for name, value in deviation.state.items()},
        "differences": {one.name: [encode_value(value) for value in one.values] for one in deviation.differences},
        "reasons": [
            {
                "action": one.action,
                "kind": one.kind,
                "words": one.words,
                "part": one.part,
                "model": encode_value(one.model),
                "logged": encode_value(one.logged),
                "states": one.states,
                "of": one.of,
            }
            for one in deviation.reasons
        ],
        "missing": list(deviation.missing),
        "first": deviation.first,
        "events": [None if one is None else _entry_data(one) for one in deviation.events],
        "trace": trace_data(deviation.trace, result.system.source),
    }


def _entry_data(entry: Entry) -> dict[str, Any]:
    return {"log": entry.log, "line": entry.line, "fields": entry.fields}
