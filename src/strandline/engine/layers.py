"""Layers ahead of the sweep-line: a map from (column, layer) to rows, and a heap of the rows that wait.

Layers are sparse and many. A row is 16 words; it is given back as soon as the line has left the layer and no
persistent state lies in it.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import mixed
from strandline.engine.jit import inlined, njit
from strandline.engine.pool import give

U = np.uint64
_0, _1, _32 = U(0), U(1), U(32)
_ROW = U(r.ROW)


@inlined
def _home(column, layer, places):
    return ((mixed(column + mixed(layer)) >> _32) * U(len(places))) >> _32


@inlined
def find_layer(column, layer, buckets, places):
    """The row of a layer, or NONE."""
    place = _home(column, layer, places)
    while places[place] != _0:
        row = (places[place] - _1) * _ROW
        if buckets[row + U(r.LAYER)] == layer and buckets[row + U(r.COLUMN)] == column:
            return row
        place += _1
        if place == U(len(places)):
            place = _0
    return r.NONE


@inlined
def enter(places, buckets, number):
    """Put a row's number into the map; there must be room."""
    row = number * _ROW
    place = _home(buckets[row + U(r.COLUMN)], buckets[row + U(r.LAYER)], places)
    while places[place] != _0:
        place += _1
        if place == U(len(places)):
            place = _0
    places[place] = number + _1


@inlined
def make_layer(column, layer, buckets, places, heap, regs):
    """A new, empty row for a layer that has none; NONE when the arrays must grow first."""
    if regs[r.FREE_LAYER] != r.NONE:
        number = regs[r.FREE_LAYER]
        regs[r.FREE_LAYER] = buckets[number * _ROW]
    else:
        number = regs[r.LAYERS]
        full = (number + _1) * _ROW > U(len(buckets)) or (number + _1) * U(2) > U(len(places))
        if full or number + _1 > U(len(heap)):
            regs[r.WANT_LAYERS] = number + _1
            return r.NONE
        regs[r.LAYERS] = number + _1
    row = number * _ROW
    for word in range(_ROW):
        buckets[row + word] = _0
    buckets[row + U(r.COLUMN)] = column
    buckets[row + U(r.LAYER)] = layer
    enter(places, buckets, number)
    return row


@inlined
def remove_layer(row, buckets, places, regs):
    """Take a row out of the map, closing the gap, and keep it for the next layer."""
    number = row // _ROW
    place = _home(buckets[row + U(r.COLUMN)], buckets[row + U(r.LAYER)], places)
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
        home = _home(buckets[other + U(r.COLUMN)], buckets[other + U(r.LAYER)], places)
        # An entry may fill the gap unless its home lies cyclically in (gap, place].
        stays = gap < home <= place if gap < place else (home > gap or home <= place)
        if not stays:
            places[gap] = places[place]
            gap = place
    places[gap] = _0
    buckets[row] = regs[r.FREE_LAYER]
    regs[r.FREE_LAYER] = number


@inlined
def empty_bucket(bucket, buckets, index, store, regs):
    """Forget a bucket's states and give its blocks back."""
    if buckets[bucket + U(r.TABLE_CLASS)] != _0:
        give(index, regs, r.INDEX_TOP, buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.TABLE_CLASS)] - _1)
    if buckets[bucket + U(r.ARENA_CLASS)] != _0:
        give(store, regs, r.STORE_TOP, buckets[bucket + U(r.ARENA)], buckets[bucket + U(r.ARENA_CLASS)] - _1)
    buckets[bucket + U(r.TABLE_CLASS)] = _0
    buckets[bucket + U(r.ARENA_CLASS)] = _0
    buckets[bucket + U(r.COUNT)] = _0
    buckets[bucket + U(r.HEAD)] = _0


@inlined
def forget_layer(row, buckets, places, index, store, regs):
    """The line leaves the layer: what is not persistent goes."""
    regs[r.STORED] -= buckets[row + U(r.LIVE) + U(r.COUNT)]
    empty_bucket(row + U(r.LIVE), buckets, index, store, regs)
    if buckets[row + U(r.KEPT) + U(r.COUNT)] == _0:
        remove_layer(row, buckets, places, regs)


@inlined
def forget_column(buckets, places, keepers, index, store, regs):
    """The line leaves the column: its persistent states go too."""
    for number in range(regs[r.KEEPER_COUNT]):
        row = keepers[number]
        regs[r.STORED] -= buckets[row + U(r.KEPT) + U(r.COUNT)]
        empty_bucket(row + U(r.KEPT), buckets, index, store, regs)
        remove_layer(row, buckets, places, regs)
    regs[r.KEEPER_COUNT] = _0


@inlined
def _before(first, second, buckets):
    """Whether the first row's key is smaller."""
    if buckets[first + U(r.COLUMN)] != buckets[second + U(r.COLUMN)]:
        return buckets[first + U(r.COLUMN)] < buckets[second + U(r.COLUMN)]
    return buckets[first + U(r.LAYER)] < buckets[second + U(r.LAYER)]


@inlined
def push(row, heap, buckets, regs):
    """Let a layer wait for the line; a layer that waits already is left alone."""
    if buckets[row + U(r.QUEUED)] != _0:
        return
    buckets[row + U(r.QUEUED)] = _1
    place = regs[r.HEAP_COUNT]
    regs[r.HEAP_COUNT] = place + _1
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
    count = regs[r.HEAP_COUNT] - _1
    regs[r.HEAP_COUNT] = count
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
    buckets[least + U(r.QUEUED)] = _0
    return least


@inlined
def this_sweeps_roots(row, buckets):
    """How many of the row's persistent states are no roots of the next sweep."""
    if buckets[row + U(r.QUEUED_NEXT)] != _0:
        return buckets[row + U(r.QUEUED_NEXT)] - _1
    return buckets[row + U(r.KEPT) + U(r.COUNT)]


@inlined
def has_unexpanded(row, buckets):
    """The bucket of the row with states that wait for expansion, persistent ones first; NONE if there is none."""
    kept, live = row + U(r.KEPT), row + U(r.LIVE)
    if buckets[kept + U(r.HEAD)] < this_sweeps_roots(row, buckets):
        return kept
    if buckets[live + U(r.HEAD)] < buckets[live + U(r.COUNT)]:
        return live
    return r.NONE


@inlined
def schedule_next(row, pending, buckets, count):
    """Note that a layer has roots for the next sweep, from the persistent state that was added last on; returns how
    many layers are noted."""
    if buckets[row + U(r.QUEUED_NEXT)] != _0:
        return count
    buckets[row + U(r.QUEUED_NEXT)] = max(_1, buckets[row + U(r.KEPT) + U(r.COUNT)])
    pending[count] = row
    return count + _1


@njit
def rebuild_map(old, new, buckets):
    """Enter everything of a full map into a larger, empty one."""
    for place in range(len(old)):
        if old[place] != _0:
            enter(new, buckets, old[place] - _1)
