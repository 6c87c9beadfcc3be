"""A sweep by several threads, each with a shard of the states: the hash of a state says whose it is.

A shard is a sweep of its own, with store, layers and log. All lines stand at the same layer. A thread expands states of
its shard and puts the successors into boxes, one for each thread; then all meet, and each takes what lies in the boxes
for it. When nothing is left of the layer, all lines move on together, to the least layer that waits in any
shard. No two threads ever work on the same array: what each has to tell it tells before they meet, and all draw the
same conclusions from what all have told. So layers, visits and persistent states are those of one thread: they depend
on the states of a layer, not on the order in which these are found (000 §2, 002 §2-5).
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
"""States that a thread expands before it meets the others."""
_MEETINGS = U(1 << 14)
"""After so many the kernel returns, whatever was done."""
_PATIENCE = 5_000
"""How often a thread looks for the others before it leaves the processor to whoever wants it, each time that it looks:
where there are fewer processors than threads, who waits must not keep the others from coming. To sleep would take
longer than most steps do, however short the time that is asked for."""

WORK, TURN, COLUMN = U(0), U(1), U(2)
"""What the threads are at: a layer; leaving it; leaving a column."""

CODE, BUSY, STOP, STANDS, TAKEN, STORED, VISITED, WAITS, NEXT_COLUMN, NEXT_LAYER, PENDING = (U(at) for at in range(11))
"""What a thread tells: what stopped it, counted from 1; whether there is more to do; whether it is time to return;
whether the line has a row; states expanded of it, states stored, states visited; of the least layer that waits whether
there is one, and its key; how many layers have roots for the next sweep."""
APART = U(16)
"""Words that one thread has to itself, so that no two write to the same cache line."""


class Meeting(NamedTuple):
    """What threads share. `told` has `APART` words for each thread and, after these, how often threads have come to
    meet. There is a box from each thread to each, box `from * members + to`, with room for `room` successors:
    `records`, `hashes` and `links` are as those of a batch, and `filled`, `APART` words for each box, says how many
    there are, and how many of them were taken. `own` is what this thread alone knows: its number, how many members
    there are, what they are at, and which meeting is next; `total` are the counts of all, kept by the first thread."""

    told: Any
    records: Any
    hashes: Any
    links: Any
    filled: Any
    own: Any
    total: Any


class Shard(NamedTuple):
    """What a thread works on."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    journal: Any
    notes: Any
    meeting: Any


# --- meeting ----------------------------------------------------------------------------------------------------


@inlined
def _meet(meeting):
    """Wait until all are here; what each wrote before is seen by all afterwards."""
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
    meeting.told[meeting.own.number * APART + what] = value


@inlined
def _told_by(meeting, member, what):
    return meeting.told[member * APART + what]


@inlined
def _any(meeting, what):
    """Whether somebody has told a number other than 0."""
    found = False
    for member in range(meeting.own.members):
        if _told_by(meeting, member, what) != _0:
            found = True
    return found


@inlined
def _sum(meeting, what):
    total = _0
    for member in range(meeting.own.members):
        total += _told_by(meeting, member, what)
    return total


@inlined
def _tell_all(shard, code, busy, stop):
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
    """Whose a state is: by bits of its hash that say neither where in a table it belongs nor how it is told from
    others there."""
    return (((hash_value >> _8) & _24_BITS) * own.members) >> _24


@inlined
def _send(shard):
    """Put the rest of the batch into boxes, also what is this thread's own: whose a successor is cannot be foreseen, so
    that a jump by it would cost more than the copy. CONTINUE, or REGRESSING_COLUMN; BUDGET where a box is full."""
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
    """Expand some states of the layer: CONTINUE, or what is to be done first."""
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
    """Place what lies in the boxes for this thread: CONTINUE, or what is to be done first."""
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
    """The first states of the layer may have come from others: then it has a row now."""
    line = layers.line
    if line.row == NONE and line.waiting > _0:
        first = layers.rows[layers.heap[_0]]
        if first.column == line.column and first.layer == line.layer:
            move_line(layers)


@inlined
def _has_more(shard):
    """Whether something is left of the layer here."""
    meeting, line = shard.meeting, shard.layers.line
    if shard.batch.rest.count > _0:
        return True
    for sender in range(meeting.own.members):
        if meeting.filled[(sender * meeting.own.members + meeting.own.number) * APART] > _0:
            return True
    return line.row != NONE and unexpanded(shard.layers, line.row) != NONE


# --- what all conclude ------------------------------------------------------------------------------------------


@inlined
def _finish_layer(shard):
    """The layer is over, if there was one: nothing more will be stored in it. The first thread notes its figures."""
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
    """All lines go to the least layer that waits in any shard, of the present column or, with `any_column`, of any;
    whether there is one."""
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
    """After the layer is left: go on in the column, begin another sweep of it, or leave it."""
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
    """Some of what the threads are at: CONTINUE, or what is to be done first; BUDGET where there is more to do."""
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
    """What each of the threads calls: search on for about `budget` expansions of this one. All return at the same
    meeting. CONTINUE where another one has something to say, else as `strandline.engine.orders.sweep_kernel.sweep`."""
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
