"""Limits of time and memory while formulas are translated to automata."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from strandline.checker.limits.timeouts import WorkLimits
from strandline.checker.options.search import Options
from strandline.properties.effort import checked_work


@contextmanager
def limited_translation(options: Options, started: float) -> Iterator[None]:
    """Check the limits of the options while formulas are translated inside the context, which raises `ResourceError`.

    `started` is the start of the time limit.
    """
    limits = WorkLimits(options.max_seconds, started, options.memory_limit)
    with checked_work(partial(limits.check, "a formula was translated")):
        yield
