"""The words behind a state in LTL-Sweep: flags and, while values are propagated, the value and a link of the queue."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.jit import inlined
from strandline.engine.store.interface import extra_at

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)

BLUE, RED, ACCEPTS, CANDIDATE, PERSISTENT = U(1), U(2), U(4), U(8), U(16)
"""Flags. A candidate is a persistent state that may lie on a cycle over several layers."""

SWEEPING, VALUES, BETWEEN = U(0), U(1), U(2)
"""Phases of the search."""


class LtlSweep(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    stack: Any
    journal: Any
    state: Any


@inlined
def value_of(store, number):
    """Return the position of an entry's value; its flags are the word before."""
    return extra_at(store, number) + _1


@inlined
def link_in_ring(store, number):
    """Return the position of an entry's link."""
    return extra_at(store, number) + _2


@inlined
def reset(store, number, flags):
    """Initialise the flags, the value and the link of an entry."""
    at = extra_at(store, number)
    store.entries[at] = flags
    store.entries[at + _1] = store.entries[at + _2] = _0
