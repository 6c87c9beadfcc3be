"""State-space caching: depth-first search that remembers a bounded number of the states it has left.

States on the path are always known, so no path meets itself and every search ends. Of the states it has left at most
CACHE_STATES are kept; a rule says which of them makes room for the next one (Jard and Jéron 1991; Godefroid, Holzmann
and Pirottin 1992: the rival of 002 §6). A state that is met after it was replaced looks new and is explored again,
with everything forgotten that it reaches.

States are numbered by their place in the arena, and places are used again. The word after a state links lists: free
places, or the states that wait for being replaced. The stack is that of `strandline.engine.nested`: markers of the
states on the path, above each the successors still to be looked at. A level of the path is two words: the link by which
its state was entered, and the list of cached states that stood on this level (rule DEEPEST).
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import find, home_slot, mixed, put, state_hash, table_slots, word_count
from strandline.engine.explore import account, note_seen
from strandline.engine.jit import inlined, njit
from strandline.engine.nested import push_successors
from strandline.engine.numbered import NOWHERE, locate, store_state

U = np.uint64
_0, _1, _2, _63 = U(0), U(1), U(2), U(63)
_BUCKET = U(r.LIVE)
_CONTINUE = -1


@inlined
def _link_at(words, number, buckets):
    """The word after a state."""
    return buckets[_BUCKET + U(r.ARENA)] + number * (word_count(words) + _1) + word_count(words)


@inlined
def _store(array, at, words, buckets, index, store, regs, scratch):
    """Store a state that is not there, in a free place or a new one: its number, or NOWHERE when a pool must grow."""
    entry = word_count(words) + _1
    if regs[r.CACHE_FREE] == _0:
        return store_state(array, at, words, entry, _0, buckets, _BUCKET, index, store, regs, scratch)
    number = regs[r.CACHE_FREE] - _1
    regs[r.CACHE_FREE] = store[_link_at(words, number, buckets)]
    table, arena = buckets[_BUCKET + U(r.TABLE)], buckets[_BUCKET + U(r.ARENA)]
    hash_value = state_hash(array, at, words)
    slot, _ = find(
        array, at, hash_value, words, entry, table, table_slots(buckets, _BUCKET), arena, index, store
    )  # fmt: skip
    put(array, at, hash_value, words, entry, _0, slot, number, arena, index, store)
    return number


@inlined
def _empty_slot(slot, table, slots, index):
    """Take an entry out of the table: later ones move up, so that no gap lies between an entry and its home."""
    gap = place = slot - table
    while True:
        place += _1
        if place == slots:
            place = _0
        content = index[table + place]
        if content == _0:
            break
        home = home_slot(content, slots)
        # An entry may fill the gap unless its home lies cyclically in (gap, place].
        stays = gap < home <= place if gap < place else (home > gap or home <= place)
        if not stays:
            index[table + gap] = content
            gap = place
    index[table + gap] = _0


@inlined
def _forget(words, number, buckets, index, store, regs):
    """Replace a state: it is unknown from now on, and its place is free."""
    entry = word_count(words) + _1
    table, arena, slots = buckets[_BUCKET + U(r.TABLE)], buckets[_BUCKET + U(r.ARENA)], table_slots(buckets, _BUCKET)
    at = arena + number * entry
    slot, _ = find(store, at, state_hash(store, at, words), words, entry, table, slots, arena, index, store)
    _empty_slot(slot, table, slots, index)
    store[_link_at(words, number, buckets)] = regs[r.CACHE_FREE]
    regs[r.CACHE_FREE] = number + _1
    regs[r.STORED] -= _1
    regs[r.REPLACED] += _1


@inlined
def _by_list(words, number, full, buckets, store, regs):
    """Rules OLDEST and NEWEST: one list, whose first state is replaced. A new one goes to its end or its front."""
    victim = NOWHERE
    if full:
        victim = regs[r.CACHE_FIRST] - _1
        regs[r.CACHE_FIRST] = store[_link_at(words, victim, buckets)]
    own = _link_at(words, number, buckets)
    if regs[r.CACHE_RULE] == U(r.NEWEST) or regs[r.CACHE_FIRST] == _0:
        store[own] = regs[r.CACHE_FIRST]
        regs[r.CACHE_FIRST] = number + _1
    else:
        store[own] = _0
        store[_link_at(words, regs[r.CACHE_LAST] - _1, buckets)] = number + _1
    regs[r.CACHE_LAST] = number + _1
    return victim


@inlined
def _by_depth(words, number, depth, full, path, buckets, store, regs):
    """Rule DEEPEST: a list for every level of the path; CACHE_LAST is no smaller than the deepest that has states."""
    victim = NOWHERE
    deepest = regs[r.CACHE_LAST]
    if full:
        while path[_2 * deepest + _1] == _0:
            deepest -= _1
        victim = path[_2 * deepest + _1] - _1
        path[_2 * deepest + _1] = store[_link_at(words, victim, buckets)]
    store[_link_at(words, number, buckets)] = path[_2 * depth + _1]
    path[_2 * depth + _1] = number + _1
    regs[r.CACHE_LAST] = max(deepest, depth)
    return victim


@inlined
def _by_place(words, number, full, cache, buckets, store, regs):
    """Rules RANDOM and COLLISION: a place in an array, drawn or given by the hash; what stands there is replaced."""
    if regs[r.CACHE_RULE] == U(r.COLLISION):
        at = buckets[_BUCKET + U(r.ARENA)] + number * (word_count(words) + _1)
        # Mixed once more: neighbours in the table are not to be neighbours here.
        place = home_slot(mixed(state_hash(store, at, words)), regs[r.CACHE_STATES])
    elif full:
        regs[r.CACHE_DRAWS] += _1
        place = home_slot(mixed(regs[r.CACHE_DRAWS]), regs[r.CACHE_STATES])
    else:
        place = regs[r.CACHE_COUNT]
    victim = cache[place] - _1
    cache[place] = number + _1
    return victim


@inlined
def _keep(words, number, depth, path, cache, buckets, index, store, regs):
    """A state leaves the path: it enters the cache, where another one makes room if need be."""
    if regs[r.CACHE_STATES] == _0:
        _forget(words, number, buckets, index, store, regs)
        return
    full = regs[r.CACHE_COUNT] == regs[r.CACHE_STATES]
    rule = regs[r.CACHE_RULE]
    if rule == U(r.DEEPEST):
        victim = _by_depth(words, number, depth, full, path, buckets, store, regs)
    elif rule == U(r.OLDEST) or rule == U(r.NEWEST):
        victim = _by_list(words, number, full, buckets, store, regs)
    else:
        victim = _by_place(words, number, full, cache, buckets, store, regs)
    if victim == NOWHERE:
        regs[r.CACHE_COUNT] += _1
    else:
        _forget(words, victim, buckets, index, store, regs)


@inlined
def _enter(function, words, path, stack, records, buckets, index, store, seen, labels, regs):
    """Expand the state stored last and put it onto the path."""
    width = word_count(words)
    level = _2 * regs[r.PATH_COUNT]
    if level + _2 > U(len(path)):
        regs[r.WANT_PATH] = level + _2
        return r.GROW
    if len(seen) > 0 and (regs[r.SEEN_COUNT] + _1) * (width + _1) > U(len(seen)):
        return r.FLUSH
    number = regs[r.UNEXPANDED] - _1
    code = push_successors(
        function, words, width, number, width + _1, stack, records, buckets, index, store, labels, regs
    )  # fmt: skip
    if code != _CONTINUE:
        return code
    if (labels[0] & regs[r.STOP_MASK]) != _0:
        regs[r.STACK_COUNT] -= regs[r.SUCCESSORS] + _1
        regs[r.FOUND_LABELS] = labels[0]
        return r.FOUND
    account(_1, regs[r.SUCCESSORS], labels[0] >> _63, regs)
    if len(seen) > 0:
        at = _link_at(words, number, buckets) - width
        note_seen(words, store, at, regs[r.SUCCESSORS], labels, seen, regs)
    path[level] = regs[r.ENTERED_LINK]
    regs[r.PATH_COUNT] += _1
    regs[r.UNEXPANDED] = _0
    return _CONTINUE


@inlined
def _look_at(words, stack, buckets, index, store, regs, scratch):
    """Take a state from the stack; one that is not known is stored and will be entered."""
    width = word_count(words)
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    if locate(stack, at, words, width + _1, buckets, _BUCKET, index, store) == NOWHERE:
        number = _store(stack, at, words, buckets, index, store, regs, scratch)
        if number == NOWHERE:
            return r.GROW
        regs[r.STORED] += _1
        regs[r.PEAK_STORED] = max(regs[r.PEAK_STORED], regs[r.STORED])
        regs[r.UNEXPANDED] = number + _1
        regs[r.ENTERED_LINK] = stack[at + width]
    regs[r.STACK_COUNT] -= _1
    return _CONTINUE


@inlined
def _leave(words, path, cache, stack, buckets, index, store, regs):
    """The successors of the state at the end of the path are all done."""
    if regs[r.CACHE_RULE] == U(r.RANDOM) and regs[r.CACHE_COUNT] == U(len(cache)) < regs[r.CACHE_STATES]:
        regs[r.WANT_CACHE] = regs[r.CACHE_COUNT] + _1
        return r.GROW
    regs[r.STACK_COUNT] -= _1
    regs[r.PATH_COUNT] -= _1
    number = stack[regs[r.STACK_COUNT] * (word_count(words) + _1)]
    _keep(words, number, regs[r.PATH_COUNT], path, cache, buckets, index, store, regs)
    return _CONTINUE


@njit
def caching(
    function, words, budget, regs, buckets, stack, path, cache, records, index, store, seen, labels, scratch
):  # fmt: skip
    """Search on for `budget` expansions; BUDGET only where a state waits for expansion, else DONE, GROW, FLUSH, FAULT
    or FOUND: then the path and ENTERED_LINK lead to the state."""
    stop_at = regs[r.VISITED] + budget
    width = word_count(words)
    while True:
        if regs[r.UNEXPANDED] != _0:
            if regs[r.VISITED] >= stop_at:
                return r.BUDGET
            code = _enter(function, words, path, stack, records, buckets, index, store, seen, labels, regs)
        elif regs[r.STACK_COUNT] == _0:
            return r.DONE
        elif stack[regs[r.STACK_COUNT] * (width + _1) - _1] == r.NONE:
            code = _leave(words, path, cache, stack, buckets, index, store, regs)
        else:
            code = _look_at(words, stack, buckets, index, store, regs, scratch)
        if code != _CONTINUE:
            return code
