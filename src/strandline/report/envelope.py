"""The JSON object of every command: the common fields, and the object of a run without a verdict.

Imports nothing heavy: an error must be reported even in the middle of an import.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from strandline import __version__
from strandline.errors import InputError
from strandline.traces.streamed import json_pieces

SCHEMA_VERSION = 1

FIGURES = (
    "states",
    "transitions",
    "deadlocks",
    "visited",
    "revisited",
    "peak_states",
    "peak_bytes",
    "rss_bytes",
    "sweeps",
    "persistent",
    "regress_edges",
    "layers",
    "replaced",
    "spilled_bytes",
    "depth",
    "levels",
    "profile",
    "regress",
    "seconds",
    "compile_seconds",
    "engine_seconds",
)
"""The fields that a search fills; null where there was none."""


def render(data: dict[str, Any]) -> str:
    """Return the object as text, one line for each of its fields: readable, but long lists do not fill the screen."""
    return "".join(render_pieces(data))


def render_pieces(data: dict[str, Any]) -> Iterator[str]:
    """Return the object as text in pieces: long traces are made while they are written."""
    before = "{\n"
    for key, value in data.items():
        yield f"{before}  {json.dumps(key)}: "
        yield from json_pieces(value)
        before = ",\n"
    yield "\n}"


def head(command: str | None, exit_code: int) -> dict[str, Any]:
    """Return the fields with which every object begins."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "command": command,
        "exit_code": exit_code,
    }


def error_data(command: str | None, model: str | None, error: BaseException, exit_code: int) -> dict[str, Any]:
    """Return the object of a run that ended without a verdict: the fields of a search, unknown ones null."""
    message = error.on_command_line() if isinstance(error, InputError) else str(error)
    return {
        **head(command, exit_code),
        "model": model,
        "parameters": {},
        "verdict": "UNKNOWN",
        "complete": False,
        "reason": message.splitlines()[0] if message else type(error).__name__,
        "notes": [],
        **dict.fromkeys(FIGURES),
        "coverage": None,
        "order": None,
        "measure": None,
        "prediction": None,
        "por": None,
        "symmetry": None,
        "held_by": None,
        "told_apart": None,
        "merged": None,
        "store": None,
        "changed": None,
        "componentwise": None,
        "cache": None,
        "threads": None,
        "device": None,
        "sets": None,
        "properties": [],
        "trace": None,
        "error": {"type": type(error).__name__, "message": message, **_place(error)},
    }


def _place(error: BaseException) -> dict[str, Any]:
    place: dict[str, Any] = {"file": None, "line": None, "column": None}
    if isinstance(error, InputError) and error.source is not None:
        place["file"] = error.source.name
        if error.span is not None:
            place["line"], place["column"] = error.source.position(error.span.start)
    return place
