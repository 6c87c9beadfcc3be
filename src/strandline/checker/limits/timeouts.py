"""Limits for work that does not check them itself: loading a model, reading its properties, compiling it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from strandline.checker.limits.memory import memory_limit_message, resident_bytes
from strandline.errors import ResourceError

Result = TypeVar("Result")
LOADED = "the model was loaded"
_SLICE = 0.005
"""Seconds between two checks of the memory."""
_ALWAYS_ALLOWED = 32 << 20
"""Bytes that the work may take in any case: a limit that is too low for the program itself is refused later."""


def time_is_up(limit: float) -> str:
    """Return the message that the time limit is reached."""
    return f"the time limit of {limit:g} s is reached"


class Abandoned(BaseException):
    """Raised in the thread of work that has been abandoned, to end it."""


def within(
    limit: float | None, started: float, stage: str, function: Callable[[], Result], memory: int | None = None
) -> Result:
    """Run a function with limits of time and memory; return its result or raise its exception.

    Raises `ResourceError` when `limit` seconds have passed since `started`, a time of `time.perf_counter`, or when the
    process takes more than `memory` bytes; `stage`, such as "the model was loaded", completes its message. With a
    limit, the function runs in a thread of its own, because neither Python nor LLVM checks limits. If one is reached,
    the thread is ended as soon as it executes Python, and its result is dropped.
    """
    if limit is None and memory is None:
        return function()
    if limit is not None and time.perf_counter() >= started + limit:
        raise ResourceError(time_is_up(limit))
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001  whatever it is, it is raised again where it was asked for
            errors.append(error)

    limits = WorkLimits(limit, started, memory)
    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        _wait_for(thread, limits, stage)
    except BaseException:
        _end(thread)
        raise
    if errors:
        raise errors[0]
    return results[0]


class WorkLimits:
    """Limits of time, from `started`, and of the memory of the process; None for no limit."""

    def __init__(self, seconds: float | None, started: float, memory: int | None) -> None:
        self._seconds, self._started, self._allowed = seconds, started, memory
        self._last = resident_bytes()
        self._bytes = None if memory is None else max(memory, self._last + _ALWAYS_ALLOWED)

    def check(self, stage: str) -> None:
        """Raise `ResourceError` if a limit is reached; `stage` completes its message."""
        if self._seconds is not None and time.perf_counter() >= self._started + self._seconds:
            raise ResourceError(f"{time_is_up(self._seconds)} while {stage}")
        if self._allowed is not None and self._bytes is not None:
            # Until the next check the process may grow as much as since the last one.
            now, before = resident_bytes(), self._last
            self._last = now
            if now + max(0, now - before) > self._bytes:
                raise ResourceError(f"{memory_limit_message(self._allowed)} while {stage}")

    def pause(self) -> float:
        """Return the seconds until the limits should be checked again."""
        if self._seconds is None:
            return _SLICE
        left = max(0.0, self._started + self._seconds - time.perf_counter())
        return left if self._bytes is None else min(left, _SLICE)


def _wait_for(thread: Thread, limits: WorkLimits, stage: str) -> None:
    thread.join(limits.pause())
    while thread.is_alive():
        limits.check(stage)
        thread.join(limits.pause())


def _end(thread: Thread) -> None:
    """Raise `Abandoned` in a thread when it next executes Python."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Abandoned))
