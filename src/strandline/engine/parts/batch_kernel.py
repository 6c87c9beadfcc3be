"""Successors between being computed and being placed.

Expansion and insertion alternate in batches, so that a table's place is fetched while other successors are computed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

from strandline.engine.parts.expansion_kernel import link_of
from strandline.engine.runtime.codes import NONE
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import meet


class Batch(NamedTuple):
    """Successors between being computed and being placed: record `number` of the `Expansion` has its link, its hash and
    the number of its source here."""

    links: Any
    hashes: Any
    sources: Any
    rest: Any


@inlined
def enlist(batch, expansion, store, record, source, used):
    """The successors of the state with this record and entry, which was asked for last, join the batch after the first
    `used`."""
    for step in range(expansion.answer.successors):
        number = used + step
        batch.links[number] = link_of(record, step)
        meet(store, batch, number, expansion.records, number * expansion.stride, source)


@njit
def hash_records(expansion, batch, count):
    """Compute the hashes of the first records of a batch."""
    for number in range(count):
        batch.hashes[number] = state_hash(expansion.records, number * expansion.stride, expansion.words)


@njit
def meet_initial(expansion, batch, store, count):
    """The first records of a batch are initial states, which a store is to know."""
    for number in range(count):
        meet(store, batch, number, expansion.records, number * expansion.stride, NONE)
