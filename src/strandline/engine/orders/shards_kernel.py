"""A sweep by several threads, each with a shard of the states, which the hash of a state selects.

A shard is a sweep of its own, with store, layers and log. All lines stand at the same layer. A thread expands states of
its shard and puts the successors into mailboxes, one for each thread; after a barrier each thread receives the contents
of its mailboxes. When the layer is finished in all shards, all lines move on together, to the least layer queued in any
shard. No two threads write to the same array: each publishes its status before the barrier, and all draw the same
conclusions from the published words. So layers, visits and persistent states are those of one thread: they depend on
the states of a layer, not on the order of their discovery (000 §2, 002 §2-5).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.barrier_kernel import wait_at_barrier
from strandline.engine.parts.expansion_kernel import Expansion, compute_successors, link_of
from strandline.engine.parts.layer_table_kernel import layer_chain, unexpanded
from strandline.engine.parts.line_kernel import (
    column_at,
    leave_column,
    leave_layer,
    move_line,
    place_successor,
    queue_roots,
    regresses,
)
from strandline.engine.parts.profile_recorder_kernel import record_layer, sample_regress_edge
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import (
    AHEAD,
    BATCH,
    BUDGET,
    CONTINUE,
    DONE,
    FLUSH,
    NONE,
    REGRESSING_COLUMN,
    STEP_MASK,
)
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import prefetch_home, prefetch_match
from strandline.engine.store.paged_kernel import next_of, record_of, take

U = np.uint64
_0, _1, _8, _24 = U(0), U(1), U(8), U(24)
_BATCH, _AHEAD, _FURTHER, _STEP_MASK = U(BATCH), U(AHEAD), U(20), U(STEP_MASK)
_24_BITS = U((1 << 24) - 1)
_EXPANDED = U(1 << 13)
"""States that a thread expands between two barriers."""
_MOST_ROUNDS = U(1 << 14)
"""Barriers after which the kernel returns, whatever was done."""
WORK, TURN, COLUMN = U(0), U(1), U(2)
"""Phase of the threads: expanding a layer; leaving it; leaving a column."""

CODE, BUSY, STOP, STANDS, TAKEN, STORED, VISITED, WAITS, NEXT_COLUMN, NEXT_LAYER, PENDING = (U(at) for at in range(11))
"""Positions of the words that a thread publishes.

Its return code, counted from 1; whether it has more to do; whether it is time to return; whether its line has a row;
states expanded in that row, states stored, states visited; whether a layer is queued, and the key of the least one; the
number of layers with roots of the next sweep.
"""
APART = U(16)
"""Words reserved per thread, so that no two threads write to the same cache line."""


class Communication(NamedTuple):
    """Memory that the threads share, and the thread's own record.

    `published` has `APART` published words for each thread and, behind these, the barrier's counter of arrivals.
    Mailbox `from * members + to` has room for `room` successors: `records`, `hashes` and `links` are as those of a
    batch, and `filled`, `APART` words per mailbox, has the numbers of sent and of received ones. `own` is private to
    the thread: its number, the number of threads, the phase, and the arrivals to wait for. `total` are the counters of
    all, kept by the first thread.
    """

    published: Any
    records: Any
    hashes: Any
    links: Any
    filled: Any
    own: Any
    total: Any


class Shard(NamedTuple):
    """The arrays of one thread."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    journal: Any
    recorder: Any
    comm: Any


# --- the barrier ------------------------------------------------------------------------------------------------


@inlined
def _wait_at_barrier(comm):
    """Wait at the barrier; all writes of all threads before it are visible afterwards."""
    wait_at_barrier(comm.published, comm.own.threads * APART, comm.own)


@inlined
def _publish(comm, what, value):
    """Publish a word."""
    # A plain store: only this thread writes the word, and the barrier orders it before all reads.
    comm.published[comm.own.number * APART + what] = value


@inlined
def _published_by(comm, thread, what):
    """Return a word that a thread has published."""
    return comm.published[thread * APART + what]


@inlined
def _any_published(comm, what):
    """Return True if some thread has published a word other than 0."""
    found = False
    for thread in range(comm.own.threads):
        if _published_by(comm, thread, what) != _0:
            found = True
    return found


@inlined
def _sum_published(comm, what):
    """Return the sum of a word over all threads."""
    total = _0
    for thread in range(comm.own.threads):
        total += _published_by(comm, thread, what)
    return total


@inlined
def _publish_status(shard, code, busy, stop):
    """Publish the status of this thread."""
    comm, layers, counts = shard.comm, shard.layers, shard.journal.counts
    line = layers.line
    _publish(comm, CODE, U(code + 1))
    _publish(comm, BUSY, U(busy))
    _publish(comm, STOP, U(stop))
    _publish(comm, STANDS, U(line.row != NONE))
    _publish(comm, TAKEN, layers.chains[layer_chain(line.row)].taken if line.row != NONE else _0)
    _publish(comm, STORED, counts.stored)
    _publish(comm, VISITED, counts.visited)
    _publish(comm, WAITS, line.waiting)
    if line.waiting > _0:
        first = layers.rows[layers.heap[_0]]
        _publish(comm, NEXT_COLUMN, first.column)
        _publish(comm, NEXT_LAYER, first.layer)
    _publish(comm, PENDING, line.pending)


# --- a layer ----------------------------------------------------------------------------------------------------


@inlined
def _owner(own, hash_value):
    """Return the thread that owns a state: by bits of its hash that select neither its slot nor its tag."""
    return (((hash_value >> _8) & _24_BITS) * own.threads) >> _24


@inlined
def _send(shard):
    """Put the rest of the batch into mailboxes, including this thread's own.

    The owner cannot be predicted, so that a branch for own states would cost more than the copy. Returns CONTINUE,
    REGRESSING_COLUMN, or BUDGET if a mailbox is full.
    """
    comm, expansion, batch, line = shard.comm, shard.expansion, shard.batch, shard.layers.line
    own, words, stride = comm.own, expansion.words, expansion.stride
    while batch.rest.next < batch.rest.count:
        number = batch.rest.next
        at, hash_value, link = number * stride, batch.hashes[number], batch.links[number]
        if column_at(words, expansion.records, at) < line.column:
            return REGRESSING_COLUMN
        # A mailbox has one writer, and is read behind a barrier only: no atomic operations.
        mailbox = own.number * own.threads + _owner(own, hash_value)
        count = comm.filled[mailbox * APART]
        # The rest of the batch stays, and is sent after the next barrier, when the mailbox is empty again.
        if count == own.room:
            return BUDGET
        place = mailbox * own.room + count
        for word in range(stride):
            comm.records[place * stride + word] = expansion.records[at + word]
        comm.hashes[place], comm.links[place] = hash_value, link
        comm.filled[mailbox * APART] = count + _1
        if regresses(shard.layers, expansion, at):
            line.regress_edges += _1
            source, step = batch.sources[number], link & _STEP_MASK
            sample_regress_edge(shard.recorder, words, shard.store.entries, source, step, line.regress_edges)
        batch.rest.next = number + _1
    batch.rest.next = batch.rest.count = _0
    return CONTINUE


@inlined
def _expand(shard):
    """Fill the batch with successors of the next states of the layer."""
    expansion, batch, store, layers = shard.expansion, shard.batch, shard.store, shard.layers
    own, line = shard.comm.own, layers.line
    used, left, code = _0, _BATCH, CONTINUE
    while left > _0 and used < _BATCH:
        number = unexpanded(layers, line.row)
        if number == NONE:
            break
        chain = layers.chains[number]
        source = next_of(store, chain)
        at = source * store.entry
        record = record_of(store, source) * own.threads + own.number
        code = compute_successors(expansion, store.entries, at, record, used)
        if code != CONTINUE:
            break
        take(chain)
        left -= _1
        count_expanded(shard.journal.counts, expansion.answer.successors, expansion.labels[0])
        for step in range(expansion.answer.successors):
            number = used + step
            batch.hashes[number] = state_hash(expansion.records, number * expansion.stride, expansion.words)
            batch.links[number], batch.sources[number] = link_of(record, step), at
        used += expansion.answer.successors
    batch.rest.count = used
    # A buffer of successors that is full will be empty when they are placed.
    return CONTINUE if code == FLUSH else code


@inlined
def _expand_some(shard):
    """Expand some states of the layer. Returns CONTINUE, or the code of an event."""
    counts, layers = shard.journal.counts, shard.layers
    enough = counts.visited + _EXPANDED
    while True:
        code = _send(shard)
        if code != CONTINUE:
            return CONTINUE if code == BUDGET else code
        if layers.line.row == NONE or counts.visited >= enough or unexpanded(layers, layers.line.row) == NONE:
            return CONTINUE
        code = _expand(shard)
        if code != CONTINUE:
            return code


@inlined
def _receive(shard):
    """Store the successors in this thread's mailboxes. Returns CONTINUE, or the code of an event."""
    comm, expansion = shard.comm, shard.expansion
    own = comm.own
    asked = (expansion.function, expansion.words, expansion.stride, expansion.most)
    received = Expansion(*asked, comm.records, expansion.labels, expansion.answer)
    for sender in range(own.threads):
        mailbox = sender * own.threads + own.number
        number = mailbox * own.room + comm.filled[mailbox * APART + _1]
        last = mailbox * own.room + comm.filled[mailbox * APART]
        while number < last:
            if number + _FURTHER < last:
                prefetch_match(shard.store, comm.hashes[number + _AHEAD])
                prefetch_home(shard.store, comm.hashes[number + _FURTHER])
            hash_value, link = comm.hashes[number], comm.links[number]
            code = place_successor(
                shard.layers, shard.store, shard.journal, received, number * expansion.stride, hash_value, link
            )
            if code != CONTINUE:
                comm.filled[mailbox * APART + _1] = number - mailbox * own.room
                return code
            number += _1
        comm.filled[mailbox * APART] = comm.filled[mailbox * APART + _1] = _0
    return CONTINUE


@inlined
def _stand_at_layer(layers):
    """Enter the line's layer into this thread's table, if its first states in this shard came from other threads."""
    line = layers.line
    if line.row == NONE and line.waiting > _0:
        first = layers.rows[layers.heap[_0]]
        if first.column == line.column and first.layer == line.layer:
            move_line(layers)


@inlined
def _has_more(shard):
    """Return True if this thread has states of the layer left."""
    comm, line = shard.comm, shard.layers.line
    if shard.batch.rest.count > _0:
        return True
    for sender in range(comm.own.threads):
        if comm.filled[(sender * comm.own.threads + comm.own.number) * APART] > _0:
            return True
    return line.row != NONE and unexpanded(shard.layers, line.row) != NONE


# --- common decisions -------------------------------------------------------------------------------------------


@inlined
def _finish_layer(shard):
    """End the layer, in which no more states will be stored. The first thread adds it to the profile."""
    comm, line = shard.comm, shard.layers.line
    comm.own.phase = TURN
    if not _any_published(comm, STANDS):
        return
    line.layers_left += _1
    if comm.own.number == _0:
        total = comm.total
        total.visited, total.stored = _sum_published(comm, VISITED), _sum_published(comm, STORED)
        total.peak_stored = max(total.peak_stored, total.stored)
        record_layer(shard.recorder, line.column, line.layer, _sum_published(comm, TAKEN), total)


@inlined
def _move_together(shard, any_column):
    """Move the line to the least layer queued in any shard; return False if there is none.

    All threads compute the same result. Without `any_column`, only layers of the present column count.
    """
    comm, layers = shard.comm, shard.layers
    line = layers.line
    least_column, least_layer = NONE, NONE
    found = False
    for thread in range(comm.own.threads):
        if _published_by(comm, thread, WAITS) > _0:
            column, layer = _published_by(comm, thread, NEXT_COLUMN), _published_by(comm, thread, NEXT_LAYER)
            if any_column or column == line.column:
                found = True
                if column < least_column or (column == least_column and layer < least_layer):
                    least_column, least_layer = column, layer
    if found:
        line.column, line.layer = least_column, least_layer
        _stand_at_layer(layers)
    return found


@inlined
def _advance_line(shard):
    """After the layer is left: continue in the column, begin its next sweep, or leave it."""
    comm, layers = shard.comm, shard.layers
    line = layers.line
    if _move_together(shard, False):
        comm.own.phase = WORK
    elif _any_published(comm, PENDING):
        line.sweeps += _1
        line.column_sweep += _1
        queue_roots(layers)
    else:
        comm.own.phase = COLUMN


@inlined
def _run_phase(shard):
    """Do a part of the present phase. Returns CONTINUE, BUDGET if there is more to do, or the code of an event."""
    layers, own = shard.layers, shard.comm.own
    if own.phase == WORK:
        code = _expand_some(shard)
        _wait_at_barrier(shard.comm)
        taken = _receive(shard)
        _stand_at_layer(layers)
        if code == CONTINUE:
            code = taken
        return BUDGET if code == CONTINUE and _has_more(shard) else code
    _wait_at_barrier(shard.comm)
    if own.phase == COLUMN:
        return leave_column(layers, shard.store, shard.journal.counts)
    if layers.line.row == NONE:
        return CONTINUE
    return leave_layer(layers, shard.store, shard.journal.counts)


@njit
def sweep_together(shard, budget):
    """Search on for about `budget` expansions of this thread; each thread calls this.

    All threads return after the same barrier. Returns CONTINUE if another thread has an event, else as
    `strandline.engine.orders.sweep_kernel.sweep`.
    """
    comm, counts, own = shard.comm, shard.journal.counts, shard.comm.own
    enough, rounds = counts.visited + budget, _0
    while True:
        code = _run_phase(shard)
        rounds += _1
        busy = code == BUDGET
        if busy:
            code = CONTINUE
        _publish_status(shard, code, busy, counts.visited >= enough or rounds == _MOST_ROUNDS)
        _wait_at_barrier(comm)
        # From here to the next barrier all threads read the published words, and none writes any.
        stop, more = _any_published(comm, STOP), _any_published(comm, BUSY)
        if _any_published(comm, CODE):
            return code
        if stop:
            return BUDGET
        if not more:
            if own.phase == WORK:
                _finish_layer(shard)
            elif own.phase == TURN:
                _advance_line(shard)
            elif _move_together(shard, True):
                own.phase = WORK
            else:
                return DONE
