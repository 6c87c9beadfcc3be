"""The interface of state stores; the compiler selects the store by the type of its named tuple.

A store keeps states in `entries`, `entry` words each: the state, and words that belong to the search. The caller
assigns the numbers of entries. A new store is a module with these functions over a named tuple of its own, and a line
in `STORES`; the suite in `tests/engine/test_stores.py` runs over all of them. `fingerprint`, `open_entry`,
`prepare_hash` and `complete_hashes` have defaults for stores that keep states uncompressed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from strandline.engine.runtime.codes import CONTINUE
from strandline.engine.runtime.hashing import state_hash, word_count
from strandline.engine.runtime.jit import INLINED, inlined, python_function
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
"""The module of each type of store."""


def _plain(store: Any, name: str) -> Any:
    return python_function(getattr(STORES[type(store)], name))


def _plain_or(store: Any, name: str, otherwise: Any) -> Any:
    return python_function(getattr(STORES[type(store)], name, otherwise))


@inlined
def _fingerprint(store, array, at):
    return state_hash(array, at, store.words)


@inlined
def _open_entry(store, number):
    return store.entries, number * store.entry


@inlined
def _prepare_hash(store, batch, number, array, at, source):
    hash_value = fingerprint(store, array, at)
    batch.hashes[number] = hash_value
    prefetch_home(store, hash_value)


@inlined
def _complete_hashes(store, batch, array, stride):
    return CONTINUE


def fingerprint(store, array, at):
    """Return the hash by which the store identifies the state at `array[at]`."""
    return _plain_or(store, "fingerprint", _fingerprint)(store, array, at)


def open_entry(store, number):
    """Decompress the state of entry `number`; return an array and its position there, valid until the next call."""
    return _plain_or(store, "open_entry", _open_entry)(store, number)


def prepare_hash(store, batch, number, array, at, source):
    """Compute and prefetch the hash of batch record `number`, the state at `array[at]`.

    `source` is the entry of its parent, which was decompressed last, or NONE for an initial state. Stores that need the
    parent (tree compression) only note it here and compute the hash in `complete_hashes`.
    """
    return _plain_or(store, "prepare_hash", _prepare_hash)(store, batch, number, array, at, source)


def complete_hashes(store, batch, array, stride):
    """Complete the hashes of all records of a batch, which lie in the array.

    Returns CONTINUE, or GROW or BUDGET as `make_room`.
    """
    return _plain_or(store, "complete_hashes", _complete_hashes)(store, batch, array, stride)


def find(store, array, at, hash_value):
    """Return the number of the entry with the state at `array[at]`, or NONE.

    A `StateTable`, a `HashTable`, a `BitTable`, `Keys` and a `Tree` have no entry numbers: any result but NONE means
    that the state is stored.
    """
    return _plain(store, "find")(store, array, at, hash_value)


def add(store, number, array, at, hash_value):
    """Insert the state into entry `number` unless it is stored; there must be room.

    Returns the number of the entry that has it: `number` if it is new. Stores without entry numbers return NONE if it
    is stored.
    """
    return _plain(store, "add")(store, number, array, at, hash_value)


def forget(store, number, hash_value):
    """Remove the state in entry `number`, which has this hash; other entries keep their numbers."""
    return _plain(store, "forget")(store, number, hash_value)


def grow_table(store):
    """Grow a full table; returns as `make_room`."""
    return _plain(store, "grow_table")(store)


def prefetch_home(store, hash_value):
    """Prefetch the home slot of a hash that is going to be looked up."""
    return _plain(store, "prefetch_home")(store, hash_value)


def prefetch_match(store, hash_value):
    """Prefetch the entry that the home slot refers to; called after `prefetch_home`, when the slot is in the cache."""
    return _plain(store, "prefetch_match")(store, hash_value)


@overload(fingerprint, jit_options=INLINED)
def _fingerprint_overload(store, array, at):
    chosen = getattr(STORES[store.instance_class], "fingerprint", _fingerprint)
    return lambda store, array, at: chosen(store, array, at)


@overload(open_entry, jit_options=INLINED)
def _open_entry_overload(store, number):
    chosen = getattr(STORES[store.instance_class], "open_entry", _open_entry)
    return lambda store, number: chosen(store, number)


@overload(prepare_hash, jit_options=INLINED)
def _prepare_hash_overload(store, batch, number, array, at, source):
    chosen = getattr(STORES[store.instance_class], "prepare_hash", _prepare_hash)
    return lambda store, batch, number, array, at, source: chosen(store, batch, number, array, at, source)


@overload(complete_hashes, jit_options=INLINED)
def _complete_hashes_overload(store, batch, array, stride):
    chosen = getattr(STORES[store.instance_class], "complete_hashes", _complete_hashes)
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
    """Ensure that the table has room for one more state.

    Returns CONTINUE; GROW if arrays must grow first; or BUDGET after a part of a rehash. Until it returns CONTINUE
    nothing may be added, and only states that are not stored may be looked up.
    """
    if store.shape.count < store.shape.most:
        return CONTINUE
    return grow_table(store)


@inlined
def extra_at(store, number):
    """Return the position of the words behind the state of an entry."""
    return number * store.entry + word_count(store.words)


@inlined
def entry_room(store, number):
    """Return True if `entries` has room for this entry; if not, ask for it."""
    end = (number + U(1)) * store.entry
    if end > U(len(store.entries)):
        store.shape.wanted_entries = end
        return False
    return True
