"""Search for an accepting SCC: Couvreur's algorithm, for any number of acceptance sets.

States are numbered in the order in which the search enters them; the number is the record. The word behind a state,
OPEN or FINISHED, is the status of its SCC.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.cycles.nested_kernel import store_top
from strandline.engine.cycles.open_kernel import CYCLIC, enter_state, has_room, is_first, merge
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.parts.stack_kernel import (
    MOVES,
    Moves,
    compute_successors_for_stack,
    drop,
    push_marker,
    push_successors,
    search_depth_first,
    top_of,
)
from strandline.engine.runtime.codes import CONTINUE, CYCLE, GROW, NONE
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)

OPEN, FINISHED = U(1), U(2)


class Components(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    store: Any
    stack: Any
    journal: Any
    open_sccs: Any


@inlined
def _enter(search):
    """Expand a new state."""
    expansion, store, stack, open_sccs = search.expansion, search.store, search.stack, search.open_sccs
    record = stack.top.unexpanded - _1
    # Before the expansion, so that it can be repeated after GROW.
    if not has_room(open_sccs):
        return GROW
    code = compute_successors_for_stack(stack, expansion, store, record, record)
    if code != CONTINUE:
        return code
    count_expanded(search.journal.counts, expansion.answer.successors, expansion.labels[0])
    push_marker(stack, expansion.words, record)
    push_successors(stack, expansion, store, record)
    enter_state(open_sccs, record, record, expansion.labels[0] & open_sccs.state.accepting)
    stack.top.unexpanded = _0
    return CONTINUE


@inlined
def _process_top(search):
    """Pop a state: it is new, or closes a cycle, or belongs to a finished SCC."""
    store, stack, open_sccs, words = search.store, search.stack, search.open_sccs, search.expansion.words
    state = open_sccs.state
    at = top_of(stack, words)
    hash_value = state_hash(stack.items, at, words)
    record = find(store, stack.items, at, hash_value)
    if record == NONE:
        return store_top(search, hash_value, OPEN)
    drop(stack)
    if state.roots == _0 or store.entries[extra_at(store, record)] != OPEN:
        return CONTINUE
    # Early detection, unless whole SCCs are wanted: a cycle is known once the open SCC has all acceptance sets.
    if merge(open_sccs, record) != state.accepting or state.whole != _0:
        return CONTINUE
    state.record = record
    state.first = open_sccs.roots[_2 * (state.roots - _1)]
    return CYCLE


@inlined
def _leave(search):
    """Pop a marker, whose state's successors are all done; finish the SCC if the state is its first.

    If the search visits whole SCCs and this one accepts, returns CYCLE: its states are the last `states` entries of
    `active`, and are marked as finished when the search continues.
    """
    store, stack, open_sccs = search.store, search.stack, search.open_sccs
    state = open_sccs.state
    record = stack.items[top_of(stack, search.expansion.words)]
    if not is_first(open_sccs, record):
        drop(stack)
        return CONTINUE
    top = _2 * (state.roots - _1)
    if state.whole != _0 and open_sccs.roots[top + _1] == state.accepting | CYCLIC:
        # So that the SCC is reported once: the next call finishes it.
        open_sccs.roots[top + _1] = _0
        first = state.active - _1
        while open_sccs.active[first] != record:
            first -= _1
        state.record = state.first = record
        state.states = state.active - first
        return CYCLE
    member = NONE
    while member != record:
        state.active -= _1
        member = open_sccs.active[state.active]
        store.entries[extra_at(store, member)] = FINISHED
    state.roots -= _1
    drop(stack)
    return CONTINUE


MOVES[Components] = Moves(_enter, _process_top, _leave)


@njit
def components(search, budget):
    """Search on for `budget` expansions. Returns DONE, BUDGET, GROW, FLUSH, FAULT or CYCLE.

    After CYCLE, `record` lies on an accepting cycle through open states that are numbered from `first`.
    """
    return search_depth_first(search, budget)
