"""A check in the background of the server: what it tells while it runs, how it is cancelled, what it found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock, Thread
from typing import Any

from strandline.checker.decisions.checks import check_selection
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
"""Points of the picture of a running search; beyond it every other one is dropped."""


class Asked:
    """What the page asks for. Raises `InputError` for what is not understood."""

    def __init__(self, system: System, given: Mapping[str, Any]) -> None:
        kind, text = str(given.get("kind", "declared")), str(given.get("text", "")).strip()
        claims: dict[str, Any] = {}
        if kind in _KINDS:
            if not text:
                raise UsageError("what is to be checked is missing")
            claims[_KINDS[kind]] = [text]
        elif kind == "deadlock":
            claims["deadlock"] = True
        elif kind != "declared":
            raise UsageError(f"there is no kind of property '{kind}'")
        measure = str(given.get("measure", "")).strip()
        seconds = str(given.get("seconds", "")).strip()
        self.options = Options(measure=[measure] if measure else (), max_seconds=float(seconds) if seconds else None)
        self.temporal = TemporalOptions(fair=True) if given.get("fair") else TemporalOptions()
        self.selection = select(system, Claims(**claims))


class Check:
    """One check. A `strandline.checker.limits.progress.ProgressCallback` of itself."""

    def __init__(self, system: System, asked: Asked) -> None:
        self._system, self._asked = system, asked
        self._lock = Lock()
        self._cancelled = False
        self._points: list[dict[str, Any]] = []
        self._every, self._seen = 1, 0
        self._stage = ""
        self._error: str | None = None
        self._told: dict[str, Any] | None = None
        self.verdict: Verdict | None = None
        self._thread = Thread(target=self._run, daemon=True, name="check")
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Ends at the next look, some twenty times a second, with what is known by then."""
        self._cancelled = True

    def told(self) -> dict[str, Any]:
        """Where it stands."""
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
        """A trace of the result, by its number in the page."""
        traces = [] if self.running or self.verdict is None else traces_of(self.verdict)
        if not 0 <= number < len(traces):
            raise UsageError(f"the check has no trace {number}")
        return traces[number]

    def _page(self) -> dict[str, Any] | None:
        """Made once: a page asks again and again."""
        with self._lock:
            if self._told is None and self.verdict is not None:
                self._told = page_data(self.verdict)
            return self._told

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
            self._error = "cancelled before anything was known"


class Checks:
    """The checks of a server, by number; one runs at a time."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._checks: list[Check] = []
        self._lock = Lock()

    def start(self, given: Mapping[str, Any]) -> int:
        """Start one; raises `InputError` where it is not understood, or another one runs."""
        asked = Asked(self._system, given)
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
        """The server ends."""
        for one in self._checks:
            one.cancel()
