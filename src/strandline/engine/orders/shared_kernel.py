"""Breadth-first search by several threads in rounds; a round expands a part of a level.

The threads claim states to expand and records for new ones from shared counters by fetch-and-add, and insert new states
into one table by compare-and-swap. Between two rounds everything is as a single thread would have left it, but for the
order of a level's states: distances do not depend on the number of threads.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.batch_kernel import add_to_batch
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import BATCH, CONTINUE, FLUSH
from strandline.engine.runtime.intrinsics import fetch_add, load_acquire
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import prefetch_match
from strandline.engine.store.table_kernel import add_shared, renumber

U = np.uint64
_0, _1 = U(0), U(1)
_BATCH, _AHEAD = U(BATCH), U(6)

STATE, NUMBER, STOP = U(0), U(16), U(32)
"""Positions of the shared counters: next unclaimed state, next unclaimed record, stop flag; on separate cache lines."""
COMMON_WORDS = 48


class Shared(NamedTuple):
    """The arrays of one worker.

    `common`, `store` and `links` are shared; `links[0]` belongs to the first record of the round. `round` has the
    limits of the round, `own` the ranges that the worker has claimed.
    """

    expansion: Any
    batch: Any
    store: Any
    links: Any
    common: Any
    round: Any
    own: Any
    counts: Any


@inlined
def _has_number(worker):
    """Return True if the worker has a record for a new state; claim some if not."""
    own, limits = worker.own, worker.round
    if own.number < own.numbers_end:
        return True
    # Claimed in blocks, so that the shared counter is rarely touched; `close_gaps` fills the unused rest.
    first = fetch_add(worker.common, NUMBER, limits.numbers_claimed)
    if first >= limits.numbers_end:
        return False
    own.number, own.numbers_end = first, min(first + limits.numbers_claimed, limits.numbers_end)
    return True


@inlined
def _store_batch(worker):
    """Store the rest of the batch. Returns CONTINUE, or FLUSH if no records are left."""
    expansion, batch, store, own = worker.expansion, worker.batch, worker.store, worker.own
    last = batch.rest.count
    number = batch.rest.next
    while number < last:
        if not _has_number(worker):
            batch.rest.next = number
            return FLUSH
        while number < last and own.number < own.numbers_end:
            if number + _AHEAD < last:
                prefetch_match(store, batch.hashes[number + _AHEAD])
            # If the state is known, the number stays free for the next one, which overwrites the entry.
            if add_shared(store, own.number, expansion.records, number * expansion.stride, batch.hashes[number]):
                worker.links[own.number - worker.round.numbers_begin] = batch.links[number]
                own.number += _1
            number += _1
    batch.rest.next = batch.rest.count = _0
    return CONTINUE


@inlined
def _expand_batch(worker):
    """Fill the empty batch with successors of the next states. Returns CONTINUE, or a code of `compute_successors`."""
    expansion, batch, store, own = worker.expansion, worker.batch, worker.store, worker.own
    used, code = _0, CONTINUE
    while own.state < own.states_end and used < _BATCH:
        code = compute_successors(expansion, store.entries, own.state * store.entry, own.state, used)
        if code != CONTINUE:
            break
        successors = expansion.answer.successors
        count_expanded(worker.counts, successors, expansion.labels[0])
        add_to_batch(batch, expansion, store, own.state, own.state, used)
        used += successors
        own.state += _1
    batch.rest.count = used
    # A full buffer of successors is empty again when they are stored.
    return CONTINUE if code == FLUSH else code


@njit
def expand_shared(worker):
    """Expand states of the round until none is left.

    Returns CONTINUE; FOUND, FAULT or GROW of this worker's next state; or FLUSH. Then the others stop too, as soon as
    they have expanded the states that they have claimed.
    """
    common, own, limits = worker.common, worker.own, worker.round
    while True:
        code = _store_batch(worker)
        if code == CONTINUE and own.state == own.states_end:
            # Checked before claiming only: a claimed state is always expanded.
            if load_acquire(common, STOP) != _0:
                return CONTINUE
            # Claims may run beyond the end of the round; the driver clips the counter.
            first = fetch_add(common, STATE, _BATCH)
            if first >= limits.states_end:
                return CONTINUE
            own.state, own.states_end = first, min(first + _BATCH, limits.states_end)
        if code == CONTINUE:
            code = _expand_batch(worker)
        if code != CONTINUE:
            # The other threads finish the states that they have claimed, and claim no more.
            fetch_add(common, STOP, _1)
            return code


@njit
def close_gaps(store, links, begin, end, gaps):
    """Fill unused records between `begin` and `end` with the last states; return the new end.

    `gaps` has rows of the first number and the one behind the last, in increasing order.
    """
    last = len(gaps)
    gap = 0
    while gap < last:
        number, gap_end = gaps[gap, 0], gaps[gap, 1]
        while number < gap_end:
            # Unused numbers at the end are cut off.
            while last > gap + 1 and gaps[last - 1, 1] == end:
                last -= 1
                end = gaps[last, 0]
            if end == gap_end:
                return number
            end -= _1
            renumber(store, end, number)
            links[number - begin] = links[end - begin]
            number += _1
        gap += 1
    return end
