"""States as the words of a minimal automaton: a store of the interface of `strandline.engine.store.interface`, for
`bench/stores.py` (Holzmann and Puri, A minimized automaton representation of reachable states, STTT 1999).

A state is a word of symbols of at most five bits, a layer of nodes for each. No two nodes have the same edges, so that
the automaton is the smallest one with these layers; it is that after every insertion (as Daciuk, Mihov, Watson and
Watson, Computational Linguistics 2000, do it for words in any order). A new state follows the edges that there are, and
has a path of its own from there. Nodes on the way to which several edges lead are copied, others changed. Whoever then
has the edges of another node gives way to it, and the node above is changed in turn.

A node, in numbers of 32 bits: how many edges lead to it, the next node of its chain in the table of nodes, a bit for
each symbol that has an edge, and the targets of these.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, home
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1, _2, _3, _4, _32 = U(0), U(1), U(2), U(3), U(4), U(32)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)
_5555, _3333, _0F0F, _0101 = U(0x5555_5555), U(0x3333_3333), U(0x0F0F_0F0F), U(0x0101_0101)
_24, _63 = U(24), U(63)

SYMBOL_BITS = 5
SIZE_CLASSES = (1 << SYMBOL_BITS) + 1
HEADER = 3
"""Numbers of a node in front of its targets."""
FIRST_NODE = 4
"""Places before that are no nodes: 0 is none, 1 is where all words end."""
END = 1
_HEADER, _END = U(HEADER), U(END)
ROOM_AHEAD = 256
"""So many states at least can be added when there was room."""
_ROOM_AHEAD = U(ROOM_AHEAD)

NODES = np.dtype((np.record, [(name, np.uint64) for name in ("root", "nodes", "edges", "end", "buckets", "wanted")]))
"""The root; how many nodes and edges there are; where the pool's unused part begins; how many chains there are; how
large the pool must become."""


class Automaton(NamedTuple):
    """`entries` are the states that wait to be expanded. Symbol `n` of a state are the bits `masks[n]`, after
    `shifts[n]` of them, of word `places[n]`. Nodes lie in `pool`, `heads` are their chains, `free` has a list of unused
    places for each number of edges. `path` and `targets` are room for the nodes of a state and the edges of a node."""

    words: Any
    entry: Any
    entries: Any
    shape: Any
    places: Any
    shifts: Any
    masks: Any
    pool: Any
    heads: Any
    free: Any
    form: Any
    path: Any
    targets: Any


# --- nodes ------------------------------------------------------------------------------------------------------


@inlined
def _bits(number):
    """How many of 32 bits are set."""
    number -= (number >> _1) & _5555
    number = (number & _3333) + ((number >> _2) & _3333)
    number = (number + (number >> _4)) & _0F0F
    return ((number * _0101) >> _24) & _63


@inlined
def _symbol(store, array, at, layer):
    return (array[at + store.places[layer]] >> store.shifts[layer]) & store.masks[layer]


@inlined
def _target(pool, node, symbol):
    """Where the edge of a node leads, or 0."""
    present = U(pool[node + _2])
    if (present >> symbol) & _1 == _0:
        return _0
    return U(pool[node + _HEADER + _bits(present & ((_1 << symbol) - _1))])


@inlined
def _mix(value, number):
    value = (value ^ number) * _MIX_1
    return value ^ (value >> _32)


@inlined
def _hash_of_edges(targets, present, count):
    value = present * _MIX_2
    for number in range(count):
        value = _mix(value, targets[number])
    return value * _MIX_2


@inlined
def _hash_of_node(pool, node):
    present = U(pool[node + _2])
    value = present * _MIX_2
    for number in range(_bits(present)):
        value = _mix(value, U(pool[node + _HEADER + number]))
    return value * _MIX_2


@inlined
def _known(store, present, count, hash_value):
    """The node that has the edges in `targets`, or 0."""
    pool, targets = store.pool, store.targets
    node = U(store.heads[home(hash_value, store.form.buckets)])
    while node != _0:
        if U(pool[node + _2]) == present:
            same = True
            for number in range(count):
                if U(pool[node + _HEADER + number]) != targets[number]:
                    same = False
                    break
            if same:
                break
        node = U(pool[node + _1])
    return node


@inlined
def _chain(store, node, hash_value):
    bucket = home(hash_value, store.form.buckets)
    store.pool[node + _1] = store.heads[bucket]
    store.heads[bucket] = node


@inlined
def _unchain(store, node):
    pool = store.pool
    bucket = home(_hash_of_node(pool, node), store.form.buckets)
    before = U(store.heads[bucket])
    if before == node:
        store.heads[bucket] = pool[node + _1]
        return
    while U(pool[before + _1]) != node:
        before = U(pool[before + _1])
    pool[before + _1] = pool[node + _1]


@inlined
def _made(store, present, count):
    """A node, in no chain, that has the edges in `targets`; nothing leads to it, and its targets do not know of it."""
    pool, form = store.pool, store.form
    node = store.free[count]
    if node != _0:
        store.free[count] = U(pool[node])
    else:
        node = form.end
        form.end += _HEADER + count
    pool[node], pool[node + _1], pool[node + _2] = _0, _0, present
    for number in range(count):
        pool[node + _HEADER + number] = store.targets[number]
    form.nodes += _1
    form.edges += count
    return node


@inlined
def _drop(store, node, count):
    """A node that nothing leads to any more."""
    store.pool[node] = store.free[count]
    store.free[count] = node
    store.form.nodes -= _1
    store.form.edges -= count


@inlined
def _change(store, node, symbol, target):
    """Write the edges of a node, with that of a symbol leading to a target, to `targets`: which symbols have one, how
    many these are."""
    pool, targets = store.pool, store.targets
    before = U(pool[node + _2])
    present = before | (_1 << symbol)
    place, count = _bits(before & ((_1 << symbol) - _1)), _bits(present)
    shift = _1 if present != before else _0
    for number in range(place):
        targets[number] = U(pool[node + _HEADER + number])
    targets[place] = target
    for number in range(place + _1, count):
        targets[number] = U(pool[node + _HEADER + number - shift])
    return present, count


# --- adding a state ---------------------------------------------------------------------------------------------


@inlined
def _shared(store, present, count):
    """The one node that has the edges in `targets`."""
    hash_value = _hash_of_edges(store.targets, present, count)
    node = _known(store, present, count, hash_value)
    if node == _0:
        node = _made(store, present, count)
        for number in range(count):
            store.pool[store.targets[number]] += np.uint32(1)
        _chain(store, node, hash_value)
    return node


@inlined
def _walk(store, array, at):
    """Follow a state as far as there are edges: how far, and the nodes in `path`."""
    node, layers = store.form.root, U(len(store.places))
    for layer in range(layers):
        store.path[layer] = node
        node = _target(store.pool, node, _symbol(store, array, at, layer))
        if node == _0:
            return layer
    return layers


@inlined
def _changed(store, layer, symbol, target, former):
    """A node of the path, which one edge leads to, gets another target for a symbol, in place of `former`, which knows
    of it (0: there was none, or it is gone): the node that has these edges now."""
    pool, node = store.pool, store.path[layer]
    before = _bits(U(pool[node + _2]))
    present, count = _change(store, node, symbol, target)
    known, hash_value = _0, _0
    if layer > _0:
        _unchain(store, node)
        hash_value = _hash_of_edges(store.targets, present, count)
        known = _known(store, present, count, hash_value)
    if former != _0:
        pool[former] -= np.uint32(1)
    if known != _0:
        # What the node led to, but for this symbol, the other one leads to as well.
        place = _bits(present & ((_1 << symbol) - _1))
        for number in range(count):
            if number != place:
                pool[store.targets[number]] -= np.uint32(1)
        _drop(store, node, before)
        return known
    pool[target] += np.uint32(1)
    if count == before:
        for number in range(count):
            pool[node + _HEADER + number] = store.targets[number]
    else:
        moved = _made(store, present, count)
        pool[moved] = _0 if layer > _0 else _1
        _drop(store, node, before)
        node = moved
    if layer > _0:
        _chain(store, node, hash_value)
    return node


@inlined
def _insert(store, array, at, missing):
    """Add the state that has no edge at layer `missing` of its path."""
    pool, path, targets = store.pool, store.path, store.targets
    last = U(len(store.places)) - _1
    child = _END
    for above in range(last - missing):
        layer = last - above
        targets[0] = child
        child = _shared(store, _1 << _symbol(store, array, at, layer), _1)
    own = _1
    while own <= missing and pool[path[own]] == np.uint32(1):
        own += _1
    # Nodes of the path before layer `own` are this path's alone.
    layer = missing + _1
    while layer > own:
        layer -= _1
        present, count = _change(store, path[layer], _symbol(store, array, at, layer), child)
        child = _shared(store, present, count)
    former = path[own] if own <= missing else _0
    while layer > _0:
        layer -= _1
        node = _changed(store, layer, _symbol(store, array, at, layer), child, former)
        if node == path[layer]:
            return
        child, former = node, _0
    store.form.root = child


# --- the functions of the interface -----------------------------------------------------------------------------


@inlined
def prepare_hash(store, batch, number, array, at, source):
    batch.hashes[number] = _0


@inlined
def prefetch_home(store, hash_value):
    """What is looked at next is known only when the node before is."""


@inlined
def prefetch_match(store, hash_value):
    """As `prefetch_home`."""


@inlined
def find(store, array, at, hash_value):
    return _0 if _walk(store, array, at) == U(len(store.places)) else NONE


@inlined
def add(store, number, array, at, hash_value):
    missing = _walk(store, array, at)
    if missing == U(len(store.places)):
        return NONE
    _insert(store, array, at, missing)
    copy_state(array, at, store.entries, number * store.entry, store.words)
    store.shape.count += _1
    return number


@inlined
def most_for_a_state(store):
    """Numbers that an insertion takes at most."""
    return U(len(store.places)) * U(HEADER + SIZE_CLASSES - 1)


@inlined
def grow_table(store):
    """Room for some states more, whatever they need."""
    form, shape, each = store.form, store.shape, most_for_a_state(store)
    room = U(len(store.pool)) - form.end
    if room < _ROOM_AHEAD * each:
        form.wanted = form.end + _ROOM_AHEAD * each
        return GROW
    if form.nodes * _2 > form.buckets * _3:
        _rechain(store)
        if form.nodes * _2 > form.buckets * _3:
            shape.wanted_table = form.buckets + (form.buckets >> _1)
            return GROW
    shape.most = shape.count + room // each
    return CONTINUE


@inlined
def _rechain(store):
    """Use all chains that there is room for."""
    pool, heads, form = store.pool, store.heads, store.form
    if form.buckets == U(len(heads)):
        return
    waiting = _0
    for bucket in range(form.buckets):
        node = U(heads[bucket])
        heads[bucket] = np.uint32(0)
        while node != _0:
            following = U(pool[node + _1])
            pool[node + _1] = waiting
            waiting, node = node, following
    form.buckets = U(len(heads))
    while waiting != _0:
        following = U(pool[waiting + _1])
        _chain(store, waiting, _hash_of_node(pool, waiting))
        waiting = following
