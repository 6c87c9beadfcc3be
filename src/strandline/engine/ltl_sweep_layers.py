"""LTL-Sweep's sweeps: a nested depth-first search inside each layer (001 §3.1, Algorithm 2).

Two corrections to the printed algorithm. The blue search enters every successor in its layer that is not blue, also one
that is stored because it waits in the queue: else the red searches do not run in post-order and miss cycles. Lines 34
and 36 insert the successor. One clarification: a persistent state that an earlier sweep has searched from stays blue,
and what it leads to inside the layer may be forgotten. No accepting cycle is there, so the red search leaves out states
that are not stored.

The stack holds states of the current layer still to be looked at, each with its link, and below the successors of a
state of the blue search its marker: the state's ticket, with NONE as its link. The red search needs no markers; it
stands above RED_BASE, right below which is the marker of its seed.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import home_slot, state_hash, table_slots, word_count
from strandline.engine.explore import account, log_new_state
from strandline.engine.intrinsics import call_successors, prefetch
from strandline.engine.jit import inlined
from strandline.engine.layers import find_layer, make_layer, pop, push, schedule_next
from strandline.engine.ltl_sweep_states import (
    ACCEPTS,
    BLUE,
    RECORD,
    RED,
    address,
    column_waits,
    kept_entry,
    leave_row,
    move_line,
    ticket_of,
)
from strandline.engine.numbered import NOWHERE, store_state

U = np.uint64
_0, _1, _63 = U(0), U(1), U(63)
_STEP = U(r.STEP_BITS)
_BIAS = U(1 << 63)
_CONTINUE = -1
SWEEP_OVER = -2


@inlined
def _push_state(words, records, at, link, stack, buckets, index, regs):
    """A successor in the current layer goes onto the stack."""
    width = word_count(words)
    place = regs[r.STACK_COUNT] * (width + _1)
    if place + width + _1 > U(len(stack)):
        regs[r.WANT_STACK] = place + width + _1
        return r.GROW
    for word in range(width):
        stack[place + word] = records[at + word]
    stack[place + width] = link
    regs[r.STACK_COUNT] += _1
    live = regs[r.CURRENT] + U(r.LIVE)
    slot = home_slot(state_hash(records, at, words), table_slots(buckets, live))
    prefetch(index, buckets[live + U(r.TABLE)] + slot)
    return _CONTINUE


@inlined
def _place(
    words, records, at, link, column, layer, buckets, places, heap, pending, keepers, index, store, log, regs, scratch
):  # fmt: skip
    """A successor in another layer waits for the line there or, by a regress edge, for the next sweep."""
    width = word_count(words)
    if column < regs[r.CURRENT_COLUMN]:
        return r.REGRESSING_COLUMN
    if regs[r.LOG_COUNT] == U(len(log)):
        return r.FLUSH
    row = find_layer(column, layer, buckets, places)
    if row == r.NONE:
        row = make_layer(column, layer, buckets, places, heap, regs)
        if row == r.NONE:
            return r.GROW
    behind = column == regs[r.CURRENT_COLUMN] and layer < regs[r.CURRENT_LAYER]
    if ticket_of(records, at, words, width + _1, row, buckets, index, store) == NOWHERE:
        bucket = row + U(r.KEPT) if behind else row + U(r.LIVE)
        entry = kept_entry(words) if behind else width + _1
        record = regs[r.LOG_TOTAL]
        place = store_state(records, at, words, entry, record, buckets, bucket, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        log_new_state(link, log, regs)
        if behind:
            regs[r.PERSISTENT] += _1
            if place == _0:
                keepers[regs[r.KEEPER_COUNT]] = row
                regs[r.KEEPER_COUNT] += _1
            regs[r.PENDING_COUNT] = schedule_next(row, pending, buckets, regs[r.PENDING_COUNT])
        else:
            push(row, heap, buckets, regs)
    if behind:
        regs[r.REGRESS_EDGES] += _1
    return _CONTINUE


@inlined
def absorb_successors(
    words, stride, records, links, buckets, places, heap, pending, keepers, stack, index, store, log, regs, scratch
):  # fmt: skip
    """Put the rest of the batch where it belongs, the first successor last, so that it is on top of the stack. The
    red search stays in its layer."""
    width = word_count(words)
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        step = regs[r.BATCH_COUNT] - regs[r.BATCH_NEXT] - _1
        at = step * stride
        link = (regs[r.FOUND_RECORD] << _STEP) | step
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        code = _CONTINUE
        if regs[r.CURRENT] != r.NONE and column == regs[r.CURRENT_COLUMN] and layer == regs[r.CURRENT_LAYER]:
            code = _push_state(words, records, at, link, stack, buckets, index, regs)
        elif regs[r.RED_BASE] == _0:
            code = _place(
                words, records, at, link, column, layer, buckets, places, heap, pending, keepers,
                index, store, log, regs, scratch,
            )  # fmt: skip
        if code != _CONTINUE:
            # Where a message about a lying measure looks for the edge.
            links[regs[r.BATCH_NEXT]] = link
            return code
        regs[r.BATCH_NEXT] += _1
    regs[r.BATCH_COUNT] = regs[r.BATCH_NEXT] = _0
    return _CONTINUE


@inlined
def _expand(function, words, stride, records, stack, buckets, store, labels, regs):
    """Expand the state noted as unexpanded, in the colour of the search that is under way."""
    width = word_count(words)
    ticket = regs[r.UNEXPANDED] - _1
    at = address(ticket, words, width + _1, regs[r.CURRENT], buckets)
    most = U(len(records)) // stride - _1
    count = call_successors(function, store, at, records, _0, np.int64(most), labels)
    regs[r.FOUND_RECORD] = store[at + width] & RECORD
    if count < 0:
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    if regs[r.RED_BASE] != _0:
        store[at + width] |= RED
        account(_1, _0, _0, regs)
        regs[r.RED_VISITS] += _1
    else:
        marker = regs[r.STACK_COUNT] * (width + _1)
        if marker + width + _1 > U(len(stack)):
            regs[r.WANT_STACK] = marker + width + _1
            return r.GROW
        stack[marker] = ticket
        stack[marker + width] = r.NONE
        regs[r.STACK_COUNT] += _1
        store[at + width] |= BLUE
        if labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]:
            store[at + width] |= ACCEPTS
        account(_1, U(count), labels[0] >> _63, regs)
    regs[r.BATCH_COUNT] = U(count)
    regs[r.UNEXPANDED] = _0
    return _CONTINUE


@inlined
def _look_at(words, stack, buckets, index, store, log, regs, scratch):
    """Take a state from the stack and note it as unexpanded if its search has not been there."""
    width = word_count(words)
    row = regs[r.CURRENT]
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    ticket = ticket_of(stack, at, words, width + _1, row, buckets, index, store)
    colour = BLUE if regs[r.RED_BASE] == _0 else RED
    if ticket == NOWHERE and colour == BLUE:
        if regs[r.LOG_COUNT] == U(len(log)):
            return r.FLUSH
        live = row + U(r.LIVE)
        record = regs[r.LOG_TOTAL]
        place = store_state(stack, at, words, width + _1, record, buckets, live, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        log_new_state(stack[at + width], log, regs)
        ticket = place << _1
    if ticket != NOWHERE:
        own = address(ticket, words, width + _1, row, buckets)
        if colour == RED and stack[(regs[r.RED_BASE] - _1) * (width + _1)] == ticket:
            regs[r.CYCLE_RECORD] = store[own + width] & RECORD
            regs[r.CYCLE_ROOT] = own
            return r.CYCLE
        if store[own + width] & colour == _0:
            regs[r.UNEXPANDED] = ticket + _1
    regs[r.STACK_COUNT] -= _1
    return _CONTINUE


@inlined
def _leave(words, stack, buckets, store, regs):
    """The blue search leaves a state: from an accepting one the red search starts."""
    width = word_count(words)
    ticket = stack[(regs[r.STACK_COUNT] - _1) * (width + _1)]
    if store[address(ticket, words, width + _1, regs[r.CURRENT], buckets) + width] & ACCEPTS == _0:
        regs[r.STACK_COUNT] -= _1
        return
    regs[r.RED_BASE] = regs[r.STACK_COUNT]
    regs[r.UNEXPANDED] = ticket + _1


@inlined
def _next_root(words, buckets, places, heap, index, store, regs):
    """Find a state from which no blue search has been, in this layer or the next one of the sweep."""
    width = word_count(words)
    while True:
        row = regs[r.CURRENT]
        if row != r.NONE:
            for kept in (_1, _0):
                bucket = row + U(r.KEPT) if kept == _1 else row + U(r.LIVE)
                while buckets[bucket + U(r.HEAD)] < buckets[bucket + U(r.COUNT)]:
                    ticket = (buckets[bucket + U(r.HEAD)] << _1) | kept
                    buckets[bucket + U(r.HEAD)] += _1
                    if store[address(ticket, words, width + _1, row, buckets) + width] & BLUE == _0:
                        regs[r.UNEXPANDED] = ticket + _1
                        return _CONTINUE
            regs[r.STORED] -= buckets[row + U(r.LIVE) + U(r.COUNT)]
            regs[r.RETIRED_LAYERS] += _1
            leave_row(row, buckets, places, index, store, regs)
        if not column_waits(heap, buckets, regs):
            return SWEEP_OVER
        move_line(pop(heap, buckets, regs), buckets, regs)


@inlined
def search_layers(
    function, words, stride, records, links, buckets, places, heap, pending, keepers, stack, index, store, log, labels,
    regs, scratch,
):  # fmt: skip
    """One step of the sweep. CONTINUE, SWEEP_OVER, or GROW, FLUSH, FAULT, REGRESSING_COLUMN, or CYCLE: then
    CYCLE_RECORD accepts and lies on a cycle inside the layer; CYCLE_ROOT is its place in the store."""
    width = word_count(words)
    if regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        return absorb_successors(
            words, stride, records, links, buckets, places, heap, pending, keepers, stack, index, store, log,
            regs, scratch,
        )  # fmt: skip
    if regs[r.UNEXPANDED] != _0:
        return _expand(function, words, stride, records, stack, buckets, store, labels, regs)
    count = regs[r.STACK_COUNT]
    if count == _0:
        return _next_root(words, buckets, places, heap, index, store, regs)
    if count == regs[r.RED_BASE]:
        # The red search is over, and with it the blue one from its seed.
        regs[r.RED_BASE] = _0
        regs[r.STACK_COUNT] -= _1
    elif stack[count * (width + _1) - _1] == r.NONE:
        _leave(words, stack, buckets, store, regs)
    else:
        return _look_at(words, stack, buckets, index, store, log, regs, scratch)
    return _CONTINUE
