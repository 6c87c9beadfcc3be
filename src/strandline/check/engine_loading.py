"""The engine's machine code, made or loaded before a search, so that the search's clock measures searching only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer

from strandline.check.memory import in_another_process
from strandline.check.plan import Plan
from strandline.check.watching import Watcher
from strandline.compile.kernel import Kernel
from strandline.engine.journal import Sink
from strandline.engine.links import load_kernels
from strandline.engine.memory import WordArray
from strandline.engine.search import Search

COMPILING = "compiling this part of the engine, once per machine ..."
_LOADING = 3.0
"""Seconds after which the engine's machine code is not being loaded but made."""


class _Deaf:
    """A listener that is told of edges, for which the engine has machine code of its own."""

    layers = False
    held_words = 0

    def expanded(self, states: WordArray) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        return None

    def layer_finished(self, column: int, layer: int) -> None:
        return None


class Nowhere:
    """A log that keeps nothing."""

    def append(self, links: WordArray) -> None:
        return None

    def parts(self, count: int) -> list[Sink]:
        return [self.append] * count


def load_engine(plan: Plan, kernel: Kernel, watcher: Watcher) -> float:
    """Let a search of a few states load the machine code: how many seconds that took. Where it has to be made first,
    which takes some seconds, that is told."""
    from strandline.engine.jit import compiled_before

    began = time.perf_counter()
    trial = plan.searches.make(kernel, Nowhere(), _Deaf() if plan.tells_edges else None, None)
    if not isinstance(trial, Search):
        return 0.0
    with telling(watcher, at_once=not compiled_before(trial.loop)):
        if plan.options.memory_limit is not None:
            in_another_process(partial(_load, trial))
            _load(trial)
        else:
            trial.load()
        trial.close()
    return time.perf_counter() - began


def _load(trial: Search) -> None:
    """All that may be needed, also what is made on first use where memory is not limited."""
    trial.load()
    trial.load_further()
    load_kernels()


@contextmanager
def telling(watcher: Watcher, *, at_once: bool = False) -> Iterator[None]:
    """Tell that machine code is being made: at once where that is known. Else it may have been made for other widths of
    states; whether for this one is only seen by the time it takes."""
    timer = Timer(_LOADING, watcher.stage, (COMPILING,))
    timer.daemon = True
    if at_once:
        watcher.stage(COMPILING)
    else:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
