"""Threads that call compiled kernels together; the kernels wait for each other at barriers."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")
_Tasks = SimpleQueue[tuple[Future[Any], Callable[[Any], Any], Any] | None]


_MEMBERSHIP, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def usable_processors() -> int:
    """Return the number of processors that this process may use, by its affinity and its control groups."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError):
        for line in _MEMBERSHIP.read_text().splitlines():
            if line.startswith("0::"):
                group = _GROUPS / line.removeprefix("0::").lstrip("/")
                usable = min([usable, *(_quota(one) for one in (group, *group.parents) if one.is_relative_to(_GROUPS))])
    return usable


def _quota(group: Path) -> int:
    """Return the number of processors whose time a control group may use; a large number without a limit."""
    with suppress(OSError, ValueError):
        time, period = (group / "cpu.max").read_text().split()
        return max(1, int(time) // int(period))
    return sys.maxsize


class Threads:
    """A fixed number of threads, the calling one included.

    All are started at once: kernels that wait at a barrier for a thread that cannot be started would wait for ever.
    `count` is the number of threads that the system allowed.
    """

    def __init__(self, count: int) -> None:
        self._tasks: _Tasks = SimpleQueue()
        self._threads: list[Thread] = []
        self.close = weakref.finalize(self, _end, self._tasks, self._threads)
        """Lets the threads end, and waits for that."""
        for number in range(1, count):
            thread = Thread(target=_work, args=(self._tasks,), name=f"strandline-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The system refuses to start another thread.
                break
            self._threads.append(thread)
        self.count = 1 + len(self._threads)

    def start(self, function: Callable[[_Argument], _Result], arguments: Sequence[_Argument]) -> list[Future[_Result]]:
        """Call a function once in each thread but the calling one, with one of the arguments."""
        futures: list[Future[_Result]] = [Future() for _ in arguments]
        for future, argument in zip(futures, arguments, strict=True):
            self._tasks.put((future, function, argument))
        return futures


def _work(tasks: _Tasks) -> None:
    while (task := tasks.get()) is not None:
        future, function, argument = task
        try:
            future.set_result(function(argument))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for the result
            future.set_exception(error)
        # Arrays of a finished search must not be kept until the next task.
        del task, future, function, argument


def _end(tasks: _Tasks, threads: Sequence[Thread]) -> None:
    for _ in threads:
        tasks.put(None)
    for thread in threads:
        thread.join()
