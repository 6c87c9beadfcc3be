"""The sweep that looks for accepting cycles inside layers: each state is expanded once, as in a plain sweep.

Layers are taken in the order of a plain sweep; inside a layer the search is Couvreur's, confined to the layer, where
the nested search of 001 (Algorithm 2) visits everything twice. It visits every state of the layer that is not finished,
also one that is stored already because it is queued: otherwise the search would not be depth-first and miss cycles.
Persistent states that earlier sweeps of the column have expanded are finished: the cycles through them were closed
then. (A column is a group of layers that no edge leaves backwards; see `docs/glossary.md`.)

Three kinds of data are recorded for cycles over several layers: the ranks of the property automaton that have accepting
states (a cycle never leaves its rank); the persistent states that a regress edge hits again in a later sweep; and for
each layer the highest layer from which a regress edge leads to it (`span` of its row).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.cycles.open_kernel import enter_state, has_room, is_first, merge
from strandline.engine.cycles.sweep.marks_kernel import FINISHED, HIT, NUMBER_SHIFT, OPEN, STATUS
from strandline.engine.parts.expansion_kernel import link_of
from strandline.engine.parts.layer_table_kernel import find_row
from strandline.engine.parts.line_kernel import (
    KNOWN,
    column_at,
    layer_at,
    next_layer,
    place_successor,
    regresses,
    store_top_here,
    take_next_state,
)
from strandline.engine.parts.profile_recorder_kernel import sample_regress_edge
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.parts.stack_kernel import (
    compute_successors_for_stack,
    drop,
    is_marker,
    push_marker,
    push_state,
    top_of,
)
from strandline.engine.runtime.codes import BUDGET, COLUMN_OVER, CONTINUE, CYCLE, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find, prefetch_home
from strandline.engine.store.paged_kernel import record_of

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)

ACCEPTS, HIT_AGAIN = U(1), U(2)
"""Reasons why a state is suspected of lying on an accepting cycle."""


@inlined
def _suspect(search, number, why):
    """Store a copy of a state that may lie on a cycle, with its record."""
    store = search.store
    copy_state(store.entries, number * store.entry, search.suspect, _0, store.words)
    search.suspect[word_count(store.words)] = record_of(store, number)
    search.state.suspect = why


@inlined
def _expand(search):
    """Expand an entry of the current layer: open it as an SCC, push its marker, make its successors the batch."""
    expansion, store, stack, open_sccs, state = (
        search.expansion,
        search.store,
        search.stack,
        search.open_sccs,
        search.state,
    )
    number = stack.top.unexpanded - _1
    record = record_of(store, number)
    if not has_room(open_sccs):
        return GROW
    code = compute_successors_for_stack(stack, expansion, store, number, record)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    count_expanded(search.journal.counts, successors, labels)
    push_marker(stack, expansion.words, number)
    state.number += _1
    mark = extra_at(store, number)
    store.entries[mark] = (store.entries[mark] & HIT) | OPEN | (state.number << NUMBER_SHIFT)
    accepting = open_sccs.state.accepting
    enter_state(open_sccs, state.number, number, labels & accepting)
    if labels & accepting == accepting:
        state.ranks_accepting |= _1 << (search.layers.line.layer & state.rank_mask)
        if state.suspect != HIT_AGAIN:
            _suspect(search, number, ACCEPTS)
    state.source, state.source_record = number, record
    search.batch.rest.count, search.batch.rest.next = successors, _0
    stack.top.unexpanded = _0
    return CONTINUE


@inlined
def _hit_again(search, number, layer):
    """Record an edge back to a persistent state in a later sweep: if it keeps the rank, it may close a cycle."""
    layers, store, state = search.layers, search.store, search.state
    line = layers.line
    # In the first sweep of a column no state is known to be reachable from a persistent one.
    if line.column_sweep < _2 or (layer ^ line.layer) & state.rank_mask != _0:
        return
    store.entries[extra_at(store, number)] |= HIT
    row = layers.rows[find_row(layers, line.column, layer)]
    row.span = max(row.span, line.layer)
    if state.ranks_accepting >> (layer & state.rank_mask) & _1 != _0:
        _suspect(search, number, HIT_AGAIN)


@inlined
def _place(search, at, link):
    """Store a successor of another layer: ahead of the line or, after a regress edge, behind it."""
    expansion, store, layers = search.expansion, search.store, search.layers
    words, records, line = expansion.words, expansion.records, layers.line
    code = place_successor(layers, store, search.journal, expansion, at, state_hash(records, at, words), link)
    if code != CONTINUE:
        return code
    if line.outcome != KNOWN:
        store.entries[extra_at(store, line.placed)] = _0
    if regresses(layers, expansion, at):
        line.regress_edges += _1
        source = search.state.source * store.entry
        sample_regress_edge(search.recorder, words, store.entries, source, search.batch.rest.next, line.regress_edges)
        _hit_again(search, line.placed, layer_at(words, records, at))
    return CONTINUE


@inlined
def _absorb(search):
    """Push the successors in the layer, and place the others in their layers."""
    expansion, stack, rest, line = search.expansion, search.stack, search.batch.rest, search.layers.line
    words, records = expansion.words, expansion.records
    while rest.next < rest.count:
        step = rest.next
        at, link = step * expansion.stride, link_of(search.state.source_record, step)
        inside = column_at(words, records, at) == line.column and layer_at(words, records, at) == line.layer
        if inside and line.row != NONE:
            push_state(stack, words, records, at, link)
            prefetch_home(search.store, state_hash(records, at, words))
        else:
            code = _place(search, at, link)
            if code != CONTINUE:
                return code
        rest.next = step + _1
    rest.count = rest.next = _0
    return CONTINUE


@inlined
def _process_top(search):
    """Pop a state of the layer: enter it, or check whether it closes an accepting cycle."""
    store, stack, open_sccs, words = search.store, search.stack, search.open_sccs, search.expansion.words
    at = top_of(stack, words)
    hash_value = state_hash(stack.items, at, words)
    number = find(store, stack.items, at, hash_value)
    if number == NONE:
        code = store_top_here(search, hash_value)
        if code != CONTINUE:
            return code
        number = search.layers.line.placed
        store.entries[extra_at(store, number)] = _0
    drop(stack)
    mark = store.entries[extra_at(store, number)]
    # Not entered in this layer yet, though perhaps stored because it was queued.
    if mark & STATUS == _0:
        stack.top.unexpanded = number + _1
    elif mark & STATUS == OPEN and merge(open_sccs, mark >> NUMBER_SHIFT) == open_sccs.state.accepting:
        search.state.record = record_of(store, number)
        copy_state(store.entries, number * store.entry, search.suspect, _0, words)
        return CYCLE
    return CONTINUE


@inlined
def _leave(search):
    """Pop a marker, whose state's successors are all done; finish the SCC if the state is its first."""
    store, stack, open_sccs = search.store, search.stack, search.open_sccs
    number = stack.items[top_of(stack, search.expansion.words)]
    drop(stack)
    if not is_first(open_sccs, store.entries[extra_at(store, number)] >> NUMBER_SHIFT):
        return
    open_sccs.state.roots -= _1
    member = NONE
    while member != number:
        open_sccs.state.active -= _1
        member = open_sccs.active[open_sccs.state.active]
        mark = extra_at(store, member)
        store.entries[mark] = (store.entries[mark] & HIT) | FINISHED


@inlined
def _next_root(search):
    """Find the next root of the depth-first search: a state of this layer or of the next one that is not visited yet.

    Returns CONTINUE, or a code of `next_layer`; COLUMN_OVER only if cycles over several layers are possible.
    """
    layers, store, state = search.layers, search.store, search.state
    while True:
        code = next_layer(layers, store, search.journal.counts, search.recorder)
        # Without persistent or accepting states no cycle spans several layers.
        if code == COLUMN_OVER and (layers.line.keepers == _0 or state.ranks_accepting == _0):
            state.ranks_accepting = _0
            continue
        if code != CONTINUE:
            return code
        number = take_next_state(layers, store)
        if store.entries[extra_at(store, number)] & STATUS == _0:
            search.stack.top.unexpanded = number + _1
            return CONTINUE


@njit
def sweep_layers(search, budget):
    """Search on for about `budget` expansions.

    The initial states are the first batch, and the line stands before all layers. Returns BUDGET, GROW, FLUSH, FAULT,
    REGRESSING_COLUMN, SWEEP_OVER, COLUMN_OVER, DONE, or CYCLE: the layer has an accepting cycle through the state whose
    words are in `suspect`.
    """
    counts, top = search.journal.counts, search.stack.top
    stop_at = counts.visited + budget
    while True:
        code = CONTINUE
        if search.batch.rest.count != _0:
            code = _absorb(search)
        elif top.unexpanded != _0:
            code = _expand(search)
        elif top.count != _0:
            if is_marker(search.stack, search.expansion.words):
                _leave(search)
            else:
                code = _process_top(search)
        elif counts.visited >= stop_at:
            return BUDGET
        else:
            code = _next_root(search)
        if code != CONTINUE:
            return code
