"""LTL-Sweep's search for cycles over several layers: maximal persistent predecessors (001 §3.2, Algorithm 3).

Such a cycle contains a persistent state. The value of a state is the largest candidate, a persistent state, from which
it can be reached, and whether an accepting state lies on a way from there: the candidate's record plus one, shifted by
that bit, so that values are compared as numbers. A candidate that receives itself with acceptance lies on an accepting
cycle. When no value rises any more, candidates that are the value of a state are none any longer, nor are those
whose own value has no acceptance; the next round computes values anew, until no candidate is left.

Corrections to the printed algorithm: before each round the value of every persistent state is reset; line 33 collects
the state that was visited; on-line, persistent states that the last sweep has discovered are not entered, since nobody
has searched from them yet (§5.1).

As published, the line moves back as soon as a regress edge has raised the value of a state behind it (§6), and what was
visited in the unfinished layer is forgotten at once. With TRUE_SWEEPS it goes on, and the state waits for the line's
next pass.

States that wait in a layer form a ring of links through both buckets; HEAD of the row's live bucket is the ring's last
member. A state that is not persistent and does not wait has in its link the
*stay* of the line during which it was visited: if that is over, the state counts as forgotten, although it lies in its
bucket until the layer is empty. So a line that moves back costs nothing by itself.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.explore import account
from strandline.engine.intrinsics import call_successors
from strandline.engine.jit import inlined
from strandline.engine.layers import find_layer, make_layer, pop, push
from strandline.engine.ltl_sweep_states import (
    CANDIDATE,
    RECORD,
    address,
    column_waits,
    kept_entry,
    leave_row,
    move_line,
    ticket_of,
)
from strandline.engine.numbered import NOWHERE, store_state

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_BIAS = U(1 << 63)
_VISITED = U(1 << 63)
"""In a link: the state does not wait; below stands the stay in which it was visited."""
_CONTINUE = -1
NO_CANDIDATE_LEFT = -2


@inlined
def _value_at(ticket, words, row, buckets):
    """Where a state's value is; its link is next."""
    return address(ticket, words, word_count(words) + _2, row, buckets) + word_count(words) + (ticket & _1)


@inlined
def _waits(link):
    return link != _0 and link & _VISITED == _0


@inlined
def _enqueue(ticket, words, row, buckets, store):
    """Let a state wait in its layer, behind the others."""
    own = _value_at(ticket, words, row, buckets) + _1
    head = row + U(r.LIVE) + U(r.HEAD)
    following = ticket + _1
    if buckets[head] != _0:
        last = _value_at(buckets[head] - _1, words, row, buckets) + _1
        following = store[last]
        store[last] = ticket + _1
    store[own] = following
    buckets[head] = ticket + _1


@inlined
def _first_in_queue(words, row, buckets, store):
    return store[_value_at(buckets[row + U(r.LIVE) + U(r.HEAD)] - _1, words, row, buckets) + _1] - _1


@inlined
def _dequeue(ticket, words, row, buckets, store, regs):
    """The first state of the queue is visited."""
    own = _value_at(ticket, words, row, buckets) + _1
    head = row + U(r.LIVE) + U(r.HEAD)
    if buckets[head] == ticket + _1:
        buckets[head] = _0
    else:
        store[_value_at(buckets[head] - _1, words, row, buckets) + _1] = store[own]
    if ticket & _1 != _0:
        store[own] = _0
    else:
        store[own] = _VISITED | regs[r.STAY]
        regs[r.GARBAGE] += _1


@inlined
def choose_candidates(words, buckets, keepers, store, regs):
    """Off-line all persistent states of the column are candidates, on-line those that were roots of the sweep just
    finished; their number."""
    width, entry = word_count(words), kept_entry(words)
    count = _0
    for number in range(regs[r.KEEPER_COUNT]):
        kept = keepers[number] + U(r.KEPT)
        for place in range(buckets[kept + U(r.COUNT)]):
            own = buckets[kept + U(r.ARENA)] + place * entry + width
            record = store[own] & RECORD
            store[own] &= ~CANDIDATE
            if regs[r.ONLINE] == _0 or (regs[r.PREVIOUS_SWEEP] <= record and record < regs[r.THIS_SWEEP]):
                store[own] |= CANDIDATE
                count += _1
    return count


@inlined
def begin_round(words, buckets, heap, keepers, store, regs):
    """Reset the value of every persistent state and let the candidates wait."""
    width, entry = word_count(words), kept_entry(words)
    regs[r.ROUNDS] += _1
    for number in range(regs[r.KEEPER_COUNT]):
        row = keepers[number]
        kept = row + U(r.KEPT)
        for place in range(buckets[kept + U(r.COUNT)]):
            own = buckets[kept + U(r.ARENA)] + place * entry + width
            store[own + _1] = store[own + _2] = _0
            if store[own] & CANDIDATE != _0:
                store[own + _1] = ((store[own] & RECORD) + _1) << _1
                _enqueue((place << _1) | _1, words, row, buckets, store)
                push(row, heap, buckets, regs)


@inlined
def _end_round(words, buckets, keepers, store, regs):
    """The delete transformation; how many candidates are left."""
    width, entry = word_count(words), kept_entry(words)
    count = _0
    for number in range(regs[r.KEEPER_COUNT]):
        kept = keepers[number] + U(r.KEPT)
        for place in range(buckets[kept + U(r.COUNT)]):
            own = buckets[kept + U(r.ARENA)] + place * entry + width
            if store[own] & CANDIDATE != _0:
                hidden = store[own + _1] >> _1 != (store[own] & RECORD) + _1
                if hidden and store[own + _1] & _1 != _0:
                    count += _1
                else:
                    store[own] &= ~CANDIDATE
    return count


@inlined
def _forget_visited(regs):
    """The line leaves a layer: what it visited there during this stay is forgotten."""
    regs[r.STORED] -= regs[r.GARBAGE]
    regs[r.GARBAGE] = _0
    regs[r.STAY] += _1


@inlined
def _next_layer(words, buckets, places, heap, keepers, index, store, regs):
    """Move the line to the lowest layer where a state waits. CONTINUE, or NO_CANDIDATE_LEFT."""
    while True:
        row = regs[r.CURRENT]
        if row != r.NONE:
            if buckets[row + U(r.LIVE) + U(r.HEAD)] == _0:
                _forget_visited(regs)
                leave_row(row, buckets, places, index, store, regs)
            elif column_waits(heap, buckets, regs) and buckets[heap[_0] + U(r.LAYER)] < regs[r.CURRENT_LAYER]:
                _forget_visited(regs)
                push(row, heap, buckets, regs)
            else:
                return _CONTINUE
        if not column_waits(heap, buckets, regs):
            # A pass is over. With true sweeps, states behind the line wait for the next.
            for number in range(regs[r.KEEPER_COUNT]):
                if buckets[keepers[number] + U(r.LIVE) + U(r.HEAD)] != _0:
                    push(keepers[number], heap, buckets, regs)
        if not column_waits(heap, buckets, regs):
            if _end_round(words, buckets, keepers, store, regs) == _0:
                return NO_CANDIDATE_LEFT
            begin_round(words, buckets, heap, keepers, store, regs)
        move_line(pop(heap, buckets, regs), buckets, regs)


@inlined
def _expand(function, words, stride, records, buckets, store, labels, regs):
    """Visit the first state that waits in the layer: its successors are the batch, its value is carried to them."""
    width = word_count(words)
    row = regs[r.CURRENT]
    ticket = _first_in_queue(words, row, buckets, store)
    value = _value_at(ticket, words, row, buckets)
    most = U(len(records)) // stride - _1
    at = value - width - (ticket & _1)
    count = call_successors(function, store, at, records, _0, np.int64(most), labels)
    if count < 0:
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    _dequeue(ticket, words, row, buckets, store, regs)
    account(_1, _0, _0, regs)
    regs[r.VALUE_VISITS] += _1
    regs[r.CARRIED] = store[value]
    if labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]:
        regs[r.CARRIED] |= _1
    regs[r.BATCH_COUNT] = U(count)
    return _CONTINUE


@inlined
def _count_stored(regs):
    regs[r.STORED] += _1
    regs[r.PEAK_STORED] = max(regs[r.PEAK_STORED], regs[r.STORED])


@inlined
def _receive_kept(ticket, words, row, behind, buckets, heap, store, regs):
    """A persistent state is reached with the value CARRIED."""
    value = _value_at(ticket, words, row, buckets)
    record = store[value - _1] & RECORD
    if regs[r.ONLINE] != _0 and record >= regs[r.THIS_SWEEP]:
        return _CONTINUE
    if regs[r.CARRIED] == ((record + _1) << _1) | _1:
        regs[r.CYCLE_RECORD] = record
        regs[r.CYCLE_ROOT] = value - _1 - word_count(words)
        return r.CYCLE
    if regs[r.CARRIED] > store[value]:
        store[value] = regs[r.CARRIED]
        if not _waits(store[value + _1]):
            _enqueue(ticket, words, row, buckets, store)
        if row != regs[r.CURRENT] and not (behind and regs[r.TRUE_SWEEPS] != _0):
            push(row, heap, buckets, regs)
    return _CONTINUE


@inlined
def _receive_live(ticket, words, row, buckets, heap, store, regs):
    """A stored state that is not persistent is reached with the value CARRIED."""
    value = _value_at(ticket, words, row, buckets)
    link = store[value + _1]
    visited = link == _VISITED | regs[r.STAY]
    if not visited and not _waits(link):
        # It was forgotten when the line moved back.
        _count_stored(regs)
    elif regs[r.CARRIED] <= store[value]:
        return
    elif visited:
        regs[r.GARBAGE] -= _1
    store[value] = regs[r.CARRIED]
    if not _waits(link):
        _enqueue(ticket, words, row, buckets, store)
        if row != regs[r.CURRENT]:
            push(row, heap, buckets, regs)


@inlined
def _receive(words, records, at, layer, buckets, places, heap, index, store, regs, scratch):
    """A successor in the column is reached with the value CARRIED."""
    width = word_count(words)
    row = regs[r.CURRENT]
    if layer != regs[r.CURRENT_LAYER]:
        row = find_layer(regs[r.CURRENT_COLUMN], layer, buckets, places)
        if row == r.NONE:
            row = make_layer(regs[r.CURRENT_COLUMN], layer, buckets, places, heap, regs)
            if row == r.NONE:
                return r.GROW
    ticket = ticket_of(records, at, words, width + _2, row, buckets, index, store)
    if ticket == NOWHERE:
        live = row + U(r.LIVE)
        value = regs[r.CARRIED]
        place = store_state(records, at, words, width + _2, value, buckets, live, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        _count_stored(regs)
        _enqueue(place << _1, words, row, buckets, store)
        if row != regs[r.CURRENT]:
            push(row, heap, buckets, regs)
        return _CONTINUE
    if ticket & _1 != _0:
        return _receive_kept(ticket, words, row, layer < regs[r.CURRENT_LAYER], buckets, heap, store, regs)
    _receive_live(ticket, words, row, buckets, heap, store, regs)
    return _CONTINUE


@inlined
def propagate_values(
    function, words, stride, records, buckets, places, heap, keepers, index, store, labels, regs, scratch
):  # fmt: skip
    """Visit one state. CONTINUE, NO_CANDIDATE_LEFT, or GROW, FAULT, or CYCLE: then CYCLE_RECORD is a persistent state
    on an accepting cycle inside the column; CYCLE_ROOT is its place in the store."""
    width = word_count(words)
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        at = regs[r.BATCH_NEXT] * stride
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        if column == regs[r.CURRENT_COLUMN]:
            code = _receive(words, records, at, layer, buckets, places, heap, index, store, regs, scratch)
            if code != _CONTINUE:
                return code
        regs[r.BATCH_NEXT] += _1
    regs[r.BATCH_COUNT] = regs[r.BATCH_NEXT] = _0
    code = _next_layer(words, buckets, places, heap, keepers, index, store, regs)
    if code != _CONTINUE:
        return code
    return _expand(function, words, stride, records, buckets, store, labels, regs)
