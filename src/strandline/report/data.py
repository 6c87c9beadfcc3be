"""Verdicts, traces and errors as plain data for `--json`: one object in every case, errors and limits too."""

from __future__ import annotations

from typing import Any

from strandline import __version__
from strandline.check.verdict import Exploration, PropertyVerdict, Statistics, Verdict
from strandline.errors import InputError
from strandline.source import Source
from strandline.traces.trace import Trace

SCHEMA_VERSION = 1
_LONGEST_PROFILE = 10_000
"""A breadth-first search with more levels than this lists none of them."""


def result_data(result: Exploration | Verdict, exit_code: int) -> dict[str, Any]:
    """The object for a finished search."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    source = exploration.system.source
    properties = list(result.properties) if isinstance(result, Verdict) else []
    if isinstance(result, Exploration) and result.fault is not None:
        properties = [result.fault]
    return {
        **_head("check" if isinstance(result, Verdict) else "explore", exit_code),
        "model": source.name,
        "verdict": result.answer.value,
        "complete": result.complete,
        "reason": result.reason,
        **_statistics(exploration.statistics),
        "order": exploration.options.order,
        "measure": list(exploration.options.measure),
        "properties": [_property(one, source) for one in properties],
        "trace": None if result.trace is None else trace_data(result.trace, source),
        "error": None,
    }


def error_data(command: str | None, model: str | None, error: BaseException, exit_code: int) -> dict[str, Any]:
    """The object for a run that ended without a verdict: the same fields, what is not known null."""
    message = str(error)
    return {
        **_head(command, exit_code),
        "model": model,
        "verdict": "UNKNOWN",
        "complete": False,
        "reason": message.splitlines()[0] if message else type(error).__name__,
        **dict.fromkeys(_statistics(Statistics())),
        "order": None,
        "measure": None,
        "properties": [],
        "trace": None,
        "error": {"type": type(error).__name__, "message": message, **_place(error)},
    }


def trace_data(trace: Trace, source: Source) -> dict[str, Any]:
    """A trace: the initial state in full, then for every step what changed."""
    fault = None
    if trace.fault is not None:
        place = None if trace.fault.span is None else source.where(trace.fault.span)
        fault = {"kind": trace.fault.kind, "at": place, "action": trace.fault.action}
    return {
        "length": len(trace),
        "initial": dict(trace.initial),
        "steps": [
            {"action": step.action, "changes": {one.name: [one.old, one.new] for one in step.changes}}
            for step in trace.steps
        ],
        "loop": trace.loop,
        "fault": fault,
    }


def _head(command: str | None, exit_code: int) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "command": command,
        "exit_code": exit_code,
    }


def _statistics(statistics: Statistics) -> dict[str, Any]:
    levels = list(statistics.levels) if len(statistics.levels) <= _LONGEST_PROFILE else None
    return {
        "states": statistics.states,
        "transitions": statistics.transitions,
        "deadlocks": statistics.deadlocks,
        "visited": statistics.visited,
        "peak_states": statistics.peak_states,
        "peak_bytes": statistics.peak_bytes,
        "rss_bytes": statistics.rss_bytes,
        "sweeps": statistics.sweeps,
        "persistent": statistics.persistent,
        "regress_edges": statistics.regress_edges,
        "layers": statistics.layers,
        "depth": len(statistics.levels) - 1 if statistics.levels else None,
        "levels": levels or None,
        "seconds": round(statistics.seconds, 6),
        "compile_seconds": round(statistics.compile_seconds, 6),
        "engine_seconds": round(statistics.engine_seconds, 6),
    }


def _property(one: PropertyVerdict, source: Source) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "verdict": one.answer.value,
        "reason": one.reason,
        "trace": None if one.trace is None else trace_data(one.trace, source),
    }


def _place(error: BaseException) -> dict[str, Any]:
    place: dict[str, Any] = {"file": None, "line": None, "column": None}
    if isinstance(error, InputError) and error.source is not None:
        place["file"] = error.source.name
        if error.span is not None:
            place["line"], place["column"] = error.source.position(error.span.start)
    return place
