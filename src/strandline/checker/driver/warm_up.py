"""Warm up the JIT compiler: load or compile the engine's machine code before the clock of the search starts.

A trial search, which is thrown away, is made for this. If memory is limited, another process compiles the code first:
compiling takes more memory than most limits leave, loading the result from the cache takes little.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

from strandline.checker.driver.searches import SearchMaker, SpillingMaker, StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.driver.trial_kernel import KernelShape, NullLog
from strandline.checker.limits.child_process import fill_cache
from strandline.checker.limits.progress import ProgressCallback
from strandline.compile.kernel import Kernel
from strandline.engine.parts.links import load_kernels
from strandline.engine.runtime.memory import WordArray
from strandline.engine.search import Search, Searching

COMPILING = "compiling this part of the engine, once per machine ..."
_LOADING = 3.0
"""Seconds after which machine code is assumed to be compiled, not loaded."""


class _NullObserver:
    """An observer that ignores expanded states and edges.

    The engine has separate machine code for observers of edges.
    """

    layers = False
    held_words = 0

    def expanded(self, states: WordArray) -> None:
        return None

    def edges(self, sources: WordArray, targets: WordArray) -> None:
        return None

    def layer_finished(self, column: int, layer: int) -> None:
        return None


def warm_up(specification: SearchSpecification, kernel: Kernel, callback: ProgressCallback) -> float:
    """Load the machine code of a search; return the seconds that this took.

    The callback is notified if the code must be compiled first, which takes some seconds.
    """
    from strandline.engine.runtime.jit import is_compiled

    began = time.perf_counter()
    searches, observes_edges = _without_limits(specification.searches), specification.observes_edges
    trial = _make_trial(searches, kernel, observes_edges)
    if not isinstance(trial, Search):
        return 0.0
    with notice_compiling(callback, at_once=not is_compiled(trial.loop)):
        if specification.options.memory_limit is not None:
            fill_cache(_load_for_shape, KernelShape.of(kernel), searches, observes_edges)
            _load_all(trial)
        else:
            trial.load()
        trial.close()
    if kernel.coverage_bits is not None:
        # The trial has taken steps of the model.
        kernel.coverage_bits[:] = 0
    return time.perf_counter() - began


def _make_trial(searches: SearchMaker, kernel: Kernel, observes_edges: bool) -> Searching:
    return searches.make(kernel, NullLog(), _NullObserver() if observes_edges else None, None)


def _without_limits(searches: SearchMaker) -> SearchMaker:
    """Return the factory without the options on which the machine code of its searches does not depend."""
    if not isinstance(searches, StateSearches):
        return searches
    return replace(searches, options=searches.options.without_limits())


def _load_for_shape(shape: KernelShape, searches: SearchMaker, observes_edges: bool) -> None:
    """Load the machine code of a search over a Kernel of this shape; run in a child process."""
    trial = _make_trial(searches, shape.make_kernel(), observes_edges)
    if isinstance(trial, Search):
        _load_all(trial)
        trial.close()


def _load_all(trial: Search) -> None:
    """Load the machine code of a search, also that which is otherwise loaded on first use."""
    trial.load()
    trial.load_further()
    load_kernels()


def warm_up_fallback(searches: SearchMaker, kernel: Kernel, *, on_disk: bool = False) -> None:
    """Load the machine code of the search that a fallback makes, before that search is made."""
    fill_cache(_try_out_for_shape, KernelShape.of(kernel), _without_limits(searches), on_disk)
    _try_out(searches, kernel, on_disk)


def _try_out_for_shape(shape: KernelShape, searches: SearchMaker, on_disk: bool) -> None:
    """Load the machine code of a fallback over a Kernel of this shape; run in a child process."""
    _try_out(searches, shape.make_kernel(), on_disk)


def _try_out(searches: SearchMaker, kernel: Kernel, on_disk: bool) -> None:
    with TemporaryDirectory(prefix="strandline-") as folder:
        trial: Searching
        if on_disk and isinstance(searches, SpillingMaker):
            trial = searches.spilling(kernel, lambda links: None, None, 1, Path(folder), lambda count: None)
        else:
            trial = searches.make(kernel, NullLog(), None, None)
        if isinstance(trial, Search):
            trial.stop_less(trial.stop_mask)
            trial.load()
        trial.close()


@contextmanager
def notice_compiling(callback: ProgressCallback, *, at_once: bool = False) -> Iterator[None]:
    """Notify the callback if the `with` block compiles machine code.

    With `at_once`, that is certain, and the callback is notified at the beginning. Otherwise it is notified if the
    block takes longer than loading would: the code in the cache may be for states of another size.
    """
    timer = Timer(_LOADING, callback.stage, (COMPILING,))
    timer.daemon = True
    if at_once:
        callback.stage(COMPILING)
    else:
        # Without a thread there is no notice.
        with suppress(RuntimeError):
            timer.start()
    try:
        yield
    finally:
        timer.cancel()
