"""One bucket of a table of quotients (`quotient_kernel`), and the bijection between keys and positions.

A bucket is a cache line of 64 bytes. Its first byte is the number of its keys; then follows a byte of each key, its
tag, all of which are compared at once; then the remainders of all keys. Buckets are filled from the front and keys are
never removed, so that a bucket with a free place ends every search.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.intrinsics import equal_bytes, lowest_bit
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1, _2, _3, _6, _7, _8 = (U(number) for number in (0, 1, 2, 3, 6, 7, 8))
_32, _47, _50, _63, _64, _255 = U(32), U(47), U(50), U(63), U(64), U(255)
_LOW, _ALL = U(0xFFFF_FFFF), U(0xFFFF_FFFF_FFFF_FFFF)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)
_UNMIX_1, _UNMIX_2 = U(pow(int(_MIX_1), -1, 1 << 64)), U(pow(int(_MIX_2), -1, 1 << 64))
_MOST_IN_A_LINE, _LINE_BITS, _MOST_MOVES = U(15), U(512), U(64)

LEAST_BITS = 40
"""Least width of keys, at most 64; narrower ones have zeros above."""
REACH = 8
"""Probe limit: the number of buckets in which a key can lie."""
_DISTANCE_BITS = U(REACH.bit_length() - 1)


# --- mixing and quotients ---------------------------------------------------------------------------------------


@inlined
def scattered(key, bits):
    """Mix a key: a bijection on numbers of `bits` bits whose upper result bits depend on all bits."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    key ^= key >> half
    key = (key * _MIX_1) & mask
    key ^= key >> half
    key = (key * _MIX_2) & mask
    return key ^ (key >> half)


@inlined
def gathered(value, bits):
    """Invert `scattered`: return the key of a mixed value."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    value ^= value >> half
    value = (value * _UNMIX_2) & mask
    value ^= value >> half
    value = (value * _UNMIX_1) & mask
    return value ^ (value >> half)


@inlined
def set_form(form, bits, lines):
    """Compute the layout of keys of `bits` bits in a table of `lines` buckets; return the number of keys it is for."""
    shift = _0
    while lines >> (shift + _1) != _0:
        shift += _1
    form.bits, form.lines, form.shift = bits, lines, shift
    form.rest = bits - shift + _DISTANCE_BITS - _8
    form.room = min(_MOST_IN_A_LINE, (_LINE_BITS - _8) // (form.rest + _8))
    return lines * form.room * _47 // _50


@inlined
def line_of(form, value):
    """Return the home bucket of a mixed value; monotone in the value."""
    return ((value >> (form.bits - _32)) * form.lines) >> _32


@inlined
def quotient_of(form, value):
    """Return the part of a mixed value that its home bucket does not determine.

    The upper 32 bits times the number of buckets have the bucket as their integer part; of the fraction as many bits
    are kept as distinguish the multiples of that number.
    """
    low = form.bits - _32
    fraction = ((value >> low) * form.lines) & _LOW
    return ((fraction >> form.shift) << low) | (value & ((_1 << low) - _1))


@inlined
def value_of(form, line, quotient):
    """Recover the mixed value from its home bucket and its quotient."""
    low = form.bits - _32
    most = (line << _32) + ((quotient >> low) << form.shift) + (_1 << form.shift) - _1
    return ((most // form.lines) << low) | (quotient & ((_1 << low) - _1))


# --- buckets ----------------------------------------------------------------------------------------------------


@inlined
def _rest_at(table, line, form, place):
    """Return the remainder of a key in a bucket, which may span two words."""
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = line + (offset >> _6), offset & _63
    # The next word contributes nothing if `bit` is 0; the two shifts avoid a branch that is often mispredicted.
    both = (table[word] >> bit) | ((table[word + _1] << _1) << (_63 - bit))
    return both & ((_1 << form.rest) - _1)


@inlined
def _write(table, line, form, place, tag, rest):
    """XOR a tag and a remainder into a place, where the bits of a former key, if any, must be cancelled."""
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = line + (offset >> _6), offset & _63
    table[word] ^= rest << bit
    table[word + _1] ^= (rest >> _1) >> (_63 - bit)
    table[line + ((place + _1) >> _3)] ^= tag << (((place + _1) & _7) << _3)


@inlined
def fill(table, line, form, place, tag, rest):
    """Write a key to the first free place of a bucket, where all bits are zero."""
    _write(table, line, form, place, tag, rest)
    table[line] += _1


@inlined
def _tag_at(table, line, place):
    return (table[line + ((place + _1) >> _3)] >> (((place + _1) & _7) << _3)) & _255


@inlined
def holds_key(table, line, form, tag, rest):
    """Return True if a bucket holds a key."""
    # Mask out the count in the first byte, and the remainders behind the last tag.
    equal = equal_bytes(table, line, tag) & ((_2 << (table[line] & _255)) - _2)
    while equal != _0:
        if _rest_at(table, line, form, lowest_bit(equal) - _1) == rest:
            return True
        equal &= equal - _1
    return False


@inlined
def _filled(table, line, form, tag, rest):
    """Try to insert the key into this bucket or the next ones, up to the probe limit.

    Returns (True, bucket, remainder) if it was inserted, else (False, ...) with the last of these buckets and the
    remainder that the key would have there.
    """
    last = _1 << (form.rest - _DISTANCE_BITS)
    while True:
        count = table[line] & _255
        if count < form.room:
            fill(table, line, form, count, tag, rest)
            return True, line, rest
        if rest + last >> form.rest != _0:
            return False, line, rest
        line += _8
        rest += last


@inlined
def _nearest(table, line, form):
    """Return the place of the key in a full bucket whose home bucket is nearest."""
    nearest, least = _0, _ALL
    for place in range(form.room):
        distance = _rest_at(table, line, form, place) >> (form.rest - _DISTANCE_BITS)
        if distance < least:
            nearest, least = place, distance
    return nearest


@inlined
def placed(table, form, line, quotient):
    """Insert a new key with this home bucket and quotient, moving other keys if need be.

    Returns (True, 0), or (False, value) with the mixed value of the key that found no room: this one or one that it
    displaced.
    """
    line, tag, rest = line << _3, quotient & _255, quotient >> _8
    for _ in range(_MOST_MOVES):
        done, line, rest = _filled(table, line, form, tag, rest)
        if done:
            return True, _0
        place = _nearest(table, line, form)
        former_tag, former = _tag_at(table, line, place), _rest_at(table, line, form, place)
        _write(table, line, form, place, tag ^ former_tag, rest ^ former)
        tag, rest = former_tag, former
    distance = rest >> (form.rest - _DISTANCE_BITS)
    return False, value_of(form, (line >> _3) - distance, _joined(form, tag, rest))


@inlined
def _joined(form, tag, rest):
    """Join tag and remainder to the quotient of a key, without the distance."""
    return ((rest & ((_1 << (form.rest - _DISTANCE_BITS)) - _1)) << _8) | tag


@inlined
def value_at(array, at, form, line, place):
    """Return the mixed value in a place of a bucket, which lies at `array[at]`."""
    rest = _rest_at(array, at, form, place)
    distance = rest >> (form.rest - _DISTANCE_BITS)
    return value_of(form, line - distance, _joined(form, _tag_at(array, at, place), rest))


@inlined
def further(form):
    """Return the increment of a key's remainder per bucket that it lies further from its home."""
    return _1 << (form.rest - _DISTANCE_BITS)
