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

from strandline.engine.parts.expansion_kernel import Expansion, ask, link_of
from strandline.engine.parts.layer_table_kernel import live, unexpanded
from strandline.engine.parts.line_kernel import (
    column_at,
    falls_behind,
    leave_column,
    leave_layer,
    move_line,
    place,
    wake_layers,
)
from strandline.engine.parts.profile_recorder_kernel import note_layer, note_regress
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import BATCH, BUDGET, CONTINUE, DONE, FLUSH, NONE, REGRESSING_COLUMN, STEP_MASK
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.intrinsics import drawn, give_way, seen
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import prefetch_home, prefetch_match
from strandline.engine.store.paged_kernel import next_of, record_of, take

U = np.uint64
_0, _1, _8, _24 = U(0), U(1), U(8), U(24)
_BATCH, _AHEAD, _FURTHER, _STEP_MASK = U(BATCH), U(6), U(20), U(STEP_MASK)
_24_BITS = U((1 << 24) - 1)
_EXPANDED = U(1 << 13)
"""States that a thread expands between two barriers."""
_MEETINGS = U(1 << 14)
"""Barriers after which the kernel returns, whatever was done."""
_PATIENCE = 5_000
"""Times that a thread polls the barrier before it yields the processor on every further poll.

With fewer processors than threads, a waiting thread must not keep the others from running. Sleeping would take longer
than most phases do.
"""

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


class Meeting(NamedTuple):
    """Memory that the threads share, and the thread's own record.

    `told` has `APART` published words for each thread and, behind these, the barrier's counter of arrivals. Mailbox
    `from * members + to` has room for `room` successors: `records`, `hashes` and `links` are as those of a batch, and
    `filled`, `APART` words per mailbox, has the numbers of sent and of received ones. `own` is private to the thread:
    its number, the number of threads, the phase, and the arrivals to wait for. `total` are the counters of all, kept by
    the first thread.
    """

    told: Any
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
    notes: Any
    meeting: Any


# --- the barrier ------------------------------------------------------------------------------------------------


@inlined
def _meet(meeting):
    """Wait at the barrier; all writes of all threads before it are visible afterwards."""
    own, place = meeting.own, meeting.own.members * APART
    own.met += own.members
    drawn(meeting.told, place, _1)
    patience = _PATIENCE
    while seen(meeting.told, place) < own.met:
        patience -= 1
        if patience < 0:
            give_way()


@inlined
def _tell(meeting, what, value):
    """Publish a word."""
    meeting.told[meeting.own.number * APART + what] = value


@inlined
def _told_by(meeting, member, what):
    """Return a word that a thread has published."""
    return meeting.told[member * APART + what]


@inlined
def _any(meeting, what):
    """Return True if some thread has published a word other than 0."""
    found = False
    for member in range(meeting.own.members):
        if _told_by(meeting, member, what) != _0:
            found = True
    return found


@inlined
def _sum(meeting, what):
    """Return the sum of a word over all threads."""
    total = _0
    for member in range(meeting.own.members):
        total += _told_by(meeting, member, what)
    return total


@inlined
def _tell_all(shard, code, busy, stop):
    """Publish the status of this thread."""
    meeting, layers, counts = shard.meeting, shard.layers, shard.journal.counts
    line = layers.line
    _tell(meeting, CODE, U(code + 1))
    _tell(meeting, BUSY, U(busy))
    _tell(meeting, STOP, U(stop))
    _tell(meeting, STANDS, U(line.row != NONE))
    _tell(meeting, TAKEN, layers.chains[live(line.row)].taken if line.row != NONE else _0)
    _tell(meeting, STORED, counts.stored)
    _tell(meeting, VISITED, counts.visited)
    _tell(meeting, WAITS, line.waiting)
    if line.waiting > _0:
        first = layers.rows[layers.heap[_0]]
        _tell(meeting, NEXT_COLUMN, first.column)
        _tell(meeting, NEXT_LAYER, first.layer)
    _tell(meeting, PENDING, line.pending)


# --- a layer ----------------------------------------------------------------------------------------------------


@inlined
def _owner(own, hash_value):
    """Return the thread that owns a state: by bits of its hash that select neither its slot nor its tag."""
    return (((hash_value >> _8) & _24_BITS) * own.members) >> _24


@inlined
def _send(shard):
    """Put the rest of the batch into mailboxes, including this thread's own.

    The owner cannot be predicted, so that a branch for own states would cost more than the copy. Returns CONTINUE,
    REGRESSING_COLUMN, or BUDGET if a mailbox is full.
    """
    meeting, expansion, batch, line = shard.meeting, shard.expansion, shard.batch, shard.layers.line
    own, words, stride = meeting.own, expansion.words, expansion.stride
    while batch.rest.next < batch.rest.count:
        number = batch.rest.next
        at, hash_value, link = number * stride, batch.hashes[number], batch.links[number]
        if column_at(words, expansion.records, at) < line.column:
            return REGRESSING_COLUMN
        box = own.number * own.members + _owner(own, hash_value)
        count = meeting.filled[box * APART]
        if count == own.room:
            return BUDGET
        place = box * own.room + count
        for word in range(stride):
            meeting.records[place * stride + word] = expansion.records[at + word]
        meeting.hashes[place], meeting.links[place] = hash_value, link
        meeting.filled[box * APART] = count + _1
        if falls_behind(shard.layers, expansion, at):
            line.regress_edges += _1
            source, step = batch.sources[number], link & _STEP_MASK
            note_regress(shard.notes, words, shard.store.entries, source, step, line.regress_edges)
        batch.rest.next = number + _1
    batch.rest.next = batch.rest.count = _0
    return CONTINUE


@inlined
def _expand(shard):
    """Fill the batch with successors of the next states of the layer."""
    expansion, batch, store, layers = shard.expansion, shard.batch, shard.store, shard.layers
    own, line = shard.meeting.own, layers.line
    used, left, code = _0, _BATCH, CONTINUE
    while left > _0 and used < _BATCH:
        number = unexpanded(layers, line.row)
        if number == NONE:
            break
        chain = layers.chains[number]
        source = next_of(store, chain)
        at = source * store.entry
        record = record_of(store, source) * own.members + own.number
        code = ask(expansion, store.entries, at, record, used)
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
def _work(shard):
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
def _take_from_boxes(shard):
    """Store the successors in this thread's mailboxes. Returns CONTINUE, or the code of an event."""
    meeting, expansion = shard.meeting, shard.expansion
    own = meeting.own
    asked = (expansion.function, expansion.words, expansion.stride, expansion.most)
    boxes = Expansion(*asked, meeting.records, expansion.labels, expansion.answer)
    for sender in range(own.members):
        box = sender * own.members + own.number
        number = box * own.room + meeting.filled[box * APART + _1]
        last = box * own.room + meeting.filled[box * APART]
        while number < last:
            if number + _FURTHER < last:
                prefetch_match(shard.store, meeting.hashes[number + _AHEAD])
                prefetch_home(shard.store, meeting.hashes[number + _FURTHER])
            hash_value, link = meeting.hashes[number], meeting.links[number]
            code = place(shard.layers, shard.store, shard.journal, boxes, number * expansion.stride, hash_value, link)
            if code != CONTINUE:
                meeting.filled[box * APART + _1] = number - box * own.room
                return code
            number += _1
        meeting.filled[box * APART] = meeting.filled[box * APART + _1] = _0
    return CONTINUE


@inlined
def _stand_at_layer(layers):
    """Give the line a row if the first states of its layer came from other threads."""
    line = layers.line
    if line.row == NONE and line.waiting > _0:
        first = layers.rows[layers.heap[_0]]
        if first.column == line.column and first.layer == line.layer:
            move_line(layers)


@inlined
def _has_more(shard):
    """Return True if this thread has states of the layer left."""
    meeting, line = shard.meeting, shard.layers.line
    if shard.batch.rest.count > _0:
        return True
    for sender in range(meeting.own.members):
        if meeting.filled[(sender * meeting.own.members + meeting.own.number) * APART] > _0:
            return True
    return line.row != NONE and unexpanded(shard.layers, line.row) != NONE


# --- common decisions -------------------------------------------------------------------------------------------


@inlined
def _finish_layer(shard):
    """End the layer, in which no more states will be stored. The first thread adds it to the profile."""
    meeting, line = shard.meeting, shard.layers.line
    meeting.own.stage = TURN
    if not _any(meeting, STANDS):
        return
    line.layers_left += _1
    if meeting.own.number == _0:
        total = meeting.total
        total.visited, total.stored = _sum(meeting, VISITED), _sum(meeting, STORED)
        total.peak_stored = max(total.peak_stored, total.stored)
        note_layer(shard.notes, line.column, line.layer, _sum(meeting, TAKEN), total)


@inlined
def _move_together(shard, any_column):
    """Move the line to the least layer queued in any shard; return False if there is none.

    All threads compute the same result. Without `any_column`, only layers of the present column count.
    """
    meeting, layers = shard.meeting, shard.layers
    line = layers.line
    least_column, least_layer = NONE, NONE
    found = False
    for member in range(meeting.own.members):
        if _told_by(meeting, member, WAITS) > _0:
            column, layer = _told_by(meeting, member, NEXT_COLUMN), _told_by(meeting, member, NEXT_LAYER)
            if any_column or column == line.column:
                found = True
                if column < least_column or (column == least_column and layer < least_layer):
                    least_column, least_layer = column, layer
    if found:
        line.column, line.layer = least_column, least_layer
        _stand_at_layer(layers)
    return found


@inlined
def _turn(shard):
    """After the layer is left: continue in the column, begin its next sweep, or leave it."""
    meeting, layers = shard.meeting, shard.layers
    line = layers.line
    if _move_together(shard, False):
        meeting.own.stage = WORK
    elif _any(meeting, PENDING):
        line.sweeps += _1
        line.column_sweep += _1
        wake_layers(layers)
    else:
        meeting.own.stage = COLUMN


@inlined
def _do_some(shard):
    """Do a part of the present phase. Returns CONTINUE, BUDGET if there is more to do, or the code of an event."""
    layers, own = shard.layers, shard.meeting.own
    if own.stage == WORK:
        code = _work(shard)
        _meet(shard.meeting)
        taken = _take_from_boxes(shard)
        _stand_at_layer(layers)
        if code == CONTINUE:
            code = taken
        return BUDGET if code == CONTINUE and _has_more(shard) else code
    _meet(shard.meeting)
    if own.stage == COLUMN:
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
    meeting, counts, own = shard.meeting, shard.journal.counts, shard.meeting.own
    enough, meetings = counts.visited + budget, _0
    while True:
        code = _do_some(shard)
        meetings += _1
        busy = code == BUDGET
        if busy:
            code = CONTINUE
        _tell_all(shard, code, busy, counts.visited >= enough or meetings == _MEETINGS)
        _meet(meeting)
        stop, more = _any(meeting, STOP), _any(meeting, BUSY)
        if _any(meeting, CODE):
            return code
        if stop:
            return BUDGET
        if not more:
            if own.stage == WORK:
                _finish_layer(shard)
            elif own.stage == TURN:
                _turn(shard)
            elif _move_together(shard, True):
                own.stage = WORK
            else:
                return DONE
