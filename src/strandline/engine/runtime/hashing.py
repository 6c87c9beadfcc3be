"""Hash functions on packed states; the width of a state is known to the compiler or given at run time."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from strandline.engine.runtime.jit import INLINED, inlined

U = np.uint64
_1, _29, _32, _58 = U(1), U(29), U(32), U(58)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)
_UNMIX_1, _UNMIX_2 = U(pow(int(_MIX_1), -1, 1 << 64)), U(pow(int(_MIX_2), -1, 1 << 64))


def word_count(words):
    """Return the number of words of a state.

    `words` is a tuple, whose length the compiler knows, or a number that is known at run time only.
    """
    return U(len(words)) if isinstance(words, tuple) else U(words)


@overload(word_count, jit_options=INLINED)
def _word_count_overload(words):
    if isinstance(words, types.BaseTuple):
        count = len(words)
        return lambda words: U(count)
    return lambda words: U(words)


@inlined
def mix(word):
    """Mix the bits of a word: a bijection whose upper result bits depend on all bits of the word."""
    word ^= word >> _32
    word *= _MIX_1
    word ^= word >> _29
    word *= _MIX_2
    return word ^ (word >> _32)


@inlined
def _unmix(word):
    """Invert `mix`."""
    word ^= word >> _32
    word *= _UNMIX_2
    word ^= (word >> _29) ^ (word >> _58)
    word *= _UNMIX_1
    return word ^ (word >> _32)


@inlined
def state_hash(array, at, words):
    """Return the hash of the state at `array[at]`."""
    count = word_count(words)
    if count == _1:
        return mix(array[at])
    value = count
    for word in range(count):
        value = (value ^ array[at + word]) * _MIX_1
        value ^= value >> _32
    return mix(value)


@inlined
def first_word(hash_value, array, at, words):
    """Recover the first word of a state from its hash and its other words, which follow `array[at]`.

    The hash is a bijection in the first word while the others are fixed, so a hash and the other words identify a
    state.
    """
    count = word_count(words)
    value = _unmix(hash_value)
    if count == _1:
        return value
    for before in range(count - _1):
        value ^= value >> _32
        value = (value * _UNMIX_1) ^ array[at + count - _1 - before]
    value ^= value >> _32
    return (value * _UNMIX_1) ^ count


@inlined
def home(hash_value, places):
    """Return the home slot of a hash in a table with `places` slots; monotone in the hash."""
    return ((hash_value >> _32) * places) >> _32


@inlined
def same_state(array, at, other, place, words):
    """Return True if the states at `array[at]` and `other[place]` are equal."""
    same = True
    for word in range(word_count(words)):
        if array[at + word] != other[place + word]:
            same = False
            break
    return same


@inlined
def copy_state(array, at, other, place, words):
    """Copy the state at `array[at]` to `other[place]`."""
    for word in range(word_count(words)):
        other[place + word] = array[at + word]
