"""Warming up the JIT compiler: the engine's machine code is made, or loaded, before the clock of the search starts.

A search of a few states is made and run for this, then thrown away. Where memory is limited, another process makes the
machine code first: compiling takes more memory than most limits leave, loading the result from the cache takes little.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Timer

from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.memory import in_another_process
from strandline.checker.limits.progress import ProgressCallback
from strandline.compile.kernel import Kernel
from strandline.engine.parts.links import load_kernels
from strandline.engine.parts.search_output import Sink
from strandline.engine.runtime.memory import WordArray
from strandline.engine.search import Search, Searching

COMPILING = "compiling this part of the engine, once per machine ..."
_LOADING = 3.0
"""Seconds after which the engine's machine code is not being loaded but made."""


class _NullObserver:
    """Ignores expanded states and edges. The engine has machine code of its own for observers of edges."""

    layers = False
    held_words = 0

    def expanded(self, states: WordArray) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        return None

    def layer_finished(self, column: int, layer: int) -> None:
        return None


class NullLog:
    """A parent log that keeps nothing."""

    def append(self, links: WordArray) -> None:
        return None

    def parts(self, count: int) -> list[Sink]:
        return [self.append] * count


def warm_up(specification: SearchSpecification, kernel: Kernel, callback: ProgressCallback) -> float:
    """Load the machine code of a search; return the seconds that this took. The callback is notified where it has to be
    made first, which takes some seconds."""
    from strandline.engine.runtime.jit import is_compiled

    began = time.perf_counter()
    observer = _NullObserver() if specification.observes_edges else None
    trial = specification.searches.make(kernel, NullLog(), observer, None)
    if not isinstance(trial, Search):
        return 0.0
    with notice_compiling(callback, at_once=not is_compiled(trial.loop)):
        if specification.options.memory_limit is not None:
            in_another_process(partial(_load_all, trial))
            _load_all(trial)
        else:
            trial.load()
        trial.close()
    return time.perf_counter() - began


def _load_all(trial: Search) -> None:
    """Load also the machine code that is otherwise loaded on first use."""
    trial.load()
    trial.load_further()
    load_kernels()


def warm_up_fallback(make: Callable[[Path], Searching], folder: Path) -> None:
    """Load the machine code of the search that a fallback makes, with its files in the folder. It is not counted as
    memory of the search: when it is needed, little may be left."""
    in_another_process(lambda: _try_out(make(folder / "child")))
    _try_out(make(folder / "own"))
    shutil.rmtree(folder, ignore_errors=True)


def _try_out(trial: Searching) -> None:
    if isinstance(trial, Search):
        trial.stop_less(trial.stop_mask)
        trial.load()
    trial.close()


@contextmanager
def notice_compiling(callback: ProgressCallback, *, at_once: bool = False) -> Iterator[None]:
    """Notify the callback that machine code is being made: at once where that is known. Else it may have been made for
    other widths of states, and only the time shows whether it was for this one."""
    timer = Timer(_LOADING, callback.stage, (COMPILING,))
    timer.daemon = True
    if at_once:
        callback.stage(COMPILING)
    else:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
