"""Open addressing with linear probing: three stores, whose tables grow in place.

A `NumberTable` has in each slot the upper half of a state's hash and the number of its entry, so one comparison with
the entry is nearly always the right one, and the table grows without reading states. A `StateTable` is for states of
one word, which lie in the table itself, marked by their top bit: it answers whether a state is stored, not in which
entry. A `HashTable` holds 63 bits of each state's hash and nothing else (hash compaction, 003 §3): a state whose hash
is stored already is omitted.

A state's home is monotone in its hash. So a table grows in place, from its end to its beginning, reading and writing
sequentially: no second table is ever needed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from strandline.engine.runtime.codes import BUDGET, CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, home, mix, same_state, state_hash
from strandline.engine.runtime.intrinsics import compare_and_swap, load_acquire, prefetch
from strandline.engine.runtime.jit import INLINED, inlined
from strandline.engine.runtime.sizes import LEAST_GROWTH

U = np.uint64
_0, _1, _2, _13, _16, _20, _32 = U(0), U(1), U(2), U(13), U(16), U(20), U(32)
_OCCUPIED = U(1 << 63)
_LEAST_SLOTS, _MOST_SLOTS = U(1 << 6), U(1 << 32)
_SLOTS_AT_A_TIME, _FEW_SLOTS = U(1 << 23), U(1 << 14)
_LOW, _LEAST_GROWTH = U(0xFFFF_FFFF), U(LEAST_GROWTH)


class Table(NamedTuple):
    """The arrays of all three stores; the class selects the behaviour."""

    words: Any
    entry: Any
    entries: Any
    table: Any
    shape: Any
    scratch: Any


class StateTable(Table):
    """A table of one-word states."""


class NumberTable(Table):
    """A table of entry numbers with parts of hashes."""


class HashTable(Table):
    """A table of hashes (hash compaction)."""


def holds_states(store):
    """Return True if the table holds the states themselves."""
    return isinstance(store, StateTable)


@overload(holds_states, jit_options=INLINED)
def _holds_states_overload(store):
    answer = store.instance_class is StateTable
    return lambda store: answer


def holds_hashes(store):
    """Return True if the table holds only hashes."""
    return isinstance(store, HashTable)


@overload(holds_hashes, jit_options=INLINED)
def _holds_hashes_overload(store):
    answer = store.instance_class is HashTable
    return lambda store: answer


@inlined
def prefetch_home(store, hash_value):
    prefetch(store.table, home(hash_value, store.shape.places))


@inlined
def prefetch_match(store, hash_value):
    if not (holds_states(store) or holds_hashes(store)):
        content = store.table[home(hash_value, store.shape.places)]
        if content >> _32 == hash_value >> _32:
            prefetch(store.entries, ((content & _LOW) - _1) * store.entry)


@inlined
def _is(store, content, array, at, hash_value):
    """Return True if an occupied slot holds the state at `array[at]`."""
    found = False
    if holds_states(store):
        found = content == array[at] | _OCCUPIED
    elif holds_hashes(store):
        found = content == hash_value | _1
    elif content >> _32 == hash_value >> _32:
        found = same_state(array, at, store.entries, ((content & _LOW) - _1) * store.entry, store.words)
    return found


@inlined
def _content(store, number, array, at, hash_value):
    """Return the slot content for the state at `array[at]`, which is that of entry `number`."""
    if holds_states(store):
        return array[at] | _OCCUPIED
    if holds_hashes(store):
        return hash_value | _1
    return ((hash_value >> _32) << _32) | (number + _1)


@inlined
def _seek(store, array, at, hash_value):
    """Return the slot that holds the state at `array[at]`, or the empty one where it belongs, and whether it was found.

    The table must have an empty slot.
    """
    slots = store.shape.places
    slot = home(hash_value, slots)
    while True:
        content = store.table[slot]
        if content == _0:
            return slot, False
        if _is(store, content, array, at, hash_value):
            return slot, True
        slot += _1
        if slot == slots:
            slot = _0


@inlined
def find(store, array, at, hash_value):
    if store.shape.count == _0:
        return NONE
    slot, found = _seek(store, array, at, hash_value)
    if not found:
        return NONE
    if holds_states(store) or holds_hashes(store):
        return _0
    return (store.table[slot] & _LOW) - _1


@inlined
def add(store, number, array, at, hash_value):
    slot, found = _seek(store, array, at, hash_value)
    if found:
        return NONE if holds_states(store) or holds_hashes(store) else (store.table[slot] & _LOW) - _1
    copy_state(array, at, store.entries, number * store.entry, store.words)
    store.table[slot] = _content(store, number, array, at, hash_value)
    store.shape.count += _1
    return number


@inlined
def add_shared(store, number, array, at, hash_value):
    # A slot is written once, after the entry (Laarman, van de Pol and Weber, Boosting multi-core reachability
    # performance with shared hash tables, FMCAD 2010).
    slots, content = store.shape.places, _content(store, number, array, at, hash_value)
    slot = home(hash_value, slots)
    written = False
    while True:
        # Acquire: the entry that an occupied slot refers to is visible, because it was written before the slot.
        found = load_acquire(store.table, slot)
        if found == _0:
            if not written:
                copy_state(array, at, store.entries, number * store.entry, store.words)
                written = True
            # If another thread wins the slot, its state is compared below: it may be the same one.
            found = compare_and_swap(store.table, slot, _0, content)
            if found == _0:
                return True
        if _is(store, found, array, at, hash_value):
            return False
        slot += _1
        if slot == slots:
            slot = _0


@inlined
def renumber(store, number, new):
    at = number * store.entry
    if not (holds_states(store) or holds_hashes(store)):
        hash_value = state_hash(store.entries, at, store.words)
        slot = home(hash_value, store.shape.places)
        while store.table[slot] & _LOW != number + _1:
            slot += _1
            if slot == store.shape.places:
                slot = _0
        store.table[slot] = _content(store, new, store.entries, at, hash_value)
    copy_state(store.entries, at, store.entries, new * store.entry, store.words)


@inlined
def forget(store, number, hash_value):
    """Remove an entry from the table, closing the gap by backward shift."""
    slots = store.shape.places
    at = number * store.entry
    gap, _ = _seek(store, store.entries, at, hash_value)
    slot = gap
    while True:
        slot += _1
        if slot == slots:
            slot = _0
        content = store.table[slot]
        if content == _0:
            break
        origin = _home_of_content(store, content, slots)
        # An entry may fill the gap unless its home lies cyclically in (gap, slot].
        stays = gap < origin <= slot if gap < slot else (origin > gap or origin <= slot)
        if not stays:
            store.table[gap] = content
            gap = slot
    store.table[gap] = _0
    store.shape.count -= _1


@inlined
def grow_table(store):
    """Double a table that is 65 % full, or grow it by what memory there is.

    A large one takes seconds, so the kernel returns BUDGET now and then, and the next attempt to make room continues
    it.
    """
    code = _begin_growth(store) if store.shape.target == _0 else CONTINUE
    if code == CONTINUE:
        code = _rehash(store)
    if code == CONTINUE:
        _finish_growth(store)
        _insert_contents(store, store.scratch, store.shape.deferred)
    return code


@inlined
def _begin_growth(store):
    """Choose the new number of slots. Returns CONTINUE, or GROW if the array must grow first."""
    shape = store.shape
    target = max(_LEAST_SLOTS, _2 * shape.places)
    if target > _MOST_SLOTS:
        shape.overfull = _1
        return GROW
    room = U(len(store.table))
    if target > room:
        if room < max(_LEAST_SLOTS, shape.places + shape.places // _LEAST_GROWTH):
            shape.wanted_table = target
            return GROW
        # The array grew by less than was asked for: use what there is.
        target = room
    shape.target, shape.moved, shape.deferred = target, shape.places, _0
    return CONTINUE


@inlined
def _finish_growth(store):
    """Switch to the new size."""
    shape = store.shape
    shape.places = shape.target
    # A table that was filled further and grew by little is that full already.
    shape.most = max(shape.target * _13 // _20, shape.count + shape.target // _16)
    shape.target = _0


@inlined
def _insert_contents(store, contents, count):
    """Insert the first `count` slot contents, which are not in the table."""
    table, slots = store.table, store.shape.places
    for number in range(count):
        place = _home_of_content(store, contents[number], slots)
        while table[place] != _0:
            place += _1
            if place == slots:
                place = _0
        table[place] = contents[number]


@inlined
def _home_of_content(store, content, slots):
    """Return the home slot of a slot content in a table of `slots` slots."""
    if holds_states(store):
        return home(mix(content & ~_OCCUPIED), slots)
    return home(content, slots)


@inlined
def _rehash(store):
    """Move the contents of the first `moved` slots, in place, to their homes in the larger table.

    From the last slot to the first: homes are monotone in the hash, so a new home nearly always lies above what is
    still to be read, where nothing of the old table is left. The few that do not, near the beginning or across the end,
    are deferred until everything is read. Returns CONTINUE; BUDGET after a part of the work; GROW, with `clustered`
    set, if the scratch array cannot hold what is deferred, which no hash of this quality produces.
    """
    shape, table, scratch = store.shape, store.table, store.scratch
    slots, slot, deferred = shape.target, shape.moved, shape.deferred
    pause = slot - min(slot, _SLOTS_AT_A_TIME)
    while slot > pause:
        slot -= _1
        content = table[slot]
        if content == _0:
            continue
        table[slot] = _0
        place = _home_of_content(store, content, slots)
        if place >= slot:
            while place < slots and table[place] != _0:
                place += _1
            if place < slots:
                table[place] = content
                continue
        if deferred == U(len(scratch)):
            shape.clustered = _1
            return GROW
        scratch[deferred] = content
        deferred += _1
    shape.moved, shape.deferred = slot, deferred
    return BUDGET if slot > _0 else CONTINUE


# --- growth by several threads -----------------------------------------------------------------------------------


@inlined
def is_crowded(store):
    return False


@inlined
def begin_growth(store):
    return _begin_growth(store)


@inlined
def growth_end(store):
    return store.shape.places


@inlined
def growth_begin(store, end):
    # The homes of slots from here on lie at or behind `end`, where nothing of the old table is left to be read.
    places, target = store.shape.places, store.shape.target
    return (end * places + target - _1) // target if end > _FEW_SLOTS else _0


@inlined
def rehash_part(store, first, last, deferred, count):
    table, places, target = store.table, store.shape.places, store.shape.target
    begin, limit = first * target // max(places, _1), last * target // max(places, _1)
    for slot in range(first, last):
        content = table[slot]
        if content == _0:
            continue
        table[slot] = _0
        place = _home_of_content(store, content, target)
        if first > _0 and begin <= place < limit:
            while place < limit and table[place] != _0:
                place += _1
            if place < limit:
                table[place] = content
                continue
        if count == U(len(deferred)):
            store.shape.clustered = _1
            return count
        deferred[count] = content
        count += _1
    return count


@inlined
def finish_growth(store):
    _finish_growth(store)


@inlined
def insert_deferred(store, deferred, count):
    _insert_contents(store, deferred, count)
