"""The batch: successors that are computed and not yet inserted.

Expansion and insertion alternate in batches, so that hash table slots are prefetched while other successors are
computed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

from strandline.engine.parts.expansion_kernel import link_of
from strandline.engine.runtime.codes import NONE
from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import prepare_hash


class Batch(NamedTuple):
    """Links, hashes and sources of computed successors.

    Record `number` of the `Expansion` has its link, its hash and the number of its source entry here.
    """

    links: Any
    hashes: Any
    sources: Any
    rest: Any


@inlined
def add_to_batch(batch, expansion, store, record, source, used):
    """Append the successors that were computed last to a batch that has `used` successors.

    `record` and `source` are the record and the entry of the state that was expanded.
    """
    for step in range(expansion.answer.successors):
        number = used + step
        batch.links[number] = link_of(record, step)
        prepare_hash(store, batch, number, expansion.records, number * expansion.stride, source)


@njit
def hash_records(expansion, batch, count):
    """Compute the hashes of the first `count` records of a batch."""
    for number in range(count):
        batch.hashes[number] = state_hash(expansion.records, number * expansion.stride, expansion.words)


@njit
def prepare_initial(expansion, batch, store, count):
    """Prepare the hashes of the initial states, which are the first `count` records of a batch."""
    for number in range(count):
        prepare_hash(store, batch, number, expansion.records, number * expansion.stride, NONE)
