"""Depth-first search: a state is stored and expanded when it is taken from the stack, its first successor next.

The stack holds states still to be looked at, each with the link to the record of its parent.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import ADDED, NO_ROOM, add, home_slot, state_hash, table_slots, word_count
from strandline.engine.explore import account, log_new_state, note_seen
from strandline.engine.intrinsics import call_successors, prefetch
from strandline.engine.jit import inlined, njit

U = np.uint64
_0, _1, _63 = U(0), U(1), U(63)
_STEP = U(r.STEP_BITS)
_BUCKET = U(r.LIVE)
_CONTINUE = -1


@inlined
def _take_from_stack(words, stack, buckets, index, store, log, regs, scratch):
    """Store the state on top of the stack unless it is known; a new one is noted as unexpanded."""
    width = word_count(words)
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    if regs[r.LOG_COUNT] == U(len(log)):
        return r.FLUSH
    hash_value = state_hash(stack, at, words)
    outcome = add(stack, at, hash_value, words, width, _0, buckets, _BUCKET, index, store, regs, scratch)
    if outcome == NO_ROOM:
        return r.GROW
    if outcome == ADDED:
        log_new_state(stack[at + width], log, regs)
        regs[r.UNEXPANDED] = buckets[_BUCKET + U(r.COUNT)]
    regs[r.STACK_COUNT] -= _1
    return _CONTINUE


@inlined
def _expand_onto_stack(function, words, stack, records, buckets, index, store, seen, labels, regs):
    """Expand the state stored last and push its successors, the first on top."""
    width = word_count(words)
    record = regs[r.UNEXPANDED] - _1
    at = buckets[_BUCKET + U(r.ARENA)] + record * width
    capacity = U(len(records)) // width - _1
    if len(seen) > 0 and (regs[r.SEEN_COUNT] + _1) * (width + _1) > U(len(seen)):
        return r.FLUSH
    count = call_successors(function, store, at, records, _0, np.int64(capacity), labels)
    if count < 0 or (labels[0] & regs[r.STOP_MASK]) != _0:
        regs[r.FOUND_RECORD] = record
        if count < 0:
            regs[r.FAULT_CODE] = U(-count)
            return r.FAULT
        regs[r.FOUND_LABELS] = labels[0]
        return r.FOUND
    if U(count) > capacity:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    top = (regs[r.STACK_COUNT] + U(count)) * (width + _1)
    if top > U(len(stack)):
        regs[r.WANT_STACK] = top
        return r.GROW
    account(_1, U(count), labels[0] >> _63, regs)
    if len(seen) > 0:
        note_seen(words, store, at, U(count), labels, seen, regs)
    table, slots = buckets[_BUCKET + U(r.TABLE)], table_slots(buckets, _BUCKET)
    for step in range(U(count)):
        place = top - (step + _1) * (width + _1)
        source = step * width
        for word in range(width):
            stack[place + word] = records[source + word]
        stack[place + width] = (record << _STEP) | step
        prefetch(index, table + home_slot(state_hash(records, source, words), slots))
    regs[r.STACK_COUNT] += U(count)
    regs[r.UNEXPANDED] = _0
    return _CONTINUE


@njit
def depth_first(function, words, budget, regs, buckets, stack, records, index, store, log, seen, labels, scratch):
    """Search on for `budget` expansions; as `strandline.engine.explore.explore`, without a measure."""
    stop_at = regs[r.VISITED] + budget
    while True:
        if regs[r.UNEXPANDED] != _0:
            code = _expand_onto_stack(function, words, stack, records, buckets, index, store, seen, labels, regs)
        elif regs[r.STACK_COUNT] == _0:
            return r.DONE
        elif regs[r.VISITED] >= stop_at:
            return r.BUDGET
        else:
            code = _take_from_stack(words, stack, buckets, index, store, log, regs, scratch)
        if code != _CONTINUE:
            return code
