"""Where keys belong, and one line of a table of them (`quotient_kernel`).

A line, 64 bytes, has in its first byte how many keys it holds, then a byte of each key, its tag, by which most others
are told from it at once, all of a line together, then the rests of all of them. Lines are filled from their beginning
and never become emptier, so that a line with room ends every search.
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
"""Keys have as many bits as this, and at most 64; narrower ones have zeros above."""
REACH = 8
"""Lines in which a key can lie."""
_DISTANCE_BITS = U(REACH.bit_length() - 1)


# --- where keys belong ------------------------------------------------------------------------------------------


@inlined
def scattered(key, bits):
    """A bijection on numbers of so many bits whose upper bits depend on all bits."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    key ^= key >> half
    key = (key * _MIX_1) & mask
    key ^= key >> half
    key = (key * _MIX_2) & mask
    return key ^ (key >> half)


@inlined
def gathered(value, bits):
    """The key that is scattered to a value."""
    half, mask = (bits + _1) >> _1, _ALL >> (_64 - bits)
    value ^= value >> half
    value = (value * _UNMIX_2) & mask
    value ^= value >> half
    value = (value * _UNMIX_1) & mask
    return value ^ (value >> half)


@inlined
def set_form(form, bits, lines):
    """How keys of so many bits lie in a table of so many lines, and how many it is for."""
    shift = _0
    while lines >> (shift + _1) != _0:
        shift += _1
    form.bits, form.lines, form.shift = bits, lines, shift
    form.rest = bits - shift + _DISTANCE_BITS - _8
    form.room = min(_MOST_IN_A_LINE, (_LINE_BITS - _8) // (form.rest + _8))
    return lines * form.room * _47 // _50


@inlined
def line_of(form, value):
    return ((value >> (form.bits - _32)) * form.lines) >> _32


@inlined
def quotient_of(form, value):
    """What a line does not tell of a value that belongs there: of the upper 32 bits, times the number of lines, the
    line is the whole part; of the fraction as many bits are enough as tell multiples of that number apart."""
    low = form.bits - _32
    fraction = ((value >> low) * form.lines) & _LOW
    return ((fraction >> form.shift) << low) | (value & ((_1 << low) - _1))


@inlined
def value_of(form, line, quotient):
    """The value that belongs to a line and has the quotient there."""
    low = form.bits - _32
    most = (line << _32) + ((quotient >> low) << form.shift) + (_1 << form.shift) - _1
    return ((most // form.lines) << low) | (quotient & ((_1 << low) - _1))


# --- lines ------------------------------------------------------------------------------------------------------


@inlined
def _rest_at(table, line, form, place):
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = line + (offset >> _6), offset & _63
    # What lies in the next word is nothing where `bit` is 0; a branch would be guessed wrongly too often.
    both = (table[word] >> bit) | ((table[word + _1] << _1) << (_63 - bit))
    return both & ((_1 << form.rest) - _1)


@inlined
def _write(table, line, form, place, tag, rest):
    """Change the bits of a place that differ from those of a key."""
    offset = _8 * (form.room + _1) + place * form.rest
    word, bit = line + (offset >> _6), offset & _63
    table[word] ^= rest << bit
    table[word + _1] ^= (rest >> _1) >> (_63 - bit)
    table[line + ((place + _1) >> _3)] ^= tag << (((place + _1) & _7) << _3)


@inlined
def fill(table, line, form, place, tag, rest):
    """Write a key to the first place of a line that is free, where all is zero."""
    _write(table, line, form, place, tag, rest)
    table[line] += _1


@inlined
def _tag_at(table, line, place):
    return (table[line + ((place + _1) >> _3)] >> (((place + _1) & _7) << _3)) & _255


@inlined
def holds_key(table, line, form, tag, rest):
    """Whether a line holds a key."""
    # The first byte is a count, and behind the last tag lie rests.
    equal = equal_bytes(table, line, tag) & ((_2 << (table[line] & _255)) - _2)
    while equal != _0:
        if _rest_at(table, line, form, lowest_bit(equal) - _1) == rest:
            return True
        equal &= equal - _1
    return False


@inlined
def _filled(table, line, form, tag, rest):
    """Whether there was room for a key in this line or one after it, as far as it reaches: then it is there. Else where
    it would be in the last of these lines."""
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
    """The place in a full line of the key that is nearest to where it belongs."""
    nearest, least = _0, _ALL
    for place in range(form.room):
        distance = _rest_at(table, line, form, place) >> (form.rest - _DISTANCE_BITS)
        if distance < least:
            nearest, least = place, distance
    return nearest


@inlined
def placed(table, form, line, quotient):
    """Whether a key that is not in the table is now, which belongs to a line and has this quotient there; and what a
    key is scattered to that is not, this one or another that made room."""
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
    """The quotient of a key."""
    return ((rest & ((_1 << (form.rest - _DISTANCE_BITS)) - _1)) << _8) | tag


@inlined
def value_at(array, at, form, line, place):
    """What lies in a place of a line, which is found at `array[at]`."""
    rest = _rest_at(array, at, form, place)
    distance = rest >> (form.rest - _DISTANCE_BITS)
    return value_of(form, line - distance, _joined(form, _tag_at(array, at, place), rest))


@inlined
def further(form):
    """What is added to the rest of a key that lies one line further from where it belongs."""
    return _1 << (form.rest - _DISTANCE_BITS)
