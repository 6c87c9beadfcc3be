"""Successors between being computed and being placed.

Expansion and insertion alternate in batches, so that a table's place is fetched while other successors are computed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.codes import CONTINUE
from strandline.engine.expansion_kernel import link_of
from strandline.engine.hashing import state_hash
from strandline.engine.jit import inlined, njit
from strandline.engine.store.interface import fingerprint, prefetch_home, room_to_enlist

_0 = np.uint64(0)


class Batch(NamedTuple):
    """Successors between being computed and being placed: record `number` of the `Expansion` has its link, its hash and
    the number of its source here."""

    links: Any
    hashes: Any
    sources: Any
    rest: Any


@inlined
def enlist(batch, expansion, store, record, used):
    """The successors of the state with this record, which was asked for last, join the batch after the first `used`.
    The store must have room to enlist them."""
    for step in range(expansion.answer.successors):
        number = used + step
        hash_value = fingerprint(store, expansion.records, number * expansion.stride)
        batch.links[number] = link_of(record, step)
        batch.hashes[number] = hash_value
        prefetch_home(store, hash_value)


@njit
def hash_records(expansion, batch, count):
    """Compute the hashes of the first records of a batch."""
    for number in range(count):
        batch.hashes[number] = state_hash(expansion.records, number * expansion.stride, expansion.words)


@njit
def hash_for(expansion, batch, store, count):
    """The same, as a store knows the states: CONTINUE, or what is to be done first."""
    code = room_to_enlist(store, count, _0)
    if code == CONTINUE:
        for number in range(count):
            batch.hashes[number] = fingerprint(store, expansion.records, number * expansion.stride)
    return code
