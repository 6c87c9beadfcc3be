"""State-space caching: depth-first search that stores a bounded number of the states it has left.

States on the path are always stored, so no path runs into itself and every search terminates. Of the states it has left
at most `states` are cached; a rule selects the one that the next one replaces (Jard and Jéron 1991; Godefroid, Holzmann
and Pirottin 1992: the rival of 002 §6). A replaced state that is reached again counts as new and is explored again,
with all replaced states that it reaches.

Entries are reused. The word behind a state links lists: free entries, or the cached states in the order of replacement.
The stack has markers of the states on the path. A level of the path is two words: the link by which its state was
entered, and the list of cached states that stood on this level (rule DEEPEST).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.search_output_kernel import count_expanded, count_stored, expanded_is_full, record_expanded
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
from strandline.engine.runtime.codes import CONTINUE, FLUSH, GROW, NONE
from strandline.engine.runtime.hashing import home, mix, state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import add, entry_room, extra_at, find, forget, make_room

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)

RANDOM, OLDEST, NEWEST, DEEPEST, COLLISION = (U(rule) for rule in range(5))


class Cached(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    store: Any
    stack: Any
    journal: Any
    path: Any
    places: Any
    cache: Any


@inlined
def _new_entry(search):
    """Return the number of a free entry, or NONE if the array must grow first."""
    cache, store = search.cache, search.store
    if cache.free != _0:
        return cache.free - _1
    return cache.places if entry_room(store, cache.places) else NONE


@inlined
def _use_entry(search, number):
    """Take the entry that `_new_entry` returned."""
    cache, store = search.cache, search.store
    if cache.free != _0:
        cache.free = store.entries[extra_at(store, number)]
    else:
        cache.places += _1


@inlined
def _replace(search, number):
    """Delete a state from the store and free its entry."""
    cache, store = search.cache, search.store
    forget(store, number, state_hash(store.entries, number * store.entry, store.words))
    store.entries[extra_at(store, number)] = cache.free
    cache.free = number + _1
    search.journal.counts.stored -= _1
    cache.replaced += _1


@inlined
def _by_list(search, number, full):
    """Cache a state by rule OLDEST or NEWEST: in one list, whose head is evicted.

    Returns the evicted state, or NONE.
    """
    cache, store = search.cache, search.store
    victim = NONE
    if full:
        victim = cache.first - _1
        cache.first = store.entries[extra_at(store, victim)]
    own = extra_at(store, number)
    if cache.rule == NEWEST or cache.first == _0:
        store.entries[own] = cache.first
        cache.first = number + _1
    else:
        store.entries[own] = _0
        store.entries[extra_at(store, cache.last - _1)] = number + _1
    cache.last = number + _1
    return victim


@inlined
def _by_depth(search, number, full):
    """Cache a state by rule DEEPEST: in one list per level of the path.

    Returns the evicted state, or NONE. `cache.last` is an upper bound of the deepest level that has states.
    """
    cache, store, path = search.cache, search.store, search.path
    depth, deepest = cache.path, cache.last
    victim = NONE
    if full:
        while path[_2 * deepest + _1] == _0:
            deepest -= _1
        victim = path[_2 * deepest + _1] - _1
        path[_2 * deepest + _1] = store.entries[extra_at(store, victim)]
    store.entries[extra_at(store, number)] = path[_2 * depth + _1]
    path[_2 * depth + _1] = number + _1
    cache.last = max(deepest, depth)
    return victim


@inlined
def _by_place(search, number, full):
    """Cache a state by rule RANDOM or COLLISION: in a slot, chosen at random or by hash.

    Returns the evicted state, or NONE.
    """
    cache, store = search.cache, search.store
    if cache.rule == COLLISION:
        # Mixed once more, so that neighbours in the table do not share a slot here.
        place = home(mix(state_hash(store.entries, number * store.entry, store.words)), cache.states)
    elif full:
        cache.draws += _1
        place = home(mix(cache.draws), cache.states)
    else:
        place = cache.count
    victim = search.places[place] - _1
    search.places[place] = number + _1
    return victim


@inlined
def _keep(search, number):
    """Move a state from the path to the cache, where it may replace another one."""
    cache = search.cache
    if cache.states == _0:
        _replace(search, number)
        return
    # With a full cache, storing this state replaces one.
    full = cache.count == cache.states
    if cache.rule == DEEPEST:
        victim = _by_depth(search, number, full)
    elif cache.rule == OLDEST or cache.rule == NEWEST:
        victim = _by_list(search, number, full)
    else:
        victim = _by_place(search, number, full)
    if victim == NONE:
        cache.count += _1
    else:
        _replace(search, victim)


@inlined
def _enter(search):
    """Expand the state stored last and put it onto the path."""
    expansion, store, stack, cache = search.expansion, search.store, search.stack, search.cache
    level = _2 * cache.path
    if level + _2 > U(len(search.path)):
        cache.wanted_path = level + _2
        return GROW
    if expanded_is_full(search.journal, expansion.words):
        return FLUSH
    number = stack.top.unexpanded - _1
    code = compute_successors_for_stack(stack, expansion, store, number, number)
    if code != CONTINUE:
        return code
    successors, labels = expansion.answer.successors, expansion.labels[0]
    count_expanded(search.journal.counts, successors, labels)
    record_expanded(search.journal, expansion.words, store.entries, number * store.entry, successors, labels)
    push_marker(stack, expansion.words, number)
    push_successors(stack, expansion, store, number)
    search.path[level] = stack.top.link
    cache.path += _1
    stack.top.unexpanded = _0
    return CONTINUE


@inlined
def _process_top(search):
    """Pop a state from the stack; store it if it is new, to be expanded next."""
    store, stack, words = search.store, search.stack, search.expansion.words
    at = top_of(stack, words)
    hash_value = state_hash(stack.items, at, words)
    code = make_room(store)
    if code != CONTINUE:
        return code
    if find(store, stack.items, at, hash_value) == NONE:
        number = _new_entry(search)
        if number == NONE:
            return GROW
        _use_entry(search, number)
        add(store, number, stack.items, at, hash_value)
        count_stored(search.journal.counts, _1)
        stack.top.unexpanded = number + _1
        stack.top.link = stack.items[at + word_count(words)]
    drop(stack)
    return CONTINUE


@inlined
def _leave(search):
    """Pop the marker of the last state on the path, whose successors are all done."""
    cache, stack = search.cache, search.stack
    if cache.rule == RANDOM and cache.count == U(len(search.places)) and cache.count < cache.states:
        cache.wanted_cache = cache.count + _1
        return GROW
    number = stack.items[top_of(stack, search.expansion.words)]
    drop(stack)
    cache.path -= _1
    _keep(search, number)
    return CONTINUE


MOVES[Cached] = Moves(_enter, _process_top, _leave)


@njit
def cached(search, budget):
    """Search on for `budget` expansions. Returns DONE, BUDGET, GROW, FLUSH, FAULT or FOUND.

    After FOUND and FAULT, the path and the link of the state on the stack lead to the state.
    """
    return search_depth_first(search, budget)
