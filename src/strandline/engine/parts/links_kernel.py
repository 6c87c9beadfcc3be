"""Compression of parent-log links: zigzag differences of parents, with the step, as varints (LEB128)."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.codes import STEP_BITS, STEP_MASK
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _7, _63, _64, _127, _128 = U(0), U(1), U(7), U(63), U(64), U(127), U(128)
_STEP_BITS, _STEP_MASK = U(STEP_BITS), U(STEP_MASK)
MOST_BYTES = 10
"""Most bytes of an encoded link."""


@njit
def compress(links, out):
    """Encode all links to `out`, which has `MOST_BYTES` bytes for each and one more.

    Returns the number of bytes, or 0 if a number would have more than 64 bits.
    """
    steps, differences, previous = _0, _0, _0
    for link in links:
        parent = link >> _STEP_BITS
        steps |= link & _STEP_MASK
        differences |= _zigzag(parent - previous)
        previous = parent
    # All steps of a block take as many bits as the largest one.
    bits = _bit_length(steps)
    if bits + _bit_length(differences) > _64:
        return 0
    out[0] = bits
    place, previous = 1, _0
    for link in links:
        parent = link >> _STEP_BITS
        rest = _zigzag(parent - previous) << bits | (link & _STEP_MASK)
        previous = parent
        # LEB128: seven bits per byte, the top bit is set in all but the last byte.
        while rest > _127:
            out[place] = rest & _127 | _128
            rest >>= _7
            place += 1
        out[place] = rest
        place += 1
    return place


@njit
def expand(data, links):
    """Decode as many links as `links` has room for.

    Returns the number of bytes read, more than there are if the data are damaged.
    """
    bits, place, previous = U(data[0]), 1, _0
    if bits > _STEP_BITS:
        return len(data) + 1
    for number in range(len(links)):
        rest, shift = _0, _0
        while True:
            if place == len(data) or shift > _63:
                return len(data) + 1
            byte = U(data[place])
            rest |= (byte & _127) << shift
            shift += _7
            place += 1
            if byte < _128:
                break
        previous += _unzigzag(rest >> bits)
        links[number] = previous << _STEP_BITS | (rest & ((_1 << bits) - _1))
    return place


@inlined
def _zigzag(difference):
    """Encode a signed difference as zigzag: the sign in the lowest bit, so that small differences are small numbers."""
    return (difference << _1) ^ (_0 - (difference >> _63))


@inlined
def _unzigzag(number):
    """Decode a zigzag number."""
    return (number >> _1) ^ (_0 - (number & _1))


@inlined
def _bit_length(word):
    """Return the number of bits of a word up to its highest set bit."""
    length = _0
    while word:
        word >>= _1
        length += _1
    return length
