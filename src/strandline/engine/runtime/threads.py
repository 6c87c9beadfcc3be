"""Threads that call compiled kernels together; the kernels wait for each other at barriers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


class Threads:
    """A fixed number of threads, the calling one included.

    All are started at once: kernels that wait at a barrier for a thread that cannot be started would wait for ever.
    `count` is the number of threads that the system allowed.
    """

    def __init__(self, count: int) -> None:
        self._executor = ThreadPoolExecutor(max(1, count - 1), thread_name_prefix="strandline")
        go_on, started = Event(), 1
        try:
            # Each thread waits, so that the executor starts another one for the next.
            for _ in range(count - 1):
                self._executor.submit(go_on.wait)
                started += 1
        except RuntimeError:
            # The system refuses another thread. The executor has queued the task, which one of the others will do.
            pass
        finally:
            go_on.set()
        self.count = started

    def start(self, function: Callable[[_Argument], _Result], arguments: Sequence[_Argument]) -> list[Future[_Result]]:
        """Call a function once in each thread but the calling one, with one of the arguments."""
        return [self._executor.submit(function, one) for one in arguments]

    def close(self) -> None:
        """Let the threads end."""
        self._executor.shutdown()
