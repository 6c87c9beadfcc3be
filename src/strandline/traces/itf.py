"""Read and write ITF, the Informal Trace Format of Apalache and Quint (Apalache's ADR 015).

Written: one ITF variable for each variable of the model: arrays, queues and bags as lists, sets as `#set`, records as
records, integers as JSON numbers within 53 bits and as `#bigint` beyond, names of values as texts, `None` as that text;
the action that led to a state as `action` in the state's `#meta`. Read: also what other tools write, maps, tuples and
sets; a map becomes one value for each of its keys, as in `votes[2]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from strandline import __version__
from strandline.errors import InputError
from strandline.model.values import RecordValue, in_stable_order
from strandline.source import Source, saturated_int
from strandline.traces.fields import fault_data, fault_of, loop_of, text_of
from strandline.traces.matching import RecordedTrace
from strandline.traces.stored import MOST_HELD
from strandline.traces.streamed import Streamed
from strandline.traces.trace import Trace

_EXACT = 2**53 - 1
"""Larger integers are not safe as JSON numbers in every language."""
_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def itf_document(trace: Trace, source: Source) -> dict[str, Any]:
    """Return the trace as an ITF document; the states of a long one are `Streamed`."""
    meta: dict[str, Any] = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": source.name,
        "description": f"written by strandline {__version__}",
    }
    if trace.fault is not None:
        meta["fault"] = fault_data(trace.fault, source)
    document: dict[str, Any] = {"#meta": meta, "vars": list(trace.initial)}
    if trace.loop is not None:
        document["loop"] = trace.loop

    def states() -> Iterator[dict[str, Any]]:
        yield _state({"index": 0}, trace.initial)
        for number, step in enumerate(trace.steps, 1):
            yield _state({"index": number, "action": step.action}, step.state)

    return document | {"states": list(states()) if len(trace) <= MOST_HELD else Streamed(states)}


def _state(about: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    return {"#meta": about, **{name: _encode(value) for name, value in state.items()}}


def read_itf(name: str, data: Mapping[str, Any]) -> RecordedTrace:
    """Return the trace in an ITF document."""
    states = data["states"]
    if not isinstance(states, list) or not states or not all(isinstance(one, dict) for one in states):
        raise InputError(f"{name}: 'states' must be a list of objects, at least one")
    actions: list[str | None] = []
    flat = []
    for number, state in enumerate(states):
        meta = state.get("#meta", {})
        about = meta if isinstance(meta, dict) else {}
        if number:
            actions.append(text_of(name, f"state {number}", "action", about.get("action")))
        flat.append(_flatten(name, f"state {number}", state))
    meta = data.get("#meta", {})
    fault = fault_of(name, meta) if isinstance(meta, dict) else None
    return RecordedTrace(name, "itf", tuple(flat), tuple(actions), loop_of(name, data, len(states)), fault)


# Writing


def _encode(value: Any) -> Any:
    match value:
        case RecordValue():
            return {name: _encode(value[name]) for name in value}
        case frozenset():
            return {"#set": [_encode(one) for one in in_stable_order(value)]}
        case tuple():
            return [_encode(one) for one in value]
        case bool() | str():
            return value
        case int():
            return value if abs(value) <= _EXACT else {"#bigint": str(value)}
    return repr(value)


# Reading


def _flatten(name: str, where: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a state; a map gives one value per key, under the name of that part."""
    values: dict[str, Any] = {}
    for variable, value in state.items():
        if not variable.startswith("#"):
            values.update(_parts(name, where, variable, value))
    return values


def _parts(name: str, where: str, path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value that JSON can represent, each with its name."""
    if isinstance(value, dict) and "#map" in value:
        for key, part in _pairs(name, where, path, value["#map"]):
            yield from _parts(name, where, f"{path}[{key}]", part)
    elif isinstance(value, dict) and _has_map(value):
        for field, part in value.items():
            yield from _parts(name, where, f"{path}.{field}", part)
    elif isinstance(value, list) and _has_map(value):
        for index, part in enumerate(value):
            yield from _parts(name, where, f"{path}[{index}]", part)
    else:
        yield path, _decode(name, where, path, value)


def _has_map(value: Any) -> bool:
    """Return True if a value contains a map."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (isinstance(value, dict) and "#map" in value) or any(_has_map(one) for one in inner)


def _pairs(name: str, where: str, path: str, pairs: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(pairs, list) or not all(isinstance(one, list) and len(one) == 2 for one in pairs):
        raise InputError(f"{name}: {where}: '#map' of '{path}' must be a list of pairs")
    for key, part in pairs:
        yield _decode(name, where, path, key), part


def _decode(name: str, where: str, path: str, value: Any) -> Any:
    match value:
        case bool() | int() | str():
            return value
        case {"#bigint": str(text)} if _NUMBER.fullmatch(text):
            return saturated_int(text.lstrip("-")) * (-1 if text.startswith("-") else 1)
        case list(parts) | {"#set": list(parts)} | {"#tup": list(parts)}:
            return [_decode(name, where, path, part) for part in parts]
        case dict() if not any(key.startswith("#") for key in value):
            return {field: _decode(name, where, f"{path}.{field}", part) for field, part in value.items()}
    raise InputError(f"{name}: {where}: '{path}' has a value that ITF does not have: {str(value)[:60]}")
