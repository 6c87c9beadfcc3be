"""The stack of depth-first searches: states that are still to be examined, each with its link.

Below the successors of a state there may be its marker, an item without a link: when it is on top, all successors are
done.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from strandline.engine.parts.expansion_kernel import compute_successors, link_of
from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, state_hash, word_count
from strandline.engine.runtime.jit import INLINED, inlined, python_function
from strandline.engine.store.interface import prefetch_home

U = np.uint64
_0, _1 = U(0), U(1)


class Stack(NamedTuple):
    """Items of a state's words and one more, its link."""

    items: Any
    top: Any


@inlined
def top_of(stack, words):
    """Return the position of the item on top; there must be one."""
    return (stack.top.count - _1) * (word_count(words) + _1)


@inlined
def is_marker(stack, words):
    return stack.items[top_of(stack, words) + word_count(words)] == NONE


@inlined
def drop(stack):
    """Pop the item on top."""
    stack.top.count -= _1


@inlined
def has_room(stack, words, items):
    """Return True if `items` more items fit; if not, request that the stack grows."""
    end = (stack.top.count + items) * (word_count(words) + _1)
    if end > U(len(stack.items)):
        stack.top.wanted = end
        return False
    return True


@inlined
def compute_successors_for_stack(stack, expansion, store, number, record):
    """Compute the successors of an entry; returns as `compute_successors`, or GROW if the stack lacks room."""
    code = compute_successors(expansion, store.entries, number * store.entry, record, _0)
    if code == CONTINUE and not has_room(stack, expansion.words, expansion.answer.successors + _1):
        return GROW
    return code


@inlined
def push_marker(stack, words, number):
    """Push the marker of a state; there must be room."""
    at = stack.top.count * (word_count(words) + _1)
    stack.items[at] = number
    stack.items[at + word_count(words)] = NONE
    stack.top.count += _1


@inlined
def push_state(stack, words, array, at, link):
    """Push a state; there must be room."""
    place = stack.top.count * (word_count(words) + _1)
    copy_state(array, at, stack.items, place, words)
    stack.items[place + word_count(words)] = link
    stack.top.count += _1


@inlined
def push_successors(stack, expansion, store, record):
    """Push the successors of the state expanded last, the first on top; there must be room."""
    words = expansion.words
    successors = expansion.answer.successors
    for step in range(successors):
        # From the last to the first.
        number = successors - step - _1
        at = number * expansion.stride
        push_state(stack, words, expansion.records, at, link_of(record, number))
        prefetch_home(store, state_hash(expansion.records, at, words))


# --- the loop ---------------------------------------------------------------------------------------------------


class Moves(NamedTuple):
    """The transitions of a kind of depth-first search.

    `enter` expands the state to be expanded next, `process_top` pops a state from the stack, `leave` a marker. Each
    takes the named tuple of the search and returns CONTINUE or the code that the loop is to return.
    """

    enter: Any
    process_top: Any
    leave: Any


MOVES: dict[type, Moves] = {}
"""The moves of each kind of search, by the type of its named tuple.

The compiler selects them by that type: a loop that takes functions as arguments could not be cached on disk.
"""


def _enter(search):
    return python_function(MOVES[type(search)].enter)(search)


def _process_top(search):
    return python_function(MOVES[type(search)].process_top)(search)


def _leave(search):
    return python_function(MOVES[type(search)].leave)(search)


@overload(_enter, jit_options=INLINED)
def _enter_overload(search):
    chosen = MOVES[search.instance_class].enter
    return lambda search: chosen(search)


@overload(_process_top, jit_options=INLINED)
def _process_top_overload(search):
    chosen = MOVES[search.instance_class].process_top
    return lambda search: chosen(search)


@overload(_leave, jit_options=INLINED)
def _leave_overload(search):
    chosen = MOVES[search.instance_class].leave
    return lambda search: chosen(search)


@inlined
def search_depth_first(search, budget):
    """Run a depth-first search for `budget` expansions. Returns DONE, BUDGET before an expansion, or a move's code."""
    stack, counts = search.stack, search.journal.counts
    stop_at = counts.visited + budget
    code = CONTINUE
    while code == CONTINUE:
        # First: an expansion that was interrupted by an event is repeated before anything is popped.
        if stack.top.unexpanded != _0:
            code = _enter(search) if counts.visited < stop_at else BUDGET
        elif stack.top.count == _0:
            code = DONE
        elif is_marker(stack, search.expansion.words):
            code = _leave(search)
        else:
            code = _process_top(search)
    return code
