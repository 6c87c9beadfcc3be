"""Components that a depth-first search has entered and not finished (Couvreur 1999; Geldenhuys and Valmari 2004).

States are numbered in the order in which they are entered. A component found so far is two words of `roots`: the number
of its first state and the acceptance sets met in it. An edge to a state whose component is not finished merges all
components entered since; when the merged one has met every set, it holds an accepting cycle, long before the search has
left it. `active` lists the entries of the states whose component is not finished.
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
"""In a root's acceptance sets: the component has an edge inside it."""


class Open(NamedTuple):
    """The components that are not finished."""

    roots: Any
    active: Any
    state: Any


@inlined
def has_room(opened):
    """Whether one more state can be entered; if not, room is asked for."""
    state = opened.state
    if _2 * (state.roots + _1) > U(len(opened.roots)):
        state.wanted_roots = _2 * (state.roots + _1)
        return False
    if state.active == U(len(opened.active)):
        state.wanted_active = state.active + _1
        return False
    return True


@inlined
def enter_state(opened, number, entry, sets):
    """A state is entered: it is a component of its own for the time being. There must be room."""
    state = opened.state
    opened.roots[_2 * state.roots] = number
    opened.roots[_2 * state.roots + _1] = sets
    state.roots += _1
    opened.active[state.active] = entry
    state.active += _1


@inlined
def merge(opened, number):
    """An edge leads back to a state: everything entered since is one component with it. Its acceptance sets."""
    roots, state = opened.roots, opened.state
    top = _2 * (state.roots - _1)
    sets = CYCLIC
    while roots[top] > number:
        sets |= roots[top + _1]
        top -= _2
    roots[top + _1] |= sets
    state.roots = (top >> _1) + _1
    return roots[top + _1] & ~CYCLIC


@inlined
def is_first(opened, number):
    """Whether a state is the first of the component entered last."""
    return opened.roots[_2 * (opened.state.roots - _1)] == number
