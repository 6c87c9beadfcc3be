"""Read the text of an open model: its outline, or its first mistake."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from strandline.agents.processes import Budget, OverBudget, run_command
from strandline.editor.outlines import Outline, outline_of, with_ranges
from strandline.editor.python_outlines import outline_of_python
from strandline.errors import InputError, StrandlineError
from strandline.languages import LANGUAGES, Language, load
from strandline.source import Source, Span

EXPECTED = "expected.toml"
_BUDGET = Budget(30, 2048)
"""For loading a Python model in a process of its own."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a text: lines and columns from 0, in characters."""

    message: str
    first: tuple[int, int] = (0, 0)
    last: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a text: an outline, or none where there is a mistake."""

    outline: Outline | None
    mistakes: tuple[Mistake, ...] = ()


def read(path: Path, text: str) -> Reading:
    """Read a model in any language. A Python model is only parsed, never executed."""
    if path.name == EXPECTED:
        return Reading(_model_of_expected(path, text), expected_mistakes(text))
    source = Source(str(path), text)
    if path.suffix == ".py":
        return _read_python(source)
    try:
        language = cast(Language, import_module(LANGUAGES[path.suffix]))
        return Reading(outline_of(language.load(source)))
    except InputError as error:
        return Reading(None, (_mistake(error, source),))
    except (StrandlineError, RecursionError, MemoryError) as error:
        return Reading(None, (Mistake(str(error) or type(error).__name__),))


def _mistake(error: InputError, source: Source) -> Mistake:
    """Return the mistake; one in another file, such as an imported one, is shown in the first line."""
    if error.source is None or error.span is None or error.source.name != source.name:
        return Mistake(str(error) if error.source is not None else error.message)
    end = max(error.span.end, error.span.start + 1)
    return Mistake(error.message, _position(source, error.span.start), _position(source, end))


def _position(source: Source, offset: int) -> tuple[int, int]:
    line, column = source.position(offset)
    return line - 1, column - 1


def _read_python(source: Source) -> Reading:
    try:
        return Reading(outline_of_python(source))
    except SyntaxError as error:
        first = (max(0, (error.lineno or 1) - 1), max(0, (error.offset or 1) - 1))
        return Reading(None, (Mistake(error.msg, first, (first[0], first[1] + 1)),))
    except (ValueError, RecursionError) as error:
        return Reading(None, (Mistake(str(error)),))


def load_python(path: Path, outline: Outline) -> Reading:
    """Execute a saved Python model in a process of its own: its mistakes, and the ranges of its variables."""
    try:
        data = run_command(["info", "--json", "--", str(path)], _BUDGET, {}, path.parent)
    except OverBudget as limit:
        return Reading(outline, (Mistake(str(limit)),))
    if data["error"] is None:
        return Reading(with_ranges(outline, data["variables"]))
    return Reading(outline, (_reported(data["error"], outline.source),))


def _reported(error: Mapping[str, Any], source: Source) -> Mistake:
    message = str(error["message"])
    if error["line"] is None or Path(str(error["file"])).name != Path(source.name).name:
        return Mistake(message)
    # The message begins with the place and ends with the line and the caret, which an editor shows by itself.
    words = message.splitlines()[0].partition(f":{error['line']}:{error['column']}: ")[2] or message
    first = (int(error["line"]) - 1, int(error["column"]) - 1)
    carets = re.search(r"\^+", message.splitlines()[-1])
    return Mistake(words, first, (first[0], first[1] + (1 if carets is None else len(carets[0]))))


def _model_of_expected(path: Path, text: str) -> Outline | None:
    """Return the outline of the model that an `expected.toml` names, for the names in its claims; None without one."""
    found = re.search(r'^model\s*=\s*"([^"]+)"', text, re.MULTILINE)
    if found is None:
        return None
    file = path.parent / found[1].partition(".py:")[0]
    file = file.with_name(f"{file.name}.py") if ".py:" in found[1] else file
    try:
        if file.suffix == ".py":
            return replace(outline_of_python(Source(str(file), file.read_text("utf-8"))), claims=())
        return replace(outline_of(load(file)), claims=())
    except (OSError, SyntaxError, StrandlineError):
        return None


def expected_mistakes(text: str) -> tuple[Mistake, ...]:
    """Return the mistakes of an `expected.toml` that can be found without the model."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+), column (\d+)", str(error))
        first = (0, 0) if place is None else (int(place[1]) - 1, int(place[2]) - 1)
        return (Mistake(str(error), first, first),)
    return ()


def place_of(source: Source, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the lines and columns of a span, from 0."""
    return _position(source, span.start), _position(source, span.end)
