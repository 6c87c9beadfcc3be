"""A set of states: an open-addressing table over an arena in the order of arrival.

States of one word lie in the table itself, marked by their top bit (`direct`). For wider states, and where a search
must get from a state to its place in the arena, a slot holds the upper half of the hash and that place, so one
comparison with the arena is nearly always the right one, and the table grows without looking at any state.

A state's home slot is monotone in its hash. So a table grows in place, from its end to its beginning, reading and
writing sequentially: no second table is ever needed.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from strandline.engine import registers as r
from strandline.engine.intrinsics import prefetch
from strandline.engine.jit import inlined
from strandline.engine.pool import at_top, class_for, class_size, enlarge, take

U = np.uint64
_0, _1, _3, _4, _13, _20, _29, _32 = U(0), U(1), U(3), U(4), U(13), U(20), U(29), U(32)
_OCCUPIED = U(1 << 63)
_MOST_SLOTS = U(1 << 32)
_SLOTS_AT_A_TIME = U(1 << 23)
_LOW = U(0xFFFF_FFFF)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)

PRESENT, ADDED, NO_ROOM = 0, 1, 2


def word_count(words):
    """The number of words of a state: the length of a tuple, known to the compiler, or a number at run time."""
    return U(len(words)) if isinstance(words, tuple) else U(words)


@overload(word_count, inline="always")
def _word_count_overload(words):
    if isinstance(words, types.BaseTuple):
        count = len(words)
        return lambda words: U(count)
    return lambda words: U(words)


def direct(words):
    """Whether the table holds the states themselves: those of one word, given as a tuple. A search that wants
    places gives the number of words as a number."""
    return isinstance(words, tuple) and len(words) == 1


@overload(direct, inline="always")
def _direct_overload(words):
    answer = isinstance(words, types.BaseTuple) and len(words) == 1
    return lambda words: answer


@inlined
def mixed(word):
    """A bijection on words whose upper bits depend on all bits."""
    word ^= word >> _32
    word *= _MIX_1
    word ^= word >> _29
    word *= _MIX_2
    return word ^ (word >> _32)


@inlined
def state_hash(array, at, words):
    count = word_count(words)
    if count == _1:
        return mixed(array[at])
    value = count
    for word in range(count):
        value = (value ^ array[at + word]) * _MIX_1
        value ^= value >> _32
    return mixed(value)


@inlined
def home_slot(hash_value, slots):
    return ((hash_value >> _32) * slots) >> _32


@inlined
def table_slots(buckets, bucket):
    """Slots of a bucket's table; 0 for a bucket that has none yet."""
    size_class = buckets[bucket + U(r.TABLE_CLASS)]
    if size_class == _0:
        return _0
    return class_size(size_class - _1)


@inlined
def capacity(words, entry, buckets, bucket):
    """How many states the bucket holds before its table (at 65 %) or its arena must grow."""
    arena_class = buckets[bucket + U(r.ARENA_CLASS)]
    if arena_class == _0:
        return _0
    return min(table_slots(buckets, bucket) * _13 // _20, class_size(arena_class - _1) // entry)


@inlined
def find(array, at, hash_value, words, entry, table, slots, arena, index, store):
    """Look for the state at `array[at]`: the slot that holds it, or the empty one where it belongs, and whether
    it was found. The table must exist and have a gap."""
    count = word_count(words)
    slot = home_slot(hash_value, slots)
    while True:
        content = index[table + slot]
        if content == _0:
            return table + slot, False
        if direct(words):
            if content == array[at] | _OCCUPIED:
                return table + slot, True
        elif content >> _32 == hash_value >> _32:
            base = arena + ((content & _LOW) - _1) * entry
            same = True
            for word in range(count):
                if store[base + word] != array[at + word]:
                    same = False
                    break
            if same:
                return table + slot, True
        slot += _1
        if slot == slots:
            slot = _0


@inlined
def prefetch_match(hash_value, words, entry, table, slots, arena, index, store):
    """Fetch the stored state with which a wide state will be compared; its slot must have been fetched."""
    if not direct(words):
        content = index[table + home_slot(hash_value, slots)]
        if content >> _32 == hash_value >> _32:
            prefetch(store, arena + ((content & _LOW) - _1) * entry)


@inlined
def put(array, at, hash_value, words, entry, extra, slot, count, arena, index, store):
    """Write a new state as number `count` of the arena, followed by `extra` where an entry is longer than a
    state, and into its slot."""
    width = word_count(words)
    place = arena + count * entry
    for word in range(width):
        store[place + word] = array[at + word]
    if entry > width:
        store[place + width] = extra
    if direct(words):
        index[slot] = array[at] | _OCCUPIED
    else:
        index[slot] = ((hash_value >> _32) << _32) | (count + _1)


@inlined
def contains(array, at, hash_value, words, entry, buckets, bucket, index, store):
    if buckets[bucket + U(r.COUNT)] == _0:
        return False
    table, arena = buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.ARENA)]
    slots = table_slots(buckets, bucket)
    return find(array, at, hash_value, words, entry, table, slots, arena, index, store)[1]


@inlined
def add(array, at, hash_value, words, entry, extra, buckets, bucket, index, store, regs, scratch):
    """Put a state into the bucket: PRESENT, ADDED, or NO_ROOM with nothing changed."""
    count = buckets[bucket + U(r.COUNT)]
    full = count >= capacity(words, entry, buckets, bucket)
    if full and not make_room(words, entry, buckets, bucket, index, store, regs, scratch):
        return NO_ROOM
    table, arena = buckets[bucket + U(r.TABLE)], buckets[bucket + U(r.ARENA)]
    slots = table_slots(buckets, bucket)
    slot, found = find(array, at, hash_value, words, entry, table, slots, arena, index, store)
    if found:
        return PRESENT
    put(array, at, hash_value, words, entry, extra, slot, count, arena, index, store)
    buckets[bucket + U(r.COUNT)] = count + _1
    return ADDED


@inlined
def make_room(words, entry, buckets, bucket, index, store, regs, scratch):
    """Grow what is full, so that one more state fits; False when a pool must grow first."""
    count = buckets[bucket + U(r.COUNT)]
    table_full = count >= table_slots(buckets, bucket) * _13 // _20
    if table_full and not grow_table(words, buckets, bucket, index, regs, scratch):
        return False
    arena_class = buckets[bucket + U(r.ARENA_CLASS)]
    arena_full = arena_class == _0 or (count + _1) * entry > class_size(arena_class - _1)
    return not arena_full or grow_arena(entry, buckets, bucket, store, regs)


@inlined
def grow_arena(entry, buckets, bucket, store, regs):
    old = buckets[bucket + U(r.ARENA_CLASS)]
    if old == _0:
        new = class_for(entry * _4)
        place = take(store, regs, r.STORE_TOP, new)
    else:
        # In place a little at a time; where it must move, half as much again, lest it move too often.
        place = buckets[bucket + U(r.ARENA)]
        new = old if at_top(regs, r.STORE_TOP, place, old - _1) else old + _1
        # Where few wide entries fit, that may still be too small for one more.
        while class_size(new) < (buckets[bucket + U(r.COUNT)] + _1) * entry:
            new += _1
        place = enlarge(store, regs, r.STORE_TOP, place, old - _1, new)
    if place == r.NONE:
        return False
    buckets[bucket + U(r.ARENA)] = place
    buckets[bucket + U(r.ARENA_CLASS)] = new + _1
    return True


@inlined
def grow_table(words, buckets, bucket, index, regs, scratch):
    """Double the table. False when the pool must grow first, or when a part of the work is done: a large table
    takes seconds, so the kernel returns now and then, and the next attempt to add to this bucket goes on with it."""
    old = buckets[bucket + U(r.TABLE_CLASS)]
    if old == _0:
        place = take(index, regs, r.INDEX_TOP, _0)
        if place == r.NONE:
            return False
        for slot in range(class_size(_0)):
            index[place + slot] = _0
        buckets[bucket + U(r.TABLE)] = place
        buckets[bucket + U(r.TABLE_CLASS)] = _1
        return True
    new = old + _3
    old_slots, new_slots = class_size(old - _1), class_size(new)
    if regs[r.SPREAD_NEXT] == _0:
        if new_slots > _MOST_SLOTS:
            regs[r.OVERFULL] = _1
            return False
        table = buckets[bucket + U(r.TABLE)]
        place = enlarge(index, regs, r.INDEX_TOP, table, old - _1, new)
        if place == r.NONE:
            return False
        if place != table:
            # A block that was used before; beyond the pool's top nothing was ever written.
            for slot in range(old_slots, new_slots):
                index[place + slot] = _0
        buckets[bucket + U(r.TABLE)] = place
        regs[r.SPREAD_NEXT] = old_slots
        regs[r.SPREAD_PUT_OFF] = _0
    if not spread(words, index, buckets[bucket + U(r.TABLE)], new_slots, regs, scratch):
        return False
    buckets[bucket + U(r.TABLE_CLASS)] = new + _1
    return True


@inlined
def _home_of_content(words, content, slots):
    if direct(words):
        return home_slot(mixed(content & ~_OCCUPIED), slots)
    return home_slot(content, slots)


@inlined
def spread(words, index, table, new_slots, regs, scratch):
    """Move the contents of the first SPREAD_NEXT slots, in place, to their homes among `new_slots`.

    From the last slot to the first: homes are monotone in the hash, so a new home nearly always lies above what is
    still to be read, where nothing of the old table is left. The few that do not, near the beginning or across
    the end, are put off until everything is read. True when all is done; False after a part of the work, or, with
    CLUSTERED set, if the scratch array cannot hold what was put off, which no hash of this quality produces."""
    slot, put_off = regs[r.SPREAD_NEXT], regs[r.SPREAD_PUT_OFF]
    pause = slot - min(slot, _SLOTS_AT_A_TIME)
    while slot > pause:
        slot -= _1
        content = index[table + slot]
        if content == _0:
            continue
        index[table + slot] = _0
        place = _home_of_content(words, content, new_slots)
        if place >= slot:
            while place < new_slots and index[table + place] != _0:
                place += _1
            if place < new_slots:
                index[table + place] = content
                continue
        if put_off == U(len(scratch)):
            regs[r.CLUSTERED] = _1
            return False
        scratch[put_off] = content
        put_off += _1
    regs[r.SPREAD_NEXT], regs[r.SPREAD_PUT_OFF] = slot, put_off
    if slot > _0:
        return False
    for number in range(put_off):
        place = _home_of_content(words, scratch[number], new_slots)
        while index[table + place] != _0:
            place += _1
            if place == new_slots:
                place = _0
        index[table + place] = scratch[number]
    return True
