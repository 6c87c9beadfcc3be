"""Open SCCs of a depth-first search: entered and not finished (Couvreur 1999; Geldenhuys and Valmari 2004).

States are numbered in the order of entering. An SCC found so far is two words of `roots`: the number of its first state
and the acceptance sets visited in it. An edge to a state in an open SCC merges all SCCs entered since; when the merged
one has visited every set, it contains an accepting cycle, long before the search has left it. `active` lists the
entries of the states in open SCCs.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.jit import inlined

U = np.uint64
_1, _2 = U(1), U(2)

CYCLIC = U(1 << 63)
"""Flag in a root's acceptance sets: the SCC has an inner edge."""


class OpenComponents(NamedTuple):
    """The open SCCs."""

    roots: Any
    active: Any
    state: Any


@inlined
def has_room(open_sccs):
    """Return True if one more state can be entered; if not, request that the arrays grow."""
    state = open_sccs.state
    if _2 * (state.roots + _1) > U(len(open_sccs.roots)):
        state.wanted_roots = _2 * (state.roots + _1)
        return False
    if state.active == U(len(open_sccs.active)):
        state.wanted_active = state.active + _1
        return False
    return True


@inlined
def enter_state(open_sccs, number, entry, sets):
    """Enter a state as an SCC of its own; there must be room."""
    state = open_sccs.state
    open_sccs.roots[_2 * state.roots] = number
    open_sccs.roots[_2 * state.roots + _1] = sets
    state.roots += _1
    open_sccs.active[state.active] = entry
    state.active += _1


@inlined
def merge(open_sccs, number):
    """Merge all SCCs entered since a state, to which an edge leads back; return the acceptance sets of the result."""
    roots, state = open_sccs.roots, open_sccs.state
    top = _2 * (state.roots - _1)
    # The edge closes a cycle, even if the merged SCC has a single state.
    sets = CYCLIC
    # All SCCs above the one that contains the state are merged into it.
    while roots[top] > number:
        sets |= roots[top + _1]
        top -= _2
    roots[top + _1] |= sets
    state.roots = (top >> _1) + _1
    return roots[top + _1] & ~CYCLIC


@inlined
def is_first(open_sccs, number):
    """Return True if a state is the first of the SCC entered last."""
    return open_sccs.roots[_2 * (open_sccs.state.roots - _1)] == number
