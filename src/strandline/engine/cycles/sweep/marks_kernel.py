"""What our sweep for cycles knows about a state: a mark, the word after it."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

U = np.uint64

OPEN, FINISHED = U(1), U(2)
STATUS = U(3)
"""While layers are searched for cycles: entered and not finished, finished; and the number of the state."""
HIT = U(4)
"""A persistent state that an edge from behind, met in a later sweep of its column, leads back to."""
MEMBER, QUEUED = U(8), U(16)
VALUE_SHIFT, HIT_SHIFT, NUMBER_SHIFT = U(5), U(7), U(16)
VALUE = U(3)
"""While members are eliminated: 0 not reached, 1 reached from a member, 2 by a path with an accepting state."""


class SweepCycles(NamedTuple):
    """All that the search works on; `suspect` has room for a state and its record."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    stack: Any
    opened: Any
    journal: Any
    notes: Any
    suspect: Any
    state: Any
