"""Breadth-first search for a loop inside a region: the second, logged search that extracts a cycle.

The first search knows that a cycle through some state exists and where it lies: in one SCC of its stored states, in one
column or in one layer. This one looks there for a shortest loop that visits every acceptance set (000 §6.2; see
`strandline.engine.cycles.cycle_extraction`). Two searches, one to an accepting state and one back, would not do: from
the nearest accepting state of a layer there may be no path back.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.cycles.components_kernel import OPEN
from strandline.engine.parts.expansion_kernel import compute_successors, link_of
from strandline.engine.parts.line_kernel import column_at, layer_at
from strandline.engine.parts.numbered_kernel import room_for_one, store_one
from strandline.engine.runtime.codes import BUDGET, CONTINUE, CYCLE, DONE, FAULT, NONE, ROOT
from strandline.engine.runtime.hashing import copy_state, same_state, state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find

U = np.uint64
_0, _1 = U(0), U(1)


class Loop(NamedTuple):
    """The arrays of the search.

    An entry is a state and the acceptance sets visited before it; `key` has room for one. `bounds` are column, least
    and largest layer, or empty; `component` is the store of a component search and the first record of the SCC, or
    None.
    """

    expansion: Any
    rest: Any
    store: Any
    journal: Any
    state: Any
    key: Any
    target: Any
    bounds: Any
    component: Any


@inlined
def _inside(words, records, at, bounds, component):
    """Return True if a successor lies in the region: the SCC, the column, the layers."""
    if len(bounds) > 0:
        layer = layer_at(words, records, at)
        if column_at(words, records, at) != bounds[0] or layer < bounds[1] or layer > bounds[2]:
            return False
    if component is not None:
        store, first = component
        record = find(store, records, at, state_hash(records, at, words))
        if record == NONE or record < first:
            return False
        return store.entries[extra_at(store, record)] == OPEN
    return True


@inlined
def _expand(search):
    """Make the successors of the next state the batch.

    A state whose steps fault is taken to have none: all states of the cycle were expanded by the first search, which
    ends at the first fault, so the cycle does not need it.
    """
    expansion, store, state = search.expansion, search.store, search.state
    width = word_count(expansion.words)
    at = state.head * store.entry
    code = compute_successors(expansion, store.entries, at, state.head, _0)
    if code == FAULT:
        state.head += _1
        return CONTINUE
    if code != CONTINUE:
        return code
    search.journal.counts.visited += _1
    search.journal.counts.transitions += expansion.answer.successors
    search.key[width] = store.entries[at + width] | (expansion.labels[0] & state.accepting)
    search.rest.count, search.rest.next = expansion.answer.successors, _0
    state.source = state.head
    state.head += _1
    return CONTINUE


@inlined
def _absorb(search, component):
    """Store the new states of the batch that are inside the region; return CYCLE at the edge that closes the loop."""
    expansion, store, journal, state, key = search.expansion, search.store, search.journal, search.state, search.key
    words, records, rest = expansion.words, expansion.records, search.rest
    while rest.next < rest.count:
        step = rest.next
        at, link = step * expansion.stride, link_of(state.source, step)
        first = state.source == U(ROOT)
        all_met = not first and key[word_count(words)] == state.accepting
        # Only a path that has visited every acceptance set may close the loop.
        if all_met and same_state(records, at, search.target, _0, words):
            state.link = link
            return CYCLE
        if first or _inside(words, records, at, search.bounds, component):
            code = room_for_one(store, journal)
            if code != CONTINUE:
                return code
            # The acceptance sets are part of the key: the same state may be visited once for each combination.
            copy_state(records, at, key, _0, words)
            store_one(store, journal, key, _0, state_hash(key, _0, store.words), link)
        rest.next = step + _1
    rest.count = rest.next = _0
    return CONTINUE


@njit
def loop(search, budget):
    """Search on for about `budget` expansions. Returns CYCLE, DONE, BUDGET, GROW or FLUSH.

    The first batch is the start, with the parent ROOT. After CYCLE, the edge `link` leads back to `target` with all
    acceptance sets visited.
    """
    stop_at = search.journal.counts.visited + budget
    while True:
        code = _absorb(search, search.component)
        if code == CONTINUE:
            if search.state.head == search.journal.counts.recorded:
                return DONE
            if search.journal.counts.visited >= stop_at:
                return BUDGET
            code = _expand(search)
        if code != CONTINUE:
            return code
