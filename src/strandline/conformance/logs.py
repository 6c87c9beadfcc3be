"""Logs: JSON lines, ITF, or any iterable of dictionaries, read as entries in their order.

Lines are parsed in batches, which is faster; a batch with a mistake is parsed again line by line, so that the message
points at it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from strandline.conformance.maps import LogMap
from strandline.conformance.patterns import ANY, OBSERVATION
from strandline.errors import InputError, UsageError
from strandline.source import Source, Span
from strandline.traces.trace_files import ITF_SUFFIX, read_trace

BATCH = 512
_PAUSE = 0.1
"""Seconds between two looks at a file that is followed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event of a log: its fields, and its line in the log, from 1 on."""

    fields: dict[str, Any]
    log: str
    line: int
    text: str = ""

    @property
    def place(self) -> str:
        """The log and the line, as editors understand them."""
        return f"{self.log}:{self.line}"

    def fail(self, message: str, part: str | None = None) -> NoReturn:
        """Raise the error about a part of the entry: a text that stands in it."""
        raise InputError(*self._placed(message, part))

    def _placed(self, message: str, part: str | None) -> tuple[str, Source | None, Span | None]:
        if not self.text:
            return f"{self.log}: event {self.line}: {message}", None, None
        at = -1 if part is None else self.text.find(json.dumps(part))
        span = Span(0, len(self.text)) if at < 0 else Span(at, at + len(json.dumps(part)))
        # Empty lines in front give the line its number in the file.
        before = "\n" * (self.line - 1)
        shifted = span.shift(len(before))
        return message, Source(self.log, before + self.text), shifted


@dataclass(frozen=True, slots=True)
class Batch:
    """Some entries of a log in sequence. `texts` are their lines, empty where there are none."""

    log: str
    fields: list[dict[str, Any]]
    lines: list[int]
    texts: list[str]

    def entry(self, number: int) -> Entry:
        return Entry(self.fields[number], self.log, self.lines[number], self.texts[number] if self.texts else "")


def read_batches(
    log: str | Path | Iterable[Mapping[str, Any]], log_map: LogMap, *, follow: bool = False
) -> Iterator[Batch]:
    """Yield the entries of a log in batches. With `follow`, wait for further lines for ever, with empty batches."""
    if isinstance(log, str | Path):
        if str(log).endswith(ITF_SUFFIX):
            if follow:
                raise UsageError(f"{log}: a log in ITF is one document, and cannot be followed")
            yield _read_itf(Path(log), log_map)
        else:
            yield from _read_lines(Path(log), follow=follow)
        return
    number, events = 0, iter(log)
    while batch := list(islice(events, BATCH)):
        for place, one in enumerate(batch, number + 1):
            if not isinstance(one, Mapping):
                raise UsageError(f"event {place} of the log is no dictionary but {type(one).__name__}")
        yield Batch("log", [dict(one) for one in batch], list(range(number + 1, number + len(batch) + 1)), [])
        number += len(batch)


def _read_lines(path: Path, *, follow: bool) -> Iterator[Batch]:
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            while True:
                lines = _complete_lines(file) if follow else list(islice(file, BATCH))
                if lines:
                    yield _parse(str(path), lines, number)
                    number += len(lines)
                elif not follow:
                    return
                else:
                    time.sleep(_PAUSE)
                    # The caller tests its time limit between batches.
                    yield Batch(str(path), [], [], [])
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _complete_lines(file: Any) -> list[str]:
    """Return the next lines that are complete; a line that is still being written stays unread."""
    lines: list[str] = []
    while len(lines) < BATCH:
        place = file.tell()
        line = file.readline()
        if not line.endswith("\n"):
            file.seek(place)
            break
        lines.append(line)
    return lines


def _parse(log: str, lines: list[str], before: int) -> Batch:
    """Parse lines; blank ones are left out."""
    numbered = [(number, line) for number, line in enumerate(lines, before + 1) if not line.isspace()]
    texts = [line for _, line in numbered]
    try:
        found = json.loads(f"[{','.join(texts)}]")
    except (ValueError, RecursionError):
        found = []
    if len(found) != len(texts) or not all(type(one) is dict for one in found):
        found = [_parse_line(log, number, line.rstrip("\r\n")) for number, line in numbered]
    return Batch(log, found, [number for number, _ in numbered], texts)


def _parse_line(log: str, number: int, text: str) -> dict[str, Any]:
    before = "\n" * (number - 1)
    source = Source(log, before + text)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        at = len(before) + error.pos
        cut = "; the line is cut off" if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg else ""
        raise InputError(f"not JSON: {error.msg}{cut}", source, Span(at, at + 1)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", source, Span(len(before), len(source.text))) from None
    if not isinstance(found, dict):
        raise InputError("an event is a JSON object", source, Span(len(before), len(source.text)))
    return found


def _read_itf(path: Path, log_map: LogMap) -> Batch:
    recorded = read_trace(path)
    if recorded.format != "itf":
        raise InputError(f"{path}: this is no ITF")
    named = [
        {log_map.event: action or ANY, **state}
        for action, state in zip((None, *recorded.actions), recorded.states, strict=True)
    ]
    named[0][log_map.event] = OBSERVATION
    return Batch(str(path), named, list(range(len(named))), [])
