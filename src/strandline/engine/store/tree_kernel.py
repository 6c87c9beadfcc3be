"""Tree compression: states as trees of pairs, each stored once; the store of breadth-first searches in little memory.

(Laarman, van de Pol, Weber, Parallel recursive state compression for free, SPIN 2011.) The words of a state get
numbers, pairs of these numbers get numbers, and so on, until one pair is left, its key. All numbers come from one node
table, so that equal subtrees of all states are stored once; there are few of them, because states are combinations of
parts. The keys lie in a table of quotients (`quotient_kernel`).

The store answers whether a state is stored, but not in which entry. The frontier holds keys, which are decompressed
before expansion; of a successor only the nodes that differ from its parent are looked up. That is done for all
successors of a batch together, after the words that are going to be looked up were prefetched.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BATCH, CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import home, mix, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store import table_kernel
from strandline.engine.store.bucket_kernel import mix_key, unmix_key
from strandline.engine.store.quotient_kernel import find, grow_table, insert, prefetch_home, prefetch_match

__all__ = [
    "Tree",
    "add",
    "complete_hashes",
    "find",
    "fingerprint",
    "grow_table",
    "open_entry",
    "prefetch_home",
    "prefetch_match",
    "prepare_hash"
]  # fmt: skip
U = np.uint64
_0, _1, _2, _32 = U(0), U(1), U(2), U(32)
_LOW, _LAST = U(0xFFFF_FFFF), U(BATCH - 1)
_MIX = U(0x9E37_79B9_7F4A_7C15)
_WORTH_FETCHING = U(1 << 18)
"""Slots of the node table above which prefetching pays: smaller tables are in the processor's cache."""


class Tree(NamedTuple):
    """The arrays of tree compression.

    `entries` are the keys of the frontier, as two numbers of 32 bits; `keys` is the table of all keys, `nodes` the
    table of nodes. `pairs` are the two numbers of each pair, children first, the key last; the numbers of words come
    before those of pairs. `sources` are the words of decompressed states and `kept` their node numbers, both of entry
    `n` at place `n % BATCH`; `folded` are the numbers of the state being compressed. `recent` is a cache of nodes with
    their numbers, counted from 1.
    """

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
def _make_room_for_nodes(store, states):
    """Ensure that there is room for the nodes of `states` states. Returns CONTINUE, GROW or BUDGET.

    Keys may become wider here, so no hash may have been computed for the batch yet.
    """
    nodes, form = store.nodes, store.keys.form
    wanted = nodes.shape.count + states * U(len(store.folded))
    while wanted > nodes.shape.most:
        code = _grow_nodes(nodes)
        if code != CONTINUE:
            return code
    if wanted > U(len(nodes.entries)):
        nodes.shape.wanted_entries = wanted
        return GROW
    # Numbers of `half` bits are used up: the driver moves all keys to wider ones.
    if wanted > _1 << form.half:
        form.narrow = _1
        return GROW
    return CONTINUE


@njit
def _grow_nodes(nodes):
    return table_kernel.grow_table(nodes)


@inlined
def _node_number(store, word):
    """Return the number of a node, inserted if it is new."""
    nodes, recent = store.nodes, store.recent
    at = _2 * home(word * _MIX, U(len(recent)) >> _1)
    if recent[at] == word and recent[at + _1] != _0:
        return recent[at + _1] - _1
    store.keys.copy[0] = word
    number = table_kernel.add(nodes, nodes.shape.count, store.keys.copy, _0, mix(word))
    recent[at], recent[at + _1] = word, number + _1
    return number


@inlined
def _compress(store, array, at, source):
    """Compress the state at `array[at]` to its key, a pair of numbers of 32 bits.

    `source` is the entry of its parent, which must be decompressed, or NONE. There must be room for the nodes.
    """
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
        # The parent's number is reused for equal nodes; only the others are looked up.
        folded[number] = kept[kept_of + number] if known and same else _node_number(store, part)
    last = U(len(pairs)) - _2
    return (folded[pairs[last]] << _32) | folded[pairs[last + _1]]


@inlined
def _decompress(store, key, place):
    """Decompress a key to `place`: words of the state and numbers of its nodes. Return where the words begin."""
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
def _mixed_key(store, array, at, source):
    """Compress the state at `array[at]` and return its mixed key; see `_compress`."""
    pair, form = _compress(store, array, at, source), store.keys.form
    return mix_key(((pair >> _32) << form.half) | (pair & _LOW), form.bits)


@njit
def decompress_keys(store, keys, joined, rows):
    """Write the states of keys to rows with one extra word each.

    With `joined`, keys are packed as in the table, else as in `entries`. This overwrites the states that the store
    holds decompressed.
    """
    words, half = word_count(store.words), store.keys.form.half
    for number in range(U(len(keys))):
        key = keys[number]
        if joined:
            key = ((key >> half) << _32) | (key & ((_1 << half) - _1))
        at = _decompress(store, key, _0)
        for word in range(words):
            rows[number * (words + _1) + word] = store.sources[at + word]


# --- the functions of the interface; the others are those of the table of keys ----------------------------------


@inlined
def fingerprint(store, array, at):
    return _mixed_key(store, array, at, NONE)


@inlined
def prepare_hash(store, batch, number, array, at, source):
    nodes, words = store.nodes, word_count(store.words)
    batch.sources[number] = source
    if nodes.shape.places > _WORTH_FETCHING:
        for word in range(words):
            if array[at + word] != store.sources[(source & _LAST) * words + word]:
                table_kernel.prefetch_home(nodes, mix(array[at + word]))


@inlined
def complete_hashes(store, batch, array, stride):
    rest = batch.rest
    if rest.recognised == rest.count:
        return CONTINUE
    code = _make_room_for_nodes(store, rest.count)
    if code != CONTINUE:
        return code
    for number in range(rest.count):
        hash_value = _mixed_key(store, array, number * stride, batch.sources[number])
        batch.hashes[number] = hash_value
        prefetch_home(store, hash_value)
    rest.recognised = rest.count
    return CONTINUE


@inlined
def open_entry(store, number):
    return store.sources, _decompress(store, store.entries[number], number & _LAST)


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    form = store.keys.form
    key = unmix_key(hash_value, form.bits)
    store.entries[number] = ((key >> form.half) << _32) | (key & ((_1 << form.half) - _1))
    return number
