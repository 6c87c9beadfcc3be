"""Maximal accepting predecessors: the loop of MAP (Brim, Černá, Moravec, Šimša 2004; 001 §3.2).

The value of a state is the largest accepting state from which it can be reached. A breadth-first search carries values
forward and expands a state again whenever its value rises; a state that receives itself lies on an accepting cycle. A
cycle may be hidden by a larger accepting state that leads to it, so a round that found nothing is followed by another,
without the accepting states that are the value of some state when the round ends. It is over when none is left.

The states of a cycle have the same value, so a round may carry values only between states that had the same value in
the round before: within a *predecessor subgraph* of Brim et al. Less is hidden then. 001 does not speak of that; it is
done where SUBGRAPHS is set.

Every state stays stored. States are ordered by their records, which are their places in the arena. After a state follow
its value (lower half) and the link of the queue (upper half), then its flags, the round in which it was reached last,
and (upper half) its value in the round before: so values of an earlier round need no clearing.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import home_slot, state_hash, table_slots, word_count
from strandline.engine.explore import account, log_new_state
from strandline.engine.intrinsics import call_successors, prefetch
from strandline.engine.jit import inlined, njit
from strandline.engine.numbered import NOWHERE, locate, store_state

U = np.uint64
_0, _1, _2, _8, _32, _63 = U(0), U(1), U(2), U(8), U(32), U(63)
_LOW = U(0xFFFF_FFFF)
_STEP = U(r.STEP_BITS)
_BUCKET = U(r.LIVE)
_AT_A_TIME = U(1 << 20)
_CONTINUE = -1

_FLAGS = U(0xFF)
_EXPANDED, _COUNTED = U(1), U(2)
"""Flags: the state's labels are known; it accepts and was not deleted."""


@inlined
def _knowledge(words, record, buckets):
    """Where the words after a state begin."""
    return buckets[_BUCKET + U(r.ARENA)] + record * (word_count(words) + _2) + word_count(words)


@inlined
def _enqueue(words, record, buckets, store):
    """Let a state wait for expansion unless it does. The queue is a ring of links; HEAD is its last member."""
    own = _knowledge(words, record, buckets)
    if store[own] >> _32 != _0:
        return
    last = buckets[_BUCKET + U(r.HEAD)]
    following = record + _1
    if last != _0:
        place = _knowledge(words, last - _1, buckets)
        following = store[place] >> _32
        store[place] = (store[place] & _LOW) | ((record + _1) << _32)
    store[own] = (store[own] & _LOW) | (following << _32)
    buckets[_BUCKET + U(r.HEAD)] = record + _1


@inlined
def _first_in_queue(words, buckets, store):
    return (store[_knowledge(words, buckets[_BUCKET + U(r.HEAD)] - _1, buckets)] >> _32) - _1


@inlined
def _dequeue(words, record, buckets, store):
    """Take the first state out of the queue."""
    own = _knowledge(words, record, buckets)
    last = buckets[_BUCKET + U(r.HEAD)]
    if last == record + _1:
        buckets[_BUCKET + U(r.HEAD)] = _0
    else:
        place = _knowledge(words, last - _1, buckets)
        store[place] = (store[place] & _LOW) | (store[own] & ~_LOW)
    store[own] &= _LOW


@inlined
def _enter_round(words, record, buckets, store, regs):
    """Whether a state is reached for the first time in this round; what its value was is then its former value."""
    own = _knowledge(words, record, buckets)
    if (store[own + _1] & _LOW) >> _8 == regs[r.ROUNDS]:
        return False
    store[own + _1] = (store[own] << _32) | (regs[r.ROUNDS] << _8) | (store[own + _1] & _FLAGS)
    return True


@inlined
def _receive(words, record, value, first, buckets, store):
    """A stored state is reached with a value, for the first time in this round or again."""
    own = _knowledge(words, record, buckets)
    if not first and value <= store[own] & _LOW:
        return
    store[own] = (store[own] & ~_LOW) | value
    _enqueue(words, record, buckets, store)


@inlined
def _absorb(words, stride, records, buckets, index, store, log, regs, scratch):
    """Hand the value CARRIED to the rest of the batch."""
    width = word_count(words)
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        step = regs[r.BATCH_NEXT]
        record = locate(records, step * stride, words, width + _2, buckets, _BUCKET, index, store)
        if record == NOWHERE:
            if regs[r.LOG_COUNT] == U(len(log)):
                return r.FLUSH
            record = store_state(
                records, step * stride, words, width + _2, _0, buckets, _BUCKET, index, store, regs, scratch
            )
            if record == NOWHERE:
                return r.GROW
            store[_knowledge(words, record, buckets) + _1] = _0
            log_new_state((regs[r.FOUND_RECORD] << _STEP) | step, log, regs)
        first = _enter_round(words, record, buckets, store, regs)
        former = store[_knowledge(words, record, buckets) + _1] >> _32
        same = regs[r.SUBGRAPHS] == _0 or former == regs[r.FORMER]
        value = regs[r.CARRIED] if same else _0
        if value == record + _1:
            regs[r.CYCLE_RECORD] = record
            return r.CYCLE
        _receive(words, record, value, first, buckets, store)
        regs[r.BATCH_NEXT] = step + _1
    if regs[r.FOUND_RECORD] == U(r.ROOT):
        regs[r.INITIAL_COUNT] = buckets[_BUCKET + U(r.COUNT)]
    regs[r.BATCH_COUNT] = regs[r.BATCH_NEXT] = _0
    return _CONTINUE


@inlined
def _expand(function, words, stride, records, buckets, index, store, labels, regs):
    """Make the successors of the first state of the queue the batch."""
    width = word_count(words)
    record = _first_in_queue(words, buckets, store)
    own = _knowledge(words, record, buckets)
    most = U(len(records)) // stride - _1
    count = call_successors(function, store, own - width, records, _0, np.int64(most), labels)
    if count < 0:
        regs[r.FOUND_RECORD] = record
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    _dequeue(words, record, buckets, store)
    if store[own + _1] & _EXPANDED != _0:
        account(_1, _0, _0, regs)
    else:
        account(_1, U(count), labels[0] >> _63, regs)
        store[own + _1] |= _EXPANDED
        if labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]:
            store[own + _1] |= _COUNTED
            regs[r.REMAINING] += _1
    regs[r.CARRIED] = store[own] & _LOW
    if store[own + _1] & _COUNTED != _0:
        regs[r.CARRIED] = max(regs[r.CARRIED], record + _1)
    regs[r.FORMER] = store[own + _1] >> _32
    regs[r.FOUND_RECORD] = record
    regs[r.BATCH_COUNT] = U(count)
    table, slots = buckets[_BUCKET + U(r.TABLE)], table_slots(buckets, _BUCKET)
    for step in range(U(count)):
        prefetch(index, table + home_slot(state_hash(records, step * stride, words), slots))
    return _CONTINUE


@inlined
def _delete(words, buckets, store, regs):
    """A part of the delete transformation: what is the value of a state accepts no longer. CONTINUE when it is done
    and another round has begun."""
    count = buckets[_BUCKET + U(r.COUNT)]
    last = min(count, regs[r.DELETE_NEXT] + _AT_A_TIME)
    for record in range(regs[r.DELETE_NEXT], last):
        value = store[_knowledge(words, record, buckets)] & _LOW
        if value != _0:
            flags = _knowledge(words, value - _1, buckets) + _1
            if store[flags] & _COUNTED != _0:
                store[flags] &= ~_COUNTED
                regs[r.REMAINING] -= _1
                regs[r.DELETED] += _1
    regs[r.DELETE_NEXT] = last
    if last < count:
        return r.BUDGET
    if regs[r.DELETED] == _0 or regs[r.REMAINING] == _0:
        return r.DONE
    regs[r.DELETE_NEXT] = regs[r.DELETED] = _0
    regs[r.ROUNDS] += _1
    for record in range(regs[r.INITIAL_COUNT]):
        _receive(words, record, _0, _enter_round(words, record, buckets, store, regs), buckets, store)
    return _CONTINUE


@njit
def accepting_predecessors(
    function, words, stride, budget, regs, buckets, records, index, store, log, labels, scratch
):  # fmt: skip
    """Search on for about `budget` expansions. The first batch are the initial states, with the parent ROOT. DONE,
    BUDGET, GROW, FLUSH, FAULT, or CYCLE: then CYCLE_RECORD accepts and lies on a cycle."""
    stop_at = regs[r.VISITED] + budget
    while True:
        code = _absorb(words, stride, records, buckets, index, store, log, regs, scratch)
        if code == _CONTINUE:
            if regs[r.VISITED] >= stop_at:
                return r.BUDGET
            if buckets[_BUCKET + U(r.HEAD)] == _0:
                code = _delete(words, buckets, store, regs)
            else:
                code = _expand(function, words, stride, records, buckets, index, store, labels, regs)
        if code != _CONTINUE:
            return code
