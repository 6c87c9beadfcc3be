"""Breadth-first search inside a region, for a way back: the second, recorded search that makes a trace of a cycle.

The first search knows that a cycle through some state exists and where it lies: in one component of the states it has
stored, in one column or in one layer. This one looks for a shortest way round inside there that meets every acceptance
set (000 §6.2; see `strandline.engine.loops`). Two searches, one to an accepting state and one back, would not do: from
the nearest accepting state of a layer there may be no way back.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import ADDED, NO_ROOM, add, state_hash, word_count
from strandline.engine.components import OPEN, finished_at
from strandline.engine.explore import account, log_new_state
from strandline.engine.intrinsics import call_successors
from strandline.engine.jit import inlined, njit
from strandline.engine.numbered import NOWHERE, locate

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_STEP = U(r.STEP_BITS)
_BUCKET = U(r.LIVE)
_BIAS = U(1 << 63)
_CONTINUE = -1


@inlined
def _is_target(words, records, at, target):
    same = True
    for word in range(word_count(words)):
        same &= records[at + word] == target[word]
    return same


@inlined
def _inside(words, records, at, bounds, region):
    """Whether a successor lies in the region: the component, the column, the layers."""
    width = word_count(words)
    if len(bounds) > 0:
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        if column != bounds[0] or layer < bounds[1] or layer > bounds[2]:
            return False
    if region is not None:
        buckets, index, store, root = region
        record = locate(records, at, words, width + _1, buckets, _BUCKET, index, store)
        if record == NOWHERE or record < root:
            return False
        return store[finished_at(words, record, buckets)] == OPEN
    return True


@njit
def confined(
    function, words, stride, budget, regs, buckets, records, index, store, log, labels, scratch, key,
    target, bounds, region,
):  # fmt: skip
    """Search on for about `budget` expansions. An entry is a state and the acceptance sets met before it; `key` has
    room for one. The first batch is the start, with the parent ROOT. CYCLE: the edge CYCLE_LINK leads back to
    `target` when all sets are met. Else DONE, BUDGET, GROW, FLUSH or FAULT."""
    width = word_count(words)
    entry = width + _1
    stop_at = regs[r.VISITED] + budget
    most = U(len(records)) // stride - _1
    while True:
        if regs[r.BATCH_COUNT] == _0:
            head = buckets[_BUCKET + U(r.HEAD)]
            if head == buckets[_BUCKET + U(r.COUNT)]:
                return r.DONE
            if regs[r.VISITED] >= stop_at:
                return r.BUDGET
            at = buckets[_BUCKET + U(r.ARENA)] + head * entry
            count = call_successors(function, store, at, records, _0, np.int64(most), labels)
            regs[r.FOUND_RECORD] = head
            if count < 0:
                regs[r.FAULT_CODE] = U(-count)
                return r.FAULT
            if U(count) > most:
                regs[r.WANT_RECORDS] = U(count)
                return r.GROW
            account(_1, U(count), _0, regs)
            key[width] = store[at + width] | (labels[0] & regs[r.ACCEPTING])
            regs[r.BATCH_COUNT] = U(count)
            regs[r.BATCH_NEXT] = _0
            buckets[_BUCKET + U(r.HEAD)] = head + _1
        while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
            step = regs[r.BATCH_NEXT]
            at = step * stride
            link = (regs[r.FOUND_RECORD] << _STEP) | step
            first = regs[r.FOUND_RECORD] == U(r.ROOT)
            if not first and key[width] == regs[r.ACCEPTING] and _is_target(words, records, at, target):
                regs[r.CYCLE_LINK] = link
                return r.CYCLE
            if first or _inside(words, records, at, bounds, region):
                if regs[r.LOG_COUNT] == U(len(log)):
                    return r.FLUSH
                for word in range(width):
                    key[word] = records[at + word]
                hash_value = state_hash(key, _0, entry)
                outcome = add(key, _0, hash_value, entry, entry, _0, buckets, _BUCKET, index, store, regs, scratch)
                if outcome == NO_ROOM:
                    return r.GROW
                if outcome == ADDED:
                    log_new_state(link, log, regs)
            regs[r.BATCH_NEXT] = step + _1
        regs[r.BATCH_COUNT] = _0
