"""One bucket of a table of quotients (`quotient_kernel`), and the bijection between keys and positions.

A bucket is a cache line of 64 bytes. Its first byte is the number of its keys; then follows a byte of each key, its
tag, all of which are compared at once; then the remainders of all keys. Buckets are filled from the front and keys are
never removed, so that a bucket with a free position ends every search.

Several threads can insert into one table (`add_to_bucket`): the top bit of the first byte locks a bucket against other
writers. Readers need no lock, because the first `count` keys of a bucket never change: a writer stores tag and
remainder before it releases the new count.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.intrinsics import (
    compare_and_swap,
    equal_bytes,
    load_acquire,
    lowest_bit,
    store_release,
)
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1, _2, _3, _4, _6, _7, _8 = (U(number) for number in (0, 1, 2, 3, 4, 6, 7, 8))
_32, _63, _64, _255 = U(32), U(63), U(64), U(255)
_LOW, _ALL = U(0xFFFF_FFFF), U(0xFFFF_FFFF_FFFF_FFFF)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)
_UNMIX_1, _UNMIX_2 = U(pow(int(_MIX_1), -1, 1 << 64)), U(pow(int(_MIX_2), -1, 1 << 64))
_MOST_IN_A_BUCKET, _BUCKET_BITS, _MOST_MOVES = U(15), U(512), U(64)

FOUND, ADDED, FULL = 0, 1, 2
"""Results of `add_to_bucket`."""
COUNT_MASK, _LOCK = U(0x7F), U(0x80)
"""The number of keys in the first byte of a bucket, and the bit that locks the bucket."""

LEAST_BITS = 40
"""Least width of keys, at most 64; narrower ones have zeros above."""
PROBE_LIMIT = 8
"""Probe limit: the number of buckets in which a key can lie."""
_DISTANCE_BITS = U(PROBE_LIMIT.bit_length() - 1)


# --- mixing and quotients ---------------------------------------------------------------------------------------


@inlined
def mix_key(key, bits):
    """Mix a key: a bijection on numbers of `bits` bits whose upper result bits depend on all bits."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    key ^= key >> half
    key = (key * _MIX_1) & mask
    key ^= key >> half
    key = (key * _MIX_2) & mask
    return key ^ (key >> half)


@inlined
def unmix_key(value, bits):
    """Invert `mix_key`: return the key of a mixed value."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    value ^= value >> half
    value = (value * _UNMIX_2) & mask
    value ^= value >> half
    value = (value * _UNMIX_1) & mask
    return value ^ (value >> half)


@inlined
def set_form(form, bits, buckets):
    """Compute the layout of keys of `bits` bits in a table of `buckets` buckets.

    Returns the number of keys at which the table should grow: in a fuller one, many keys lie behind full buckets, each
    of which is another cache miss.
    """
    shift = _0
    while buckets >> (shift + _1) != _0:
        shift += _1
    form.bits, form.buckets, form.shift = bits, buckets, shift
    form.rest = bits - shift + _DISTANCE_BITS - _8
    form.room = min(_MOST_IN_A_BUCKET, (_BUCKET_BITS - _8) // (form.rest + _8))
    return buckets * form.room * _3 // _4


@inlined
def bucket_of(form, value):
    """Return the home bucket of a mixed value; monotone in the value."""
    return ((value >> (form.bits - _32)) * form.buckets) >> _32


@inlined
def quotient_of(form, value):
    """Return the part of a mixed value that its home bucket does not determine.

    The upper 32 bits times the number of buckets have the bucket as their integer part; of the fraction as many bits
    are kept as distinguish the multiples of that number.
    """
    low = form.bits - _32
    fraction = ((value >> low) * form.buckets) & _LOW
    return ((fraction >> form.shift) << low) | (value & ((_1 << low) - _1))


@inlined
def value_of(form, bucket, quotient):
    """Recover the mixed value from its home bucket and its quotient."""
    low = form.bits - _32
    most = (bucket << _32) + ((quotient >> low) << form.shift) + (_1 << form.shift) - _1
    return ((most // form.buckets) << low) | (quotient & ((_1 << low) - _1))


# --- buckets ----------------------------------------------------------------------------------------------------


@inlined
def _rest_at(table, bucket, form, place):
    """Return the remainder of a key in a bucket, which may span two words."""
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = bucket + (offset >> _6), offset & _63
    # The next word contributes nothing if `bit` is 0; the two shifts avoid a branch that is often mispredicted.
    both = (table[word] >> bit) | ((table[word + _1] << _1) << (_63 - bit))
    return both & ((_1 << form.rest) - _1)


@inlined
def _write(table, bucket, form, place, tag, rest):
    """XOR a tag and a remainder into a place. To replace a key, the caller passes the XOR of the old and the new."""
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = bucket + (offset >> _6), offset & _63
    table[word] ^= rest << bit
    table[word + _1] ^= (rest >> _1) >> (_63 - bit)
    table[bucket + ((place + _1) >> _3)] ^= tag << (((place + _1) & _7) << _3)


@inlined
def fill(table, bucket, form, place, tag, rest):
    """Write a key to `place`, the first free one of a bucket, where all bits are zero."""
    _write(table, bucket, form, place, tag, rest)
    table[bucket] += _1


@inlined
def _tag_at(table, bucket, place):
    return (table[bucket + ((place + _1) >> _3)] >> (((place + _1) & _7) << _3)) & _255


@inlined
def holds_key(table, bucket, form, tag, rest, count):
    """Return True if a key is among the first `count` keys of a bucket."""
    # Mask out the count in the first byte, and the remainders behind the last tag.
    equal = equal_bytes(table, bucket, tag) & ((_2 << count) - _2)
    while equal != _0:
        if _rest_at(table, bucket, form, lowest_bit(equal) - _1) == rest:
            return True
        equal &= equal - _1
    return False


@inlined
def add_to_bucket(table, bucket, form, tag, rest):
    """Find a key in a bucket, or add it, while other threads add keys.

    Returns FOUND, ADDED, or FULL if the bucket has no room.
    """
    while True:
        first = load_acquire(table, bucket)
        count = first & COUNT_MASK
        if holds_key(table, bucket, form, tag, rest, count):
            return FOUND
        if count == form.room:
            return FULL
        # While another thread holds the lock, look again: it may be adding this key.
        if first & _LOCK == _0 and compare_and_swap(table, bucket, first, first | _LOCK) == first:
            _write_behind(table, bucket, form, count, tag, rest)
            if count < _7:
                first |= tag << ((count + _1) << _3)
            # Release: whoever sees the new count sees the key. The same store unlocks the bucket.
            store_release(table, bucket, first + _1)
            return ADDED


@inlined
def _write_behind(table, bucket, form, position, tag, rest):
    """Write a key to a free position of a locked bucket, but not the first word, whose release makes it visible."""
    offset = _8 * (form.room + _1) + position * form.rest
    word, bit = bucket + (offset >> _6), offset & _63
    # Remainders begin behind all tags, never in the first word, because a bucket has room for at least seven keys.
    table[word] |= rest << bit
    above = (rest >> _1) >> (_63 - bit)
    # The word behind the last remainder belongs to the next bucket, which another thread may be writing.
    if above != _0:
        table[word + _1] |= above
    if position >= _7:
        table[bucket + ((position + _1) >> _3)] |= tag << (((position + _1) & _7) << _3)


@inlined
def fill_nearby(table, bucket, form, tag, rest):
    """Try to insert the key into this bucket or the next ones, up to the probe limit.

    Returns (True, bucket, remainder) if it was inserted, else (False, ...) with the last of these buckets and the
    remainder that the key would have there.
    """
    last = _1 << (form.rest - _DISTANCE_BITS)
    while True:
        count = table[bucket] & _255
        if count < form.room:
            fill(table, bucket, form, count, tag, rest)
            return True, bucket, rest
        if rest + last >> form.rest != _0:
            return False, bucket, rest
        bucket += _8
        rest += last


@inlined
def _nearest(table, bucket, form):
    """Return the place of that key in a full bucket which is nearest to its own home bucket."""
    nearest, least = _0, _ALL
    for place in range(form.room):
        distance = _rest_at(table, bucket, form, place) >> (form.rest - _DISTANCE_BITS)
        if distance < least:
            nearest, least = place, distance
    return nearest


@inlined
def place_key(table, form, bucket, quotient):
    """Insert a new key with this home bucket and quotient, moving other keys if need be.

    Returns (True, 0), or (False, value) with the mixed value of the key that found no room: this one or one that it
    displaced.
    """
    bucket, tag, rest = bucket << _3, quotient & _255, quotient >> _8
    for _ in range(_MOST_MOVES):
        done, bucket, rest = fill_nearby(table, bucket, form, tag, rest)
        if done:
            return True, _0
        place = _nearest(table, bucket, form)
        former_tag, former = _tag_at(table, bucket, place), _rest_at(table, bucket, form, place)
        _write(table, bucket, form, place, tag ^ former_tag, rest ^ former)
        tag, rest = former_tag, former
    distance = rest >> (form.rest - _DISTANCE_BITS)
    return False, value_of(form, (bucket >> _3) - distance, join_quotient(form, tag, rest))


@inlined
def join_quotient(form, tag, rest):
    """Join tag and remainder to the quotient of a key, without the distance."""
    return ((rest & ((_1 << (form.rest - _DISTANCE_BITS)) - _1)) << _8) | tag


@inlined
def value_at(array, at, form, bucket, place):
    """Return the mixed value in a place of a bucket, which lies at `array[at]`."""
    rest = _rest_at(array, at, form, place)
    distance = rest >> (form.rest - _DISTANCE_BITS)
    return value_of(form, bucket - distance, join_quotient(form, _tag_at(array, at, place), rest))


@inlined
def further(form):
    """Return the amount by which a key's remainder grows with each bucket of distance from its home bucket."""
    return _1 << (form.rest - _DISTANCE_BITS)
