"""Compression of parent-log links: zigzag differences of parents, with the step, as varints (LEB128)."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.codes import LINK_BLOCK, LINK_BYTES, PLAIN_LINKS, STEP_BITS, STEP_MASK
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _7, _8, _63, _127, _128, _255 = (U(number) for number in (0, 1, 7, 8, 63, 127, 128, 255))
_STEP_BITS, _STEP_MASK = U(STEP_BITS), U(STEP_MASK)
_BLOCK, _MOST_BITS = U(LINK_BLOCK), U(7 * LINK_BYTES)


@njit
def encode(links, count, first, last, out, at, sizes):
    """Encode blocks `first` to `last` of the first `count` links to `out[at]`; return the end of what is written there.

    `sizes` gets the number of bytes of each block.
    """
    for block in range(first, last):
        begin = block * _BLOCK
        end = min(begin + _BLOCK, count)
        place = _compress(links, begin, end, out, at)
        if place == at:
            place = _copy(links, begin, end, out, at)
        sizes[block] = place - at
        at = place
    return at


@inlined
def _copy(links, begin, end, out, at):
    """Write links uncompressed, little-endian; return the end."""
    out[at] = PLAIN_LINKS
    at += _1
    for number in range(begin, end):
        link = links[number]
        for _ in range(_8):
            out[at] = link & _255
            link >>= _8
            at += _1
    return at


@inlined
def _compress(links, begin, end, out, at):
    """Compress the links of a block; return the end, or `at` if a number could take more than `LINK_BYTES` bytes."""
    steps, differences, previous = _0, _0, _0
    for number in range(begin, end):
        link = links[number]
        parent = link >> _STEP_BITS
        steps |= link & _STEP_MASK
        differences |= _zigzag(parent - previous)
        previous = parent
    # All steps of a block take as many bits as the largest one.
    bits = _bit_length(steps)
    if bits + _bit_length(differences) > _MOST_BITS:
        return at
    out[at] = bits
    place, previous = at + _1, _0
    for number in range(begin, end):
        link = links[number]
        parent = link >> _STEP_BITS
        rest = _zigzag(parent - previous) << bits | (link & _STEP_MASK)
        previous = parent
        # LEB128: seven bits per byte, the top bit is set in all but the last byte.
        while rest > _127:
            out[place] = rest & _127 | _128
            rest >>= _7
            place += _1
        out[place] = rest
        place += _1
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
