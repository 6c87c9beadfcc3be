"""Accepting cycles over several layers of a column, by elimination of persistent states.

A cycle over several layers has a regress edge, whose target is persistent. The *members* are the persistent states that
may be such a target on an accepting cycle. In each round, a member stays one only if it is reached, over a path that
visits an accepting state and ends with a regress edge, from some member. When no member is left there is no cycle; when
a round keeps them all there is one, because each of them has such a path from another (as in one-way-catch-them-young;
001 §3.2 propagates maximal predecessors instead).

A round is several sweeps of the column. Every stored state has a value (`VALUE`), which is reset in each round; the
sweeps start from the members, and a member whose value rises is a root of the next sweep. Paths through other
persistent states are not followed, since all targets of regress edges on a cycle are members. The first members cost
nothing: they are the persistent states that a regress edge hit again in the sweeps that explored the column
(`strandline.engine.cycles.sweep.layers_kernel`). That suffices, because from the second sweep on every visited state is
reachable from a persistent one, and every state reachable from one is visited.

The progress graph (001 §5.2) prunes rounds: a regress edge spans the layers from its target's to its source's, the
spans on a cycle overlap, and so a cycle never leaves its block of overlapping spans. Of the graph only the spans are
stored, one for each layer with persistent states; only layers with members count, so that blocks shrink from round to
round.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.cycles.sweep.marks_kernel import (
    HIT,
    HIT_SHIFT,
    MEMBER,
    QUEUED,
    VALUE,
    VALUE_SHIFT,
)
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.layer_table_kernel import (
    has_queued_layer,
    layer_chain,
    persistent_chain,
    queue_layer,
    row_of,
    schedule_root,
)
from strandline.engine.parts.line_kernel import column_at, layer_at, leave_layer, move_line, queue_roots
from strandline.engine.parts.search_output_kernel import count_stored
from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE, FAULT, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find, make_room
from strandline.engine.store.paged_kernel import after, append, first_of, insert, record_of

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)


@njit
def begin_round(search, first):
    """Choose the persistent states that are members of the next round, and make them its roots; count in `members`.

    Layers without members lose their span.
    """
    layers, store, state = search.layers, search.store, search.state
    state.members = state.block_end = _0
    search.open_sccs.state.active = search.batch.rest.count = search.batch.rest.next = _0
    layers.line.row = NONE
    for keeper in range(layers.line.keepers):
        row = layers.keepers[keeper]
        rank = layers.rows[row].layer & state.rank_mask
        possible = state.ranks_accepting >> rank & _1 != _0
        before = state.members
        number = first_of(store, layers.chains[persistent_chain(row)])
        while number != NONE:
            at = extra_at(store, number)
            mark = store.entries[at]
            member = possible and mark & HIT != _0
            if not first:
                # A member stays if an accepting path from a member hit it.
                member = mark & MEMBER != _0 and mark >> HIT_SHIFT & VALUE == _2
            store.entries[at] = mark & HIT
            if member:
                state.members += _1
                store.entries[at] |= MEMBER | QUEUED | (_1 << VALUE_SHIFT)
                queue_layer(layers, row)
            number = after(store, number)
        if state.members == before:
            layers.rows[row].span = _0


@njit
def list_members(search, found):
    """Write the members that elimination has left into `found`, each as the words of its state and its record."""
    layers, store = search.layers, search.store
    width = word_count(store.words)
    place = _0
    for keeper in range(layers.line.keepers):
        number = first_of(store, layers.chains[persistent_chain(layers.keepers[keeper])])
        while number != NONE:
            if store.entries[extra_at(store, number)] & MEMBER != _0:
                copy_state(store.entries, number * store.entry, found, place, store.words)
                found[place + width] = record_of(store, number)
                place += width + _1
            number = after(store, number)


@inlined
def _expand(search):
    """Expand the entry at the end of the work list: its successors become the batch, with the value they get."""
    expansion, store, open_sccs, state = search.expansion, search.store, search.open_sccs, search.state
    number = open_sccs.active[open_sccs.state.active - _1]
    code = compute_successors(expansion, store.entries, number * store.entry, NONE, _0)
    if code != CONTINUE:
        return code
    open_sccs.state.active -= _1
    search.journal.counts.visited += _1
    mark = extra_at(store, number)
    store.entries[mark] &= ~QUEUED
    accepts = expansion.labels[0] & open_sccs.state.accepting == open_sccs.state.accepting
    state.value = _2 if accepts else store.entries[mark] >> VALUE_SHIFT & VALUE
    search.batch.rest.count, search.batch.rest.next = expansion.answer.successors, _0
    return CONTINUE


@inlined
def _rise(store, number, value):
    """Raise the value of a state; return True if it must be queued for that."""
    at = extra_at(store, number)
    mark = store.entries[at]
    if mark >> VALUE_SHIFT & VALUE >= value:
        return False
    store.entries[at] = (mark & ~(VALUE << VALUE_SHIFT)) | (value << VALUE_SHIFT) | QUEUED
    # A state that is queued already will be expanded with the higher value.
    return mark & QUEUED == _0


@inlined
def _pass_back(search, number, row):
    """Propagate the value over a regress edge to a member.

    The member becomes a root of the next sweep if its value rises.
    """
    store, value = search.store, search.state.value
    at = extra_at(store, number)
    if store.entries[at] & MEMBER == _0:
        return
    if store.entries[at] >> HIT_SHIFT & VALUE < value:
        store.entries[at] = (store.entries[at] & ~(VALUE << HIT_SHIFT)) | (value << HIT_SHIFT)
    if _rise(store, number, value):
        schedule_root(search.layers, row)


@inlined
def _pass_on(search, at):
    """Propagate the value to one successor, if it lies in the same column, rank and block.

    Returns FAULT if a persistent state is missing: then the model is not deterministic.
    """
    expansion, store, layers, open_sccs, state = (
        search.expansion,
        search.store,
        search.layers,
        search.open_sccs,
        search.state,
    )
    line, records = layers.line, expansion.records
    layer = layer_at(expansion.words, records, at)
    # A cycle never leaves its block of overlapping spans.
    if layer > state.block_end:
        return CONTINUE
    code = make_room(store)
    if code != CONTINUE:
        return code
    row = row_of(layers, line.column, layer)
    if row == NONE:
        return GROW
    hash_value = state_hash(records, at, expansion.words)
    number = find(store, records, at, hash_value)
    if layer < line.layer:
        # Regress edges lead to persistent states, which stay stored until the line leaves the column.
        if number == NONE:
            return FAULT
        _pass_back(search, number, row)
        return CONTINUE
    if row == line.row and open_sccs.state.active == U(len(open_sccs.active)):
        open_sccs.state.wanted_active = open_sccs.state.active + _1
        return GROW
    if number == NONE:
        number = append(store, layers.chains[layer_chain(row)], _0)
        if number == NONE:
            return GROW
        insert(store, number, records, at, hash_value)
        store.entries[extra_at(store, number)] = QUEUED | (state.value << VALUE_SHIFT)
        count_stored(search.journal.counts, _1)
    elif not _rise(store, number, state.value):
        return CONTINUE
    if row == line.row:
        open_sccs.active[open_sccs.state.active] = number
        open_sccs.state.active += _1
    else:
        queue_layer(layers, row)
    return CONTINUE


@inlined
def _absorb(search):
    """Propagate the value to the rest of the batch."""
    expansion, line, rest = search.expansion, search.layers.line, search.batch.rest
    while rest.next < rest.count:
        at = rest.next * expansion.stride
        layer = layer_at(expansion.words, expansion.records, at)
        same_rank = (layer ^ line.layer) & search.state.rank_mask == _0
        if same_rank and column_at(expansion.words, expansion.records, at) == line.column:
            code = _pass_on(search, at)
            if code != CONTINUE:
                return code
        rest.next += _1
    rest.count = rest.next = _0
    return CONTINUE


@inlined
def _list_queued(search, chain):
    """Append the queued states of a chain of the current layer to the work list, which must have room."""
    store, open_sccs = search.store, search.open_sccs
    number = first_of(store, chain)
    while number != NONE:
        if store.entries[extra_at(store, number)] & QUEUED != _0:
            open_sccs.active[open_sccs.state.active] = number
            open_sccs.state.active += _1
        number = after(store, number)


@inlined
def _next_layer(search):
    """Move the line on inside the column. Returns DONE if no value can rise any more."""
    layers, open_sccs, state = search.layers, search.open_sccs, search.state
    line, chains = layers.line, layers.chains
    if line.row != NONE:
        code = leave_layer(layers, search.store, search.journal.counts)
        if code != CONTINUE:
            return code
    if not has_queued_layer(layers):
        if line.pending == _0:
            return DONE
        queue_roots(layers)
        state.block_end = _0
    row = layers.heap[_0]
    most = chains[persistent_chain(row)].count + chains[layer_chain(row)].count
    if most > U(len(open_sccs.active)):
        open_sccs.state.wanted_active = most
        return GROW
    move_line(layers)
    if chains[persistent_chain(row)].count != _0:
        state.block_end = max(state.block_end, layers.rows[row].span)
    _list_queued(search, chains[persistent_chain(row)])
    _list_queued(search, chains[layer_chain(row)])
    return CONTINUE


@njit
def propagate(search, budget):
    """Run a round for about `budget` expansions. The spans of rows must be the ends of their blocks.

    Returns BUDGET, GROW, DONE, or FAULT if the model is not deterministic.
    """
    stop_at = search.journal.counts.visited + budget
    while True:
        if search.batch.rest.count != _0:
            code = _absorb(search)
        elif search.journal.counts.visited >= stop_at:
            return BUDGET
        elif search.open_sccs.state.active != _0:
            code = _expand(search)
        else:
            code = _next_layer(search)
        if code != CONTINUE:
            return code
