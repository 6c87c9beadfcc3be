"""Limits of time and memory for evidence: replaying, judging and writing traces."""

from __future__ import annotations

import time

from strandline.checker.limits.memory import MemoryLimit, memory_limit_message
from strandline.checker.limits.timeouts import time_is_up
from strandline.checker.options.search import Options
from strandline.errors import ResourceError


class LeftOut(ResourceError):
    """Raised if a trace does not fit the limits of time or memory; the verdict is given without it."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"the trace is left out: {limit}")


_LEAST_SECONDS = 1.0
"""Least seconds for traces after the search: a violation keeps its trace although the time limit is reached."""


class EvidenceLimits:
    """The limits for evidence of a run that searched from `started` until `searched`, both `time.perf_counter`."""

    def __init__(self, options: Options, started: float, searched: float) -> None:
        self._seconds = options.max_seconds
        self._deadline = max(started + (self._seconds or 0.0), searched + _LEAST_SECONDS)
        self._memory = MemoryLimit(options.memory_limit)

    def check(self) -> None:
        """Raise `LeftOut` if one of the limits is reached."""
        if self._seconds is not None and time.perf_counter() >= self._deadline:
            raise LeftOut(time_is_up(self._seconds))
        if self._memory.allowed is not None and self._memory.runs_short():
            raise LeftOut(memory_limit_message(self._memory.allowed))
