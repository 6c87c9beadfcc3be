"""The search loop: breadth-first, or least progress first.

Breadth-first search is the sweep of a model in which all states make the same progress: one layer, nothing
forgotten. With a measure (000 §2, 001 §2.2, 002 §2-5) layers are expanded in increasing order inside a column and
columns in increasing order; a layer is forgotten as a whole when the line leaves it. The target of a regress edge
becomes persistent and a root of the next sweep of its column; persistent states go when the line leaves the column.
Where progress is partially ordered (002 §3), the Kernel says which edges regress; they may also lead ahead of the line.

Expansion and insertion alternate in batches, so that a table's slot is fetched while other successors are computed.
All state is in arrays: a kernel returns after a number of expansions, or when something must grow, and goes on where
it stopped.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import (
    ADDED,
    NO_ROOM,
    PRESENT,
    add,
    capacity,
    contains,
    find,
    home_slot,
    make_room,
    prefetch_match,
    put,
    state_hash,
    table_slots,
    word_count,
)
from strandline.engine.intrinsics import call_successors, prefetch
from strandline.engine.jit import inlined, njit
from strandline.engine.layers import (
    find_layer,
    forget_column,
    forget_layer,
    has_unexpanded,
    make_layer,
    pop,
    push,
    schedule_next,
    this_sweeps_roots,
)
from strandline.engine.noting import note_layer, sample_regress

U = np.uint64
_0, _1, _3, _63 = U(0), U(1), U(3), U(63)
_STEP = U(r.STEP_BITS)
_BIAS = U(1 << 63)
_BATCH = U(r.BATCH)
_AHEAD = U(6)
_CONTINUE = -1


@inlined
def log_new_states(count, regs):
    """Account for states just stored, whose links were appended to the log."""
    regs[r.LOG_COUNT] += count
    regs[r.LOG_TOTAL] += count
    regs[r.STORED] += count
    if regs[r.STORED] > regs[r.PEAK_STORED]:
        regs[r.PEAK_STORED] = regs[r.STORED]


@inlined
def log_new_state(link, log, regs):
    """Append a record to the parent log; there must be room."""
    log[regs[r.LOG_COUNT]] = link
    log_new_states(_1, regs)


@inlined
def note_seen(words, store, at, count, labels, seen, regs):
    """Append the expanded state and its out-degree for the exact count; there must be room."""
    width = word_count(words)
    place = regs[r.SEEN_COUNT] * (width + _1)
    for word in range(width):
        seen[place + word] = store[at + word]
    seen[place + width] = (count << _1) | (labels[0] >> _63)
    regs[r.SEEN_COUNT] += _1


@inlined
def account(visited, transitions, deadlocks, regs):
    regs[r.VISITED] += visited
    regs[r.TRANSITIONS] += transitions
    regs[r.DEADLOCKS] += deadlocks


@inlined
def _entry_words(words, measured):
    """Words per arena entry: with a measure each state carries the number of its record."""
    if measured is None:
        return word_count(words)
    return word_count(words) + _1


@inlined
def _record_words(words, measured):
    """Words per record: the state, column and layer, and whether the edge regresses where that is for the Kernel to
    say."""
    if measured is None:
        return word_count(words)
    return word_count(words) + word_count(measured)


@inlined
def _next_level(buckets, levels, regs):
    """Breadth-first: when a level is finished, the next one is what was found meanwhile."""
    bucket = U(r.LIVE)
    if buckets[bucket + U(r.HEAD)] < regs[r.LEVEL_END]:
        return _CONTINUE
    if regs[r.LEVEL_END] == buckets[bucket + U(r.COUNT)]:
        return r.DONE
    if regs[r.LEVELS] == U(len(levels)):
        regs[r.WANT_LEVELS] = regs[r.LEVELS] + _1
        return r.GROW
    levels[regs[r.LEVELS]] = buckets[bucket + U(r.COUNT)] - regs[r.LEVEL_END]
    regs[r.LEVELS] += _1
    regs[r.LEVEL_END] = buckets[bucket + U(r.COUNT)]
    return _CONTINUE


@inlined
def _next_layer(buckets, places, heap, pending, keepers, index, store, profile, regs):
    """Move the line to the next layer with something to expand, or answer DONE."""
    while True:
        row = regs[r.CURRENT]
        if row != r.NONE:
            if has_unexpanded(row, buckets) != r.NONE:
                return _CONTINUE
            note_layer(row, buckets, profile, regs)
            forget_layer(row, buckets, places, index, store, regs)
            regs[r.RETIRED_LAYERS] += _1
            regs[r.CURRENT] = r.NONE
        in_column = regs[r.HEAP_COUNT] > _0 and buckets[heap[_0] + U(r.COLUMN)] == regs[r.CURRENT_COLUMN]
        if not in_column and regs[r.PENDING_COUNT] > _0:
            regs[r.SWEEPS] += _1
            for number in range(regs[r.PENDING_COUNT]):
                buckets[pending[number] + U(r.QUEUED_NEXT)] = _0
                push(pending[number], heap, buckets, regs)
            regs[r.PENDING_COUNT] = _0
        elif not in_column:
            forget_column(buckets, places, keepers, index, store, regs)
            if regs[r.HEAP_COUNT] == _0:
                return r.DONE
        row = pop(heap, buckets, regs)
        regs[r.CURRENT] = row
        regs[r.CURRENT_COLUMN] = buckets[row + U(r.COLUMN)]
        regs[r.CURRENT_LAYER] = buckets[row + U(r.LAYER)]


@inlined
def _aim(words, measured, records, at, number, hashes, targets, buckets, places, index, regs):
    """Compute a successor's hash and layer, and fetch the slot it will be compared with."""
    hash_value = state_hash(records, at, words)
    hashes[number] = hash_value
    row = _0
    if measured is not None:
        width = word_count(words)
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        row = regs[r.CURRENT]
        if layer != regs[r.CURRENT_LAYER] or column != regs[r.CURRENT_COLUMN]:
            row = find_layer(column, layer, buckets, places)
        targets[number] = row
        if row == r.NONE:
            return
    bucket = row + U(r.LIVE)
    prefetch(index, buckets[bucket + U(r.TABLE)] + home_slot(hash_value, table_slots(buckets, bucket)))


@inlined
def _expand(
    function, words, measured, bucket, limit, records, links, hashes, targets,
    buckets, places, index, store, log, seen, labels, regs,
):  # fmt: skip
    """Fill the batch with successors of the bucket's next states."""
    width = word_count(words)
    entry, stride = _entry_words(words, measured), _record_words(words, measured)
    most = U(len(records)) // stride - _1
    arena = buckets[bucket + U(r.ARENA)]
    head, batch = buckets[bucket + U(r.HEAD)], regs[r.BATCH_COUNT]
    transitions, deadlocks = _0, _0
    first_head = head
    limit = min(limit, head + _BATCH)
    stop_mask = regs[r.STOP_MASK]
    code = _CONTINUE
    while head < limit and batch < _BATCH:
        at = arena + head * entry
        if len(seen) > 0 and (regs[r.SEEN_COUNT] + _1) * (width + _1) > U(len(seen)):
            code = r.FLUSH
            break
        count = call_successors(function, store, at, records, batch * stride, np.int64(most - batch), labels)
        record = head
        if measured is not None:
            record = store[at + width]
        if count < 0 or (labels[0] & stop_mask) != _0:
            regs[r.FOUND_RECORD] = record
            regs[r.FOUND_LABELS] = labels[0]
            code = r.FOUND
            if count < 0:
                regs[r.FAULT_CODE] = U(-count)
                code = r.FAULT
            break
        successors = U(count)
        if successors > most - batch:
            if batch == _0:
                regs[r.WANT_RECORDS] = successors
                code = r.GROW
            break
        head += _1
        transitions += successors
        deadlocks += labels[0] >> _63
        if len(seen) > 0:
            note_seen(words, store, at, successors, labels, seen, regs)
        for step in range(successors):
            number = batch + step
            links[number] = (record << _STEP) | step
            _aim(words, measured, records, number * stride, number, hashes, targets, buckets, places, index, regs)
        batch += successors
    regs[r.BATCH_COUNT] = batch
    buckets[bucket + U(r.HEAD)] = head
    account(head - first_head, transitions, deadlocks, regs)
    return code


@inlined
def _place_measured(
    words, measured, entry, records, at, number, hashes, targets, links,
    buckets, places, heap, pending, keepers, index, store, log, sample, regs, scratch,
):  # fmt: skip
    """Put one successor into its layer, ahead of the line or, by a regress edge, among the persistent states."""
    width = word_count(words)
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    if column < regs[r.CURRENT_COLUMN]:
        return r.REGRESSING_COLUMN
    row = targets[number]
    if row == r.NONE:
        row = find_layer(column, layer, buckets, places)
        if row == r.NONE:
            row = make_layer(column, layer, buckets, places, heap, regs)
            if row == r.NONE:
                return r.GROW
    hash_value = hashes[number]
    record = regs[r.LOG_TOTAL]
    falls = layer < regs[r.CURRENT_LAYER]
    if word_count(measured) == _3:
        falls = records[at + width + U(2)] != _0
    if falls and column == regs[r.CURRENT_COLUMN]:
        kept = row + U(r.KEPT)
        first = buckets[kept + U(r.COUNT)] == _0
        waits = False
        if word_count(measured) == _3:
            waits = contains(records, at, hash_value, words, entry, buckets, row + U(r.LIVE), index, store)
        outcome = PRESENT
        if not waits:
            outcome = add(records, at, hash_value, words, entry, record, buckets, kept, index, store, regs, scratch)
        if outcome == NO_ROOM:
            return r.GROW
        regs[r.REGRESS_EDGES] += _1
        if regs[r.REGRESS_EDGES] & regs[r.SAMPLE_MASK] == _0:
            sample_regress(words, links[number], buckets, store, sample, regs)
        if outcome == ADDED:
            log_new_state(links[number], log, regs)
            regs[r.PERSISTENT] += _1
            if first:
                keepers[regs[r.KEEPER_COUNT]] = row
                regs[r.KEEPER_COUNT] += _1
            regs[r.PENDING_COUNT] = schedule_next(row, pending, buckets, regs[r.PENDING_COUNT])
        return _CONTINUE
    if contains(records, at, hash_value, words, entry, buckets, row + U(r.KEPT), index, store):
        return _CONTINUE
    live = row + U(r.LIVE)
    outcome = add(records, at, hash_value, words, entry, record, buckets, live, index, store, regs, scratch)
    if outcome == NO_ROOM:
        return r.GROW
    if outcome == ADDED:
        log_new_state(links[number], log, regs)
        if row != regs[r.CURRENT]:
            push(row, heap, buckets, regs)
    return _CONTINUE


@inlined
def _absorb_single(words, records, links, hashes, buckets, index, store, log, regs, scratch):
    """Insert the rest of the batch into the one bucket of a breadth-first search.

    Everything that the inner loop needs is in local variables: through arrays, each store would make the
    compiler read all of it again."""
    width = word_count(words)
    bucket = U(r.LIVE)
    number, last = regs[r.BATCH_NEXT], regs[r.BATCH_COUNT]
    while True:
        table, arena = buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.ARENA)]
        slots, room = table_slots(buckets, bucket), capacity(words, width, buckets, bucket)
        count, log_count = buckets[bucket + U(r.COUNT)], regs[r.LOG_COUNT]
        before = count
        room = min(room, count + (U(len(log)) - log_count))
        while number < last and count < room:
            ahead = number + _AHEAD
            if ahead < last:
                prefetch_match(hashes[ahead], words, width, table, slots, arena, index, store)
            hash_value, at = hashes[number], number * width
            slot, found = find(records, at, hash_value, words, width, table, slots, arena, index, store)
            if not found:
                put(records, at, hash_value, words, width, _0, slot, count, arena, index, store)
                log[log_count] = links[number]
                count += _1
                log_count += _1
            number += _1
        buckets[bucket + U(r.COUNT)] = count
        log_new_states(count - before, regs)
        regs[r.BATCH_NEXT] = number
        if number == last:
            break
        if log_count == U(len(log)):
            return r.FLUSH
        if not make_room(words, width, buckets, bucket, index, store, regs, scratch):
            return r.GROW
    regs[r.BATCH_NEXT] = _0
    regs[r.BATCH_COUNT] = _0
    return _CONTINUE


@inlined
def _absorb_measured(
    words, measured, records, links, hashes, targets,
    buckets, places, heap, pending, keepers, index, store, log, sample, regs, scratch,
):  # fmt: skip
    """Insert the rest of the batch, each state into its layer."""
    entry, stride = _entry_words(words, measured), _record_words(words, measured)
    number, last = regs[r.BATCH_NEXT], regs[r.BATCH_COUNT]
    code = _CONTINUE
    while number < last:
        if regs[r.LOG_COUNT] == U(len(log)):
            code = r.FLUSH
            break
        code = _place_measured(
            words, measured, entry, records, number * stride, number, hashes, targets, links,
            buckets, places, heap, pending, keepers, index, store, log, sample, regs, scratch,
        )  # fmt: skip
        if code != _CONTINUE:
            break
        number += _1
    regs[r.BATCH_NEXT] = number
    if number == last:
        regs[r.BATCH_NEXT] = _0
        regs[r.BATCH_COUNT] = _0
    return code


@njit
def explore(
    function, words, measured, budget, regs, buckets, places, heap, pending, keepers, levels,
    records, links, hashes, targets, index, store, log, seen, labels, profile, sample, scratch,
):  # fmt: skip
    """Search on for about `budget` expansions. `words` is a tuple of the state's width, or a number at run time;
    `measured` is None for breadth-first search, else a tuple as long as what follows the state in a record. Returns
    DONE, BUDGET, GROW, FAULT, FOUND, FLUSH or REGRESSING_COLUMN; after all but DONE, FAULT and REGRESSING_COLUMN it
    can be called again."""
    stop_at = regs[r.VISITED] + budget
    while True:
        if measured is None:
            code = _absorb_single(words, records, links, hashes, buckets, index, store, log, regs, scratch)
        else:
            code = _absorb_measured(
                words, measured, records, links, hashes, targets,
                buckets, places, heap, pending, keepers, index, store, log, sample, regs, scratch,
            )  # fmt: skip
        if code != _CONTINUE:
            return code
        if regs[r.VISITED] >= stop_at:
            return r.BUDGET
        if measured is None:
            code = _next_level(buckets, levels, regs)
            bucket = U(r.LIVE)
            limit = regs[r.LEVEL_END]
        else:
            code = _next_layer(buckets, places, heap, pending, keepers, index, store, profile, regs)
            bucket, limit = U(r.LIVE), _0
            if code == _CONTINUE:
                bucket = has_unexpanded(regs[r.CURRENT], buckets)
                limit = buckets[bucket + U(r.COUNT)]
                if bucket != regs[r.CURRENT] + U(r.LIVE):
                    limit = this_sweeps_roots(regs[r.CURRENT], buckets)
        if code == _CONTINUE:
            code = _expand(
                function, words, measured, bucket, limit, records, links, hashes, targets,
                buckets, places, index, store, log, seen, labels, regs,
            )  # fmt: skip
        if code != _CONTINUE:
            return code


@njit
def seed(words, measured, count, regs, buckets, places, records, links, hashes, targets, index):
    """Make the first `count` records, the initial states, the batch to be inserted first."""
    stride = _record_words(words, measured)
    for number in range(count):
        _aim(words, measured, records, number * stride, number, hashes, targets, buckets, places, index, regs)
    regs[r.BATCH_COUNT] = count
    regs[r.BATCH_NEXT] = _0
