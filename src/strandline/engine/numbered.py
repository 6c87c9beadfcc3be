"""Sets of states in which each has a number, its place in the arena, and words of its own after it.

For searches that must get from a state to what they know about it. The width is given as a number of words or as a
tuple of more than one (see `strandline.engine.bucket.direct`).
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import capacity, find, make_room, put, state_hash, table_slots
from strandline.engine.jit import inlined

U = np.uint64
_0, _1 = U(0), U(1)
_LOW = U(0xFFFF_FFFF)

NOWHERE = r.NONE


@inlined
def locate(array, at, words, entry, buckets, bucket, index, store):
    """The number of the state at `array[at]`, or NOWHERE."""
    if buckets[bucket + U(r.COUNT)] == _0:
        return NOWHERE
    table, arena = buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.ARENA)]
    slots = table_slots(buckets, bucket)
    slot, found = find(array, at, state_hash(array, at, words), words, entry, table, slots, arena, index, store)
    if not found:
        return NOWHERE
    return (index[slot] & _LOW) - _1


@inlined
def store_state(array, at, words, entry, extra, buckets, bucket, index, store, regs, scratch):
    """Add a state that is not there, followed by `extra`; its number, or NOWHERE when a pool must grow first."""
    count = buckets[bucket + U(r.COUNT)]
    full = count >= capacity(words, entry, buckets, bucket)
    if full and not make_room(words, entry, buckets, bucket, index, store, regs, scratch):
        return NOWHERE
    table, arena = buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.ARENA)]
    slots = table_slots(buckets, bucket)
    hash_value = state_hash(array, at, words)
    slot, _ = find(array, at, hash_value, words, entry, table, slots, arena, index, store)
    put(array, at, hash_value, words, entry, extra, slot, count, arena, index, store)
    buckets[bucket + U(r.COUNT)] = count + _1
    return count
