"""Depth-first search: a state is stored and expanded when it is taken from the stack, its first successor next."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.codes import BUDGET, CONTINUE, DONE, FLUSH, GROW
from strandline.engine.expansion_kernel import ask
from strandline.engine.hashing import state_hash, word_count
from strandline.engine.jit import inlined, njit
from strandline.engine.journal_kernel import count_expanded, expanded_full, links_full, log_new_state, tell_expanded
from strandline.engine.stack_kernel import drop, has_room, push_successors, top_of
from strandline.engine.store.interface import add, entry_room, make_room

U = np.uint64
_0, _1 = U(0), U(1)


class DepthFirst(NamedTuple):
    """All that the search works on."""

    expansion: Any
    store: Any
    stack: Any
    journal: Any


@inlined
def _look_at(search):
    """Store the state on top of the stack unless it is known; a new one is to be expanded next."""
    store, stack, journal, words = search.store, search.stack, search.journal, search.expansion.words
    if links_full(journal):
        return FLUSH
    code = make_room(store)
    if code != CONTINUE:
        return code
    number = journal.counts.recorded
    if not entry_room(store, number):
        return GROW
    at = top_of(stack, words)
    if add(store, number, stack.items, at, state_hash(stack.items, at, words)):
        log_new_state(journal, stack.items[at + word_count(words)])
        stack.top.unexpanded = number + _1
    drop(stack)
    return CONTINUE


@inlined
def _expand(search):
    """Expand the state stored last and put its successors onto the stack."""
    expansion, store, stack, journal = search.expansion, search.store, search.stack, search.journal
    if expanded_full(journal, expansion.words):
        return FLUSH
    record = stack.top.unexpanded - _1
    at = record * store.entry
    code = ask(expansion, store.entries, at, record, _0)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    if not has_room(stack, expansion.words, successors):
        return GROW
    count_expanded(journal.counts, successors, labels)
    tell_expanded(journal, expansion.words, store.entries, at, successors, labels)
    push_successors(stack, expansion, store, record)
    stack.top.unexpanded = _0
    return CONTINUE


@njit
def depth_first(search, budget):
    """Search on for `budget` expansions; as `strandline.engine.orders.breadth_first_kernel.breadth_first`, but the
    initial states are on the stack."""
    stop_at = search.journal.counts.visited + budget
    top = search.stack.top
    while True:
        if top.unexpanded != _0:
            code = _expand(search)
        elif top.count == _0:
            return DONE
        elif search.journal.counts.visited >= stop_at:
            return BUDGET
        else:
            code = _look_at(search)
        if code != CONTINUE:
            return code
