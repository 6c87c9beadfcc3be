"""The sweeps of LTL-Sweep: a nested depth-first search inside each layer (001 §3.1, Algorithm 2).

Two corrections to the printed algorithm. The blue search enters every successor in its layer that is not blue, also one
that is stored because it is queued: else the red searches do not run in post-order and miss cycles. Lines 34 and 36
insert the successor. One clarification: a persistent state that an earlier sweep has searched from stays blue, and the
states that it leads to inside the layer may be deleted. No accepting cycle is there, so the red search leaves out
states that are not stored.

The stack has markers of the states of the blue search. The red search needs none; it stands above the item number
`second`, right below which is the marker of its seed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.cycles.published.states_kernel import ACCEPTS, BLUE, PERSISTENT, RED, reset
from strandline.engine.parts.expansion_kernel import compute_successors, link_of
from strandline.engine.parts.line_kernel import (
    KNOWN,
    RETURNED,
    column_at,
    layer_at,
    next_layer,
    place_successor,
    regresses,
    store_top_here,
    take_next_state,
)
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.parts.stack_kernel import drop, has_room, is_marker, push_marker, push_state, top_of
from strandline.engine.runtime.codes import CONTINUE, CYCLE, GROW, NONE
from strandline.engine.runtime.hashing import state_hash, word_count
from strandline.engine.runtime.jit import inlined
from strandline.engine.store.interface import extra_at, find, prefetch_home
from strandline.engine.store.paged_kernel import record_of

U = np.uint64
_0, _1 = U(0), U(1)


@inlined
def _place(search, at, hash_value, link):
    """Store a successor of another layer: ahead of the line or, after a regress edge, for the next sweep."""
    layers, store, expansion = search.layers, search.store, search.expansion
    line = layers.line
    code = place_successor(layers, store, search.journal, expansion, at, hash_value, link)
    if code != CONTINUE:
        return code
    if line.outcome != KNOWN:
        reset(store, line.placed, PERSISTENT if line.outcome == RETURNED else _0)
    if regresses(layers, expansion, at):
        line.regress_edges += _1
    return CONTINUE


@inlined
def _absorb(search):
    """Push the rest of the batch, the first successor last, so that it is on top; place those of other layers.

    The red search stays in its layer.
    """
    expansion, batch, stack, state = search.expansion, search.batch, search.stack, search.state
    words, records, line = expansion.words, expansion.records, search.layers.line
    while batch.rest.next < batch.rest.count:
        step = batch.rest.count - batch.rest.next - _1
        at, link = step * expansion.stride, link_of(state.source, step)
        hash_value = state_hash(records, at, words)
        code = CONTINUE
        inside = column_at(words, records, at) == line.column and layer_at(words, records, at) == line.layer
        if inside and line.row != NONE:
            if has_room(stack, words, _1):
                push_state(stack, words, records, at, link)
                prefetch_home(search.store, hash_value)
            else:
                code = GROW
        elif state.second == _0:
            code = _place(search, at, hash_value, link)
        if code != CONTINUE:
            # The message about a wrong measure reads the edge from here.
            batch.links[batch.rest.next] = link
            return code
        batch.rest.next += _1
    batch.rest.count = batch.rest.next = _0
    return CONTINUE


@inlined
def _expand(search):
    """Expand the next state, in the colour of the present search."""
    expansion, store, stack, state = search.expansion, search.store, search.stack, search.state
    number = stack.top.unexpanded - _1
    record = record_of(store, number)
    code = compute_successors(expansion, store.entries, number * store.entry, record, _0)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    flags = extra_at(store, number)
    if state.second != _0:
        store.entries[flags] |= RED
        search.journal.counts.visited += _1
        state.red_visits += _1
    else:
        if not has_room(stack, expansion.words, _1):
            return GROW
        push_marker(stack, expansion.words, number)
        store.entries[flags] |= BLUE
        if labels & state.accepting == state.accepting:
            store.entries[flags] |= ACCEPTS
        count_expanded(search.journal.counts, successors, labels)
    state.source = record
    search.batch.rest.count = successors
    stack.top.unexpanded = _0
    return CONTINUE


@inlined
def _process_top(search):
    """Pop a state, to be expanded next if the present search has not visited it."""
    store, stack, state, words = search.store, search.stack, search.state, search.expansion.words
    at = top_of(stack, words)
    hash_value = state_hash(stack.items, at, words)
    number = find(store, stack.items, at, hash_value)
    colour = BLUE if state.second == _0 else RED
    if number == NONE and colour == BLUE:
        code = store_top_here(search, hash_value)
        if code != CONTINUE:
            return code
        number = search.layers.line.placed
        reset(store, number, _0)
    if number != NONE:
        if colour == RED and stack.items[(state.second - _1) * (word_count(words) + _1)] == number:
            state.found = number
            return CYCLE
        if store.entries[extra_at(store, number)] & colour == _0:
            stack.top.unexpanded = number + _1
    drop(stack)
    return CONTINUE


@inlined
def _leave(search):
    """Leave a state of the blue search; start the red search if it accepts."""
    store, stack = search.store, search.stack
    number = stack.items[top_of(stack, search.expansion.words)]
    if store.entries[extra_at(store, number)] & ACCEPTS == _0:
        drop(stack)
        return
    search.state.second = stack.top.count
    stack.top.unexpanded = number + _1


@inlined
def _next_root(search):
    """Find the next root of a blue search: a state that none has visited, in this layer or the next one of the sweep.

    Returns CONTINUE, or a code of `next_layer`.
    """
    layers, store = search.layers, search.store
    while True:
        code = next_layer(layers, store, search.journal.counts, None)
        if code != CONTINUE:
            return code
        number = take_next_state(layers, store)
        if store.entries[extra_at(store, number)] & BLUE == _0:
            search.stack.top.unexpanded = number + _1
            return CONTINUE


@inlined
def search_layers(search):
    """Do one step of the sweep.

    Returns CONTINUE, SWEEP_OVER, COLUMN_OVER, DONE, BUDGET, GROW, FLUSH, FAULT, REGRESSING_COLUMN, or CYCLE: then entry
    `found` accepts and lies on a cycle inside the layer.
    """
    top, state = search.stack.top, search.state
    if search.batch.rest.next < search.batch.rest.count:
        return _absorb(search)
    if top.unexpanded != _0:
        return _expand(search)
    if top.count == _0:
        return _next_root(search)
    if top.count == state.second:
        # The red search is over, and with it the blue one from its seed.
        state.second = _0
        drop(search.stack)
    elif is_marker(search.stack, search.expansion.words):
        _leave(search)
    else:
        return _process_top(search)
    return CONTINUE
