"""Limits of time and memory for what comes after a violation was found: replaying, judging and writing its trace."""

from __future__ import annotations

import time

from strandline.checker.limits.memory import MemoryLimit, limit_reached
from strandline.checker.limits.timeouts import time_is_up
from strandline.checker.options.search import Options
from strandline.errors import ResourceError


class LeftOut(ResourceError):
    """A trace cannot be had within the limits; the verdict stands without."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"the trace is left out: {limit}")


_LEAST_SECONDS = 1.0
"""What a trace may take at least after the search: a violation that was found keeps its trace although the search went
on to the limit of time."""


class EvidenceLimits:
    """The limits of a run that began at `started` and has searched until `searched`, times of `time.perf_counter`."""

    def __init__(self, options: Options, started: float, searched: float) -> None:
        self._seconds = options.max_seconds
        self._deadline = max(started + (self._seconds or 0.0), searched + _LEAST_SECONDS)
        self._memory = MemoryLimit(options.memory_limit)

    def check(self) -> None:
        """Raise `LeftOut` if one of the limits is reached."""
        if self._seconds is not None and time.perf_counter() >= self._deadline:
            raise LeftOut(time_is_up(self._seconds))
        if self._memory.allowed is not None and self._memory.runs_short():
            raise LeftOut(limit_reached(self._memory.allowed))
