"""Read and write traces as files: our own JSON, and ITF.

Reading returns a `RecordedTrace`, a claim: `strandline.traces.matching.fit` finds the path of a model that it
describes, or where it leaves the model. The formats are described in docs/simulate.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from strandline import __version__
from strandline.errors import InputError, ResourceError, UsageError
from strandline.source import Source, Span
from strandline.traces.encoding import encode_value, part, put
from strandline.traces.fields import fault_data, fault_of, loop_of, text_of
from strandline.traces.itf import itf_document, read_itf
from strandline.traces.matching import RecordedTrace
from strandline.traces.stored import MOST_HELD
from strandline.traces.streamed import Streamed, json_pieces
from strandline.traces.trace import Trace

FORMAT = "strandline-trace"
FORMAT_VERSION = 2
"""Version 1 had array elements as variables of their own and all values as texts; it is read, too."""
ITF_SUFFIX = ".itf.json"


def trace_data(trace: Trace, source: Source) -> dict[str, Any]:
    """Return a trace as plain data: the initial state in full, then the changes of every step.

    The steps of a long trace are `Streamed`.
    """

    def steps() -> Iterator[dict[str, Any]]:
        for step in trace.steps:
            changes = {one.name: [encode_value(one.old), encode_value(one.new)] for one in step.changes}
            yield {"action": step.action, "changes": changes}

    return {
        "length": len(trace),
        "initial": {name: encode_value(value) for name, value in trace.initial.items()},
        "steps": list(steps()) if len(trace) <= MOST_HELD else Streamed(steps),
        "loop": trace.loop,
        "fault": fault_data(trace.fault, source),
    }


def json_text_pieces(trace: Trace, source: Source) -> Iterator[str]:
    """Yield the trace in our own format, in pieces."""
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "model": source.name,
    }
    yield from json_pieces(head | trace_data(trace, source), 2)
    yield "\n"


def itf_text_pieces(trace: Trace, source: Source) -> Iterator[str]:
    """Yield the trace in ITF, in pieces."""
    yield from json_pieces(itf_document(trace, source), 2)
    yield "\n"


def read_trace(path: Path) -> RecordedTrace:
    """Read a trace from a file: our own JSON, the object that `check --json` prints, or ITF.

    The format is detected by the content. Raises `InputError` if it is none of them.
    """
    name = str(path)
    data = _parse(name, _read(path))
    if isinstance(data, dict):
        if "states" in data and "vars" in data:
            return read_itf(name, data)
        if "initial" in data and "steps" in data:
            return _read_own(name, data)
        if isinstance(data.get("trace"), dict):
            return _read_own(name, data["trace"])
        if "trace" in data:
            raise InputError(f"{name}: this report has no trace")
    raise InputError(
        f"{name}: this is no trace: neither our own JSON (with 'initial' and 'steps') nor ITF (with 'vars' "
        "and 'states')"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _parse(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        hint = "" if text.lstrip().startswith(("{", "[")) else "; traces are read as JSON or ITF"
        raise InputError(f"not JSON: {error.msg}{hint}", Source(name, text), Span(error.pos, error.pos + 1)) from None
    except ValueError as error:
        raise InputError(f"{name}: not a trace: {error}") from None
    except RecursionError:
        raise InputError(f"{name}: not a trace: nested too deeply") from None


def _read_own(name: str, data: Mapping[str, Any]) -> RecordedTrace:
    if "format" in data and (data["format"] != FORMAT or data.get("format_version") not in (1, FORMAT_VERSION)):
        raise InputError(
            f"{name}: written as '{data['format']}' version {data.get('format_version')}; "
            f"this program reads '{FORMAT}' version {FORMAT_VERSION}"
        )
    state = data["initial"]
    if not isinstance(state, dict):
        raise InputError(f"{name}: 'initial' must be an object of names and values")
    states, actions = [deepcopy(state)], []
    steps = data["steps"]
    if not isinstance(steps, list):
        raise InputError(f"{name}: 'steps' must be a list")
    for number, step in enumerate(steps, 1):
        where = f"step {number}"
        if not isinstance(step, dict) or not isinstance(step.get("changes", {}), dict):
            raise InputError(f"{name}: {where}: must be an object with 'action' and 'changes'")
        for variable, change in step.get("changes", {}).items():
            put(state, variable, _change(name, where, variable, change, state))
        states.append(deepcopy(state))
        actions.append(text_of(name, where, "action", step.get("action")))
    loop, fault = loop_of(name, data, len(states)), fault_of(name, data)
    return RecordedTrace(name, "json", tuple(states), tuple(actions), loop, fault)


def _change(name: str, where: str, variable: str, change: Any, state: Mapping[str, Any]) -> Any:
    if not isinstance(change, list) or len(change) != 2:
        raise InputError(f"{name}: {where}: the change of '{variable}' must be [old, new]")
    old, new = change
    known, before = part(state, variable)
    if known and before != old:
        raise InputError(f"{name}: {where}: '{variable}' changes from {old}, but was {before} before the step")
    return deepcopy(new)


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write a trace's text, given in pieces, to a file.

    Raises an error if that is not possible. If a limit is reached while the pieces are generated, no partial file is
    left.
    """
    try:
        with path.open("w", encoding="utf-8") as file:
            try:
                file.writelines(pieces)
            except ResourceError:
                if path.is_file():
                    path.unlink()
                raise
    except OSError as error:
        raise UsageError(f"{path}: the trace cannot be written: {error.strerror}") from None
