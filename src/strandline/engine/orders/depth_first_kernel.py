"""The loop of depth-first search: a state is stored and expanded when it is popped, its first successor next."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.numbered_kernel import room_for_one, store_one
from strandline.engine.parts.search_output_kernel import count_expanded, expanded_is_full, record_expanded
from strandline.engine.parts.stack_kernel import (
    MOVES,
    Moves,
    compute_successors_for_stack,
    drop,
    push_successors,
    search_depth_first,
    top_of,
)
from strandline.engine.runtime.codes import CONTINUE, FLUSH
from strandline.engine.runtime.hashing import state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1 = U(0), U(1)


class DepthFirst(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    store: Any
    stack: Any
    journal: Any


@inlined
def _process_top(search):
    """Pop a state and store it unless it is stored; a new one is expanded next."""
    store, stack, journal, words = search.store, search.stack, search.journal, search.expansion.words
    code = room_for_one(store, journal)
    if code != CONTINUE:
        return code
    at = top_of(stack, words)
    link = stack.items[at + word_count(words)]
    if store_one(store, journal, stack.items, at, state_hash(stack.items, at, words), link):
        stack.top.unexpanded = journal.counts.recorded
    drop(stack)
    return CONTINUE


@inlined
def _enter(search):
    """Expand the state stored last and push its successors."""
    expansion, store, stack, journal = search.expansion, search.store, search.stack, search.journal
    if expanded_is_full(journal, expansion.words):
        return FLUSH
    record = stack.top.unexpanded - _1
    at = record * store.entry
    code = compute_successors_for_stack(stack, expansion, store, record, record)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    count_expanded(journal.counts, successors, labels)
    record_expanded(journal, expansion.words, store.entries, at, successors, labels)
    push_successors(stack, expansion, store, record)
    stack.top.unexpanded = _0
    return CONTINUE


@inlined
def _leave(search):
    """Return CONTINUE: this search has no markers."""
    return CONTINUE


MOVES[DepthFirst] = Moves(_enter, _process_top, _leave)


@njit
def depth_first(search, budget):
    """Search on for `budget` expansions, with the initial states on the stack.

    Returns as `strandline.engine.orders.breadth_first_kernel.breadth_first`.
    """
    return search_depth_first(search, budget)
