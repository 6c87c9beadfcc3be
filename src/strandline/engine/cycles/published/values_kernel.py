"""LTL-Sweep's search for cycles over several layers: maximal persistent predecessors (001 §3.2, Algorithm 3).

Such a cycle contains a persistent state. The value of a state is the largest candidate, a persistent state, from which
it can be reached, and whether an accepting state lies on a path from there: the candidate's record plus one, shifted by
that bit, so that values are compared as numbers. A candidate that receives itself with acceptance lies on an accepting
cycle. When no value rises any more, candidates that are the value of a state are dropped, and so are those whose own
value has no acceptance; the next round computes values anew, until no candidate is left.

Corrections to the printed algorithm: before each round the value of every persistent state is reset; line 33 collects
the state that was visited; on-line, persistent states that the last sweep has discovered are not entered, since no
search has started from them yet (§5.1).

As published, the line moves back as soon as a regress edge has raised the value of a state behind it (§6), and the
visited states of the unfinished layer are deleted at once. With `true_sweeps` it moves on, and the state is queued for
the line's next pass.

The queued states of a layer form a ring of links; `ring` of the row is its last member. The link of a state that is
neither persistent nor queued is the *stay* of the line during which it was visited: if that is over, the state counts
as deleted, although it is in memory until the layer is empty. So a line that moves back costs nothing by itself.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.cycles.published.states_kernel import (
    CANDIDATE,
    PERSISTENT,
    link_in_ring,
    reset,
    value_of,
)
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.layer_table_kernel import (
    has_queued_layer,
    layer_chain,
    persistent_chain,
    queue_layer,
    row_of,
)
from strandline.engine.parts.line_kernel import column_at, drop_layer, layer_at, move_line
from strandline.engine.parts.search_output_kernel import count_stored
from strandline.engine.runtime.codes import CONTINUE, CYCLE, DONE, GROW, NONE
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.jit import inlined
from strandline.engine.store.interface import extra_at, find, make_room
from strandline.engine.store.paged_kernel import after, append, first_of, insert, record_of

U = np.uint64
_0, _1 = U(0), U(1)
_VISITED = U(1 << 63)
"""Flag of a link: the state is not queued; the lower bits are the stay in which it was visited."""


@inlined
def _waits(link):
    """Return True if a link belongs to a queued state."""
    return link != _0 and link & _VISITED == _0


@inlined
def _enqueue(search, number, row):
    """Append a state to the queue of its layer."""
    store, place = search.store, search.layers.rows[row]
    following = number + _1
    if place.ring != _0:
        last = link_in_ring(store, place.ring - _1)
        following = store.entries[last]
        store.entries[last] = number + _1
    store.entries[link_in_ring(store, number)] = following
    place.ring = number + _1


@inlined
def _dequeue(search, number, row):
    """Remove the first state from the queue of a layer, and mark it as visited."""
    store, state, place = search.store, search.state, search.layers.rows[row]
    own = link_in_ring(store, number)
    if place.ring == number + _1:
        place.ring = _0
    else:
        store.entries[link_in_ring(store, place.ring - _1)] = store.entries[own]
    if store.entries[extra_at(store, number)] & PERSISTENT != _0:
        store.entries[own] = _0
    else:
        store.entries[own] = _VISITED | state.stay
        state.garbage += _1


@inlined
def choose_candidates(search):
    """Choose the candidates and return their number.

    Off-line they are all persistent states of the column, on-line those that were roots of the sweep just finished.
    """
    layers, store, state = search.layers, search.store, search.state
    count = _0
    for keeper in range(layers.line.keepers):
        number = first_of(store, layers.chains[persistent_chain(layers.keepers[keeper])])
        while number != NONE:
            record, flags = record_of(store, number), extra_at(store, number)
            store.entries[flags] &= ~CANDIDATE
            if state.online == _0 or (state.previous_sweep <= record and record < state.this_sweep):
                store.entries[flags] |= CANDIDATE
                count += _1
            number = after(store, number)
    return count


@inlined
def begin_round(search):
    """Reset the value of every persistent state and queue the candidates."""
    layers, store = search.layers, search.store
    search.state.rounds += _1
    for keeper in range(layers.line.keepers):
        row = layers.keepers[keeper]
        number = first_of(store, layers.chains[persistent_chain(row)])
        while number != NONE:
            flags = store.entries[extra_at(store, number)]
            reset(store, number, flags)
            if flags & CANDIDATE != _0:
                store.entries[value_of(store, number)] = (record_of(store, number) + _1) << _1
                _enqueue(search, number, row)
                queue_layer(layers, row)
            number = after(store, number)


@inlined
def _end_round(search):
    """Do the delete transformation; return the number of remaining candidates."""
    layers, store = search.layers, search.store
    count = _0
    for keeper in range(layers.line.keepers):
        number = first_of(store, layers.chains[persistent_chain(layers.keepers[keeper])])
        while number != NONE:
            flags, value = extra_at(store, number), store.entries[value_of(store, number)]
            if store.entries[flags] & CANDIDATE != _0:
                hidden = value >> _1 != record_of(store, number) + _1
                if hidden and value & _1 != _0:
                    count += _1
                else:
                    store.entries[flags] &= ~CANDIDATE
            number = after(store, number)
    return count


@inlined
def _forget_visited(search):
    """Count the states that the line has visited since it came to this layer as deleted; the line leaves the layer."""
    state = search.state
    search.journal.counts.stored -= state.garbage
    state.garbage = _0
    state.stay += _1


@inlined
def _next_layer(search):
    """Move the line to the lowest layer with queued states. Returns CONTINUE, BUDGET, or DONE."""
    layers, store = search.layers, search.store
    line, rows = layers.line, layers.rows
    while True:
        if line.row != NONE:
            if rows[line.row].ring == _0:
                if line.leaving == _0:
                    _forget_visited(search)
                code = drop_layer(layers, store)
                if code != CONTINUE:
                    return code
            elif has_queued_layer(layers) and rows[layers.heap[_0]].layer < line.layer:
                _forget_visited(search)
                queue_layer(layers, line.row)
            else:
                return CONTINUE
        if not has_queued_layer(layers):
            # A pass is over. With true sweeps, states behind the line are queued for the next one.
            for keeper in range(line.keepers):
                if rows[layers.keepers[keeper]].ring != _0:
                    queue_layer(layers, layers.keepers[keeper])
        if not has_queued_layer(layers):
            if _end_round(search) == _0:
                return DONE
            begin_round(search)
        move_line(layers)


@inlined
def _expand(search):
    """Visit the first queued state of the layer: its successors become the batch, its value is propagated to them."""
    expansion, store, state = search.expansion, search.store, search.state
    row = search.layers.line.row
    number = store.entries[link_in_ring(store, search.layers.rows[row].ring - _1)] - _1
    code = compute_successors(expansion, store.entries, number * store.entry, record_of(store, number), _0)
    if code != CONTINUE:
        return code
    _dequeue(search, number, row)
    search.journal.counts.visited += _1
    state.value_visits += _1
    state.carried = store.entries[value_of(store, number)]
    if expansion.labels[0] & state.accepting == state.accepting:
        state.carried |= _1
    search.batch.rest.count = expansion.answer.successors
    return CONTINUE


@inlined
def _receive_persistent(search, number, row, behind):
    """Propagate the value `carried` to a persistent state. Returns CONTINUE or CYCLE."""
    store, state = search.store, search.state
    record, value = record_of(store, number), value_of(store, number)
    if state.online != _0 and record >= state.this_sweep:
        return CONTINUE
    if state.carried == ((record + _1) << _1) | _1:
        state.found = number
        return CYCLE
    if state.carried > store.entries[value]:
        store.entries[value] = state.carried
        if not _waits(store.entries[link_in_ring(store, number)]):
            _enqueue(search, number, row)
        if row != search.layers.line.row and not (behind and state.true_sweeps != _0):
            queue_layer(search.layers, row)
    return CONTINUE


@inlined
def _receive_other(search, number, row):
    """Propagate the value `carried` to a stored state that is not persistent."""
    store, state = search.store, search.state
    value, link = value_of(store, number), store.entries[link_in_ring(store, number)]
    visited = link == _VISITED | state.stay
    if not visited and not _waits(link):
        # It counts as deleted since the line moved back.
        count_stored(search.journal.counts, _1)
    elif state.carried <= store.entries[value]:
        return
    elif visited:
        state.garbage -= _1
    store.entries[value] = state.carried
    if not _waits(link):
        _enqueue(search, number, row)
        if row != search.layers.line.row:
            queue_layer(search.layers, row)


@inlined
def _receive(search, at):
    """Propagate the value `carried` to a successor in the column."""
    expansion, store, layers, state = search.expansion, search.store, search.layers, search.state
    layer = layer_at(expansion.words, expansion.records, at)
    code = make_room(store)
    if code != CONTINUE:
        return code
    hash_value = state_hash(expansion.records, at, expansion.words)
    number = find(store, expansion.records, at, hash_value)
    row = row_of(layers, layers.line.column, layer)
    if row == NONE:
        return GROW
    if number != NONE:
        if store.entries[extra_at(store, number)] & PERSISTENT != _0:
            return _receive_persistent(search, number, row, layer < layers.line.layer)
        _receive_other(search, number, row)
        return CONTINUE
    number = append(store, layers.chains[layer_chain(row)], _0)
    if number == NONE:
        return GROW
    insert(store, number, expansion.records, at, hash_value)
    reset(store, number, _0)
    store.entries[value_of(store, number)] = state.carried
    count_stored(search.journal.counts, _1)
    _enqueue(search, number, row)
    if row != layers.line.row:
        queue_layer(layers, row)
    return CONTINUE


@inlined
def propagate_values(search):
    """Visit one state.

    Returns CONTINUE, DONE if no candidate is left, BUDGET, GROW, FAULT, or CYCLE: then entry `found` is a persistent
    state on an accepting cycle inside the column.
    """
    expansion, rest = search.expansion, search.batch.rest
    while rest.next < rest.count:
        at = rest.next * expansion.stride
        if column_at(expansion.words, expansion.records, at) == search.layers.line.column:
            code = _receive(search, at)
            if code != CONTINUE:
                return code
        rest.next += _1
    rest.count = rest.next = _0
    code = _next_layer(search)
    if code != CONTINUE:
        return code
    return _expand(search)
