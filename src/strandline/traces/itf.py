"""ITF, the Informal Trace Format of Apalache and Quint (Apalache's ADR 015).

Out: one ITF variable for each variable, arrays as lists; whole numbers as JSON numbers within 53 bits and as
`#bigint` beyond; names of values as texts; what led to a state as `action` in the state's `#meta`. In: also
what other tools write, maps, records, tuples and sets; a function or record becomes one variable for each of
its parts, as in `votes[2]` and `leader.term`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from strandline import __version__
from strandline.errors import InputError
from strandline.source import Source
from strandline.traces.fields import fault_data, fault_of, loop_of, text_of
from strandline.traces.matching import RecordedTrace
from strandline.traces.trace import Trace

_EXACT = 2**53 - 1
"""Whole numbers beyond this are not safe as JSON numbers in every language."""
_NUMBER = re.compile(r"0|-?[1-9][0-9]*")
_ELEMENT = re.compile(r"(.+)\[([0-9]+)\]")
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


def itf_document(trace: Trace, source: Source) -> dict[str, Any]:
    """The trace as an ITF document."""
    meta: dict[str, Any] = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": source.name,
        "description": f"written by strandline {__version__}",
    }
    if trace.fault is not None:
        meta["fault"] = fault_data(trace.fault, source)
    arrays = _arrays([name for name, _ in trace.initial])
    states = []
    for number, state in enumerate(trace.states()):
        about: dict[str, Any] = {"index": number}
        if number:
            about["action"] = trace.steps[number - 1].action
        states.append({"#meta": about, **_grouped(state, arrays)})
    document: dict[str, Any] = {"#meta": meta, "vars": [name for name in states[0] if name != "#meta"]}
    if trace.loop is not None:
        document["loop"] = trace.loop
    return document | {"states": states}


def read_itf(name: str, data: Mapping[str, Any]) -> RecordedTrace:
    """The trace that an ITF document tells."""
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
        flat.append(_flattened(name, f"state {number}", state))
    meta = data.get("#meta", {})
    fault = fault_of(name, meta) if isinstance(meta, dict) else None
    return RecordedTrace(name, "itf", tuple(flat), tuple(actions), loop_of(name, data, len(states)), fault)


# Out


def _arrays(names: list[str]) -> dict[str, tuple[str, ...]]:
    """Arrays among the names of a state, with the names of their elements 0, 1, ..., in this order."""
    elements: dict[str, list[str]] = {}
    for name in names:
        match = _ELEMENT.fullmatch(name)
        if match is not None and int(match[2]) == len(elements.setdefault(match[1], [])):
            elements[match[1]].append(name)
    taken = set(names)
    counted = {base: sum(name.startswith(f"{base}[") for name in names) for base in elements}
    return {
        base: tuple(found)
        for base, found in elements.items()
        if base not in taken and len(found) == counted[base]
    }


def _grouped(state: Mapping[str, str], arrays: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    owner = {name: base for base, names in arrays.items() for name in names}
    grouped: dict[str, Any] = {}
    for name, value in state.items():
        if name not in owner:
            grouped[name] = _encoded(value)
        elif owner[name] not in grouped:
            grouped[owner[name]] = [_encoded(state[one]) for one in arrays[owner[name]]]
    return grouped


def _encoded(text: str) -> Any:
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _NUMBER.fullmatch(text) is None:
        return text
    number = int(text)
    return number if abs(number) <= _EXACT else {"#bigint": text}


# In


def _flattened(name: str, where: str, state: Mapping[str, Any]) -> dict[str, str]:
    values: dict[str, str] = {}
    for variable, value in state.items():
        if not variable.startswith("#"):
            values.update(_leaves(name, where, variable, value))
    return values


def _leaves(name: str, where: str, path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The parts of a value that are single values, each with the name of a variable."""
    if isinstance(value, dict) and "#tup" in value:
        value = value["#tup"]
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(name, where, f"{path}[{index}]", part)
    elif isinstance(value, dict) and "#map" in value:
        for key, part in _pairs(name, where, path, value["#map"]):
            yield from _leaves(name, where, f"{path}[{key}]", part)
    elif isinstance(value, dict) and not any(key.startswith("#") for key in value):
        for field, part in value.items():
            yield from _leaves(name, where, f"{path}.{field}", part)
    else:
        yield path, _decoded(name, where, path, value)


def _pairs(name: str, where: str, path: str, pairs: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(pairs, list) or not all(isinstance(one, list) and len(one) == 2 for one in pairs):
        raise InputError(f"{name}: {where}: '#map' of '{path}' must be a list of pairs")
    for key, part in pairs:
        yield _decoded(name, where, path, key), part


def _decoded(name: str, where: str, path: str, value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | str():
            return str(value)
        case {"#bigint": str(text)} if _NUMBER.fullmatch(text):
            return text
        case {"#set": list(parts)}:
            return "{" + ", ".join(sorted(_decoded(name, where, path, part) for part in parts)) + "}"
    raise InputError(f"{name}: {where}: '{path}' has a value that ITF does not have: {str(value)[:60]}")
