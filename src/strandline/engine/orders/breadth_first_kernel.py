"""The loop of breadth-first search: states are expanded in the order of discovery, and none is deleted.

Expansion and insertion alternate in batches, so that hash table slots are prefetched while other successors are
computed. The record of a state is the number of its entry.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.batch_kernel import add_to_batch
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.search_output_kernel import (
    count_stored,
    expanded_is_full,
    record_expanded,
    record_source,
    record_target,
    targets_are_full,
)
from strandline.engine.runtime.codes import AHEAD, BATCH, BUDGET, CONTINUE, DONE, FLUSH, GROW
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import (
    add,
    complete_hashes,
    entry_room,
    make_room,
    open_entry,
    prefetch_match,
)

U = np.uint64
_0, _1, _63 = U(0), U(1), U(63)
_BATCH, _AHEAD = U(BATCH), U(AHEAD)


class BreadthFirst(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    batch: Any
    store: Any
    journal: Any
    levels: Any
    level: Any


@inlined
def begin_level(level, levels, found):
    """Begin the next level when the last one is finished: the states found since then, up to record `found`.

    Returns CONTINUE, DONE if there are none, or GROW.
    """
    if level.head < level.end:
        return CONTINUE
    if level.end == found:
        return DONE
    if level.count >= U(len(levels)):
        level.wanted = level.count + _1
        return GROW
    levels[level.count] = found - level.end
    level.count += _1
    level.end = found
    return CONTINUE


@inlined
def _next_level(search):
    return begin_level(search.level, search.levels, search.journal.counts.recorded)


@inlined
def _expand(search):
    """Fill the batch with the successors of the next states of the level."""
    expansion, batch, store, journal = search.expansion, search.batch, search.store, search.journal
    words = expansion.words
    used, head = batch.rest.count, search.level.head
    transitions, deadlocks = _0, _0
    last = min(search.level.end, head + _BATCH)
    code = CONTINUE
    while head < last and used < _BATCH:
        if expanded_is_full(journal, words):
            code = FLUSH
            break
        states, at = open_entry(store, head)
        code = compute_successors(expansion, states, at, head, used)
        if code != CONTINUE:
            break
        successors, labels = expansion.answer.successors, expansion.labels[0]
        record_source(journal, head)
        record_expanded(journal, words, states, at, successors, labels)
        transitions += successors
        deadlocks += labels >> _63
        add_to_batch(batch, expansion, store, head, head, used)
        used += successors
        head += _1
    counts = journal.counts
    counts.visited += head - search.level.head
    counts.transitions += transitions
    counts.deadlocks += deadlocks
    search.level.head = head
    batch.rest.count = used
    # A full buffer of successors is empty again when they are inserted.
    return CONTINUE if code == FLUSH and used > _0 else code


@inlined
def _absorb(search):
    """Insert the rest of the batch into the store."""
    expansion, batch, store, journal = search.expansion, search.batch, search.store, search.journal
    records, stride, counts = expansion.records, expansion.stride, journal.counts
    number, last = batch.rest.next, batch.rest.count
    code = complete_hashes(store, batch, records, stride)
    while code == CONTINUE and number < last:
        code = make_room(store)
        if code != CONTINUE:
            break
        found, fill = counts.recorded, journal.fill.links
        room = min(store.shape.most - store.shape.count, U(len(journal.links)) - fill)
        if room == _0 or targets_are_full(journal):
            code = FLUSH
            break
        if not entry_room(store, found + room - _1):
            room = U(len(store.entries)) // store.entry - min(found, U(len(store.entries)) // store.entry)
            if room == _0:
                code = GROW
                break
            store.shape.wanted_entries = _0
        # Inner loop without checks for room: counters are written back once per run of insertions.
        new = _0
        while number < last and new < room and not targets_are_full(journal):
            ahead = number + _AHEAD
            if ahead < last:
                prefetch_match(store, batch.hashes[ahead])
            entry = add(store, found + new, records, number * stride, batch.hashes[number])
            record_target(journal, entry)
            if entry == found + new:
                journal.links[fill + new] = batch.links[number]
                new += _1
            number += _1
        journal.fill.links += new
        counts.recorded += new
        count_stored(counts, new)
    batch.rest.next = number
    if number == last:
        batch.rest.next = batch.rest.count = batch.rest.recognised = _0
    return code


@njit
def next_level(search):
    """Begin the next level, for callers outside of kernels; see `begin_level`."""
    return _next_level(search)


@njit
def breadth_first(search, budget):
    """Search on for about `budget` expansions, with the initial states as the first batch.

    Returns DONE, BUDGET, GROW, FAULT, FOUND or FLUSH; after all but DONE and FAULT it can be called again.
    """
    counts = search.journal.counts
    stop_at = counts.visited + budget
    code = CONTINUE
    while code == CONTINUE:
        code = _absorb(search)
        if code == CONTINUE:
            code = _next_level(search) if counts.visited < stop_at else BUDGET
        if code == CONTINUE:
            code = _expand(search)
    return code
