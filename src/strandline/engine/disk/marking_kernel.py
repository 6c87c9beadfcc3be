"""Lookup of sorted rows in sorted arrays and in sorted files, with a filter that excludes most rows at once.

The filter is Bloom's (1970); the bits of a state lie in one word, and sorted rows access the words in order.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.disk.sorting_kernel import at_least
from strandline.engine.runtime.hashing import home, same_state, word_count
from strandline.engine.runtime.intrinsics import read_at
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _6, _12, _63 = U(0), U(1), U(6), U(12), U(63)


class Run(NamedTuple):
    """An open file of sorted states.

    `fence` has the hash of every state that begins a block; states with hashes from fence i to fence i + 1, both
    included, lie in block i. `pread` is the address of that function of the C library.
    """

    fence: Any
    block: Any
    states: Any
    file: Any
    pread: Any


# --- the filter -------------------------------------------------------------------------------------------------


@inlined
def _bits(hash_value):
    """Return the filter bits of a state; they are independent of the word that has them."""
    return (_1 << (hash_value & _63)) | (_1 << (hash_value >> _6 & _63)) | (_1 << (hash_value >> _12 & _63))


@njit
def add_to_filter(states, words, filter_words):
    """Add states to the filter."""
    width = word_count(words)
    for at in range(_0, U(len(states)), width):
        filter_words[home(states[at], U(len(filter_words)))] |= _bits(states[at])


@inlined
def _may_be_there(filter_words, hash_value):
    """Return False if the filter excludes a state."""
    bits = _bits(hash_value)
    # All bits of a state lie in one word: one cache miss, and sorted rows read the filter in order.
    return filter_words[home(hash_value, U(len(filter_words)))] & bits == bits


# --- known states -----------------------------------------------------------------------------------------------


@inlined
def _is_at(rows, row, known, width, place, count, words):
    """Return True if the state of a row is one of the known states from `place` on that have its hash."""
    while place < count and known[place * width] == rows[row]:
        if same_state(rows, row, known, place * width, words):
            return True
        place += _1
    return False


@njit
def mark_known(rows, words, count, known, marks):
    """Mark those of the first `count` sorted rows whose state is among the sorted known states."""
    width = word_count(words)
    size, states, place = width + _1, U(len(known)) // width, _0
    # About half the distance between two known states that are looked up.
    step = max(_1, states // max(_1, count) >> _1)
    for number in range(count):
        place = at_least(known, width, place, states, step, rows[number * size])
        if _is_at(rows, number * size, known, width, place, states, words):
            marks[number] = 1


@njit
def mark_in_file(rows, words, count, filter_words, run, buffer, marks):
    """Mark those of the first `count` sorted rows whose state is in a file.

    Only rows that are not marked yet and that the filter does not exclude are looked up. Returns False if the file
    cannot be read.
    """
    width = word_count(words)
    size, blocks, at_once = width + _1, U(len(run.fence)), U(len(buffer)) // (run.block * width)
    first, behind, block, ahead, known, place = _0, _0, _0, _0, _0, _0
    for number in range(count):
        wanted = rows[number * size]
        if marks[number] != 0 or not _may_be_there(filter_words, wanted):
            continue
        # The last block that begins with a smaller hash, and all that begin with this one.
        block = at_least(run.fence, _1, block, blocks, _1, wanted)
        block -= min(block, _1)
        last = block
        while last + _1 < blocks and run.fence[last + _1] == wanted:
            last += _1
        at = block
        while True:
            if at < first or at >= behind:
                # Read ahead: twice as much whenever blocks are read in sequence.
                ahead = min(ahead + ahead + _1, at_once) if at <= behind + _1 else _1
                first, behind = at, min(blocks, at + ahead)
                known, place = min(behind * run.block, run.states) - first * run.block, _0
                if not _read(run, buffer, first * run.block * width, known * width):
                    return False
            place = at_least(buffer, width, place, known, _1, wanted)
            if _is_at(rows, number * size, buffer, width, place, known, words):
                marks[number] = 1
                break
            if last < behind:
                break
            at = behind
    return True


@inlined
def _read(run, buffer, first, count):
    """Read words of a file; return False if not all could be read."""
    size = U(8) * count
    return U(read_at(run.pread, run.file, buffer, size, U(8) * first)) == size
