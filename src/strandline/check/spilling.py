"""Machine code for searches that spill, ready before memory is counted: when it is loaded, little may be left."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from strandline.engine.search import Event, Search

RESERVE = 12 << 20
"""Bytes that a search with states on disk leaves for all else."""
_STEPS, _SECONDS = 300, 0.5
"""How far a trial goes at most: until it has sorted, merged and spilled."""


def load_spilling(make: Callable[[], Search]) -> None:
    """Let a search of a few states load the machine code. Where it has to be made first, once per machine, that takes
    more memory than most limits leave: another process makes it."""
    from strandline.engine.jit import compiled_before

    trial = make()
    if not compiled_before(trial.loop):
        child = os.fork()
        if child == 0:
            try:
                _try_out(trial)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    _try_out(trial)
    trial.close()


def _try_out(trial: Search) -> None:
    trial.stop_less(trial.stop_mask)
    deadline = time.perf_counter() + _SECONDS
    for _ in range(_STEPS):
        if trial.advance(0.0) is not Event.PAUSED or time.perf_counter() > deadline:
            return
