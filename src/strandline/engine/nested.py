"""Nested depth-first search for accepting cycles, with early detection.

The variant of Gaiser and Schwoon (2009): one search of two colours and a second one from accepting states. Cyan states
are on the path of the first search; where it meets one of them, and a state on the path from there on accepts, the
cycle is already found (they look at the two ends of the edge only). A state whose successors are all red is red
without a second search. The second search (003 §1.6, 001 §3.1) starts at an accepting state when the first leaves
it, goes through blue states only, which turn red, and has found a cycle as soon as it meets a cyan one.

The stack holds states still to be looked at, each with its link; below the successors of a state lies its marker. The
path holds two words for each state on it: the link by which it was entered, so that a cycle is a part of the path and
one more edge, and the height of the last accepting state up to there. Heights count from 1.
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
_0, _1, _2, _63 = U(0), U(1), U(2), U(63)
_STEP = U(r.STEP_BITS)
_BUCKET = U(r.LIVE)
_CONTINUE = -1

CYAN, BLUE, RED = U(1), U(2), U(3)
_COLOUR = U(3)
_ACCEPTS, _HAS_OTHERS = U(4), U(8)
_HEIGHT = U(8)
"""In the word after a state: its colour; that it accepts; that it has a successor that is not red; above these its
height on the path."""


@inlined
def push_successors(function, words, stride, record, entry, stack, records, buckets, index, store, labels, regs):
    """Expand a stored state: its marker goes onto the stack, its successors on top of that, the first on top of
    all; SUCCESSORS says how many. CONTINUE, or GROW or FAULT with nothing changed."""
    width = word_count(words)
    at = buckets[_BUCKET + U(r.ARENA)] + record * entry
    capacity = U(len(records)) // stride - _1
    count = call_successors(function, store, at, records, _0, np.int64(capacity), labels)
    if count < 0:
        regs[r.FOUND_RECORD] = record
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > capacity:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    top = (regs[r.STACK_COUNT] + U(count) + _1) * (width + _1)
    if top > U(len(stack)):
        regs[r.WANT_STACK] = top
        return r.GROW
    regs[r.SUCCESSORS] = U(count)
    marker = regs[r.STACK_COUNT] * (width + _1)
    stack[marker] = record
    stack[marker + width] = r.NONE
    table, slots = buckets[_BUCKET + U(r.TABLE)], table_slots(buckets, _BUCKET)
    for step in range(U(count)):
        place = top - (step + _1) * (width + _1)
        source = step * stride
        for word in range(width):
            stack[place + word] = records[source + word]
        stack[place + width] = (record << _STEP) | step
        prefetch(index, table + home_slot(state_hash(records, source, words), slots))
    regs[r.STACK_COUNT] += U(count) + _1
    return _CONTINUE


@inlined
def _flags_at(words, record, buckets):
    return buckets[_BUCKET + U(r.ARENA)] + record * (word_count(words) + _1) + word_count(words)


@inlined
def _enter(function, words, stride, record, link, path, stack, records, buckets, index, store, labels, regs):
    """Put a state onto the path and its successors onto the stack. In the first search the state turns cyan."""
    top = _2 * regs[r.PATH_COUNT]
    if top + _2 > U(len(path)):
        regs[r.WANT_PATH] = top + _2
        return r.GROW
    entry = word_count(words) + _1
    code = push_successors(function, words, stride, record, entry, stack, records, buckets, index, store, labels, regs)
    if code != _CONTINUE:
        return code
    path[top] = (record << _STEP) | (link & ((_1 << _STEP) - _1))
    path[top + _1] = _0 if top == _0 else path[top - _1]
    regs[r.PATH_COUNT] += _1
    flags = _flags_at(words, record, buckets)
    if regs[r.RED_BASE] == _0:
        account(_1, regs[r.SUCCESSORS], labels[0] >> _63, regs)
        store[flags] = CYAN | regs[r.PATH_COUNT] << _HEIGHT
        if labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]:
            store[flags] |= _ACCEPTS
            path[top + _1] = regs[r.PATH_COUNT]
        return _CONTINUE
    account(_1, _0, _0, regs)
    if store[flags] & _COLOUR != CYAN:
        store[flags] = (store[flags] & ~_COLOUR) | RED
    return _CONTINUE


@inlined
def _found(record, link, regs):
    regs[r.CYCLE_RECORD] = record
    regs[r.CYCLE_LINK] = link
    return r.CYCLE


@inlined
def _look_at(words, path, stack, buckets, index, store, log, regs, scratch):
    """Take a state from the stack: enter it if it is new, close a cycle if it is on the path."""
    width = word_count(words)
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    link = stack[at + width]
    record = locate(stack, at, words, width + _1, buckets, _BUCKET, index, store)
    if regs[r.RED_BASE] != _0:
        colour = store[_flags_at(words, record, buckets)] & _COLOUR
        if colour == CYAN:
            return _found(record, link, regs)
        regs[r.STACK_COUNT] -= _1
        if colour == BLUE:
            regs[r.UNEXPANDED] = record + _1
            regs[r.CYCLE_LINK] = link
        return _CONTINUE
    if record == NOWHERE:
        if regs[r.LOG_COUNT] == U(len(log)):
            return r.FLUSH
        record = store_state(stack, at, words, width + _1, CYAN, buckets, _BUCKET, index, store, regs, scratch)
        if record == NOWHERE:
            return r.GROW
        log_new_state(link, log, regs)
        regs[r.STACK_COUNT] -= _1
        regs[r.UNEXPANDED] = record + _1
        regs[r.CYCLE_LINK] = link
        return _CONTINUE
    flags = store[_flags_at(words, record, buckets)]
    if regs[r.PATH_COUNT] > _0:
        top = _2 * (regs[r.PATH_COUNT] - _1)
        if flags & _COLOUR == CYAN and path[top + _1] >= flags >> _HEIGHT:
            return _found(record, link, regs)
        if flags & _COLOUR != RED:
            store[_flags_at(words, path[top] >> _STEP, buckets)] |= _HAS_OTHERS
    regs[r.STACK_COUNT] -= _1
    return _CONTINUE


@inlined
def _leave(words, path, stack, buckets, store, regs):
    """The successors of the state on top of the path are all done."""
    width = word_count(words)
    record = stack[(regs[r.STACK_COUNT] - _1) * (width + _1)]
    flags = _flags_at(words, record, buckets)
    if regs[r.RED_BASE] != _0:
        regs[r.STACK_COUNT] -= _1
        regs[r.PATH_COUNT] -= _1
        if regs[r.PATH_COUNT] == regs[r.RED_BASE]:
            # The second search is over. Its root, entered twice, is still on the path of the first.
            regs[r.RED_BASE] = _0
            store[flags] = (store[flags] & ~_COLOUR & ~_HAS_OTHERS) | CYAN
        return
    if store[flags] & _HAS_OTHERS != _0 and store[flags] & _ACCEPTS != _0:
        regs[r.RED_BASE] = regs[r.PATH_COUNT]
        regs[r.UNEXPANDED] = record + _1
        return
    colour = BLUE if store[flags] & _HAS_OTHERS != _0 else RED
    store[flags] = (store[flags] & ~_COLOUR) | colour
    regs[r.STACK_COUNT] -= _1
    regs[r.PATH_COUNT] -= _1
    if colour == BLUE and regs[r.PATH_COUNT] > _0:
        store[_flags_at(words, path[_2 * (regs[r.PATH_COUNT] - _1)] >> _STEP, buckets)] |= _HAS_OTHERS


@njit
def nested(function, words, stride, budget, regs, buckets, stack, path, records, index, store, log, labels, scratch):
    """Search on for `budget` expansions; DONE, BUDGET, GROW, FLUSH, FAULT, or CYCLE: then CYCLE_RECORD is the
    state on the path at which the cycle begins and CYCLE_LINK the edge that leads back to it."""
    stop_at = regs[r.VISITED] + budget
    width = word_count(words)
    while True:
        code = _CONTINUE
        if regs[r.UNEXPANDED] != _0:
            code = _enter(
                function, words, stride, regs[r.UNEXPANDED] - _1, regs[r.CYCLE_LINK], path, stack, records,
                buckets, index, store, labels, regs,
            )  # fmt: skip
            if code == _CONTINUE:
                regs[r.UNEXPANDED] = _0
        elif regs[r.STACK_COUNT] == _0:
            return r.DONE
        elif regs[r.VISITED] >= stop_at:
            return r.BUDGET
        elif stack[regs[r.STACK_COUNT] * (width + _1) - _1] == r.NONE:
            _leave(words, path, stack, buckets, store, regs)
        else:
            code = _look_at(words, path, stack, buckets, index, store, log, regs, scratch)
        if code != _CONTINUE:
            return code
