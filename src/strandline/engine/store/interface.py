"""What every store of states can do; which one it is, the compiler knows by the type of the named tuple.

A store keeps states in `entries`, `entry` words each: the state, and words that belong to the search. Entries have
numbers; who gives them out is not the store's business. A new store is a module with these functions over a named tuple
of its own, and a line in `STORES`; the suite in `tests/engine/test_stores.py` runs over all of them. `fingerprint`,
`opened`, `meet` and `recognise` it need not have: most keep states as they are.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from strandline.engine.runtime.codes import CONTINUE
from strandline.engine.runtime.hashing import state_hash, word_count
from strandline.engine.runtime.jit import INLINED, inlined, plain
from strandline.engine.store import bits_kernel, paged_kernel, quotient_kernel, table_kernel, tree_kernel

U = np.uint64

STORES: dict[type, Any] = {
    table_kernel.StateTable: table_kernel,
    table_kernel.NumberTable: table_kernel,
    table_kernel.HashTable: table_kernel,
    bits_kernel.BitTable: bits_kernel,
    paged_kernel.Paged: paged_kernel,
    quotient_kernel.Keys: quotient_kernel,
    tree_kernel.Tree: tree_kernel,
}
"""The module of each kind of store."""


def _plain(store: Any, name: str) -> Any:
    return plain(getattr(STORES[type(store)], name))


def _plain_or(store: Any, name: str, otherwise: Any) -> Any:
    return plain(getattr(STORES[type(store)], name, otherwise))


@inlined
def _fingerprint(store, array, at):
    return state_hash(array, at, store.words)


@inlined
def _opened(store, number):
    return store.entries, number * store.entry


@inlined
def _meet(store, batch, number, array, at, source):
    hash_value = fingerprint(store, array, at)
    batch.hashes[number] = hash_value
    prefetch_home(store, hash_value)


@inlined
def _recognise(store, batch, array, stride):
    return CONTINUE


def fingerprint(store, array, at):
    """The hash by which the store knows the state at `array[at]`."""
    return _plain_or(store, "fingerprint", _fingerprint)(store, array, at)


def opened(store, number):
    """An array, and where in it the state of entry `number` lies; until the next call."""
    return _plain_or(store, "opened", _opened)(store, number)


def meet(store, batch, number, array, at, source):
    """Record `number` of a batch is the state at `array[at]`, a successor of entry `source`, which was opened last, or
    an initial state (NONE): have the hash by which the store knows it, or know all that `recognise` needs for that."""
    return _plain_or(store, "meet", _meet)(store, batch, number, array, at, source)


def recognise(store, batch, array, stride):
    """Have the hashes of all records of a batch, which lie in the array: CONTINUE, or what is to be done first, as of
    `make_room`."""
    return _plain_or(store, "recognise", _recognise)(store, batch, array, stride)


def find(store, array, at, hash_value):
    """The number of the entry that has the state at `array[at]`, or NONE. Of a `StateTable`, a
    `HashTable`, a `BitTable`, `Keys` and a `Tree` only NONE means something."""
    return _plain(store, "find")(store, array, at, hash_value)


def add(store, number, array, at, hash_value):
    """Write the state to entry `number` unless it is there. The number of the entry that has it: `number` where it is
    new; of those only that means something. There must be room."""
    return _plain(store, "add")(store, number, array, at, hash_value)


def forget(store, number, hash_value):
    """The state in entry `number`, which has this hash, is not there any more; other entries keep their numbers."""
    return _plain(store, "forget")(store, number, hash_value)


def grow_table(store):
    """Make a table that is full larger; answers as `make_room`."""
    return _plain(store, "grow_table")(store)


def prefetch_home(store, hash_value):
    """A state with this hash is going to be looked for."""
    return _plain(store, "prefetch_home")(store, hash_value)


def prefetch_match(store, hash_value):
    """The same, a little later, when its place in the table has been fetched: fetch what it will be compared with."""
    return _plain(store, "prefetch_match")(store, hash_value)


@overload(fingerprint, jit_options=INLINED)
def _fingerprint_overload(store, array, at):
    chosen = getattr(STORES[store.instance_class], "fingerprint", _fingerprint)
    return lambda store, array, at: chosen(store, array, at)


@overload(opened, jit_options=INLINED)
def _opened_overload(store, number):
    chosen = getattr(STORES[store.instance_class], "opened", _opened)
    return lambda store, number: chosen(store, number)


@overload(meet, jit_options=INLINED)
def _meet_overload(store, batch, number, array, at, source):
    chosen = getattr(STORES[store.instance_class], "meet", _meet)
    return lambda store, batch, number, array, at, source: chosen(store, batch, number, array, at, source)


@overload(recognise, jit_options=INLINED)
def _recognise_overload(store, batch, array, stride):
    chosen = getattr(STORES[store.instance_class], "recognise", _recognise)
    return lambda store, batch, array, stride: chosen(store, batch, array, stride)


@overload(find, jit_options=INLINED)
def _find(store, array, at, hash_value):
    chosen = STORES[store.instance_class].find
    return lambda store, array, at, hash_value: chosen(store, array, at, hash_value)


@overload(add, jit_options=INLINED)
def _add(store, number, array, at, hash_value):
    chosen = STORES[store.instance_class].add
    return lambda store, number, array, at, hash_value: chosen(store, number, array, at, hash_value)


@overload(forget, jit_options=INLINED)
def _forget(store, number, hash_value):
    chosen = STORES[store.instance_class].forget
    return lambda store, number, hash_value: chosen(store, number, hash_value)


@overload(grow_table, jit_options=INLINED)
def _grow_table(store):
    chosen = STORES[store.instance_class].grow_table
    return lambda store: chosen(store)


@overload(prefetch_home, jit_options=INLINED)
def _prefetch_home(store, hash_value):
    chosen = STORES[store.instance_class].prefetch_home
    return lambda store, hash_value: chosen(store, hash_value)


@overload(prefetch_match, jit_options=INLINED)
def _prefetch_match(store, hash_value):
    chosen = STORES[store.instance_class].prefetch_match
    return lambda store, hash_value: chosen(store, hash_value)


@inlined
def make_room(store):
    """Make room in the table for one more state: CONTINUE; or GROW, when arrays must grow first, or BUDGET after a part
    of the work. Until then nothing may be added, and only what is not there be looked for."""
    if store.shape.count < store.shape.most:
        return CONTINUE
    return grow_table(store)


@inlined
def extra_at(store, number):
    """Where the words begin that follow the state of an entry."""
    return number * store.entry + word_count(store.words)


@inlined
def entry_room(store, number):
    """Whether `entries` has room for this entry; if not, it is asked for."""
    end = (number + U(1)) * store.entry
    if end > U(len(store.entries)):
        store.shape.wanted_entries = end
        return False
    return True
