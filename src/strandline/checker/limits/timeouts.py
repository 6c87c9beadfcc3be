"""Timeouts for work that cannot be stopped: loading a model, compiling it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from strandline.errors import ResourceError

Result = TypeVar("Result")


def time_is_up(limit: float) -> str:
    """Return the message that the time limit is reached."""
    return f"the time limit of {limit:g} s is reached"


def within(limit: float | None, started: float, stage: str, function: Callable[[], Result]) -> Result:
    """Run a function with a timeout; return its result or raise its exception.

    Raises `ResourceError` when `limit` seconds have passed since `started`, a time of `time.perf_counter`; `stage`,
    such as "loaded", completes its message. With a limit, the function runs in a thread of its own, because neither
    Python nor LLVM can be stopped: it continues until it is done or the process ends, and its result is dropped.
    """
    if limit is None:
        return function()
    left = started + limit - time.perf_counter()
    if left <= 0:
        raise ResourceError(time_is_up(limit))
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001  whatever it is, it is raised again where it was asked for
            errors.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(left)
    if errors:
        raise errors[0]
    if not results:
        raise ResourceError(f"{time_is_up(limit)} while the model was {stage}")
    return results[0]
