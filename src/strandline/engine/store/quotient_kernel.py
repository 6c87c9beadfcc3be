"""A hash table of quotients: keys in buckets of 64 bytes, without the bits that their bucket determines.

(Knuth 6.4, ex. 13; Cleary 1984.) A key of `bits` bits is mixed by a bijection. The upper part of the result selects the
home bucket and is not stored; the rest is, with the distance in buckets between the home and the bucket that had room.
Nothing is lost: bucket and stored bits determine the key, which is also how the table grows.

A key that finds no room within the probe limit (`PROBE_LIMIT`) displaces the key nearest to its own home, which then
looks for another place further on (as in cuckoo or Robin Hood hashing). If that fails, a key goes to a stash beside the
table, and the table grows: by three fifths, or by what there is room for; in place, from its end to its beginning, as
that of `table_kernel` does: the home bucket is monotone in the mixed value.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BUDGET, CONTINUE, GROW, NONE
from strandline.engine.runtime.intrinsics import (
    compare_and_swap,
    prefetch,
    store_release,
    yield_processor,
)
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.runtime.sizes import LEAST_GROWTH
from strandline.engine.store.bucket_kernel import (
    ADDED,
    COUNT_MASK,
    FOUND,
    PROBE_LIMIT,
    add_to_bucket,
    bucket_of,
    fill,
    fill_nearby,
    further,
    holds_key,
    mix_key,
    place_key,
    quotient_of,
    set_form,
    unmix_key,
    value_at,
    value_of,
)

U = np.uint64
_0, _1, _2, _3, _4, _5, _8, _255 = (U(number) for number in (0, 1, 2, 3, 4, 5, 8, 255))

SPARE = PROBE_LIMIT + 1
"""Buckets behind the last home bucket."""
_PROBE_LIMIT, _SPARE = U(PROBE_LIMIT), U(SPARE)
_LEAST_BUCKETS, _SMALL_BUCKETS, _MOST_BUCKETS = U(1 << 6), U(1 << 14), U(1 << 31)
_BUCKETS_AT_A_TIME, _FEW_BUCKETS, _LARGE_STASH = U(1 << 18), U(1 << 8), U(1 << 10)
_LEAST_GROWTH = U(LEAST_GROWTH)


_BELONGS, _QUOTIENT = U(9), U(9 + 15)
COPY_WORDS = 9 + 2 * 15
"""Words of a copy of a bucket, one more, and the new bucket and quotient of each of its keys."""


class BucketTable(NamedTuple):
    """A table of keys.

    `larger` is the layout that it gets while it grows, `copy` has room for a bucket and the targets of its keys;
    `scratch` is for deferred keys while it grows and is the stash afterwards, which `lock` protects if several threads
    insert.
    """

    table: Any
    shape: Any
    form: Any
    larger: Any
    scratch: Any
    copy: Any
    lock: Any


class Keys(NamedTuple):
    """The store of states of one word, which are their own keys.

    It answers whether a state is stored, but not in which entry; `entries` are the frontier.
    """

    words: Any
    entry: Any
    entries: Any
    shape: Any
    keys: Any


# --- the table --------------------------------------------------------------------------------------------------


@inlined
def prefetch_bucket(keys, value):
    prefetch(keys.table, bucket_of(keys.form, value) << _3)


@inlined
def prefetch_second_bucket(keys, value):
    """Prefetch the bucket behind a key's home bucket if that is full; the home bucket must be in the cache."""
    bucket = bucket_of(keys.form, value) << _3
    if keys.table[bucket] & COUNT_MASK == keys.form.room:
        prefetch(keys.table, bucket + _8)


@inlined
def _is_in_stash(keys, value):
    """Return True if a mixed value is in the stash."""
    found = False
    for number in range(keys.shape.deferred):
        found = found or keys.scratch[number] == value
    return found


@inlined
def _add_to_stash(keys, value):
    """Add a mixed value to the stash.

    If the stash is full, which a hash of this quality does not produce, `clustered` is set and the search must end.
    """
    if keys.shape.deferred == U(len(keys.scratch)):
        keys.shape.clustered = _1
    else:
        keys.scratch[keys.shape.deferred] = value
        keys.shape.deferred += _1


@inlined
def _find_or_insert(keys, value, inserts):
    """Find a mixed value, and insert it into the first bucket with room if it is new and `inserts`.

    Returns (found, crowded); with `crowded` all buckets within the probe limit are full, and the stash must be searched
    too.
    """
    table, form = keys.table, keys.form
    quotient = quotient_of(form, value)
    bucket, rest = bucket_of(form, value) << _3, quotient >> _8
    for _ in range(_PROBE_LIMIT):
        count = table[bucket] & _255
        if holds_key(table, bucket, form, quotient & _255, rest, count):
            return True, False
        if count < form.room:
            if inserts:
                fill(table, bucket, form, count, quotient & _255, rest)
            return False, False
        bucket += _8
        rest += further(form)
    return False, True


@inlined
def holds(keys, value):
    """Return True if the table has the key with this mixed value."""
    found, crowded = _find_or_insert(keys, value, False)
    return _is_in_stash(keys, value) if crowded else found


@inlined
def insert(keys, value):
    """Insert the key with this mixed value; return True if it is new. There must be room."""
    found, crowded = _find_or_insert(keys, value, True)
    if crowded:
        found = _insert_crowded(keys, value)
    if not found:
        keys.shape.count += _1
    return not found


@njit
def _insert_crowded(keys, value):
    """Search the stash for a key whose buckets are full, and place it if it is new; return True if it was found."""
    if _is_in_stash(keys, value):
        return True
    done, left = place_key(keys.table, keys.form, bucket_of(keys.form, value), quotient_of(keys.form, value))
    if not done:
        _add_to_stash(keys, left)
        # If the table is rather full, that is the reason: it must grow before the next insertion.
        if keys.shape.deferred >= _LARGE_STASH and _2 * keys.shape.count > keys.shape.most:
            keys.shape.most = keys.shape.count
    return False


@njit
def grow_buckets(keys):
    """Grow a table that is three quarters full; returns as `make_room`.

    A large one takes seconds, so the kernel returns BUDGET now and then, and the next attempt to make room continues
    it.
    """
    code = _begin_growth(keys) if keys.shape.target == _0 else CONTINUE
    if code == CONTINUE:
        code = _rehash(keys)
    if code == CONTINUE:
        _finish_growth(keys)
    return code


@inlined
def _begin_growth(keys):
    """Choose the new number of buckets. Returns CONTINUE, or GROW if the array must grow first."""
    shape, buckets = keys.shape, keys.form.buckets
    # A table of less than a megabyte grows fast, so that it seldom grows.
    target = max(_LEAST_BUCKETS, _4 * buckets if buckets < _SMALL_BUCKETS else buckets + buckets * _3 // _5)
    if target > _MOST_BUCKETS:
        shape.overfull = _1
        return GROW
    room = U(len(keys.table)) >> _3
    if target + _SPARE > room:
        if room < max(_LEAST_BUCKETS, buckets + buckets // _LEAST_GROWTH) + _SPARE:
            shape.wanted_table = (target + _SPARE) << _3
            return GROW
        # The array grew by less than was asked for: use what there is.
        target = room - _SPARE
    set_form(keys.larger, keys.form.bits, target)
    shape.target, shape.moved = target, buckets + _PROBE_LIMIT if buckets > _0 else _0
    return CONTINUE


@inlined
def _rehash(keys):
    """Move the keys of the first `moved` buckets, in place, to their homes in the larger table.

    From the last bucket to the first: the new home is nearly always not below the bucket that is read, where nothing of
    the old table is left. The few of the first buckets whose home is below are deferred until everything is read.
    Returns CONTINUE, or BUDGET after a part of the work; `moved` is where it resumes.
    """
    shape, table, form, larger, copied = keys.shape, keys.table, keys.form, keys.larger, keys.copy
    bucket = shape.moved
    pause = bucket - min(bucket, _BUCKETS_AT_A_TIME)
    while bucket > pause:
        bucket -= _1
        for word in range(_8):
            copied[word] = table[(bucket << _3) + word]
            table[(bucket << _3) + word] = _0
        count = copied[0] & _255
        # First all divisions of a bucket, then all writes: they do not wait for each other.
        for place in range(count):
            value = value_at(copied, _0, form, bucket, place)
            copied[_BELONGS + place], copied[_QUOTIENT + place] = bucket_of(larger, value), quotient_of(larger, value)
        for place in range(count):
            target, quotient = copied[_BELONGS + place], copied[_QUOTIENT + place]
            done = False
            if target >= bucket:
                done, value = place_key(table, larger, target, quotient)
            else:
                value = value_of(larger, target, quotient)
            if not done:
                _add_to_stash(keys, value)
    shape.moved = bucket
    return BUDGET if bucket > _0 else CONTINUE


@inlined
def _finish_growth(keys):
    """Insert the deferred keys and switch to the new layout."""
    shape, deferred = keys.shape, keys.shape.deferred
    shape.most = set_form(keys.form, keys.larger.bits, keys.larger.buckets)
    shape.places, shape.target, shape.deferred = keys.form.buckets, _0, _0
    for number in range(deferred):
        value = keys.scratch[number]
        done, left = place_key(keys.table, keys.form, bucket_of(keys.form, value), quotient_of(keys.form, value))
        if not done:
            _add_to_stash(keys, left)


@njit
def list_keys(keys, bucket, stash, found):
    """Write keys to `found`: those of whole buckets from `bucket` on, then those of the stash from `stash` on.

    Returns their number and where to continue; 0 if there are no more. The table must not be growing.
    """
    form, count, room = keys.form, _0, U(len(found))
    last = form.buckets + _PROBE_LIMIT if form.buckets > _0 else _0
    while bucket < last:
        held = keys.table[bucket << _3] & _255
        if count + held > room:
            return count, bucket, stash
        for place in range(held):
            found[count + place] = unmix_key(value_at(keys.table, bucket << _3, form, bucket, place), form.bits)
        count += held
        bucket += _1
    while stash < keys.shape.deferred and count < room:
        found[count] = unmix_key(keys.scratch[stash], form.bits)
        count += _1
        stash += _1
    return count, bucket, stash


# --- the store of states of one word ----------------------------------------------------------------------------


@inlined
def fingerprint(store, array, at):
    return mix_key(array[at], store.keys.form.bits)


@inlined
def prefetch_home(store, hash_value):
    prefetch_bucket(store.keys, hash_value)


@inlined
def prefetch_match(store, hash_value):
    prefetch_second_bucket(store.keys, hash_value)


@inlined
def find(store, array, at, hash_value):
    return _0 if store.shape.count != _0 and holds(store.keys, hash_value) else NONE


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    store.entries[number] = array[at]
    return number


@inlined
def grow_table(store):
    return grow_buckets(store.keys)


# --- several threads ---------------------------------------------------------------------------------------------


@inlined
def add_shared(store, number, array, at, hash_value):
    added = insert_shared(store.keys, hash_value)
    if added:
        store.entries[number] = array[at]
    return added


@inlined
def insert_shared(keys, value):
    """Insert the key with this mixed value, while other threads insert; return True if it is new. It is not counted.

    No key is displaced, because readers rely on keys that stay in place: keys that find no room go to the stash.
    """
    table, form = keys.table, keys.form
    quotient = quotient_of(form, value)
    bucket, rest = bucket_of(form, value) << _3, quotient >> _8
    for _ in range(_PROBE_LIMIT):
        result = add_to_bucket(table, bucket, form, quotient & _255, rest)
        if result == FOUND:
            return False
        if result == ADDED:
            return True
        bucket += _8
        rest += further(form)
    return _insert_into_stash(keys, value)


@njit
def _insert_into_stash(keys, value):
    """Insert a key whose buckets are full into the stash, which a lock protects; return True if it is new."""
    # Full buckets stay full, so every thread that inserts this key comes here.
    while compare_and_swap(keys.lock, _0, _0, _1) != _0:
        yield_processor()
    found = _is_in_stash(keys, value)
    if not found:
        _add_to_stash(keys, value)
    store_release(keys.lock, _0, _0)
    return not found


@inlined
def is_crowded(store):
    # A table that is rather full has a large stash for that reason, and must grow.
    shape = store.shape
    return shape.deferred >= _LARGE_STASH and _2 * shape.count > shape.most


@inlined
def renumber(store, number, new):
    store.entries[new] = store.entries[number]


@inlined
def begin_growth(store):
    return _begin_growth(store.keys)


@inlined
def growth_end(store):
    return store.keys.form.buckets + _PROBE_LIMIT


@inlined
def growth_begin(store, end):
    # The homes of keys in buckets from here on lie at or behind `end`. A key may lie behind its home, hence the limit.
    buckets, target = store.keys.form.buckets, store.keys.shape.target
    begin = (end * buckets + target - _1) // target + _PROBE_LIMIT
    return begin if end > _FEW_BUCKETS and begin < end else _0


@inlined
def rehash_part(store, first, last, deferred, count):
    table, form, larger = store.keys.table, store.keys.form, store.keys.larger
    buckets, target = max(form.buckets, _1), larger.buckets
    begin, limit = (first * target + buckets - _1) // buckets, last * target // buckets
    for bucket in range(first, last):
        at = bucket << _3
        held = table[at] & _255
        for place in range(held):
            value = value_at(table, at, form, bucket, place)
            new, quotient = bucket_of(larger, value), quotient_of(larger, value)
            done = False
            # Other threads move keys to the buckets outside of these bounds.
            if first > _0 and begin <= new and new + _PROBE_LIMIT <= limit:
                done, _, _ = fill_nearby(table, new << _3, larger, quotient & _255, quotient >> _8)
            if not done:
                if count == U(len(deferred)):
                    store.shape.clustered = _1
                    return count
                deferred[count] = value
                count += _1
        if held != _0:
            for word in range(_8):
                table[at + word] = _0
    return count


@inlined
def finish_growth(store):
    _finish_growth(store.keys)


@inlined
def insert_deferred(store, deferred, count):
    keys = store.keys
    for number in range(count):
        value = deferred[number]
        done, left = place_key(keys.table, keys.form, bucket_of(keys.form, value), quotient_of(keys.form, value))
        if not done:
            _add_to_stash(keys, left)


# --- wider keys -------------------------------------------------------------------------------------------------


@njit
def compute_form(form, bits, buckets):
    """Compute the layout of a table, for callers outside of kernels; see `set_form`."""
    return set_form(form, bits, buckets)


@njit
def widen(keys, other, narrow, wide):
    """Insert the keys of another table into this empty one, with wider node numbers. There must be room.

    The keys of the other table are pairs of numbers of `narrow` bits, those of this one pairs of `wide` bits.
    """
    form = other.form
    for bucket in range(form.buckets + _PROBE_LIMIT):
        for place in range(other.table[bucket << _3] & _255):
            _insert_widened(keys, value_at(other.table, bucket << _3, form, bucket, place), form.bits, narrow, wide)
    for number in range(other.shape.deferred):
        _insert_widened(keys, other.scratch[number], form.bits, narrow, wide)


@inlined
def _insert_widened(keys, value, bits, narrow, wide):
    key = unmix_key(value, bits)
    insert(keys, mix_key(((key >> narrow) << wide) | (key & ((_1 << narrow) - _1)), keys.form.bits))
