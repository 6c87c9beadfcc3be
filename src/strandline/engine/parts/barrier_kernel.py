"""A barrier for threads that run kernels: all wait until each of them has arrived."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.intrinsics import fetch_add, load_acquire, nanoseconds, yield_processor
from strandline.engine.runtime.jit import inlined

U = np.uint64
_1 = U(1)
_POLLS = 5_000
"""Times that a thread polls the barrier before it yields the processor on every further poll.

With fewer processors than threads, a waiting thread must not keep the others from running. Sleeping would take longer
than most phases do.
"""


@inlined
def wait_at_barrier(shared, at, own):
    """Wait until all `own.threads` threads have called this; their writes before it are visible afterwards.

    `shared[at]` counts the arrivals of all threads, `own.arrivals` those that the calling thread waits for;
    `own.waited` adds up the nanoseconds.
    """
    began = nanoseconds()
    # The counter only grows, so that it need not be reset: barrier k is passed at k * threads arrivals.
    own.arrivals += own.threads
    # The fetch-and-add releases this thread's writes; the acquiring loads below make those of the others visible.
    fetch_add(shared, at, _1)
    polls = _POLLS
    while load_acquire(shared, at) < own.arrivals:
        polls -= 1
        if polls < 0:
            yield_processor()
    own.waited += nanoseconds() - began
