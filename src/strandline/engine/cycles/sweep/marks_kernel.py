"""The word behind each state in our sweep for cycles: its mark, which has the status in the search and the value."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

U = np.uint64

OPEN, FINISHED = U(1), U(2)
STATUS = U(3)
"""While layers are searched: open or finished, and the number of the state in the upper bits."""
HIT = U(4)
"""Flag: a regress edge in a later sweep of the column leads back to this persistent state."""
MEMBER, QUEUED = U(8), U(16)
VALUE_SHIFT, HIT_SHIFT, NUMBER_SHIFT = U(5), U(7), U(16)
VALUE = U(3)
"""While members are eliminated: 0 not reached, 1 reached from a member, 2 by a path with an accepting state."""


class SweepCycles(NamedTuple):
    """The arrays of the search; `suspect` has room for a state and its record."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    stack: Any
    open_sccs: Any
    journal: Any
    recorder: Any
    suspect: Any
    state: Any
