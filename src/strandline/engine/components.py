"""Search for an accepting strongly connected component: Couvreur's algorithm, for any number of acceptance sets.

A component found so far is an entry of `roots`: the number of its first state and the acceptance sets met in it. An
edge to a state whose component is not finished merges all components entered since; when the merged one has met every
set, it holds an accepting cycle, long before the search has left it (Couvreur 1999; Geldenhuys and Valmari 2004).
States are numbered in the order in which they are entered, so a state's number is its record; `active` lists those
whose component is not finished, and the word after a state says that it is.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.explore import account, log_new_state
from strandline.engine.jit import inlined, njit
from strandline.engine.nested import push_successors
from strandline.engine.numbered import NOWHERE, locate, store_state

U = np.uint64
_0, _1, _2, _63 = U(0), U(1), U(2), U(63)
_BUCKET = U(r.LIVE)
_CONTINUE = -1

OPEN, FINISHED = U(1), U(2)
CYCLIC = U(1 << 63)
"""In a root's acceptance sets: the component has an edge inside it."""


@inlined
def finished_at(words, record, buckets):
    return buckets[_BUCKET + U(r.ARENA)] + record * (word_count(words) + _1) + word_count(words)


@inlined
def _enter(function, words, stride, record, roots, active, stack, records, buckets, index, store, labels, regs):
    """Expand a new state, which is a component of its own for the time being."""
    if _2 * (regs[r.ROOT_COUNT] + _1) > U(len(roots)):
        regs[r.WANT_ROOTS] = _2 * (regs[r.ROOT_COUNT] + _1)
        return r.GROW
    if regs[r.ACTIVE_COUNT] == U(len(active)):
        regs[r.WANT_ACTIVE] = regs[r.ACTIVE_COUNT] + _1
        return r.GROW
    entry = word_count(words) + _1
    code = push_successors(function, words, stride, record, entry, stack, records, buckets, index, store, labels, regs)
    if code != _CONTINUE:
        return code
    account(_1, regs[r.SUCCESSORS], labels[0] >> _63, regs)
    top = _2 * regs[r.ROOT_COUNT]
    roots[top] = record
    roots[top + _1] = labels[0] & regs[r.ACCEPTING]
    regs[r.ROOT_COUNT] += _1
    active[regs[r.ACTIVE_COUNT]] = record
    regs[r.ACTIVE_COUNT] += _1
    return _CONTINUE


@inlined
def _merge(record, roots, regs):
    """An edge leads back to `record`: everything entered since is one component with it. Its acceptance sets."""
    top = _2 * (regs[r.ROOT_COUNT] - _1)
    sets = _0
    while roots[top] > record:
        sets |= roots[top + _1]
        top -= _2
    roots[top + _1] |= sets | CYCLIC
    regs[r.ROOT_COUNT] = (top >> _1) + _1
    return roots[top + _1]


@inlined
def _look_at(words, roots, stack, buckets, index, store, log, regs, scratch):
    """Take a state from the stack: it is new, or closes a cycle, or belongs to a finished component."""
    width = word_count(words)
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    record = locate(stack, at, words, width + _1, buckets, _BUCKET, index, store)
    if record == NOWHERE:
        if regs[r.LOG_COUNT] == U(len(log)):
            return r.FLUSH
        record = store_state(stack, at, words, width + _1, OPEN, buckets, _BUCKET, index, store, regs, scratch)
        if record == NOWHERE:
            return r.GROW
        log_new_state(stack[at + width], log, regs)
        regs[r.UNEXPANDED] = record + _1
    regs[r.STACK_COUNT] -= _1
    if regs[r.UNEXPANDED] == _0 and regs[r.ROOT_COUNT] > _0 and store[finished_at(words, record, buckets)] == OPEN:
        sets = _merge(record, roots, regs) & ~CYCLIC
        if sets == regs[r.ACCEPTING] and regs[r.WHOLE_COMPONENTS] == _0:
            regs[r.CYCLE_RECORD] = record
            regs[r.CYCLE_ROOT] = roots[_2 * (regs[r.ROOT_COUNT] - _1)]
            return r.CYCLE
    return _CONTINUE


@inlined
def _leave(words, roots, active, stack, buckets, store, regs):
    """The successors of a state are all done; if it is the first of its component, the component is finished. With
    WHOLE_COMPONENTS the answer is then CYCLE where it accepts, and its states are the last CYCLE_LINK of
    `active`; they are marked when the search goes on."""
    width = word_count(words)
    record = stack[(regs[r.STACK_COUNT] - _1) * (width + _1)]
    top = _2 * (regs[r.ROOT_COUNT] - _1)
    if roots[top] != record:
        regs[r.STACK_COUNT] -= _1
        return _CONTINUE
    if regs[r.WHOLE_COMPONENTS] != _0 and roots[top + _1] == regs[r.ACCEPTING] | CYCLIC:
        roots[top + _1] = _0
        first = regs[r.ACTIVE_COUNT] - _1
        while active[first] != record:
            first -= _1
        regs[r.CYCLE_RECORD] = regs[r.CYCLE_ROOT] = record
        regs[r.CYCLE_LINK] = regs[r.ACTIVE_COUNT] - first
        return r.CYCLE
    member = r.NONE
    while member != record:
        regs[r.ACTIVE_COUNT] -= _1
        member = active[regs[r.ACTIVE_COUNT]]
        store[finished_at(words, member, buckets)] = FINISHED
    regs[r.ROOT_COUNT] -= _1
    regs[r.STACK_COUNT] -= _1
    return _CONTINUE


@njit
def components(
    function, words, stride, budget, regs, buckets, stack, roots, active, records, index, store, log, labels, scratch
):  # fmt: skip
    """Search on for `budget` expansions; DONE, BUDGET, GROW, FLUSH, FAULT, or CYCLE: then CYCLE_RECORD lies on an
    accepting cycle through open states that are numbered from CYCLE_ROOT."""
    stop_at = regs[r.VISITED] + budget
    width = word_count(words)
    while True:
        if regs[r.UNEXPANDED] != _0:
            code = _enter(
                function, words, stride, regs[r.UNEXPANDED] - _1, roots, active, stack, records,
                buckets, index, store, labels, regs,
            )  # fmt: skip
            if code == _CONTINUE:
                regs[r.UNEXPANDED] = _0
        elif regs[r.STACK_COUNT] == _0:
            return r.DONE
        elif regs[r.VISITED] >= stop_at:
            return r.BUDGET
        elif stack[regs[r.STACK_COUNT] * (width + _1) - _1] == r.NONE:
            code = _leave(words, roots, active, stack, buckets, store, regs)
        else:
            code = _look_at(words, roots, stack, buckets, index, store, log, regs, scratch)
        if code != _CONTINUE:
            return code
