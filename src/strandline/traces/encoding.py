"""Encode values of traces as JSON, decode them, and compare a file's value with the model's.

Arrays, queues, bags and sets are lists, records are objects, None is null; a value that is none of the model's types (a
state of `from_callables`) is its text. A file may be less precise: numbers and truth values as texts, a record with
some of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from strandline.model.values import Multiset, RecordValue, in_stable_order, show
from strandline.source import saturated_int

_STEP = re.compile(r"\[([^\[\]]+)\]|\.([^.\[\]]+)")
_SPELLINGS = {"true": "1", "True": "1", "TRUE": "1", "false": "0", "False": "0", "FALSE": "0"}


def encode_value(value: Any) -> Any:
    """Convert a value to JSON types."""
    match value:
        case RecordValue():
            return {name: encode_value(value[name]) for name in value}
        case frozenset():
            return [encode_value(one) for one in in_stable_order(value)]
        case tuple() | list():
            return [encode_value(one) for one in value]
        case bool() | int() | str() | None:
            return value
    return repr(value)


def part(state: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Look up a path such as `votes[1].says` in a state; return whether there is such a part, and its value.

    A prefix before a dot that is no variable itself is treated as a record of the variables with that prefix.
    """
    if path in state:
        return True, state[path]
    owned = {name[len(path) + 1 :]: value for name, value in state.items() if name.startswith(f"{path}.")}
    if owned:
        return True, RecordValue(path, owned)
    name = max((one for one in state if path.startswith(one)), key=len, default=None)
    if name is None:
        return False, None
    value, end = state[name], len(name)
    while end < len(path):
        step = _STEP.match(path, end)
        if step is None:
            return False, None
        index, field, end = step[1], step[2], step.end()
        if field is not None and isinstance(value, RecordValue | dict) and field in value:
            value = value[field]
        elif (
            index is not None
            and isinstance(value, tuple | list)
            and index.isdecimal()
            and saturated_int(index) < len(value)
        ):
            value = value[int(index)]
        else:
            return False, None
    return True, value


def put(state: dict[str, Any], path: str, value: Any) -> None:
    """Replace the part at a path in a state of plain lists and objects."""
    outer = path[: path.rfind("[")] if path.endswith("]") else path[: path.rfind(".")]
    known, holder = part(state, outer) if path not in state and outer else (False, None)
    index = path[len(outer) + 1 : -1]
    if known and isinstance(holder, list) and index.isdecimal() and saturated_int(index) < len(holder):
        holder[int(index)] = value
    elif known and isinstance(holder, dict):
        holder[path[len(outer) + 1 :]] = value
    else:
        state[path] = value


def agrees(value: Any, recorded: Any) -> bool:
    """Return True if a value of a file matches a value of the model."""
    if isinstance(value, RecordValue):
        return isinstance(recorded, dict) and all(
            name in value and agrees(value[name], inner) for name, inner in recorded.items()
        )
    if isinstance(value, Multiset | frozenset):
        rest = list(value)
        return (
            isinstance(recorded, list | tuple)
            and len(recorded) == len(rest)
            and all(_remove_match(rest, one) for one in recorded)
        )
    if isinstance(value, tuple):
        return (
            isinstance(recorded, list | tuple)
            and len(recorded) == len(value)
            and all(agrees(one, other) for one, other in zip(value, recorded, strict=True))
        )
    return not isinstance(recorded, list | tuple | dict) and same(show(encode_value(value)), show(recorded))


def _remove_match(values: list[Any], recorded: Any) -> bool:
    """Remove one value that matches a value of the file; return False if there is none."""
    found = next((place for place, one in enumerate(values) if agrees(one, recorded)), None)
    if found is not None:
        del values[found]
    return found is not None


def same(one: str, other: str) -> bool:
    """Return True if two texts are the same value; a truth value may be a number or a word."""
    return one == other or _SPELLINGS.get(one, one) == _SPELLINGS.get(other, other)
