"""Nested depth-first search for accepting cycles, with early detection.

The variant of Gaiser and Schwoon (2009): a first search of two colours, and a second one from accepting states. Cyan
states are on the path of the first search; if it reaches one of them, and a state on the path from there on accepts,
the cycle is found (they check the two ends of the edge only). A state whose successors are all red is red without a
second search. The second search (003 §1.6, 001 §3.1) starts at an accepting state when the first one leaves it, visits
blue states only, which turn red, and has found a cycle as soon as it reaches a cyan one.

The path has two words for each state on it: the link that entered it, so that a cycle is a part of the path and one
more edge, and the height of the last accepting state up to there. Heights count from 1. A state's record is its number.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.expansion_kernel import link_of
from strandline.engine.parts.numbered_kernel import room_for_one, store_one
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.parts.stack_kernel import (
    MOVES,
    Moves,
    compute_successors_for_stack,
    drop,
    push_marker,
    push_successors,
    search_depth_first,
    top_of,
)
from strandline.engine.runtime.codes import CONTINUE, CYCLE, GROW, NONE, STEP_BITS, STEP_MASK
from strandline.engine.runtime.hashing import state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import extra_at, find

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_STEP, _STEP_MASK = U(STEP_BITS), U(STEP_MASK)

CYAN, BLUE, RED = U(1), U(2), U(3)
_COLOUR = U(3)
_ACCEPTS, _HAS_OTHERS = U(4), U(8)
_HEIGHT = U(8)
"""Layout of the word behind a state: colour; accepting; has a successor that is not red; height on the path."""


class Nested(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    store: Any
    stack: Any
    journal: Any
    path: Any
    state: Any


@inlined
def store_top(search, hash_value, extra):
    """Pop a new state from the stack and store it, with `extra` as the word behind it; it is expanded next.

    Returns CONTINUE, or FLUSH, GROW or BUDGET with nothing changed.
    """
    store, stack, journal = search.store, search.stack, search.journal
    code = room_for_one(store, journal)
    if code == CONTINUE:
        at = top_of(stack, store.words)
        stack.top.link = stack.items[at + word_count(store.words)]
        store_one(store, journal, stack.items, at, hash_value, stack.top.link)
        stack.top.unexpanded = journal.counts.recorded
        store.entries[extra_at(store, stack.top.unexpanded - _1)] = extra
        drop(stack)
    return code


@inlined
def _enter(search):
    """Put a state onto the path and push its successors. In the first search the state turns cyan."""
    expansion, store, stack, path, state = search.expansion, search.store, search.stack, search.path, search.state
    top = _2 * state.path
    if top + _2 > U(len(path)):
        state.wanted_path = top + _2
        return GROW
    record = stack.top.unexpanded - _1
    code = compute_successors_for_stack(stack, expansion, store, record, record)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    push_marker(stack, expansion.words, record)
    push_successors(stack, expansion, store, record)
    path[top] = link_of(record, stack.top.link & _STEP_MASK)
    # Inherit the height of the last accepting state from the state below.
    path[top + _1] = _0 if top == _0 else path[top - _1]
    state.path += _1
    stack.top.unexpanded = _0
    flags = extra_at(store, record)
    if state.second == _0:
        count_expanded(search.journal.counts, successors, labels)
        store.entries[flags] = CYAN | state.path << _HEIGHT
        if labels & state.accepting == state.accepting:
            store.entries[flags] |= _ACCEPTS
            path[top + _1] = state.path
        return CONTINUE
    search.journal.counts.visited += _1
    if store.entries[flags] & _COLOUR != CYAN:
        store.entries[flags] = (store.entries[flags] & ~_COLOUR) | RED
    return CONTINUE


@inlined
def _note_cycle(search, record, link):
    """Note the cycle and return CYCLE."""
    search.state.record, search.stack.top.link = record, link
    return CYCLE


@inlined
def _process_top(search):
    """Pop a state: it is new, or closes a cycle, or is entered by the second search."""
    store, stack, path, state, words = search.store, search.stack, search.path, search.state, search.expansion.words
    at = top_of(stack, words)
    link = stack.items[at + word_count(words)]
    hash_value = state_hash(stack.items, at, words)
    record = find(store, stack.items, at, hash_value)
    if record == NONE:
        return store_top(search, hash_value, CYAN)
    flags = store.entries[extra_at(store, record)]
    if state.second != _0:
        if flags & _COLOUR == CYAN:
            return _note_cycle(search, record, link)
        if flags & _COLOUR == BLUE:
            stack.top.unexpanded, stack.top.link = record + _1, link
    elif state.path > _0:
        top = _2 * (state.path - _1)
        # The cycle accepts if the last accepting state on the path is not below the state reached.
        if flags & _COLOUR == CYAN and path[top + _1] >= flags >> _HEIGHT:
            return _note_cycle(search, record, link)
        if flags & _COLOUR != RED:
            store.entries[extra_at(store, path[top] >> _STEP)] |= _HAS_OTHERS
    drop(stack)
    return CONTINUE


@inlined
def _leave(search):
    """Pop the last state of the path, whose successors are all done; start or end a second search."""
    store, stack, path, state = search.store, search.stack, search.path, search.state
    record = stack.items[top_of(stack, search.expansion.words)]
    flags = extra_at(store, record)
    if state.second != _0:
        drop(stack)
        state.path -= _1
        if state.path == state.second:
            # The second search is over. Its root, entered twice, is still on the path of the first.
            state.second = _0
            store.entries[flags] = (store.entries[flags] & ~_COLOUR & ~_HAS_OTHERS) | CYAN
        return CONTINUE
    if store.entries[flags] & _HAS_OTHERS != _0 and store.entries[flags] & _ACCEPTS != _0:
        state.second = state.path
        stack.top.unexpanded = record + _1
        return CONTINUE
    # A state whose successors are all red is red, and needs no second search.
    colour = BLUE if store.entries[flags] & _HAS_OTHERS != _0 else RED
    store.entries[flags] = (store.entries[flags] & ~_COLOUR) | colour
    drop(stack)
    state.path -= _1
    if colour == BLUE and state.path > _0:
        store.entries[extra_at(store, path[_2 * (state.path - _1)] >> _STEP)] |= _HAS_OTHERS
    return CONTINUE


MOVES[Nested] = Moves(_enter, _process_top, _leave)


@njit
def nested(search, budget):
    """Search on for `budget` expansions. Returns DONE, BUDGET, GROW, FLUSH, FAULT or CYCLE.

    After CYCLE, `record` is the state on the path at which the cycle begins, and the stack's `link` the edge that leads
    back.
    """
    return search_depth_first(search, budget)
