"""Accepting cycles over several layers of a column, by elimination of persistent states.

A cycle over several layers has a regress edge, whose target is persistent. Members are persistent states that may lie
on an accepting cycle as such a target. A round finds the members to which a regress edge leads on a non-empty path
from a member with an accepting state; they are the members of the next round. When no member is left there is no
cycle; when a round keeps them all there is one: every member has an accepting path from a member (as in
one-way-catch-them-young; 001 §3.2 propagates maximal predecessors instead).

A round is several sweeps of the column: every stored state has a value (`VALUE`), reset in each round; members start,
and one whose value rises is a root of the next sweep. Paths through other persistent states are not followed: all
targets of regress edges on a cycle are members. The first members are free: those hit in the sweeps that explored the
column (`strandline.engine.layer_components`), because from its second sweep on everything visited is reachable from a
persistent state, and everything reachable from one is visited.

The progress graph (001 §5.2) prunes rounds: a regress edge spans the layers from its target's to its source's, the
spans on a cycle overlap, and so a cycle never leaves its block of overlapping spans. Of the graph only the spans are
kept, one for each layer with persistent states; only layers with members count, so that blocks shrink from round to
round.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.explore import account
from strandline.engine.intrinsics import call_successors
from strandline.engine.jit import inlined, njit
from strandline.engine.layers import forget_layer, pop, push, schedule_next
from strandline.engine.marked import (
    HIT,
    HIT_SHIFT,
    MEMBER,
    QUEUED,
    VALUE,
    VALUE_SHIFT,
    add_place,
    entry_at,
    find_place,
    in_current_column,
    mark_at,
    row_of,
)
from strandline.engine.memory import WordArray
from strandline.engine.numbered import NOWHERE

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_BIAS = U(1 << 63)
_CONTINUE = -1


@njit
def begin_round(words, first, buckets, heap, keepers, spans, store, regs):
    """Choose the members of the next round and make them its roots; how many there are is in MEMBERS. Layers without
    members span nothing any more."""
    regs[r.MEMBERS] = _0
    regs[r.ACTIVE_COUNT] = regs[r.BATCH_COUNT] = regs[r.UNEXPANDED] = regs[r.BLOCK_END] = _0
    regs[r.CURRENT] = r.NONE
    for number in range(regs[r.KEEPER_COUNT]):
        row = keepers[number]
        rank = buckets[row + U(r.LAYER)] & regs[r.RANK_MASK]
        possible = regs[r.RANKS_ACCEPTING] >> rank & _1 != _0
        before = regs[r.MEMBERS]
        for position in range(buckets[row + U(r.KEPT) + U(r.COUNT)]):
            at = mark_at(words, (position << _1) | _1, row, buckets)
            mark = store[at]
            member = possible and mark & HIT != _0
            if not first:
                member = mark & MEMBER != _0 and mark >> HIT_SHIFT & VALUE == _2
            store[at] = mark & HIT
            if member:
                regs[r.MEMBERS] += _1
                store[at] |= MEMBER | QUEUED | (_1 << VALUE_SHIFT)
                push(row, heap, buckets, regs)
        if regs[r.MEMBERS] == before:
            spans[row // U(r.ROW)] = _0


def block_ends(layers: WordArray, spans: WordArray) -> WordArray:
    """Of layers, each with the highest layer its span reaches (0 for none), the highest layer of its block."""
    order = np.argsort(layers)
    reached = np.maximum.accumulate(spans[order])
    last = np.append(layers[order][1:] > reached[:-1], True)
    ends = np.empty_like(spans)
    ends[order] = reached[last][np.cumsum(last) - last]
    return ends


@njit
def list_members(words, buckets, keepers, store, found):
    """Write the members, state and record, into `found`, as many as fit; returns how many were written."""
    width = word_count(words)
    count = _0
    for number in range(U(len(keepers))):
        row = keepers[number]
        for position in range(buckets[row + U(r.KEPT) + U(r.COUNT)]):
            place = (position << _1) | _1
            if store[mark_at(words, place, row, buckets)] & MEMBER != _0:
                if (count + _1) * (width + _1) > U(len(found)):
                    return count
                at = entry_at(words, place, row, buckets)
                for word in range(width + _1):
                    found[count * (width + _1) + word] = store[at + word]
                count += _1
    return count


@inlined
def _expand(function, words, stride, place, records, buckets, store, labels, regs):
    """Take a place off the work list: its successors wait in the batch, with the value they get."""
    row = regs[r.CURRENT]
    at = entry_at(words, place, row, buckets)
    most = U(len(records)) // stride - _1
    count = call_successors(function, store, at, records, _0, np.int64(most), labels)
    if count < 0:
        return r.BROKEN
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    account(_1, _0, _0, regs)
    mark = mark_at(words, place, row, buckets)
    store[mark] &= ~QUEUED
    accepts = labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]
    regs[r.SOURCE_VALUE] = _2 if accepts else store[mark] >> VALUE_SHIFT & VALUE
    regs[r.BATCH_COUNT] = U(count)
    regs[r.BATCH_NEXT] = _0
    return _CONTINUE


@inlined
def _rise(at, value, store):
    """Raise the value of a mark; whether its state must be queued for that."""
    mark = store[at]
    if mark >> VALUE_SHIFT & VALUE >= value:
        return False
    store[at] = (mark & ~(VALUE << VALUE_SHIFT)) | (value << VALUE_SHIFT) | QUEUED
    return mark & QUEUED == _0


@inlined
def _pass_back(words, row, place, pending, buckets, store, regs):
    """A regress edge: a member is hit, and a root of the next sweep if its value rises."""
    at = mark_at(words, place, row, buckets)
    value = regs[r.SOURCE_VALUE]
    if store[at] & MEMBER == _0:
        return
    if store[at] >> HIT_SHIFT & VALUE < value:
        store[at] = (store[at] & ~(VALUE << HIT_SHIFT)) | (value << HIT_SHIFT)
    if _rise(at, value, store):
        regs[r.PENDING_COUNT] = schedule_next(row, pending, buckets, regs[r.PENDING_COUNT])


@inlined
def _pass_on(words, records, at, active, buckets, places, heap, pending, index, store, regs, scratch):
    """Give the value to one successor in the column, the rank and the block."""
    layer = records[at + word_count(words) + _1] ^ _BIAS
    if layer > regs[r.BLOCK_END]:
        return _CONTINUE
    row = row_of(words, records, at, buckets, places, heap, regs)
    if row == r.NONE:
        return r.GROW
    place = find_place(records, at, words, row, buckets, index, store)
    if layer < regs[r.CURRENT_LAYER]:
        if place == NOWHERE:
            return r.BROKEN
        _pass_back(words, row, place, pending, buckets, store, regs)
        return _CONTINUE
    if row == regs[r.CURRENT] and regs[r.ACTIVE_COUNT] == U(len(active)):
        regs[r.WANT_ACTIVE] = regs[r.ACTIVE_COUNT] + _1
        return r.GROW
    if place == NOWHERE:
        mark = QUEUED | (regs[r.SOURCE_VALUE] << VALUE_SHIFT)
        place = add_place(records, at, words, _0, mark, _0, row, buckets, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        regs[r.STORED] += _1
        regs[r.PEAK_STORED] = max(regs[r.PEAK_STORED], regs[r.STORED])
    elif not _rise(mark_at(words, place, row, buckets), regs[r.SOURCE_VALUE], store):
        return _CONTINUE
    if row == regs[r.CURRENT]:
        active[regs[r.ACTIVE_COUNT]] = place
        regs[r.ACTIVE_COUNT] += _1
    else:
        push(row, heap, buckets, regs)
    return _CONTINUE


@inlined
def _absorb(words, stride, records, active, buckets, places, heap, pending, index, store, regs, scratch):
    width = word_count(words)
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        at = regs[r.BATCH_NEXT] * stride
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        same_rank = (layer ^ regs[r.CURRENT_LAYER]) & regs[r.RANK_MASK] == _0
        if column == regs[r.CURRENT_COLUMN] and same_rank:
            code = _pass_on(
                words, records, at, active, buckets, places, heap, pending, index, store, regs, scratch
            )  # fmt: skip
            if code != _CONTINUE:
                return code
        regs[r.BATCH_NEXT] += _1
    regs[r.BATCH_COUNT] = _0
    return _CONTINUE


@inlined
def _list_queued(words, bucket, kept, active, buckets, store, regs):
    """Put the queued states of a bucket of the current layer onto the work list, which has room."""
    row = regs[r.CURRENT]
    for position in range(buckets[bucket + U(r.COUNT)]):
        place = (position << _1) | kept
        if store[mark_at(words, place, row, buckets)] & QUEUED != _0:
            active[regs[r.ACTIVE_COUNT]] = place
            regs[r.ACTIVE_COUNT] += _1


@inlined
def _next_layer(words, active, buckets, places, heap, pending, spans, index, store, regs):
    """Move the line on inside the column; DONE when no value can rise any more."""
    if regs[r.CURRENT] != r.NONE:
        forget_layer(regs[r.CURRENT], buckets, places, index, store, regs)
        regs[r.CURRENT] = r.NONE
    if not in_current_column(heap, buckets, regs):
        if regs[r.PENDING_COUNT] == _0:
            return r.DONE
        for number in range(regs[r.PENDING_COUNT]):
            buckets[pending[number] + U(r.QUEUED_NEXT)] = _0
            push(pending[number], heap, buckets, regs)
        regs[r.PENDING_COUNT] = regs[r.BLOCK_END] = _0
    row = heap[_0]
    most = buckets[row + U(r.KEPT) + U(r.COUNT)] + buckets[row + U(r.LIVE) + U(r.COUNT)]
    if most > U(len(active)):
        regs[r.WANT_ACTIVE] = most
        return r.GROW
    row = pop(heap, buckets, regs)
    regs[r.CURRENT] = row
    regs[r.CURRENT_LAYER] = buckets[row + U(r.LAYER)]
    if buckets[row + U(r.KEPT) + U(r.COUNT)] != _0:
        regs[r.BLOCK_END] = max(regs[r.BLOCK_END], spans[row // U(r.ROW)])
    _list_queued(words, row + U(r.KEPT), _1, active, buckets, store, regs)
    _list_queued(words, row + U(r.LIVE), _0, active, buckets, store, regs)
    return _CONTINUE


@njit
def propagate(
    function, words, stride, budget, regs, buckets, places, heap, pending, spans, active, records, index, store,
    labels, scratch,
):  # fmt: skip
    """Go on with a round for about `budget` expansions: BUDGET, GROW, DONE, or BROKEN if the model answered
    otherwise than before. `spans` has the ends of blocks."""
    stop_at = regs[r.VISITED] + budget
    while True:
        if regs[r.BATCH_COUNT] != _0:
            code = _absorb(
                words, stride, records, active, buckets, places, heap, pending, index, store, regs, scratch
            )  # fmt: skip
        elif regs[r.VISITED] >= stop_at:
            return r.BUDGET
        elif regs[r.ACTIVE_COUNT] != _0:
            place = active[regs[r.ACTIVE_COUNT] - _1]
            code = _expand(function, words, stride, place, records, buckets, store, labels, regs)
            if code == _CONTINUE:
                regs[r.ACTIVE_COUNT] -= _1
        else:
            code = _next_layer(words, active, buckets, places, heap, pending, spans, index, store, regs)
        if code != _CONTINUE:
            return code
