"""The search loop: breadth-first, or least progress first.

Breadth-first search is the sweep of a model in which all states make the same progress: one layer, nothing
forgotten. With a measure (000 §2, 001 §2.2, 002 §2-5) layers are expanded in increasing order inside a column and
columns in increasing order; a layer is forgotten as a whole when the line leaves it. The target of a regress edge
becomes persistent and a root of the next sweep of its column; persistent states go when the line leaves the column.

Expansion and insertion alternate in batches, so that a table's slot is fetched while other successors are computed.
All state is in arrays: a kernel returns after a number of expansions, or when something must grow, and goes on where
it stopped.
"""

from __future__ import annotations

import numpy as np

from strandline.engine.bucket import ADDED, NO_ROOM, add, contains, state_hash, table_slot, word_count
from strandline.engine.intrinsics import call_successors, prefetch
from strandline.engine.jit import inlined, njit
from strandline.engine.layers import (
    empty_bucket,
    find_layer,
    has_unexpanded,
    make_layer,
    pop,
    push,
    remove_layer,
    schedule_next,
)
from strandline.engine.registers import (
    ARENA,
    BATCH_COUNT,
    BATCH_NEXT,
    BUDGET,
    COLUMN,
    COUNT,
    CURRENT,
    CURRENT_COLUMN,
    CURRENT_LAYER,
    DEADLOCKS,
    DONE,
    FAULT,
    FAULT_CODE,
    FLUSH,
    FOUND,
    FOUND_LABELS,
    FOUND_RECORD,
    GROW,
    HEAD,
    HEAP_COUNT,
    KEEPER_COUNT,
    KEPT,
    LAYER,
    LEVEL_END,
    LEVELS,
    LIVE,
    LOG_COUNT,
    LOG_TOTAL,
    NONE,
    PEAK_STORED,
    PENDING_COUNT,
    PERSISTENT,
    QUEUED_NEXT,
    REGRESS_EDGES,
    REGRESSING_COLUMN,
    RETIRED_LAYERS,
    SEEN_COUNT,
    STEP_BITS,
    STOP_MASK,
    STORED,
    SWEEPS,
    TRANSITIONS,
    VISITED,
    WANT_LEVELS,
    WANT_RECORDS,
)

U = np.uint64
_0, _1, _8, _63 = U(0), U(1), U(8), U(63)
_STEP = U(STEP_BITS)
_BIAS = U(1 << 63)
_BATCH = U(512)
_CONTINUE = -1


@inlined
def log_new_state(link, log, regs):  # type: ignore[no-untyped-def]
    """Append a record to the parent log; there must be room. Returns its number."""
    record = regs[LOG_TOTAL]
    log[regs[LOG_COUNT]] = link
    regs[LOG_COUNT] += _1
    regs[LOG_TOTAL] = record + _1
    regs[STORED] += _1
    if regs[STORED] > regs[PEAK_STORED]:
        regs[PEAK_STORED] = regs[STORED]
    return record


@inlined
def note_seen(words, store, at, count, labels, seen, regs):  # type: ignore[no-untyped-def]
    """Append the expanded state and its out-degree for the exact count; there must be room."""
    width = word_count(words)
    place = regs[SEEN_COUNT] * (width + _1)
    for word in range(width):
        seen[place + word] = store[at + word]
    seen[place + width] = (U(count) << _1) | (labels[0] >> _63)
    regs[SEEN_COUNT] += _1


@inlined
def account(count, labels, regs):  # type: ignore[no-untyped-def]
    regs[VISITED] += _1
    regs[TRANSITIONS] += U(count)
    regs[DEADLOCKS] += labels[0] >> _63


@inlined
def _entry_words(words, measured):  # type: ignore[no-untyped-def]
    """Words per arena entry: with a measure each state carries the number of its record."""
    if measured is None:
        return word_count(words)
    return word_count(words) + _1


@inlined
def _record_words(words, measured):  # type: ignore[no-untyped-def]
    if measured is None:
        return word_count(words)
    return word_count(words) + U(2)


@inlined
def _next_level(buckets, levels, regs):  # type: ignore[no-untyped-def]
    """Breadth-first: when a level is finished, the next one is what was found meanwhile."""
    bucket = U(LIVE)
    if buckets[bucket + U(HEAD)] < regs[LEVEL_END]:
        return _CONTINUE
    if regs[LEVEL_END] == buckets[bucket + U(COUNT)]:
        return DONE
    if regs[LEVELS] == U(len(levels)):
        regs[WANT_LEVELS] = regs[LEVELS] + _1
        return GROW
    levels[regs[LEVELS]] = buckets[bucket + U(COUNT)] - regs[LEVEL_END]
    regs[LEVELS] += _1
    regs[LEVEL_END] = buckets[bucket + U(COUNT)]
    return _CONTINUE


@inlined
def _leave_layer(row, buckets, places, index, store, regs):  # type: ignore[no-untyped-def]
    """The line moves on: everything in the layer that is not persistent is forgotten."""
    regs[STORED] -= buckets[row + U(LIVE) + U(COUNT)]
    empty_bucket(row + U(LIVE), buckets, index, store, regs)
    regs[RETIRED_LAYERS] += _1
    if buckets[row + U(KEPT) + U(COUNT)] == _0:
        remove_layer(row, buckets, places, regs)


@inlined
def _leave_column(buckets, places, keepers, index, store, regs):  # type: ignore[no-untyped-def]
    """No later edge can lead back into the column: its persistent states are forgotten too."""
    for number in range(regs[KEEPER_COUNT]):
        row = keepers[number]
        regs[STORED] -= buckets[row + U(KEPT) + U(COUNT)]
        empty_bucket(row + U(KEPT), buckets, index, store, regs)
        remove_layer(row, buckets, places, regs)
    regs[KEEPER_COUNT] = _0


@inlined
def _next_layer(buckets, places, heap, pending, keepers, index, store, regs):  # type: ignore[no-untyped-def]
    """Move the line to the next layer with something to expand, or answer DONE."""
    while True:
        row = regs[CURRENT]
        if row != NONE:
            if has_unexpanded(row, buckets) != NONE:
                return _CONTINUE
            _leave_layer(row, buckets, places, index, store, regs)
            regs[CURRENT] = NONE
        in_column = regs[HEAP_COUNT] > _0 and buckets[heap[_0] + U(COLUMN)] == regs[CURRENT_COLUMN]
        if not in_column and regs[PENDING_COUNT] > _0:
            regs[SWEEPS] += _1
            for number in range(regs[PENDING_COUNT]):
                buckets[pending[number] + U(QUEUED_NEXT)] = _0
                push(pending[number], heap, buckets, regs)
            regs[PENDING_COUNT] = _0
        elif not in_column:
            _leave_column(buckets, places, keepers, index, store, regs)
            if regs[HEAP_COUNT] == _0:
                return DONE
        row = pop(heap, buckets, regs)
        regs[CURRENT] = row
        regs[CURRENT_COLUMN] = buckets[row + U(COLUMN)]
        regs[CURRENT_LAYER] = buckets[row + U(LAYER)]


@inlined
def _aim(words, measured, records, at, number, hashes, targets, buckets, places, index, regs):  # type: ignore[no-untyped-def]
    """Compute a successor's hash and layer, and fetch the slot it will be compared with."""
    hashes[number] = state_hash(records, at, words)
    if measured is None:
        prefetch(index, table_slot(buckets, U(LIVE), hashes[number]))
        return
    width = word_count(words)
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    row = regs[CURRENT]
    if layer != regs[CURRENT_LAYER] or column != regs[CURRENT_COLUMN]:
        row = find_layer(column, layer, buckets, places)
    targets[number] = row
    if row != NONE:
        prefetch(index, table_slot(buckets, row + U(LIVE), hashes[number]))


@inlined
def _expand(
    function, words, measured, bucket, limit, records, links, hashes, targets,
    buckets, places, index, store, log, seen, labels, regs,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Fill the batch with successors of the bucket's next states."""
    entry, stride = _entry_words(words, measured), _record_words(words, measured)
    capacity = U(len(records)) // stride - _1
    while buckets[bucket + U(HEAD)] < limit and regs[BATCH_COUNT] < _BATCH:
        head = buckets[bucket + U(HEAD)]
        at = buckets[bucket + U(ARENA)] + head * entry
        first = regs[BATCH_COUNT]
        room = capacity - first
        if len(seen) > 0 and (regs[SEEN_COUNT] + _1) * (word_count(words) + _1) > U(len(seen)):
            return FLUSH
        count = call_successors(function, store, at, records, first * stride, np.int64(room), labels)
        record = head
        if measured is not None:
            record = store[at + word_count(words)]
        if count < 0 or (labels[0] & regs[STOP_MASK]) != _0:
            regs[FOUND_RECORD] = record
            if count < 0:
                regs[FAULT_CODE] = U(-count)
                return FAULT
            regs[FOUND_LABELS] = labels[0]
            return FOUND
        if U(count) > room:
            if first > _0:
                return _CONTINUE
            regs[WANT_RECORDS] = U(count)
            return GROW
        buckets[bucket + U(HEAD)] = head + _1
        account(count, labels, regs)
        if len(seen) > 0:
            note_seen(words, store, at, count, labels, seen, regs)
        for step in range(U(count)):
            number = first + step
            links[number] = (record << _STEP) | step
            _aim(
                words, measured, records, number * stride, number, hashes, targets, buckets, places, index, regs
            )
        regs[BATCH_COUNT] = first + U(count)
    return _CONTINUE


@inlined
def _place_measured(
    words, entry, records, at, number, hashes, targets, links,
    buckets, places, heap, pending, keepers, index, store, log, regs, scratch,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Put one successor into its layer, ahead of the line or, by a regress edge, behind it."""
    width = word_count(words)
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    if column < regs[CURRENT_COLUMN]:
        return REGRESSING_COLUMN
    row = targets[number]
    if row == NONE:
        row = find_layer(column, layer, buckets, places)
        if row == NONE:
            row = make_layer(column, layer, buckets, places, heap, regs)
            if row == NONE:
                return GROW
    hash_value = hashes[number]
    record = regs[LOG_TOTAL]
    if column == regs[CURRENT_COLUMN] and layer < regs[CURRENT_LAYER]:
        kept = row + U(KEPT)
        first = buckets[kept + U(COUNT)] == _0
        outcome = add(records, at, hash_value, words, entry, record, buckets, kept, index, store, regs, scratch)
        if outcome == NO_ROOM:
            return GROW
        regs[REGRESS_EDGES] += _1
        if outcome == ADDED:
            log_new_state(links[number], log, regs)
            regs[PERSISTENT] += _1
            if first:
                keepers[regs[KEEPER_COUNT]] = row
                regs[KEEPER_COUNT] += _1
            regs[PENDING_COUNT] = schedule_next(row, pending, buckets, regs[PENDING_COUNT])
        return _CONTINUE
    if contains(records, at, hash_value, words, entry, buckets, row + U(KEPT), index, store):
        return _CONTINUE
    live = row + U(LIVE)
    outcome = add(records, at, hash_value, words, entry, record, buckets, live, index, store, regs, scratch)
    if outcome == NO_ROOM:
        return GROW
    if outcome == ADDED:
        log_new_state(links[number], log, regs)
        if row != regs[CURRENT]:
            push(row, heap, buckets, regs)
    return _CONTINUE


@inlined
def _absorb(
    words, measured, records, links, hashes, targets,
    buckets, places, heap, pending, keepers, index, store, log, regs, scratch,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Insert the rest of the batch."""
    entry, stride = _entry_words(words, measured), _record_words(words, measured)
    while regs[BATCH_NEXT] < regs[BATCH_COUNT]:
        number = regs[BATCH_NEXT]
        at = number * stride
        if regs[LOG_COUNT] == U(len(log)):
            return FLUSH
        if measured is None:
            outcome = add(
                records, at, hashes[number], words, entry, _0, buckets, U(LIVE), index, store, regs, scratch
            )
            if outcome == NO_ROOM:
                return GROW
            if outcome == ADDED:
                log_new_state(links[number], log, regs)
        else:
            code = _place_measured(
                words, entry, records, at, number, hashes, targets, links,
                buckets, places, heap, pending, keepers, index, store, log, regs, scratch,
            )  # fmt: skip
            if code != _CONTINUE:
                return code
        regs[BATCH_NEXT] = number + _1
    regs[BATCH_NEXT] = _0
    regs[BATCH_COUNT] = _0
    return _CONTINUE


@njit
def explore(
    function, words, measured, budget, regs, buckets, places, heap, pending, keepers, levels,
    records, links, hashes, targets, index, store, log, seen, labels, scratch,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Search on for about `budget` expansions. `words` is a tuple of the state's width, or a number at run time;
    `measured` is None for breadth-first search. Returns DONE, BUDGET, GROW, FAULT, FOUND, FLUSH or
    REGRESSING_COLUMN; after all but DONE, FAULT and REGRESSING_COLUMN it can be called again."""
    stop_at = regs[VISITED] + budget
    while True:
        code = _absorb(
            words, measured, records, links, hashes, targets,
            buckets, places, heap, pending, keepers, index, store, log, regs, scratch,
        )  # fmt: skip
        if code != _CONTINUE:
            return code
        if regs[VISITED] >= stop_at:
            return BUDGET
        if measured is None:
            code = _next_level(buckets, levels, regs)
            bucket = U(LIVE)
            limit = regs[LEVEL_END]
        else:
            code = _next_layer(buckets, places, heap, pending, keepers, index, store, regs)
            bucket, limit = U(LIVE), _0
            if code == _CONTINUE:
                bucket = has_unexpanded(regs[CURRENT], buckets)
                limit = buckets[bucket + U(COUNT)]
        if code == _CONTINUE:
            code = _expand(
                function, words, measured, bucket, limit, records, links, hashes, targets,
                buckets, places, index, store, log, seen, labels, regs,
            )  # fmt: skip
        if code != _CONTINUE:
            return code


@njit
def seed(words, measured, count, regs, buckets, places, records, links, hashes, targets, index):  # type: ignore[no-untyped-def]
    """Make the first `count` records, the initial states, the batch to be inserted first."""
    stride = _record_words(words, measured)
    for number in range(count):
        _aim(words, measured, records, number * stride, number, hashes, targets, buckets, places, index, regs)
    regs[BATCH_COUNT] = count
    regs[BATCH_NEXT] = _0
