"""States as trees of parts that are kept once: the store of breadth-first searches with little memory.

A state of several words is folded in two: its words get numbers, pairs of these numbers get numbers, and so on, until
one pair is left, its key (Laarman, van de Pol, Weber, Parallel recursive state compression for free, SPIN 2011). All
numbers come from one table, so that equal parts, of whichever states, are there once; there are few of them, because
states are combinations of parts. The keys lie in a table of quotients (`quotient_kernel`).

It knows whether a state is there, not where. What a search has found and not expanded waits as keys, and is unfolded
then; folding its successors, only what differs from it is looked up.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.codes import CONTINUE, FLUSH, GROW, NONE
from strandline.engine.hashing import home, mixed, word_count
from strandline.engine.jit import inlined, njit
from strandline.engine.store import table_kernel
from strandline.engine.store.lines_kernel import gathered, scattered
from strandline.engine.store.quotient_kernel import find, grow_table, insert, prefetch_home, prefetch_match

__all__ = [
    "Tree", "add", "find", "fingerprint", "grow_table", "opened", "prefetch_home", "prefetch_match", "room_to_enlist"
]  # fmt: skip
U = np.uint64
_0, _1, _2, _32 = U(0), U(1), U(2), U(32)
_LOW = U(0xFFFF_FFFF)


class Tree(NamedTuple):
    """`entries` are the keys that wait to be expanded, as two numbers of 32 bits; `keys` is the table of all of them.
    `nodes` is the table of parts. `pairs` says of which two numbers each pair is made, children first, the key last;
    the numbers of the words come before those of pairs. `source` are the words of the state unfolded last, `kept` all
    of its numbers, and `folded` those of a state that is folded. `recent` are parts with their numbers, counted from 1,
    that were looked for a moment ago."""

    words: Any
    entry: Any
    entries: Any
    shape: Any
    keys: Any
    nodes: Any
    pairs: Any
    source: Any
    kept: Any
    folded: Any
    recent: Any


# --- folding ----------------------------------------------------------------------------------------------------


@inlined
def room_to_enlist(store, states, waiting):
    """Keys become wider only while none waits to be placed."""
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
        if waiting > _0:
            return FLUSH
        form.narrow = _1
        return GROW
    return CONTINUE


@njit
def _grow_nodes(nodes):
    return table_kernel.grow_table(nodes)


@inlined
def _number(store, word):
    """The number of a part."""
    nodes, recent, hash_value = store.nodes, store.recent, mixed(word)
    at = _2 * home(hash_value, U(len(recent)) >> _1)
    if recent[at] == word and recent[at + _1] != _0:
        return recent[at + _1] - _1
    store.keys.line[0] = word
    number = table_kernel.add(nodes, nodes.shape.count, store.keys.line, _0, hash_value)
    recent[at], recent[at + _1] = word, number + _1
    return number


@inlined
def _fold(store, array, at):
    """The key of the state at `array[at]`, as a pair of numbers of 32 bits. There must be room for its parts."""
    words, kept, folded, pairs = word_count(store.words), store.kept, store.folded, store.pairs
    warm = store.keys.form.warm != _0
    for number in range(U(len(folded))):
        if number < words:
            part = array[at + number]
            same = part == store.source[number]
        else:
            left, right = pairs[_2 * (number - words)], pairs[_2 * (number - words) + _1]
            part = (folded[left] << _32) | folded[right]
            same = folded[left] == kept[left] and folded[right] == kept[right]
        folded[number] = kept[number] if warm and same else _number(store, part)
    last = U(len(pairs)) - _2
    return (folded[pairs[last]] << _32) | folded[pairs[last + _1]]


@inlined
def _unfold(store, key):
    """Make a state the source: its words, and the numbers of all its parts."""
    words, kept, pairs, nodes = word_count(store.words), store.kept, store.pairs, store.nodes.entries
    last = U(len(kept)) - words
    kept[pairs[_2 * last]], kept[pairs[_2 * last + _1]] = key >> _32, key & _LOW
    for before in range(last):
        pair = last - _1 - before
        content = nodes[kept[words + pair]]
        kept[pairs[_2 * pair]], kept[pairs[_2 * pair + _1]] = content >> _32, content & _LOW
    for word in range(words):
        store.source[word] = nodes[kept[word]]
    store.keys.form.warm = _1


# --- the functions of the interface; the others are those of the table of keys ----------------------------------


@inlined
def fingerprint(store, array, at):
    pair, form = _fold(store, array, at), store.keys.form
    return scattered(((pair >> _32) << form.half) | (pair & _LOW), form.bits)


@inlined
def opened(store, number):
    _unfold(store, store.entries[number])
    return store.source, _0


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    form = store.keys.form
    key = gathered(hash_value, form.bits)
    store.entries[number] = ((key >> form.half) << _32) | (key & ((_1 << form.half) - _1))
    return number
