"""The loop of MAP: maximal accepting predecessors (Brim, Černá, Moravec, Šimša 2004; 001 §3.2).

The value of a state is the largest accepting state from which it can be reached. A breadth-first search propagates
values forward and expands a state again whenever its value rises; a state that receives itself lies on an accepting
cycle. A cycle may be hidden by a larger accepting state that leads to it, so a round that found nothing is followed by
another one without the accepting states that are the value of some state when the round ends. The search ends when none
is left.

The states of a cycle have the same value, so a round may propagate values only between states that had the same value
in the round before: within a *predecessor subgraph* of Brim et al. Less is hidden then. 001 does not mention this; it
is done if `subgraphs` is set.

Every state stays stored. States are ordered by their records, which are their numbers. Behind a state are its value
(lower half) and the link of the queue (upper half), then its flags, the round in which it was reached last, and (upper
half) its value in the round before: so values of an earlier round need not be cleared.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.batch_kernel import add_to_batch
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.numbered_kernel import room_for_one, store_one
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import BUDGET, CONTINUE, CYCLE, DONE, NONE
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find

U = np.uint64
_0, _1, _8, _32 = U(0), U(1), U(8), U(32)
_LOW = U(0xFFFF_FFFF)
_AT_A_TIME = U(1 << 20)

_FLAGS = U(0xFF)
_EXPANDED, _COUNTED = U(1), U(2)
"""Flags: the labels of the state are known; it accepts and was not deleted."""


class Predecessors(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    batch: Any
    store: Any
    journal: Any
    state: Any


@inlined
def _enqueue(search, record):
    """Append a state to the queue unless it is queued. The queue is a ring of links; `last` is its last member."""
    store, state = search.store, search.state
    own = extra_at(store, record)
    if store.entries[own] >> _32 != _0:
        return
    following = record + _1
    if state.last != _0:
        place = extra_at(store, state.last - _1)
        following = store.entries[place] >> _32
        store.entries[place] = (store.entries[place] & _LOW) | ((record + _1) << _32)
    store.entries[own] = (store.entries[own] & _LOW) | (following << _32)
    state.last = record + _1


@inlined
def _dequeue(search, record):
    """Remove the first state from the queue."""
    store, state = search.store, search.state
    own = extra_at(store, record)
    if state.last == record + _1:
        state.last = _0
    else:
        place = extra_at(store, state.last - _1)
        store.entries[place] = (store.entries[place] & _LOW) | (store.entries[own] & ~_LOW)
    store.entries[own] &= _LOW


@inlined
def _enter_round(search, record):
    """Return True if a state is reached for the first time in this round, and keep its value as the former one."""
    entries, own, rounds = search.store.entries, extra_at(search.store, record), search.state.rounds
    if (entries[own + _1] & _LOW) >> _8 == rounds:
        return False
    entries[own + _1] = (entries[own] << _32) | (rounds << _8) | (entries[own + _1] & _FLAGS)
    return True


@inlined
def _receive(search, record, value, first):
    """Raise the value of a stored state that is reached, and queue it; in a new round, set the value instead."""
    entries, own = search.store.entries, extra_at(search.store, record)
    if not first and value <= entries[own] & _LOW:
        return
    entries[own] = (entries[own] & ~_LOW) | value
    _enqueue(search, record)


@inlined
def _absorb(search):
    """Propagate the value `carried` to the rest of the batch."""
    expansion, batch, store, state = search.expansion, search.batch, search.store, search.state
    rest = batch.rest
    while rest.next < rest.count:
        at, hash_value = rest.next * expansion.stride, batch.hashes[rest.next]
        record = find(store, expansion.records, at, hash_value)
        if record == NONE:
            code = room_for_one(store, search.journal)
            if code != CONTINUE:
                return code
            record = search.journal.counts.recorded
            store_one(store, search.journal, expansion.records, at, hash_value, batch.links[rest.next])
            own = extra_at(store, record)
            store.entries[own] = store.entries[own + _1] = _0
        first = _enter_round(search, record)
        former = store.entries[extra_at(store, record) + _1] >> _32
        value = state.carried if state.subgraphs == _0 or former == state.former else _0
        # The state receives itself as its largest accepting predecessor: it lies on a cycle.
        if value == record + _1:
            state.record = record
            return CYCLE
        _receive(search, record, value, first)
        rest.next += _1
    if state.initial == _0:
        state.initial = search.journal.counts.recorded
    rest.count = rest.next = _0
    return CONTINUE


@inlined
def _expand(search):
    """Make the successors of the first state of the queue the batch."""
    expansion, batch, store, state = search.expansion, search.batch, search.store, search.state
    entries = store.entries
    record = (entries[extra_at(store, state.last - _1)] >> _32) - _1
    code = compute_successors(expansion, entries, record * store.entry, record, _0)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    own = extra_at(store, record)
    _dequeue(search, record)
    if entries[own + _1] & _EXPANDED != _0:
        search.journal.counts.visited += _1
    else:
        count_expanded(search.journal.counts, successors, labels)
        entries[own + _1] |= _EXPANDED
        if labels & state.accepting == state.accepting:
            entries[own + _1] |= _COUNTED
            state.remaining += _1
    state.carried = entries[own] & _LOW
    if entries[own + _1] & _COUNTED != _0:
        state.carried = max(state.carried, record + _1)
    state.former = entries[own + _1] >> _32
    add_to_batch(batch, expansion, store, record, record, _0)
    batch.rest.count = successors
    return CONTINUE


@inlined
def _delete(search):
    """Do a part of the delete transformation: accepting states that are the value of some state accept no longer.

    Returns CONTINUE when it is finished and another round has begun, BUDGET after a part, DONE if there is no further
    round.
    """
    store, state = search.store, search.state
    count = search.journal.counts.recorded
    last = min(count, state.delete_next + _AT_A_TIME)
    for record in range(state.delete_next, last):
        value = store.entries[extra_at(store, record)] & _LOW
        if value != _0:
            flags = extra_at(store, value - _1) + _1
            if store.entries[flags] & _COUNTED != _0:
                store.entries[flags] &= ~_COUNTED
                state.remaining -= _1
                state.deleted += _1
    state.delete_next = last
    # `delete_next` keeps the position, so that the next call continues here.
    if last < count:
        return BUDGET
    if state.deleted == _0 or state.remaining == _0:
        return DONE
    state.delete_next = state.deleted = _0
    state.rounds += _1
    for record in range(state.initial):
        _receive(search, record, _0, _enter_round(search, record))
    return CONTINUE


@njit
def predecessors(search, budget):
    """Search on for about `budget` expansions, with the initial states as the first batch.

    Returns DONE, BUDGET, GROW, FLUSH, FAULT, or CYCLE: then `record` accepts and lies on a cycle.
    """
    counts = search.journal.counts
    stop_at = counts.visited + budget
    code = CONTINUE
    while code == CONTINUE:
        code = _absorb(search)
        if code == CONTINUE and counts.visited >= stop_at:
            code = BUDGET
        if code == CONTINUE:
            code = _delete(search) if search.state.last == _0 else _expand(search)
    return code
