"""Where the line is, what comes next, what is forgotten; and the one place where a successor finds its layer.

Layers are sparse and many: a map leads from a key (column, layer) to a row, a heap has the rows that wait for the line.
A row has two chains of states, those that go when the line leaves the layer and the persistent ones, which go when it
leaves the column. Inside a column layers are taken in increasing order; the target of a regress edge becomes
persistent and a root of the column's next sweep (000 §2, 001 §2.2, 002 §2-5).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.codes import (
    BIAS,
    BUDGET,
    COLUMN_OVER,
    CONTINUE,
    DONE,
    FLUSH,
    GROW,
    LAYER_OVER,
    NONE,
    REGRESSING_COLUMN,
    SWEEP_OVER,
)
from strandline.engine.hashing import home, mixed, word_count
from strandline.engine.jit import inlined, njit
from strandline.engine.journal_kernel import links_full, log_new_state
from strandline.engine.notes_kernel import note_layer
from strandline.engine.store.interface import find, make_room
from strandline.engine.store.paged_kernel import append, forget_chain, insert

U = np.uint64
_0, _1, _2, _3 = U(0), U(1), U(2), U(3)
_BIAS = U(BIAS)
_PAGES_AT_A_TIME = U(1 << 15)

_LAYERS, _SWEEPS, _COLUMNS = U(1), U(2), U(4)

KNOWN, NEW, RETURNED = U(0), U(1), U(2)
"""What `place` says of a successor: it was stored; it is new; it is new, and persistent."""


class Layers(NamedTuple):
    """`rows` and `chains` (two a row) are the layers, `places` the map, `heap` the rows that wait for the line,
    `pending` those with roots for the next sweep, `keepers` those with persistent states."""

    rows: Any
    chains: Any
    places: Any
    heap: Any
    pending: Any
    keepers: Any
    line: Any


# --- rows -------------------------------------------------------------------------------------------------------


@inlined
def live(row):
    """The chain of a layer's states that go with it."""
    return _2 * row


@inlined
def kept(row):
    """The chain of a layer's persistent states."""
    return _2 * row + _1


@inlined
def _home_of(column, layer, places):
    return home(mixed(column + mixed(layer)), U(len(places)))


@inlined
def find_row(layers, column, layer):
    """The row of a layer, or NONE."""
    places = layers.places
    place = _home_of(column, layer, places)
    while places[place] != _0:
        row = places[place] - _1
        if layers.rows[row].layer == layer and layers.rows[row].column == column:
            return row
        place += _1
        if place == U(len(places)):
            place = _0
    return NONE


@inlined
def _enter_row(rows, places, row):
    """Put a row into the map; there must be room."""
    place = _home_of(rows[row].column, rows[row].layer, places)
    while places[place] != _0:
        place += _1
        if place == U(len(places)):
            place = _0
    places[place] = row + _1


@njit
def rebuild_map(rows, old, new):
    """Enter all rows of a full map into a larger, empty one."""
    for place in range(len(old)):
        if old[place] != _0:
            _enter_row(rows, new, old[place] - _1)


@inlined
def row_of(layers, column, layer):
    """The row of a layer, made if need be; NONE when arrays must grow first."""
    line = layers.line
    if layer == line.layer and column == line.column and line.row != NONE:
        return line.row
    row = find_row(layers, column, layer)
    if row == NONE:
        row = _new_row(layers, column, layer)
    return row


@inlined
def _new_row(layers, column, layer):
    line, rows = layers.line, layers.rows
    if line.free_row != NONE:
        row = line.free_row
        line.free_row = rows[row].column
    else:
        row = line.rows
        if row == U(len(rows)):
            line.wanted_rows = row + _1
            return NONE
        line.rows = row + _1
    rows[row].column, rows[row].layer = column, layer
    rows[row].queued = rows[row].roots = rows[row].ring = rows[row].span = _0
    for number in range(live(row), live(row) + _2):
        chain = layers.chains[number]
        chain.first = chain.last = chain.count = chain.taken = chain.page = chain.offset = _0
    _enter_row(rows, layers.places, row)
    return row


@inlined
def _remove_row(layers, row):
    """Take a row out of the map, closing the gap, and keep it for the next layer."""
    rows, places = layers.rows, layers.places
    size = U(len(places))
    place = _home_of(rows[row].column, rows[row].layer, places)
    while places[place] != row + _1:
        place += _1
        if place == size:
            place = _0
    gap = place
    while True:
        place += _1
        if place == size:
            place = _0
        if places[place] == _0:
            break
        other = places[place] - _1
        origin = _home_of(rows[other].column, rows[other].layer, places)
        # An entry may fill the gap unless its home lies cyclically in (gap, place].
        stays = gap < origin <= place if gap < place else (origin > gap or origin <= place)
        if not stays:
            places[gap] = places[place]
            gap = place
    places[gap] = _0
    rows[row].column = layers.line.free_row
    layers.line.free_row = row


# --- what waits -------------------------------------------------------------------------------------------------


@inlined
def _before(rows, first, second):
    """Whether the first row's key is smaller."""
    if rows[first].column != rows[second].column:
        return rows[first].column < rows[second].column
    return rows[first].layer < rows[second].layer


@inlined
def push(layers, row):
    """Let a layer wait for the line; one that waits already is left alone."""
    rows, heap, line = layers.rows, layers.heap, layers.line
    if rows[row].queued != _0:
        return
    rows[row].queued = _1
    place = line.waiting
    line.waiting = place + _1
    while place > _0:
        parent = (place - _1) >> _1
        if not _before(rows, row, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = row


@inlined
def _pop(layers):
    """The waiting layer with the smallest key."""
    rows, heap, line = layers.rows, layers.heap, layers.line
    least = heap[_0]
    count = line.waiting - _1
    line.waiting = count
    row = heap[count]
    place = _0
    while True:
        child = place + place + _1
        if child >= count:
            break
        if child + _1 < count and _before(rows, heap[child + _1], heap[child]):
            child += _1
        if not _before(rows, heap[child], row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row
    rows[least].queued = _0
    return least


@inlined
def column_waits(layers):
    """Whether a layer of the column the line is in waits for it."""
    line = layers.line
    return line.waiting > _0 and layers.rows[layers.heap[_0]].column == line.column


@inlined
def schedule_root(layers, row):
    """The persistent state that was added to a layer last is a root of the next sweep, as are those after it."""
    line = layers.line
    if layers.rows[row].roots == _0:
        layers.rows[row].roots = max(_1, layers.chains[kept(row)].count)
        layers.pending[line.pending] = row
        line.pending += _1


@inlined
def _this_sweeps_roots(layers, row):
    """How many of a layer's persistent states are no roots of the next sweep."""
    if layers.rows[row].roots != _0:
        return layers.rows[row].roots - _1
    return layers.chains[kept(row)].count


@inlined
def unexpanded(layers, row):
    """The chain of a layer with states that wait for expansion, persistent ones first; NONE if there is none."""
    if layers.chains[kept(row)].taken < _this_sweeps_roots(layers, row):
        return kept(row)
    if layers.chains[live(row)].taken < layers.chains[live(row)].count:
        return live(row)
    return NONE


# --- the line moves ---------------------------------------------------------------------------------------------


@inlined
def leave_layer(layers, store, counts):
    """Forget the layer the line is at, but not its persistent states: CONTINUE, or BUDGET after a part of it."""
    line = layers.line
    if line.leaving == _0:
        counts.stored -= layers.chains[live(line.row)].count
        line.leaving = _1
    return drop_layer(layers, store)


@inlined
def drop_layer(layers, store):
    """The same for states that are not counted, or not any more."""
    line = layers.line
    line.leaving = _1
    if not forget_chain(store, layers.chains[live(line.row)], _PAGES_AT_A_TIME):
        return BUDGET
    if layers.chains[kept(line.row)].count == _0:
        _remove_row(layers, line.row)
    line.leaving = _0
    line.row = NONE
    return CONTINUE


@inlined
def wake_layers(layers):
    """The layers with roots for the next sweep wait for the line."""
    line = layers.line
    for number in range(line.pending):
        layers.rows[layers.pending[number]].roots = _0
        push(layers, layers.pending[number])
    line.pending = _0


@inlined
def leave_column(layers, store, counts):
    """The line leaves the column: its persistent states go. CONTINUE, or BUDGET after a part of it."""
    line = layers.line
    while line.keepers > _0:
        row = layers.keepers[line.keepers - _1]
        chain = layers.chains[kept(row)]
        if line.leaving == _0:
            counts.stored -= chain.count
            line.leaving = _1
        if not forget_chain(store, chain, _PAGES_AT_A_TIME):
            return BUDGET
        _remove_row(layers, row)
        line.leaving = _0
        line.keepers -= _1
    line.column_sweep = _1
    return CONTINUE


@inlined
def move_line(layers):
    """The line goes to the least layer that waits; there must be one."""
    line = layers.line
    row = _pop(layers)
    line.row = row
    line.column, line.layer = layers.rows[row].column, layers.rows[row].layer


@inlined
def _tells(line, event):
    """Whether somebody listens to an event and was not told of it yet."""
    if line.listening & event == _0 or line.told & event != _0:
        return False
    line.told |= event
    return True


@inlined
def next_layer(layers, store, counts, notes):
    """Move the line to the next layer with something to expand: CONTINUE, or DONE where there is none; BUDGET after a
    part of what is to be forgotten. On the way LAYER_OVER, SWEEP_OVER, COLUMN_OVER are answered once each, before what
    is finished goes, if somebody listens to them (bits 0, 1, 2 of `line.listening`)."""
    line = layers.line
    while True:
        if line.row != NONE:
            if line.leaving == _0:
                if unexpanded(layers, line.row) != NONE:
                    return CONTINUE
                if _tells(line, _LAYERS):
                    return LAYER_OVER
                if notes is not None:
                    note_layer(notes, line.column, line.layer, layers.chains[live(line.row)].taken, counts)
            code = leave_layer(layers, store, counts)
            if code != CONTINUE:
                return code
            line.layers_left += _1
        if not column_waits(layers):
            if line.pending > _0:
                if _tells(line, _SWEEPS):
                    return SWEEP_OVER
                line.sweeps += _1
                line.column_sweep += _1
                wake_layers(layers)
            else:
                if _tells(line, _COLUMNS):
                    return COLUMN_OVER
                code = leave_column(layers, store, counts)
                if code != CONTINUE:
                    return code
                if line.waiting == _0:
                    return DONE
        line.told = _0
        move_line(layers)


# --- a successor ------------------------------------------------------------------------------------------------


@inlined
def column_at(words, records, at):
    """The column of the successor at `records[at]`, biased."""
    return records[at + word_count(words)] ^ _BIAS


@inlined
def layer_at(words, records, at):
    """Its layer, biased."""
    return records[at + word_count(words) + _1] ^ _BIAS


@inlined
def falls_behind(layers, expansion, at):
    """Whether the edge to the successor at `records[at]` regresses: it stays in the column and leads to a lower layer
    or, where progress is partially ordered (002 §3), the Kernel says so; then it may also lead ahead of the line."""
    words, records, line = expansion.words, expansion.records, layers.line
    if column_at(words, records, at) != line.column:
        return False
    if expansion.stride - word_count(words) == _3:
        return records[at + word_count(words) + _2] != _0
    return layer_at(words, records, at) < line.layer


@inlined
def place(layers, store, journal, expansion, at, hash_value, link):
    """Store the successor at `records[at]` in its layer unless it is stored. CONTINUE, and `line.placed` is the number
    of its entry, `line.outcome` KNOWN, NEW or RETURNED, then in row `line.placed_row`; or REGRESSING_COLUMN, FLUSH,
    GROW or BUDGET with nothing changed."""
    line, words, records = layers.line, expansion.words, expansion.records
    column, layer = column_at(words, records, at), layer_at(words, records, at)
    if column < line.column:
        return REGRESSING_COLUMN
    code = make_room(store)
    if code != CONTINUE:
        return code
    line.outcome = KNOWN
    line.placed = find(store, records, at, hash_value)
    if line.placed != NONE:
        return CONTINUE
    if links_full(journal):
        return FLUSH
    row = row_of(layers, column, layer)
    if row == NONE:
        return GROW
    behind = falls_behind(layers, expansion, at)
    number = kept(row) if behind else live(row)
    line.placed = append(store, layers.chains[number], journal.counts.recorded)
    if line.placed == NONE:
        return GROW
    insert(store, line.placed, records, at, hash_value)
    log_new_state(journal, link)
    line.outcome, line.placed_row = NEW, row
    if behind:
        line.outcome = RETURNED
        line.persistent += _1
        if layers.chains[number].count == _1:
            layers.keepers[line.keepers] = row
            line.keepers += _1
        schedule_root(layers, row)
    elif row != line.row:
        push(layers, row)
    return CONTINUE
