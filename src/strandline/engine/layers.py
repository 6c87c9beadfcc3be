"""Layers ahead of the sweep-line: a map from (column, layer) to rows, and a heap of the rows that wait.

Layers are sparse and many. A row is 16 words; it is given back as soon as the line has left the layer and no
persistent state lies in it.
"""

from __future__ import annotations

import numpy as np

from strandline.engine.bucket import mixed
from strandline.engine.jit import inlined, njit
from strandline.engine.pool import give
from strandline.engine.registers import (
    ARENA,
    ARENA_CLASS,
    COLUMN,
    COUNT,
    FREE_LAYER,
    HEAD,
    HEAP_COUNT,
    INDEX_TOP,
    KEPT,
    LAYER,
    LAYERS,
    LIVE,
    NONE,
    QUEUED,
    QUEUED_NEXT,
    ROW,
    STORE_TOP,
    TABLE,
    TABLE_CLASS,
    WANT_LAYERS,
)

U = np.uint64
_0, _1, _32 = U(0), U(1), U(32)
_ROW = U(ROW)


@inlined
def _home(column, layer, places):
    return ((mixed(column + mixed(layer)) >> _32) * U(len(places))) >> _32


@inlined
def find_layer(column, layer, buckets, places):
    """The row of a layer, or NONE."""
    place = _home(column, layer, places)
    while places[place] != _0:
        row = (places[place] - _1) * _ROW
        if buckets[row + U(LAYER)] == layer and buckets[row + U(COLUMN)] == column:
            return row
        place += _1
        if place == U(len(places)):
            place = _0
    return NONE


@inlined
def enter(places, buckets, number):
    """Put a row's number into the map; there must be room."""
    row = number * _ROW
    place = _home(buckets[row + U(COLUMN)], buckets[row + U(LAYER)], places)
    while places[place] != _0:
        place += _1
        if place == U(len(places)):
            place = _0
    places[place] = number + _1


@inlined
def make_layer(column, layer, buckets, places, heap, regs):
    """A new, empty row for a layer that has none; NONE when the arrays must grow first."""
    if regs[FREE_LAYER] != NONE:
        number = regs[FREE_LAYER]
        regs[FREE_LAYER] = buckets[number * _ROW]
    else:
        number = regs[LAYERS]
        full = (number + _1) * _ROW > U(len(buckets)) or (number + _1) * U(2) > U(len(places))
        if full or number + _1 > U(len(heap)):
            regs[WANT_LAYERS] = number + _1
            return NONE
        regs[LAYERS] = number + _1
    row = number * _ROW
    for word in range(_ROW):
        buckets[row + word] = _0
    buckets[row + U(COLUMN)] = column
    buckets[row + U(LAYER)] = layer
    enter(places, buckets, number)
    return row


@inlined
def remove_layer(row, buckets, places, regs):
    """Take a row out of the map, closing the gap, and keep it for the next layer."""
    number = row // _ROW
    place = _home(buckets[row + U(COLUMN)], buckets[row + U(LAYER)], places)
    while places[place] != number + _1:
        place += _1
        if place == U(len(places)):
            place = _0
    size = U(len(places))
    gap = place
    while True:
        place += _1
        if place == size:
            place = _0
        if places[place] == _0:
            break
        other = (places[place] - _1) * _ROW
        home = _home(buckets[other + U(COLUMN)], buckets[other + U(LAYER)], places)
        # An entry may fill the gap unless its home lies cyclically in (gap, place].
        stays = gap < home <= place if gap < place else (home > gap or home <= place)
        if not stays:
            places[gap] = places[place]
            gap = place
    places[gap] = _0
    buckets[row] = regs[FREE_LAYER]
    regs[FREE_LAYER] = number


@inlined
def empty_bucket(bucket, buckets, index, store, regs):
    """Forget a bucket's states and give its blocks back."""
    if buckets[bucket + U(TABLE_CLASS)] != _0:
        give(index, regs, INDEX_TOP, buckets[bucket + U(TABLE)], buckets[bucket + U(TABLE_CLASS)] - _1)
    if buckets[bucket + U(ARENA_CLASS)] != _0:
        give(store, regs, STORE_TOP, buckets[bucket + U(ARENA)], buckets[bucket + U(ARENA_CLASS)] - _1)
    buckets[bucket + U(TABLE_CLASS)] = _0
    buckets[bucket + U(ARENA_CLASS)] = _0
    buckets[bucket + U(COUNT)] = _0
    buckets[bucket + U(HEAD)] = _0


@inlined
def _before(first, second, buckets):
    """Whether the first row's key is smaller."""
    if buckets[first + U(COLUMN)] != buckets[second + U(COLUMN)]:
        return buckets[first + U(COLUMN)] < buckets[second + U(COLUMN)]
    return buckets[first + U(LAYER)] < buckets[second + U(LAYER)]


@inlined
def push(row, heap, buckets, regs):
    """Let a layer wait for the line; a layer that waits already is left alone."""
    if buckets[row + U(QUEUED)] != _0:
        return
    buckets[row + U(QUEUED)] = _1
    place = regs[HEAP_COUNT]
    regs[HEAP_COUNT] = place + _1
    while place > _0:
        parent = (place - _1) >> _1
        if not _before(row, heap[parent], buckets):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = row


@inlined
def pop(heap, buckets, regs):
    """The waiting layer with the smallest key."""
    least = heap[_0]
    count = regs[HEAP_COUNT] - _1
    regs[HEAP_COUNT] = count
    row = heap[count]
    place = _0
    while True:
        child = place + place + _1
        if child >= count:
            break
        if child + _1 < count and _before(heap[child + _1], heap[child], buckets):
            child += _1
        if not _before(heap[child], row, buckets):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row
    buckets[least + U(QUEUED)] = _0
    return least


@inlined
def has_unexpanded(row, buckets):
    """The bucket of the row with states that wait for expansion, persistent ones first; NONE if there is none."""
    kept, live = row + U(KEPT), row + U(LIVE)
    if buckets[kept + U(HEAD)] < buckets[kept + U(COUNT)]:
        return kept
    if buckets[live + U(HEAD)] < buckets[live + U(COUNT)]:
        return live
    return NONE


@inlined
def schedule_next(row, pending, buckets, count):
    """Note that a layer has roots for the next sweep; returns how many layers are noted."""
    if buckets[row + U(QUEUED_NEXT)] != _0:
        return count
    buckets[row + U(QUEUED_NEXT)] = _1
    pending[count] = row
    return count + _1


@njit
def rebuild_map(old, new, buckets):
    """Enter everything of a full map into a larger, empty one."""
    for place in range(len(old)):
        if old[place] != _0:
            enter(new, buckets, old[place] - _1)
