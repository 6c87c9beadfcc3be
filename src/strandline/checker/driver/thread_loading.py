"""Compile the machine code of a search by several threads while one thread searches, in a child process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strandline.checker.driver.trial_kernel import KernelShape, NullLog
from strandline.checker.limits.child_process import fill_cache
from strandline.compile.kernel import Kernel


def compile_for_threads(searches: Any, kernel: Kernel, abandoned: Callable[[], bool]) -> None:
    """Put the machine code of searches by several threads over a Kernel into the cache, unless it is there.

    `searches` is the factory of these searches. The work ends early when `abandoned` returns True.
    """
    fill_cache(_load_for_shape, KernelShape.of(kernel), searches, abandoned=abandoned)


def _load_for_shape(shape: KernelShape, searches: Any) -> None:
    """Load the machine code that a search over a Kernel of this shape needs for threads; run in a child process."""
    trial = searches.make(shape.make_kernel(), NullLog(), None, None)
    trial.load_threads()
    trial.close()
