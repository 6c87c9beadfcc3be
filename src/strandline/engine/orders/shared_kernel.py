"""Breadth-first search by several threads, which stay inside this kernel for many levels.

The threads claim states to expand and records for new ones from shared counters by fetch-and-add, and insert new states
into one table. They work in rounds: a round is a level, or the part of it for which the buffer of links and the table
have room. Between two rounds all wait at a barrier while the first thread closes the gaps between the used records and
chooses the next action; a full table is grown by all threads. The kernel returns when something has to be done in
Python, or when a level is too small for several threads. When the links are to be written, which happens often, only
the first thread returns, after all have encoded a share of the links; the others wait for it at a barrier.

After a round everything is as a single thread would have left it, but for the order of a level's states: distances do
not depend on the number of threads.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.orders.breadth_first_kernel import begin_level
from strandline.engine.parts.barrier_kernel import wait_at_barrier
from strandline.engine.parts.batch_kernel import add_to_batch
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.links_kernel import encode
from strandline.engine.parts.search_output_kernel import count_expanded, count_stored
from strandline.engine.runtime.codes import (
    AHEAD,
    BATCH,
    BUDGET,
    CONTINUE,
    FAULT,
    FLUSH,
    FOUND,
    GROW,
    LIMIT,
    LINK_BLOCK,
    LINK_BYTES,
)
from strandline.engine.runtime.intrinsics import fetch_add, load_acquire
from strandline.engine.runtime.jit import inlined, njit, python_function
from strandline.engine.runtime.memory import WordArray
from strandline.engine.store.interface import (
    add_shared,
    begin_growth,
    finish_growth,
    growth_begin,
    growth_end,
    insert_deferred,
    is_crowded,
    prefetch_match,
    rehash_part,
    renumber,
)

U = np.uint64
_0, _1, _4, _8, _16 = U(0), U(1), U(4), U(8), U(16)
_BATCH, _AHEAD, _LEAST_CLAIM, _MOST_NUMBERS = U(BATCH), U(AHEAD), U(16), U(64)
_BLOCK, _BLOCK_BYTES = U(LINK_BLOCK), U(LINK_BYTES * LINK_BLOCK + 1)
_GROW_TABLE = -2
"""An action besides the return codes: all threads grow the table."""

STATE, NUMBER, STOP, ARRIVALS, ACTION, THREADS = (U(16 * line) for line in range(6))
"""Positions of the shared words, on separate cache lines.

The next unclaimed state, the next unclaimed record, the stop flag of the round, the arrivals at the barrier, and the
next action, counted from `_GROW_TABLE`. From `THREADS` on there are `APART` words published by each thread.
"""
APART = U(16)
CODE, BUSY, VISITED, FIRST, END, DEFERRED, ENCODED = (U(at) for at in range(7))
"""Positions of the words that a thread publishes.

Its code, counted from `_GROW_TABLE`; whether it has successors to insert; the number of states it has expanded; its
claimed records that are unused, from `FIRST` to `END`; the number of slots that it has deferred; the number of bytes of
links that it has encoded.
"""


class Shared(NamedTuple):
    """The arrays of one thread.

    All but `expansion`, `batch`, `own` and `own_counts` are common to all threads. `links` begins with the link of
    record `round.links_begin`. `own` has the ranges that the thread has claimed, `own_counts` its counters. `deferred`
    has a row for each thread, for the slots that it defers while the table grows; `gaps` has room for a range of unused
    records of each thread. `encoded` has room for all links, encoded, and `block_sizes` for the sizes of their blocks.
    """

    expansion: Any
    batch: Any
    store: Any
    links: Any
    shared: Any
    round: Any
    level: Any
    levels: Any
    counts: Any
    own: Any
    own_counts: Any
    deferred: Any
    gaps: Any
    encoded: Any
    block_sizes: Any


# --- communication ----------------------------------------------------------------------------------------------


@inlined
def _wait(worker):
    wait_at_barrier(worker.shared, ARRIVALS, worker.own)


@inlined
def _publish(worker, what, value):
    # A plain store: only this thread writes the word, and the barrier orders it before all reads.
    worker.shared[THREADS + worker.own.thread * APART + what] = value


@inlined
def _publish_status(worker, code):
    """Publish the result of a round, and the records that it left unused."""
    own = worker.own
    _publish(worker, CODE, U(code - _GROW_TABLE))
    _publish(worker, BUSY, worker.batch.rest.count + own.states_end - own.state)
    _publish(worker, VISITED, worker.own_counts.visited)
    _publish(worker, FIRST, own.number)
    _publish(worker, END, own.numbers_end)


@inlined
def _published(worker, thread, what):
    return worker.shared[THREADS + thread * APART + what]


def code_of(shared: WordArray, thread: int) -> int:
    """Return the code that a thread published last, for callers outside of kernels."""
    return int(shared[int(THREADS + U(thread) * APART + CODE)]) + _GROW_TABLE


def encoded_by(shared: WordArray, thread: int, threads: int, links: int) -> tuple[int, int]:
    """Return where the links lie that a thread has encoded, of so many: the first byte and the end."""
    first, _ = python_function(_share_of_blocks)(U(links), U(thread), U(threads))
    begin = int(first * _BLOCK_BYTES)
    return begin, begin + int(shared[int(THREADS + U(thread) * APART + ENCODED)])


# --- a round ----------------------------------------------------------------------------------------------------


@inlined
def _has_number(worker):
    """Return True if the thread has a record for a new state; claim some if not."""
    own, limits = worker.own, worker.round
    if own.number < own.numbers_end:
        return True
    # Claimed in blocks, so that the shared counter is rarely touched; `_close_gaps` fills the unused rest.
    first = fetch_add(worker.shared, NUMBER, limits.numbers_claimed)
    if first >= limits.numbers_end:
        return False
    own.number, own.numbers_end = first, min(first + limits.numbers_claimed, limits.numbers_end)
    return True


@inlined
def _store_batch(worker):
    """Insert the rest of the batch. Returns CONTINUE, or FLUSH if no records are left."""
    expansion, batch, store, own = worker.expansion, worker.batch, worker.store, worker.own
    last, number, begin = batch.rest.count, batch.rest.next, worker.round.links_begin
    while number < last:
        if not _has_number(worker):
            batch.rest.next = number
            return FLUSH
        record, records_end = own.number, own.numbers_end
        while number < last and record < records_end:
            if number + _AHEAD < last:
                prefetch_match(store, batch.hashes[number + _AHEAD])
            # If the state is known, the record stays free for the next one, which overwrites the entry.
            if add_shared(store, record, expansion.records, number * expansion.stride, batch.hashes[number]):
                worker.links[record - begin] = batch.links[number]
                record += _1
            number += _1
        own.number = record
    batch.rest.next = batch.rest.count = _0
    return FLUSH if is_crowded(store) else CONTINUE


@inlined
def _expand_batch(worker):
    """Fill the empty batch with successors of the next states. Returns CONTINUE, or a code of `compute_successors`."""
    expansion, batch, store, own = worker.expansion, worker.batch, worker.store, worker.own
    used, code = _0, CONTINUE
    while own.state < own.states_end and used < _BATCH:
        code = compute_successors(expansion, store.entries, own.state * store.entry, own.state, used)
        if code != CONTINUE:
            break
        successors = expansion.answer.successors
        count_expanded(worker.own_counts, successors, expansion.labels[0])
        add_to_batch(batch, expansion, store, own.state, own.state, used)
        used += successors
        own.state += _1
    batch.rest.count = used
    # A full buffer of successors is empty again when they are inserted.
    return CONTINUE if code == FLUSH and used > _0 else code


@inlined
def _expand_round(worker):
    """Expand states of the round until none is left.

    Returns CONTINUE; FOUND, FAULT or GROW of this thread's next state; or FLUSH if records are used up. Then the others
    stop too, as soon as they have expanded the states that they have claimed.
    """
    shared, own, limits = worker.shared, worker.own, worker.round
    while True:
        code = _store_batch(worker)
        if code == CONTINUE and own.state == own.states_end:
            # Checked before claiming only: a claimed state is always expanded.
            if load_acquire(shared, STOP) != _0:
                return CONTINUE
            # Claims may run beyond the end of the round; the first thread clips the counter.
            first = fetch_add(shared, STATE, limits.states_claimed)
            if first >= limits.states_end:
                return CONTINUE
            own.state, own.states_end = first, min(first + limits.states_claimed, limits.states_end)
        if code == CONTINUE:
            code = _expand_batch(worker)
        if code != CONTINUE:
            fetch_add(shared, STOP, _1)
            return code


# --- between two rounds, by the first thread ----------------------------------------------------------------------


@inlined
def _list_gaps(worker):
    """Write the ranges of unused records to `gaps`, in increasing order; return their number."""
    gaps, count = worker.gaps, 0
    for thread in range(worker.own.threads):
        first, end = _published(worker, thread, FIRST), _published(worker, thread, END)
        if first < end:
            place = count
            while place > 0 and gaps[place - 1, 0] > first:
                gaps[place, 0], gaps[place, 1] = gaps[place - 1, 0], gaps[place - 1, 1]
                place -= 1
            gaps[place, 0], gaps[place, 1] = first, end
            count += 1
    return count


@inlined
def _close_gaps(worker, end):
    """Fill unused records with the last states before `end`; return the new end."""
    store, links, begin, gaps = worker.store, worker.links, worker.round.links_begin, worker.gaps
    last = _list_gaps(worker)
    gap = 0
    while gap < last:
        number, gap_end = gaps[gap, 0], gaps[gap, 1]
        while number < gap_end:
            # Unused records at the end are cut off.
            while last > gap + 1 and gaps[last - 1, 1] == end:
                last -= 1
                end = gaps[last, 0]
            if end == gap_end:
                return number
            end -= _1
            renumber(store, end, number)
            links[number - begin] = links[end - begin]
            number += _1
        gap += 1
    return end


@inlined
def _end_round(worker):
    """Count the states of the round and take back the unused claims."""
    shared, limits, counts = worker.shared, worker.round, worker.counts
    end = _close_gaps(worker, min(shared[NUMBER], limits.numbers_end))
    new = end - counts.recorded
    worker.store.shape.count += new
    counts.recorded = end
    count_stored(counts, new)
    worker.level.head = min(shared[STATE], limits.states_end)
    shared[NUMBER] = limits.numbers_end = end
    shared[STATE] = limits.states_end = worker.level.head
    for thread in range(worker.own.threads):
        shared[THREADS + thread * APART + FIRST] = shared[THREADS + thread * APART + END] = _0


@inlined
def _most_urgent(worker):
    """Return the code of a thread that demands a return to Python, or CONTINUE."""
    urgent = CONTINUE
    for thread in range(worker.own.threads):
        code = np.int64(_published(worker, thread, CODE)) + _GROW_TABLE
        if code == FOUND or (code == FAULT and urgent != FOUND) or (code == GROW and urgent == CONTINUE):
            urgent = code
    return urgent


@inlined
def _next_action(worker):
    """Return CONTINUE with the limits of another round; the return code of the kernel; or _GROW_TABLE."""
    level, limits, counts = worker.level, worker.round, worker.counts
    code = _most_urgent(worker)
    if code != CONTINUE:
        return code
    busy, visited = False, _0
    for thread in range(worker.own.threads):
        busy = busy or _published(worker, thread, BUSY) != _0
        visited += _published(worker, thread, VISITED)
    if not busy and level.head == level.end:
        code = begin_level(level, worker.levels, counts.recorded)
        if code != CONTINUE:
            return code
        if level.end - level.head < limits.least_states:
            return BUDGET
    return BUDGET if visited >= limits.stop_at else _begin_round(worker)


@inlined
def _begin_round(worker):
    """Set the limits of a round. Returns CONTINUE, LIMIT, FLUSH, GROW or _GROW_TABLE."""
    store, limits, level, shared = worker.store, worker.round, worker.level, worker.shared
    shape, begin, threads = store.shape, worker.counts.recorded, worker.own.threads
    links_end = limits.links_begin + U(len(worker.links))
    end = min(limits.records_end, links_end)
    if begin >= limits.records_end:
        return LIMIT
    # A nearly full buffer is flushed, so that rounds are not short.
    if begin >= end or (end == links_end and end - begin < U(len(worker.links)) // _16):
        return FLUSH
    if is_crowded(store) or shape.most - min(shape.count, shape.most) < min(end - begin, limits.least_states):
        code = begin_growth(store)
        return _GROW_TABLE if code == CONTINUE else code
    end = min(end, begin + shape.most - shape.count)
    if end * store.entry > U(len(store.entries)):
        room = U(len(store.entries)) // store.entry
        if room <= begin or room - begin < min(end - begin, limits.least_states):
            shape.wanted_entries = end * store.entry
            return GROW
        end = room
    limits.numbers_end = end
    limits.numbers_claimed = max(_1, min(_MOST_NUMBERS, (end - begin) // (_4 * threads)))
    limits.states_end = level.end
    # Few at a time in a small level, so that all threads get some.
    limits.states_claimed = max(_LEAST_CLAIM, min(_BATCH, (level.end - level.head) // (_8 * threads)))
    shared[STOP] = _0
    return CONTINUE


# --- growth -----------------------------------------------------------------------------------------------------


@inlined
def _grow_together(worker):
    """Grow the table by all threads, as `begin_growth` of the store's interface describes."""
    store, own, threads = worker.store, worker.own, worker.own.threads
    deferred, count = worker.deferred[own.thread], _0
    end = growth_end(store)
    while end > _0:
        begin = growth_begin(store, end)
        if begin > _0:
            first = begin + (end - begin) * own.thread // threads
            last = begin + (end - begin) * (own.thread + _1) // threads
            count = rehash_part(store, first, last, deferred, count)
        elif own.thread == _0:
            count = rehash_part(store, _0, end, deferred, count)
        _wait(worker)
        end = begin
    _publish(worker, DEFERRED, count)
    _wait(worker)
    if own.thread == _0:
        finish_growth(store)
        for thread in range(threads):
            insert_deferred(store, worker.deferred[thread], _published(worker, thread, DEFERRED))
    _wait(worker)


# --- the parent log ---------------------------------------------------------------------------------------------


@inlined
def _share_of_blocks(links, thread, threads):
    """Return the first block of links that a thread encodes, and the end."""
    blocks = (links + _BLOCK - _1) // _BLOCK
    return blocks * thread // threads, blocks * (thread + _1) // threads


@inlined
def _encode_share(worker):
    """Encode this thread's share of the links, if there are enough of them."""
    own, links, size = worker.own, worker.counts.recorded - worker.round.links_begin, _0
    if links >= worker.round.least_encoded:
        first, last = _share_of_blocks(links, own.thread, own.threads)
        begin = first * _BLOCK_BYTES
        size = encode(worker.links, links, first, last, worker.encoded, begin, worker.block_sizes) - begin
    _publish(worker, ENCODED, size)


# --- the loop ---------------------------------------------------------------------------------------------------


@inlined
def _wait_without_claims(worker):
    """Wait for all threads, with nothing to report."""
    worker.own.number = worker.own.numbers_end = _0
    _publish_status(worker, CONTINUE)
    _wait(worker)


@njit
def breadth_first_shared(worker):
    """Search on, together with the other threads, each of which calls this with its own arrays.

    Returns the same code in all threads: DONE; BUDGET after `round.stop_at` expansions, or before a level with less
    than `round.least_states` states; LIMIT; GROW; FOUND or FAULT. The first thread also returns FLUSH when the buffer
    of links is full; then it must call this again, while the others wait.
    """
    own, shared = worker.own, worker.shared
    _wait_without_claims(worker)
    while True:
        if own.thread == _0:
            _end_round(worker)
            shared[ACTION] = U(_next_action(worker) - _GROW_TABLE)
        _wait(worker)
        action = np.int64(shared[ACTION]) + _GROW_TABLE
        if action == _GROW_TABLE:
            _grow_together(worker)
        elif action == CONTINUE:
            own.number = own.numbers_end = _0
            _publish_status(worker, _expand_round(worker))
            _wait(worker)
        else:
            _encode_share(worker)
            _wait(worker)
            if action != FLUSH or own.thread == _0:
                return action
            _wait_without_claims(worker)
