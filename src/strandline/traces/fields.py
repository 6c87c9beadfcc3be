"""Validate the fields that trace files of all formats have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strandline.errors import InputError
from strandline.source import Source
from strandline.traces.matching import RecordedFault
from strandline.traces.trace import TraceFault


def text_of(name: str, where: str, field: str, value: Any) -> str | None:
    """Return a text field, or None if it is missing."""
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name}: {where}: '{field}' must be a text")
    return value


def fault_data(fault: TraceFault | None, source: Source) -> dict[str, Any] | None:
    """Return the fault at a trace's end as plain data."""
    if fault is None:
        return None
    place = None if fault.span is None else source.where(fault.span)
    return {"kind": fault.kind, "detail": fault.detail or None, "at": place, "action": fault.action}


def fault_of(name: str, data: Mapping[str, Any]) -> RecordedFault | None:
    """Return the fault at the trace's end, if it has one."""
    value = data.get("fault")
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise InputError(f"{name}: 'fault' must be an object with 'kind' and 'action'")
    return RecordedFault(value["kind"], text_of(name, "fault", "action", value.get("action")))


def loop_of(name: str, data: Mapping[str, Any], states: int) -> int | None:
    """Return the number of the state to which the trace returns, or None."""
    loop = data.get("loop")
    if loop is not None and (type(loop) is not int or not 0 <= loop < states):
        raise InputError(f"{name}: 'loop' must be the number of a state, 0 to {states - 1}, not {loop!r}")
    return loop
