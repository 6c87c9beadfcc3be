"""The layers of a sweep: a hash map from keys (column, layer) to rows, and a heap of the layers to be expanded.

Layers are sparse and many. A row has two chains of states: the ordinary ones, freed when the line leaves the layer, and
the persistent ones, freed when it leaves the column. A row is freed as soon as both chains are empty.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import NONE
from strandline.engine.runtime.hashing import home, mix
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)


class Layers(NamedTuple):
    """The arrays of the layer table.

    `rows` and `chains` (two per row) are the layers, `places` the hash map, `heap` the layers to be expanded, `pending`
    those with roots of the next sweep, `keepers` those with persistent states; `sketch` estimates the number of
    distinct states (`strandline.engine.parts.sketch`).
    """

    rows: Any
    chains: Any
    places: Any
    heap: Any
    pending: Any
    keepers: Any
    sketch: Any
    line: Any


# --- rows -------------------------------------------------------------------------------------------------------


@inlined
def layer_chain(row):
    """Return the chain of a layer's ordinary states, freed when the layer is left."""
    return _2 * row


@inlined
def persistent_chain(row):
    """Return the chain of a layer's persistent states."""
    return _2 * row + _1


@inlined
def _home_of(column, layer, places):
    return home(mix(column + mix(layer)), U(len(places)))


@inlined
def find_row(layers, column, layer):
    """Find the row of a layer; NONE if there is none."""
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
    """Insert a row into the map, which must have a free place."""
    place = _home_of(rows[row].column, rows[row].layer, places)
    while places[place] != _0:
        place += _1
        if place == U(len(places)):
            place = _0
    places[place] = row + _1


@njit
def rebuild_map(rows, old, new):
    """Rehash all rows of a full map into a larger, empty one."""
    for place in range(len(old)):
        if old[place] != _0:
            _enter_row(rows, new, old[place] - _1)


@inlined
def row_of(layers, column, layer):
    """Return the row of a layer, made if there is none; NONE if arrays must grow first."""
    line = layers.line
    if layer == line.layer and column == line.column and line.row != NONE:
        return line.row
    row = find_row(layers, column, layer)
    if row == NONE:
        row = _new_row(layers, column, layer)
    return row


@inlined
def _new_row(layers, column, layer):
    """Make a row with two empty chains; return NONE if arrays must grow first."""
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
    for number in range(layer_chain(row), layer_chain(row) + _2):
        chain = layers.chains[number]
        chain.first = chain.last = chain.count = chain.taken = chain.page = chain.offset = _0
    _enter_row(rows, layers.places, row)
    return row


@inlined
def remove_row(layers, row):
    """Remove a row from the map, closing the gap by backward shift, and put it on the free list."""
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


# --- the heap -----------------------------------------------------------------------------------------------------


@inlined
def _is_before(rows, first, second):
    """Return True if the key of the first row is smaller."""
    if rows[first].column != rows[second].column:
        return rows[first].column < rows[second].column
    return rows[first].layer < rows[second].layer


@inlined
def queue_layer(layers, row):
    """Insert a layer into the heap unless it is there."""
    rows, heap, line = layers.rows, layers.heap, layers.line
    if rows[row].queued != _0:
        return
    rows[row].queued = _1
    place = line.waiting
    line.waiting = place + _1
    while place > _0:
        parent = (place - _1) >> _1
        if not _is_before(rows, row, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = row


@inlined
def pop_layer(layers):
    """Remove the layer with the least key from the heap and return its row."""
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
        if child + _1 < count and _is_before(rows, heap[child + _1], heap[child]):
            child += _1
        if not _is_before(rows, heap[child], row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row
    rows[least].queued = _0
    return least


@inlined
def has_queued_layer(layers):
    """Return True if a layer of the line's column is in the heap."""
    line = layers.line
    return line.waiting > _0 and layers.rows[layers.heap[_0]].column == line.column


@inlined
def schedule_root(layers, row):
    """Make the persistent state last added to a layer, and all that are added to it later, roots of the next sweep."""
    line = layers.line
    if layers.rows[row].roots == _0:
        layers.rows[row].roots = max(_1, layers.chains[persistent_chain(row)].count)
        layers.pending[line.pending] = row
        line.pending += _1


@inlined
def _roots_of_this_sweep(layers, row):
    """Return the number of a layer's persistent states that belong to the present sweep."""
    if layers.rows[row].roots != _0:
        return layers.rows[row].roots - _1
    return layers.chains[persistent_chain(row)].count


@inlined
def unexpanded(layers, row):
    """Return the chain of a layer that has states to be expanded, persistent ones first; NONE if there is none."""
    if layers.chains[persistent_chain(row)].taken < _roots_of_this_sweep(layers, row):
        return persistent_chain(row)
    if layers.chains[layer_chain(row)].taken < layers.chains[layer_chain(row)].count:
        return layer_chain(row)
    return NONE
