"""Entries of the sweeps that look for cycles: a state, the number of its record in the parent log, and a mark.

A place names an entry of the layer the line is at: its position in the arena, and in which of the layer's two buckets,
that of the persistent states or the other.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.jit import inlined
from strandline.engine.layers import find_layer, make_layer
from strandline.engine.numbered import NOWHERE, locate, store_state

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_BIAS = U(1 << 63)

# The mark of an entry. While layers are searched for cycles: entered and not finished, finished, and a number.
OPEN, FINISHED = U(1), U(2)
STATUS = U(3)
HIT = U(4)
"""A persistent state that an edge from behind, met in a later sweep of its column, leads back to."""
MEMBER, QUEUED = U(8), U(16)
VALUE_SHIFT, HIT_SHIFT, NUMBER_SHIFT = U(5), U(7), U(16)
VALUE = U(3)
"""While members are eliminated: 0 not reached, 1 reached from a member, 2 by a path with an accepting state."""


@inlined
def entry_words(words):
    return word_count(words) + _2


@inlined
def bucket_of(place, row):
    if place & _1 != _0:
        return row + U(r.KEPT)
    return row + U(r.LIVE)


@inlined
def entry_at(words, place, row, buckets):
    """Where the entry of a place of the layer begins in the store."""
    return buckets[bucket_of(place, row) + U(r.ARENA)] + (place >> _1) * entry_words(words)


@inlined
def mark_at(words, place, row, buckets):
    return entry_at(words, place, row, buckets) + word_count(words) + _1


@inlined
def find_place(array, at, words, row, buckets, index, store):
    """The place of a state in a layer, or NOWHERE."""
    entry = entry_words(words)
    position = locate(array, at, words, entry, buckets, row + U(r.KEPT), index, store)
    if position != NOWHERE:
        return (position << _1) | _1
    position = locate(array, at, words, entry, buckets, row + U(r.LIVE), index, store)
    if position != NOWHERE:
        return position << _1
    return NOWHERE


@inlined
def add_place(array, at, words, record, mark, kept, row, buckets, index, store, regs, scratch):
    """Store a state that the layer does not have; its place, or NOWHERE when a pool must grow first."""
    bucket = bucket_of(kept, row)
    entry = entry_words(words)
    position = store_state(array, at, words, entry, record, buckets, bucket, index, store, regs, scratch)
    if position == NOWHERE:
        return NOWHERE
    place = (position << _1) | kept
    store[mark_at(words, place, row, buckets)] = mark
    return place


@inlined
def row_of(words, records, at, buckets, places, heap, regs):
    """The row of a successor's layer, made if need be; NONE when the arrays of layers must grow first."""
    width = word_count(words)
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    row = r.NONE
    if layer == regs[r.CURRENT_LAYER] and column == regs[r.CURRENT_COLUMN]:
        row = regs[r.CURRENT]
    if row == r.NONE:
        row = find_layer(column, layer, buckets, places)
    if row == r.NONE:
        row = make_layer(column, layer, buckets, places, heap, regs)
    return row


@inlined
def in_current_column(heap, buckets, regs):
    """Whether the next layer that waits belongs to the column the line is in."""
    return regs[r.HEAP_COUNT] > _0 and buckets[heap[_0] + U(r.COLUMN)] == regs[r.CURRENT_COLUMN]
