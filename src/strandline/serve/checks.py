"""Checks in the background of the server: progress, cancellation, result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import isfinite, nan
from threading import Lock, Thread
from typing import Any

from strandline.checker.decisions.checks import check_selection
from strandline.checker.limits.memory import MemoryLimit
from strandline.checker.limits.progress import Progress
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import select
from strandline.checker.verdicts.verdict import Interrupted, Verdict
from strandline.errors import StrandlineError, UsageError
from strandline.model.system import System
from strandline.report.html.data import page_data, traces_of
from strandline.traces.trace import Trace

_KINDS = {"invariant": "invariants", "reach": "reach", "ltl": "ltl", "ctl": "ctl", "never": "never"}
_MOST_POINTS = 300
"""Most points in the chart of a running check; when it is full, every other point is dropped."""


class CheckRequest:
    """The options and the selection of properties of a check, from the JSON object `given` of a request.

    Raises `InputError` for an invalid request.
    """

    def __init__(self, system: System, given: Mapping[str, Any]) -> None:
        kind, text = str(given.get("kind", "declared")), str(given.get("text", "")).strip()
        claims: dict[str, Any] = {}
        if kind in _KINDS:
            if not text:
                raise UsageError("the property to check is missing")
            claims[_KINDS[kind]] = [text]
        elif kind == "deadlock":
            claims["deadlock"] = True
        elif kind != "declared":
            raise UsageError(f"unknown kind of property '{kind}'")
        measure = str(given.get("measure", "")).strip()
        seconds = _seconds(str(given.get("seconds", "")).strip())
        # The server must outlive a check of any claim.
        memory = MemoryLimit.by_default().allowed
        self.options = Options(measure=[measure] if measure else (), max_seconds=seconds, memory=memory)
        self.temporal = TemporalOptions(fair=True) if given.get("fair") else TemporalOptions()
        self.selection = select(system, Claims(**claims))


def _seconds(text: str) -> float | None:
    """Return a time limit given as text; None for an empty text. Raises `UsageError` unless it is a number > 0."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = nan
    if not (isfinite(seconds) and seconds > 0):
        raise UsageError(f"the time limit must be a number of seconds greater than 0, not '{text}'")
    return seconds


class Check:
    """A check in a thread of its own, which also is its `strandline.checker.limits.progress.ProgressCallback`."""

    def __init__(self, system: System, asked: CheckRequest) -> None:
        self._system, self._asked = system, asked
        self._lock = Lock()
        self._cancelled = False
        self._points: list[dict[str, Any]] = []
        self._every, self._seen = 1, 0
        self._stage = ""
        self._error: str | None = None
        self._result: dict[str, Any] | None = None
        self.verdict: Verdict | None = None
        self._thread = Thread(target=self._run, daemon=True, name="check")
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Request cancellation; the check ends at its next progress report, with its partial result."""
        self._cancelled = True

    def status(self) -> dict[str, Any]:
        """Return the state of the check for the page: stage, points of the chart, error and result."""
        with self._lock:
            points = list(self._points)
        done = not self.running
        return {
            "running": not done,
            "stage": self._stage,
            "points": points,
            "error": self._error if done else None,
            "result": self._page() if done else None,
        }

    def trace(self, number: int) -> Trace:
        """Return the trace of the result with this number in the page. Raises `UsageError` if there is none."""
        traces = [] if self.running or self.verdict is None else traces_of(self.verdict)
        if not 0 <= number < len(traces):
            raise UsageError(f"the check has no trace {number}")
        return traces[number]

    def _page(self) -> dict[str, Any] | None:
        """Return the result as data of a report page, computed once because the page polls; None without a result."""
        with self._lock:
            if self._result is None and self.verdict is not None:
                self._result = page_data(self.verdict)
            return self._result

    def stage(self, text: str) -> None:
        self._stage = text
        self._look()

    def progress(self, progress: Progress) -> None:
        self._look()
        self._seen += 1
        if self._seen % self._every:
            return
        point = {"seconds": progress.seconds, "states": progress.states, "visited": progress.visited,
                 "stored": progress.stored, "bytes": progress.bytes, "fraction": progress.fraction,
                 "sweep": progress.sweep, "doing": progress.doing}  # fmt: skip
        with self._lock:
            self._points.append(point)
            if len(self._points) > _MOST_POINTS:
                self._points = self._points[::2]
                self._every *= 2

    def _look(self) -> None:
        if self._cancelled:
            raise KeyboardInterrupt

    def _run(self) -> None:
        asked = self._asked
        started = time.perf_counter()
        try:
            self.verdict = check_selection(
                self._system, asked.selection, asked.options, self, temporal=asked.temporal, started=started
            )
        except Interrupted as interrupted:
            partial = interrupted.result
            self.verdict = partial if isinstance(partial, Verdict) else None
        except StrandlineError as error:
            self._error = str(error)
        except KeyboardInterrupt:
            self._error = "cancelled before there was any result"
        except MemoryError:
            self._error = "the machine's memory is used up"
        except Exception as error:
            # The page is told; the traceback appears where the server was started.
            self._error = f"an internal error: {error!r}"
            raise


class Checks:
    """The checks of a server, by number in the order of their start; only one runs at a time."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._checks: list[Check] = []
        self._lock = Lock()

    def start(self, given: Mapping[str, Any]) -> int:
        """Start a check and return its number.

        Raises `InputError` if the request is invalid or another check is running.
        """
        asked = CheckRequest(self._system, given)
        with self._lock:
            if self._checks and self._checks[-1].running:
                raise UsageError("another check is running, perhaps in another tab: cancel it or wait for it")
            self._checks.append(Check(self._system, asked))
            return len(self._checks) - 1

    def of(self, number: int) -> Check:
        if not 0 <= number < len(self._checks):
            raise UsageError(f"there is no check {number}")
        return self._checks[number]

    def close(self) -> None:
        """Request cancellation of all checks when the server stops."""
        for one in self._checks:
            one.cancel()
