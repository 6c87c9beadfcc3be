"""Links as they lie in the parent log: each as the difference of its parent to that of the link before, and its step,
in as few bytes as that takes."""

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
"""What a link takes at most."""


@njit
def compress(links, out):
    """Write all links to `out`, which has `MOST_BYTES` for each and one more. The answer is how many bytes they take;
    0 where a number would have more than 64 bits."""
    steps, differences, previous = _0, _0, _0
    for link in links:
        parent = link >> _STEP_BITS
        steps |= link & _STEP_MASK
        differences |= _folded(parent - previous)
        previous = parent
    bits = _length(steps)
    if bits + _length(differences) > _64:
        return 0
    out[0] = bits
    place, previous = 1, _0
    for link in links:
        parent = link >> _STEP_BITS
        rest = _folded(parent - previous) << bits | (link & _STEP_MASK)
        previous = parent
        while rest > _127:
            out[place] = rest & _127 | _128
            rest >>= _7
            place += 1
        out[place] = rest
        place += 1
    return place


@njit
def expand(data, links):
    """Read as many links as there are in `links` back. The answer is how many bytes they took; more than there are
    where the data are damaged."""
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
        previous += _unfolded(rest >> bits)
        links[number] = previous << _STEP_BITS | (rest & ((_1 << bits) - _1))
    return place


@inlined
def _folded(difference):
    """A difference of two words with the sign in the lowest bit: near 0 where it is, either way."""
    return (difference << _1) ^ (_0 - (difference >> _63))


@inlined
def _unfolded(number):
    return (number >> _1) ^ (_0 - (number & _1))


@inlined
def _length(word):
    """How many bits a word has up to its highest."""
    length = _0
    while word:
        word >>= _1
        length += _1
    return length
