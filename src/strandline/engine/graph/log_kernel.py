"""The kernels of `strandline.engine.graph.log`."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.jit import njit

U = np.uint64
_0, _1, _6, _63 = U(0), U(1), U(6), U(63)
CHUNK_BITS = 16
"""Logarithm of the number of records in a chunk, for which changes are tracked."""
DEGREE_BITS = 24
"""Low bits of an index entry: the number of targets; the upper bits are the position of the first."""


@njit
def mark_chunks(targets, chunks):
    """Mark the chunks of records in which targets lie."""
    for number in range(len(targets)):
        chunks[targets[number] >> U(CHUNK_BITS)] = 1


@njit
def mark_labelled(bits, sources, labels, label):
    """Add the sources whose labels have this bit to a set."""
    for number in range(len(sources)):
        if (labels[number] >> label) & _1 != _0:
            record = sources[number]
            bits[record >> _6] |= _1 << (record & _63)


@njit
def index_rows(records, ends, first, least, index):
    """Index the records from `least` on: position and number of their targets.

    The first target of the block lies at position `first` of the file.
    """
    begin = _0
    for number in range(len(records)):
        end = U(ends[number])
        record = U(records[number]) - least
        # Records below `least` wrap around to a number beyond the index.
        if record < U(len(index)):
            index[record] = ((first + begin) << U(DEGREE_BITS)) | (end - begin)
        begin = end
