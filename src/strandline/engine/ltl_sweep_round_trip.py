"""Breadth-first search inside a region through pairs: a state, and the acceptance sets met before it."""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import ADDED, NO_ROOM, add, state_hash
from strandline.engine.explore import account, log_new_state
from strandline.engine.intrinsics import call_successors
from strandline.engine.jit import inlined, njit

U = np.uint64
_0, _1 = U(0), U(1)
_STEP = U(r.STEP_BITS)
_BUCKET = U(r.LIVE)
_BIAS = U(1 << 63)
_CONTINUE = -1


@inlined
def _inside(width, records, at, bounds):
    """Whether a successor lies in the column and the layers of the region."""
    if len(bounds) == 0:
        return True
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    return column == bounds[0] and bounds[1] <= layer and layer <= bounds[2]


@inlined
def _expand(function, width, stride, records, buckets, store, labels, regs):
    """Make the successors of the next pair the batch; CARRIED is what was met up to them."""
    most = U(len(records)) // stride - _1
    head = buckets[_BUCKET + U(r.HEAD)]
    at = buckets[_BUCKET + U(r.ARENA)] + head * (width + _1)
    count = call_successors(function, store, at, records, _0, np.int64(most), labels)
    if count < 0:
        regs[r.FOUND_RECORD] = head
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    account(_1, U(count), _0, regs)
    regs[r.FOUND_RECORD] = head
    regs[r.CARRIED] = store[at + width] | (labels[0] & regs[r.ACCEPTING])
    regs[r.BATCH_COUNT] = U(count)
    buckets[_BUCKET + U(r.HEAD)] = head + _1
    return _CONTINUE


@inlined
def _absorb(width, stride, buckets, records, index, store, log, regs, scratch, target, bounds, pair):
    """Store the rest of the batch; CYCLE if one of it closes the loop."""
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        step = regs[r.BATCH_NEXT]
        at = step * stride
        link = (regs[r.FOUND_RECORD] << _STEP) | step
        first = regs[r.FOUND_RECORD] == U(r.ROOT)
        closed = not first and regs[r.CARRIED] == regs[r.ACCEPTING]
        for word in range(width):
            pair[word] = records[at + word]
            closed = closed and pair[word] == target[word]
        if closed:
            regs[r.CYCLE_LINK] = link
            return r.CYCLE
        if first or _inside(width, records, at, bounds):
            if regs[r.LOG_COUNT] == U(len(log)):
                return r.FLUSH
            pair[width] = regs[r.CARRIED]
            words = width + _1
            outcome = add(
                pair, _0, state_hash(pair, _0, words), words, words, _0, buckets, _BUCKET, index, store, regs, scratch
            )
            if outcome == NO_ROOM:
                return r.GROW
            if outcome == ADDED:
                log_new_state(link, log, regs)
        regs[r.BATCH_NEXT] = step + _1
    regs[r.BATCH_COUNT] = regs[r.BATCH_NEXT] = _0
    return _CONTINUE


@njit
def round_trip(
    function, words, stride, budget, regs, buckets, records, index, store, log, labels, scratch, target, bounds, pair
):  # fmt: skip
    """Search on for about `budget` expansions. The first batch is the start, with the parent ROOT. CYCLE: the edge
    CYCLE_LINK leads back to `target`, and every acceptance set was met. Else DONE, BUDGET, GROW, FLUSH or FAULT."""
    width = U(words)
    stop_at = regs[r.VISITED] + budget
    while True:
        code = _absorb(width, stride, buckets, records, index, store, log, regs, scratch, target, bounds, pair)
        if code == _CONTINUE:
            if buckets[_BUCKET + U(r.HEAD)] == buckets[_BUCKET + U(r.COUNT)]:
                return r.DONE
            if regs[r.VISITED] >= stop_at:
                return r.BUDGET
            code = _expand(function, width, stride, records, buckets, store, labels, regs)
        if code != _CONTINUE:
            return code
