"""What LTL-Sweep knows about a state, and where.

A layer's row has two buckets, one of states that go with the layer and one of persistent states. A state's *ticket*
names it inside its row: its place in the bucket, and in the lowest bit whether it is persistent.

After a state that is not persistent follows, while the line sweeps, its record and its flags in one word; while values
are propagated there are two words, its value and its link. After a persistent state follow all three.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.jit import inlined
from strandline.engine.layers import empty_bucket, remove_layer
from strandline.engine.numbered import NOWHERE, locate

U = np.uint64
_0, _1 = U(0), U(1)

RECORD = U(r.ROOT)
BLUE, RED, ACCEPTS, CANDIDATE = U(1 << 40), U(1 << 41), U(1 << 42), U(1 << 43)
"""Flags above the record. A candidate is a persistent state that may lie on a cycle over several layers."""


@inlined
def kept_entry(words):
    """Words per persistent state."""
    return word_count(words) + U(3)


@inlined
def ticket_of(array, at, words, live_entry, row, buckets, index, store):
    """The ticket of the state at `array[at]`, or NOWHERE if it is not stored in this row."""
    place = locate(array, at, words, kept_entry(words), buckets, row + U(r.KEPT), index, store)
    if place != NOWHERE:
        return (place << _1) | _1
    place = locate(array, at, words, live_entry, buckets, row + U(r.LIVE), index, store)
    if place != NOWHERE:
        return place << _1
    return NOWHERE


@inlined
def address(ticket, words, live_entry, row, buckets):
    """Where in the store a state begins."""
    if ticket & _1 != _0:
        return buckets[row + U(r.KEPT) + U(r.ARENA)] + (ticket >> _1) * kept_entry(words)
    return buckets[row + U(r.LIVE) + U(r.ARENA)] + (ticket >> _1) * live_entry


@inlined
def column_waits(heap, buckets, regs):
    """Whether a layer of the current column waits for the line."""
    return regs[r.HEAP_COUNT] > _0 and buckets[heap[_0] + U(r.COLUMN)] == regs[r.CURRENT_COLUMN]


@inlined
def leave_row(row, buckets, places, index, store, regs):
    """Forget a layer's states but the persistent ones; the row goes if there are none."""
    empty_bucket(row + U(r.LIVE), buckets, index, store, regs)
    if buckets[row + U(r.KEPT) + U(r.COUNT)] == _0:
        remove_layer(row, buckets, places, regs)
    regs[r.CURRENT] = r.NONE


@inlined
def move_line(row, buckets, regs):
    """The line is at this layer now."""
    regs[r.CURRENT] = row
    regs[r.CURRENT_COLUMN] = buckets[row + U(r.COLUMN)]
    regs[r.CURRENT_LAYER] = buckets[row + U(r.LAYER)]
