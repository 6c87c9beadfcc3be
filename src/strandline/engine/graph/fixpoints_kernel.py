"""Passes over a block of rows, from its last row to its first, which grow or shrink a set.

Successors of a record mostly have larger records, so that a pass against their order propagates values far. `versions`
has the version at which each chunk of records changed last.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.graph.log_kernel import CHUNK_BITS
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _6, _63 = U(0), U(1), U(6), U(63)
_CHUNK = U(CHUNK_BITS)


@inlined
def has(bits, record):
    """Return True if a record is in a set."""
    return (bits[record >> _6] >> (record & _63)) & _1 != _0


@inlined
def flip(bits, record):
    """Add a record to a set, or remove it."""
    bits[record >> _6] ^= _1 << (record & _63)


@inlined
def _begin(rows, number):
    """Return where the targets of a row begin."""
    return U(rows.ends[number - 1]) if number > 0 else _0


@inlined
def _some_in(bits, rows, begin, end):
    """Return True if one of these targets is in the set."""
    found = False
    while begin < end and not found:
        found = has(bits, U(rows.targets[begin]))
        begin += _1
    return found


@njit
def add_predecessors(rows, operand, result, dead_repeats):
    """Add records with a successor in `operand`; a state without successors is its own one if `dead_repeats`."""
    for number in range(len(rows.records)):
        record, begin, end = U(rows.records[number]), _begin(rows, number), U(rows.ends[number])
        if begin == end:
            if dead_repeats and has(operand, record):
                flip(result, record)
        elif _some_in(operand, rows, begin, end):
            flip(result, record)


@njit
def grow_until(rows, through, result, versions, now):
    """Add to `result` the records of `through` with a successor in `result`; return their number."""
    added = 0
    # Backwards, since most edges lead to larger records: one pass propagates along whole paths.
    for number in range(len(rows.records) - 1, -1, -1):
        record = U(rows.records[number])
        lacking = has(through, record) and not has(result, record)
        if lacking and _some_in(result, rows, _begin(rows, number), U(rows.ends[number])):
            flip(result, record)
            versions[record >> _CHUNK] = now
            added += 1
    return added


@njit
def shrink_always(rows, result, dead_repeats, versions, now):
    """Remove from `result` the records without a successor in `result`; return their number."""
    removed = 0
    for number in range(len(rows.records) - 1, -1, -1):
        record = U(rows.records[number])
        if has(result, record):
            begin, end = _begin(rows, number), U(rows.ends[number])
            stays = dead_repeats if begin == end else _some_in(result, rows, begin, end)
            if not stays:
                flip(result, record)
                versions[record >> _CHUNK] = now
                removed += 1
    return removed
