"""The JSON object of every command: the common fields, and the object of a run without a verdict.

This module imports nothing heavy: an error must be reported even in the middle of an import.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from strandline import __version__
from strandline.checker.verdicts.statistics import table
from strandline.errors import InputError
from strandline.traces.streamed import json_pieces

SCHEMA_VERSION = 2

_LAST = (
    "coverage",
    "order",
    "measure",
    "prediction",
    "por",
    "symmetry",
    "symmetry_variables",
    "not_symmetric",
    "merged",
    "store",
    "fallbacks",
    "componentwise",
    "cache",
    "threads",
    "device",
    "bdds",
)
"""The fields that follow the numbers of `FIGURES`: options, and statistics that are structures."""
FIGURES = tuple(one.key for one in table() if one.key is not None and one.key not in _LAST)
SEARCH_FIELDS = (*FIGURES, *_LAST)
"""The fields that a search fills, in their order; null if there was no search."""


def render(data: dict[str, Any]) -> str:
    """Return the object as JSON text, with one line for each of its fields: readable, without filling the screen."""
    return "".join(render_pieces(data))


def render_pieces(data: dict[str, Any]) -> Iterator[str]:
    """Yield the JSON text of the object in pieces: long traces are rendered while they are written."""
    before = "{\n"
    for key, value in data.items():
        yield f"{before}  {json.dumps(key)}: "
        yield from json_pieces(value)
        before = ",\n"
    yield "\n}"


def head(command: str | None, exit_code: int) -> dict[str, Any]:
    """Return the fields with which the JSON object of every command begins."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "command": command,
        "exit_code": exit_code,
    }


def error_data(command: str | None, model: str | None, error: BaseException, exit_code: int) -> dict[str, Any]:
    """Return the JSON object of a run that ended with an error: the fields of a search, unknown ones null."""
    message = error.on_command_line() if isinstance(error, InputError) else str(error)
    return {
        **head(command, exit_code),
        "model": model,
        "parameters": {},
        "verdict": "UNKNOWN",
        "complete": False,
        "reason": message.splitlines()[0] if message else type(error).__name__,
        "notes": [],
        **dict.fromkeys(SEARCH_FIELDS),
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
