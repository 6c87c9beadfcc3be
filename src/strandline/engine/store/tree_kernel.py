"""States as trees of parts that are kept once: the store of breadth-first searches with little memory.

A state of several words is folded in two: its words get numbers, pairs of these numbers get numbers, and so on, until
one pair is left, its key (Laarman, van de Pol, Weber, Parallel recursive state compression for free, SPIN 2011). All
numbers come from one table, so that equal parts, of whichever states, are there once; there are few of them, because
states are combinations of parts. The keys lie in a table of quotients (`quotient_kernel`).

It knows whether a state is there, not where. What a search has found and not expanded waits as keys, and is unfolded
then; folding its successors, only what differs from it is looked up. That is done for all successors of a batch
together, after the words that are going to be looked up were fetched.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BATCH, CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import home, mixed, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store import table_kernel
from strandline.engine.store.bucket_kernel import gathered, scattered
from strandline.engine.store.quotient_kernel import find, grow_table, insert, prefetch_home, prefetch_match

__all__ = [
    "Tree", "add", "find", "fingerprint", "grow_table", "meet", "opened", "prefetch_home", "prefetch_match", "recognise"
]  # fmt: skip
U = np.uint64
_0, _1, _2, _32 = U(0), U(1), U(2), U(32)
_LOW, _LAST = U(0xFFFF_FFFF), U(BATCH - 1)
_MIX = U(0x9E37_79B9_7F4A_7C15)
_WORTH_FETCHING = U(1 << 18)
"""Places of a table of parts that is not in the processor's own memory anyway."""


class Tree(NamedTuple):
    """`entries` are the keys that wait to be expanded, as two numbers of 32 bits; `keys` is the table of all of them.
    `nodes` is the table of parts. `pairs` says of which two numbers each pair is made, children first, the key last;
    the numbers of the words come before those of pairs. `sources` are the words of states that were unfolded, `kept`
    all of their numbers, both of entry `n` at place `n % BATCH`; `folded` are the numbers of a state that is folded.
    `recent` are parts with their numbers, counted from 1, that were looked for a moment ago."""

    words: Any
    entry: Any
    entries: Any
    shape: Any
    keys: Any
    nodes: Any
    pairs: Any
    sources: Any
    kept: Any
    folded: Any
    recent: Any


# --- folding ----------------------------------------------------------------------------------------------------


@inlined
def _room_to_fold(store, states):
    """Whether there is room for the parts of so many states: CONTINUE, or what is to be done first. Keys become wider
    here, so none may wait to be placed."""
    nodes, form = store.nodes, store.keys.form
    wanted = nodes.shape.count + states * U(len(store.folded))
    while wanted > nodes.shape.most:
        code = _grow_nodes(nodes)
        if code != CONTINUE:
            return code
    if wanted > U(len(nodes.entries)):
        nodes.shape.wanted_entries = wanted
        return GROW
    if wanted > _1 << form.half:
        form.narrow = _1
        return GROW
    return CONTINUE


@njit
def _grow_nodes(nodes):
    return table_kernel.grow_table(nodes)


@inlined
def _number(store, word):
    """The number of a part."""
    nodes, recent = store.nodes, store.recent
    at = _2 * home(word * _MIX, U(len(recent)) >> _1)
    if recent[at] == word and recent[at + _1] != _0:
        return recent[at + _1] - _1
    store.keys.copy[0] = word
    number = table_kernel.add(nodes, nodes.shape.count, store.keys.copy, _0, mixed(word))
    recent[at], recent[at + _1] = word, number + _1
    return number


@inlined
def _fold(store, array, at, source):
    """The key of the state at `array[at]`, as a pair of numbers of 32 bits; it is a successor of entry `source`, which
    was opened, or none's (NONE). There must be room for its parts."""
    words, kept, folded, pairs = word_count(store.words), store.kept, store.folded, store.pairs
    numbers, place, known = U(len(folded)), source & _LAST, source != NONE
    of_source, kept_of = place * words, place * numbers
    for number in range(numbers):
        if number < words:
            part = array[at + number]
            same = part == store.sources[of_source + number]
        else:
            left, right = pairs[_2 * (number - words)], pairs[_2 * (number - words) + _1]
            part = (folded[left] << _32) | folded[right]
            same = folded[left] == kept[kept_of + left] and folded[right] == kept[kept_of + right]
        folded[number] = kept[kept_of + number] if known and same else _number(store, part)
    last = U(len(pairs)) - _2
    return (folded[pairs[last]] << _32) | folded[pairs[last + _1]]


@inlined
def _unfold(store, key, place):
    """Have the words of a state, and the numbers of all its parts, at a place; where the words begin."""
    words, pairs, nodes, numbers = word_count(store.words), store.pairs, store.nodes.entries, U(len(store.folded))
    kept, of_kept, at, last = store.kept, place * numbers, place * words, numbers - words
    kept[of_kept + pairs[_2 * last]], kept[of_kept + pairs[_2 * last + _1]] = key >> _32, key & _LOW
    for before in range(last):
        pair = last - _1 - before
        content = nodes[kept[of_kept + words + pair]]
        kept[of_kept + pairs[_2 * pair]] = content >> _32
        kept[of_kept + pairs[_2 * pair + _1]] = content & _LOW
    for word in range(words):
        store.sources[at + word] = nodes[kept[of_kept + word]]
    return at


@inlined
def _scattered(store, array, at, source):
    """What the key of the state at `array[at]` is scattered to; as `_fold`."""
    pair, form = _fold(store, array, at, source), store.keys.form
    return scattered(((pair >> _32) << form.half) | (pair & _LOW), form.bits)


@njit
def unfolded(store, keys, joined, rows):
    """Write the states of keys to rows of a word more. With `joined` keys are as in the table, else as in `entries`.
    What was opened is lost."""
    words, half = word_count(store.words), store.keys.form.half
    for number in range(U(len(keys))):
        key = keys[number]
        if joined:
            key = ((key >> half) << _32) | (key & ((_1 << half) - _1))
        at = _unfold(store, key, _0)
        for word in range(words):
            rows[number * (words + _1) + word] = store.sources[at + word]


# --- the functions of the interface; the others are those of the table of keys ----------------------------------


@inlined
def fingerprint(store, array, at):
    return _scattered(store, array, at, NONE)


@inlined
def meet(store, batch, number, array, at, source):
    nodes, words = store.nodes, word_count(store.words)
    batch.sources[number] = source
    if nodes.shape.places > _WORTH_FETCHING:
        for word in range(words):
            if array[at + word] != store.sources[(source & _LAST) * words + word]:
                table_kernel.prefetch_home(nodes, mixed(array[at + word]))


@inlined
def recognise(store, batch, array, stride):
    rest = batch.rest
    if rest.recognised == rest.count:
        return CONTINUE
    code = _room_to_fold(store, rest.count)
    if code != CONTINUE:
        return code
    for number in range(rest.count):
        hash_value = _scattered(store, array, number * stride, batch.sources[number])
        batch.hashes[number] = hash_value
        prefetch_home(store, hash_value)
    rest.recognised = rest.count
    return CONTINUE


@inlined
def opened(store, number):
    return store.sources, _unfold(store, store.entries[number], number & _LAST)


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    form = store.keys.form
    key = gathered(hash_value, form.bits)
    store.entries[number] = ((key >> form.half) << _32) | (key & ((_1 << form.half) - _1))
    return number
