"""The sweep line: where it is, where it moves next, what it deletes; and the placement of successors in layers.

Layers of a column are expanded in increasing order, and columns in increasing order; a layer is deleted as a whole when
the line leaves it. The target of a regress edge becomes persistent and a root of the next sweep of its column;
persistent states are deleted when the line leaves the column (000 §2, 001 §2.2, 002 §2-5).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.parts.layer_table_kernel import (
    has_queued_layer,
    layer_chain,
    persistent_chain,
    pop_layer,
    queue_layer,
    remove_row,
    row_of,
    schedule_root,
    unexpanded,
)
from strandline.engine.parts.profile_recorder_kernel import record_layer
from strandline.engine.parts.search_output_kernel import links_are_full, log_new_state
from strandline.engine.parts.sketch import REGISTER_BITS
from strandline.engine.parts.stack_kernel import top_of
from strandline.engine.runtime.codes import (
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
from strandline.engine.runtime.hashing import word_count
from strandline.engine.runtime.intrinsics import lowest_bit
from strandline.engine.runtime.jit import inlined
from strandline.engine.store.interface import find, make_room
from strandline.engine.store.paged_kernel import append, forget_chain, insert, next_of, take

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_BIAS = U(BIAS)
_PAGES_AT_A_TIME = U(1 << 15)
_REGISTER_BITS, _REGISTERS, _NO_REST = U(REGISTER_BITS), U((1 << REGISTER_BITS) - 1), U(1 << (64 - REGISTER_BITS))

_LAYERS, _SWEEPS, _COLUMNS = U(1), U(2), U(4)

KNOWN, NEW, RETURNED = U(0), U(1), U(2)
"""Outcome of `place_successor`: the successor was stored already; it is new; it is new and persistent."""


# --- the line moves ---------------------------------------------------------------------------------------------


@inlined
def leave_layer(layers, store, counts):
    """Delete the ordinary states of the line's layer and subtract them from the counters.

    Returns CONTINUE, or BUDGET after a part of the work.
    """
    line = layers.line
    # Subtracted once, though the deletion may take several calls.
    if line.leaving == _0:
        counts.stored -= layers.chains[layer_chain(line.row)].count
        line.leaving = _1
    return drop_layer(layers, store)


@inlined
def drop_layer(layers, store):
    """Delete the ordinary states of the line's layer, which the counters do not include.

    Returns CONTINUE, or BUDGET after a part of the work.
    """
    line = layers.line
    line.leaving = _1
    if not forget_chain(store, layers.chains[layer_chain(line.row)], _PAGES_AT_A_TIME):
        return BUDGET
    if layers.chains[persistent_chain(line.row)].count == _0:
        remove_row(layers, line.row)
    line.leaving = _0
    line.row = NONE
    return CONTINUE


@inlined
def queue_roots(layers):
    """Queue the layers that have roots of the next sweep."""
    line = layers.line
    for number in range(line.pending):
        layers.rows[layers.pending[number]].roots = _0
        queue_layer(layers, layers.pending[number])
    line.pending = _0


@inlined
def leave_column(layers, store, counts):
    """Delete the persistent states of the column. Returns CONTINUE, or BUDGET after a part of the work."""
    line = layers.line
    while line.keepers > _0:
        row = layers.keepers[line.keepers - _1]
        chain = layers.chains[persistent_chain(row)]
        if line.leaving == _0:
            counts.stored -= chain.count
            line.leaving = _1
        if not forget_chain(store, chain, _PAGES_AT_A_TIME):
            return BUDGET
        remove_row(layers, row)
        line.leaving = _0
        line.keepers -= _1
    line.column_sweep = _1
    return CONTINUE


@inlined
def move_line(layers):
    """Move the line to the least queued layer; there must be one."""
    line = layers.line
    row = pop_layer(layers)
    line.row = row
    line.column, line.layer = layers.rows[row].column, layers.rows[row].layer


@inlined
def _should_notify(line, event):
    """Return True if an event is observed and was not reported yet, and mark it as reported."""
    if line.observed & event == _0 or line.notified & event != _0:
        return False
    line.notified |= event
    return True


@inlined
def next_layer(layers, store, counts, recorder):
    """Move the line to the next layer with states to be expanded.

    Returns CONTINUE, DONE if no layer is left, or BUDGET after a part of a deletion. Returns LAYER_OVER, SWEEP_OVER and
    COLUMN_OVER once each, before the finished states are deleted, if these events are observed (bits 0, 1, 2 of
    `line.observed`).
    """
    line = layers.line
    while True:
        if line.row != NONE:
            if line.leaving == _0:
                if unexpanded(layers, line.row) != NONE:
                    return CONTINUE
                if _should_notify(line, _LAYERS):
                    return LAYER_OVER
                if recorder is not None:
                    record_layer(recorder, line.column, line.layer, layers.chains[layer_chain(line.row)].taken, counts)
            code = leave_layer(layers, store, counts)
            if code != CONTINUE:
                return code
            line.layers_left += _1
        if not has_queued_layer(layers):
            if line.pending > _0:
                if _should_notify(line, _SWEEPS):
                    return SWEEP_OVER
                line.sweeps += _1
                line.column_sweep += _1
                queue_roots(layers)
            else:
                if _should_notify(line, _COLUMNS):
                    return COLUMN_OVER
                code = leave_column(layers, store, counts)
                if code != CONTINUE:
                    return code
                if line.waiting == _0:
                    return DONE
        line.notified = _0
        move_line(layers)


@inlined
def take_next_state(layers, store):
    """Take the next unexpanded state of the line's layer, which must have one; return the number of its entry."""
    chain = layers.chains[unexpanded(layers, layers.line.row)]
    number = next_of(store, chain)
    take(chain)
    return number


# --- a successor ------------------------------------------------------------------------------------------------


@inlined
def column_at(words, records, at):
    """Return the biased column of the successor at `records[at]`."""
    return records[at + word_count(words)] ^ _BIAS


@inlined
def layer_at(words, records, at):
    """Return the biased layer of the successor at `records[at]`."""
    return records[at + word_count(words) + _1] ^ _BIAS


@inlined
def regresses(layers, expansion, at):
    """Return True if the edge to the successor at `records[at]` regresses.

    It does if it stays in the column and leads to a lower layer or, where progress is partially ordered (002 §3), if
    the Kernel says so; then its target may also lie ahead of the line.
    """
    words, records, line = expansion.words, expansion.records, layers.line
    if column_at(words, records, at) != line.column:
        return False
    if line.partial != _0:
        return records[at + word_count(words) + _2] != _0
    return layer_at(words, records, at) < line.layer


@inlined
def _note_distinct(sketch, hash_value):
    """Add a hash to the sketch that estimates the number of distinct states (`strandline.engine.parts.sketch`)."""
    register = hash_value & _REGISTERS
    rank = lowest_bit((hash_value >> _REGISTER_BITS) | _NO_REST) + _1
    if rank > sketch[register]:
        sketch[register] = rank


@inlined
def place_successor(layers, store, journal, expansion, at, hash_value, link):
    """Store the successor at `records[at]` in its layer unless it is stored already.

    Returns CONTINUE, with its entry in `line.placed`, KNOWN, NEW or RETURNED in `line.outcome` and, if it is new, its
    row in `line.placed_row`. Returns REGRESSING_COLUMN, FLUSH, GROW or BUDGET with nothing changed.
    """
    line, words, records = layers.line, expansion.words, expansion.records
    column, layer = column_at(words, records, at), layer_at(words, records, at)
    if column < line.column:
        return REGRESSING_COLUMN
    code = make_room(store)
    if code != CONTINUE:
        return code
    # Everything that can fail comes before the first change, so that the call can be repeated.
    line.outcome = KNOWN
    line.placed = find(store, records, at, hash_value)
    if line.placed != NONE:
        return CONTINUE
    if links_are_full(journal):
        return FLUSH
    row = row_of(layers, column, layer)
    if row == NONE:
        return GROW
    behind = regresses(layers, expansion, at)
    number = persistent_chain(row) if behind else layer_chain(row)
    line.placed = append(store, layers.chains[number], journal.counts.recorded)
    if line.placed == NONE:
        return GROW
    insert(store, line.placed, records, at, hash_value)
    _note_distinct(layers.sketch, hash_value)
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
        queue_layer(layers, row)
    return CONTINUE


@inlined
def store_here(layers, store, journal, array, at, hash_value, link):
    """Store the state at `array[at]`, which must be new, in the line's layer.

    Returns CONTINUE, with its entry in `line.placed`; or FLUSH, GROW or BUDGET with nothing changed.
    """
    line = layers.line
    if links_are_full(journal):
        return FLUSH
    code = make_room(store)
    if code != CONTINUE:
        return code
    line.placed = append(store, layers.chains[layer_chain(line.row)], journal.counts.recorded)
    if line.placed == NONE:
        return GROW
    insert(store, line.placed, array, at, hash_value)
    _note_distinct(layers.sketch, hash_value)
    log_new_state(journal, link)
    return CONTINUE


@inlined
def store_top_here(search, hash_value):
    """Store the state on top of the stack, which must be new, in the line's layer; returns as `store_here`."""
    stack, words = search.stack, search.expansion.words
    at = top_of(stack, words)
    link = stack.items[at + word_count(words)]
    return store_here(search.layers, search.store, search.journal, stack.items, at, hash_value, link)
