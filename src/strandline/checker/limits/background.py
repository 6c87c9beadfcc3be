"""Run work in a thread, while the main thread checks limits, handles Ctrl-C and shows progress.

A single BDD operation can take long, and the library cannot interrupt it. So work that exceeds a limit is abandoned: it
goes on until it next calls `watch`, or until the process ends, and its result is dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from strandline.checker.limits.memory import MemoryLimit, resident_bytes
from strandline.checker.limits.progress import Progress, ProgressCallback
from strandline.checker.limits.timeouts import time_is_up
from strandline.errors import ResourceError

Result = TypeVar("Result")
_SLICE = 0.05
"""Seconds between two checks of limits and signals."""
_SHORT_SLICE = 0.005
"""Seconds between two checks if memory is limited."""
_SPARED = 8
"""Divisor of the remaining memory: this part of it stays free, because growing tables allocate much at once."""
_MOMENT = 2.0
"""Seconds after the deadline `Background.until` within which the work may still end by itself."""
_STACK_BYTES = 256 << 20


class Stopped(Exception):
    """Raised by `Background.watch` in work that has been abandoned."""


class Background(Generic[Result]):
    """Runs a function in a thread of its own, within limits of time and memory.

    The function calls `watch` often, which raises `Stopped` when the work is abandoned, and sets `doing` to its
    progress. `until`, if it is not None, is a deadline with a reason: soon after it the work is abandoned for that
    reason.
    """

    def __init__(
        self, callback: ProgressCallback, started: float, max_seconds: float | None, memory: MemoryLimit | None = None
    ) -> None:
        self._callback, self._started, self._limit = callback, started, max_seconds
        self._memory = memory or MemoryLimit(None)
        self._left = False
        self.until: tuple[float, str] | None = None
        self.doing = Progress(0.0, 0, 0, 0, 0, doing="encoding the model")

    def watch(self) -> None:
        """Raise `Stopped` if the work was abandoned."""
        if self._left:
            raise Stopped

    def run(self, function: Callable[[], Result]) -> Result:
        """Return the result of `function`, or raise its exception.

        Raises `ResourceError` if a limit is reached; the `KeyboardInterrupt` of Ctrl-C passes through.
        """
        results: list[Result] = []
        errors: list[BaseException] = []

        def work() -> None:
            try:
                results.append(function())
            except BaseException as error:  # noqa: BLE001  whatever it is, it is raised again where it was asked for
                errors.append(error)

        thread = _with_large_stack(work)
        try:
            self._wait(thread)
        finally:
            self._left = True
            _let_end(thread)
        if errors:
            raise errors[0]
        return results[0]

    def _wait(self, thread: threading.Thread) -> None:
        pause, longest, spared = 0.001, _SLICE, 0
        # The library allocates without asking: with a memory limit, look more often and keep a reserve.
        if self._memory.allowed is not None:
            longest, spared = _SHORT_SLICE, max(0, self._memory.allowed - resident_bytes()) // _SPARED
        while thread.is_alive():
            thread.join(pause)
            # Short work returns at once, long work is looked at rarely.
            pause = min(2 * pause, longest)
            self._memory.ensure(spared)
            seconds = time.perf_counter() - self._started
            if self._limit is not None and seconds >= self._limit and thread.is_alive():
                raise ResourceError(time_is_up(self._limit))
            if self.until is not None and time.perf_counter() >= self.until[0] + _MOMENT and thread.is_alive():
                raise ResourceError(self.until[1])
            last = self.doing
            self._callback.progress(
                Progress(seconds, last.states, last.visited, last.stored, last.bytes, doing=last.doing)
            )


def _let_end(thread: threading.Thread) -> None:
    """Keep Python from exiting while an abandoned thread is inside the BDD library, which would crash.

    At exit Python waits for the thread that is started here, which joins the abandoned one. The command-line program
    ends its process at once and does not wait.
    """
    if thread.is_alive():
        threading.Thread(target=thread.join).start()


def _with_large_stack(work: Callable[[], None]) -> threading.Thread:
    """Start and return a thread with a large stack, for functions that recurse for each bit of a state."""
    before = threading.stack_size(_STACK_BYTES)
    try:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    return thread
