"""The interface of state stores; the compiler selects the store by the type of its named tuple.

A store keeps states in `entries`, `entry` words each: the state, and words that belong to the search. The caller
assigns the numbers of entries. A new store is a module with these functions over a named tuple of its own, and a line
in `STORES`; the suite in `tests/engine/test_stores.py` runs over all of them. `fingerprint`, `open_entry`,
`prepare_hash` and `complete_hashes` have defaults for stores that keep states uncompressed.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
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


_FORWARDS: dict[int, Callable[[Any], Callable[..., Any]]] = {
    1: lambda chosen: lambda store: chosen(store),
    2: lambda chosen: lambda store, a: chosen(store, a),
    3: lambda chosen: lambda store, a, b: chosen(store, a, b),
    4: lambda chosen: lambda store, a, b, c: chosen(store, a, b, c),
    5: lambda chosen: lambda store, a, b, c, d: chosen(store, a, b, c, d),
    6: lambda chosen: lambda store, a, b, c, d, e: chosen(store, a, b, c, d, e),
}
"""Functions that pass their arguments on to a given one, by the number of arguments."""


def _by_store(default: Any = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function dispatch to the function of the same name in the module of its first argument, the store.

    `default` is called for stores whose module has none. Kernels select it when they are compiled, by the type of the
    store.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        forward = _FORWARDS[len(inspect.signature(function).parameters)]

        def select(store: Any, *others: Any) -> Callable[..., Any]:
            return forward(getattr(STORES[store.instance_class], name, default))

        overload(call := _call_python(name, default), jit_options=INLINED, strict=False)(select)
        return update_wrapper(call, function)

    return decorate


def _call_python(name: str, default: Any) -> Callable[..., Any]:
    """Return the function for callers outside of compiled kernels."""

    def call(store: Any, *others: Any) -> Any:
        return python_function(getattr(STORES[type(store)], name, default))(store, *others)

    return call


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


@_by_store(_fingerprint)
def fingerprint(store, array, at):
    """Return the hash by which the store identifies the state at `array[at]`."""


@_by_store(_open_entry)
def open_entry(store, number):
    """Decompress the state of entry `number`; return an array and its position there, valid until the next call."""


@_by_store(_prepare_hash)
def prepare_hash(store, batch, number, array, at, source):
    """Compute and prefetch the hash of batch record `number`, the state at `array[at]`.

    `source` is the entry of its parent, which was decompressed last, or NONE for an initial state. Stores that need the
    parent (tree compression) only note it here and compute the hash in `complete_hashes`.
    """


@_by_store(_complete_hashes)
def complete_hashes(store, batch, array, stride):
    """Complete the hashes of all records of a batch, which lie in the array.

    Returns CONTINUE, or GROW or BUDGET as `make_room`.
    """


@_by_store()
def find(store, array, at, hash_value):
    """Return the number of the entry with the state at `array[at]`, or NONE.

    A `StateTable`, a `HashTable`, a `BitTable`, `Keys` and a `Tree` have no entry numbers: any result but NONE means
    that the state is stored.
    """


@_by_store()
def add(store, number, array, at, hash_value):
    """Insert the state into entry `number` unless it is stored; there must be room.

    Returns the number of the entry that has it: `number` if it is new. Stores without entry numbers return NONE if it
    is stored.
    """


@_by_store()
def forget(store, number, hash_value):
    """Remove the state in entry `number`, which has this hash; other entries keep their numbers."""


@_by_store()
def grow_table(store):
    """Grow a full table; returns as `make_room`."""


@_by_store()
def prefetch_home(store, hash_value):
    """Prefetch the home slot of a hash that is going to be looked up."""


@_by_store()
def prefetch_match(store, hash_value):
    """Prefetch the entry that the home slot refers to; called after `prefetch_home`, when the slot is in the cache."""


# --- several threads ---------------------------------------------------------------------------------------------


@_by_store()
def add_shared(store, number, array, at, hash_value):
    """Insert the state at `array[at]` into entry `number`, while other threads insert; return True if it is new.

    The caller counts it in `shape.count` later. Each thread has entry numbers of its own.
    """


@_by_store()
def is_crowded(store):
    """Return True if the table must grow although `shape.count` is below `shape.most`."""


@_by_store()
def renumber(store, number, new):
    """Move the state in entry `number` to entry `new`, which is free."""


@_by_store()
def begin_growth(store):
    """Begin to grow the table by several threads. Returns CONTINUE, or GROW if the array must grow first.

    Then, from the end of the old table to its beginning, all threads move one range after the other: the range from
    `growth_begin(store, end)` to `end` is divided among them, and each calls `rehash_part`. Last, one thread calls
    `finish_growth`, and `insert_deferred` for the deferred contents of each thread.
    """


@_by_store()
def growth_end(store):
    """Return the end of the old table, in slots or buckets."""


@_by_store()
def growth_begin(store, end):
    """Return the beginning of the range up to `end` that several threads can move at a time.

    The contents of that range belong behind `end`. Returns 0 if one thread should defer all the rest.
    """


@_by_store()
def rehash_part(store, first, last, deferred, count):
    """Move the contents of the old table from `first` to `last` to their homes in the larger one.

    Contents that belong to the part of another thread are appended to `deferred`, behind the first `count`; all of them
    if `first` is 0. Returns the new count. If `deferred` is full, which no hash of this quality produces,
    `shape.clustered` is set.
    """


@_by_store()
def finish_growth(store):
    """Switch to the larger table."""


@_by_store()
def insert_deferred(store, deferred, count):
    """Insert the first `count` contents of `deferred`, which are not in the table."""


# --- room --------------------------------------------------------------------------------------------------------


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
    """Return True if `entries` has room for this entry; if not, request that it grows."""
    end = (number + U(1)) * store.entry
    if end > U(len(store.entries)):
        store.shape.wanted_entries = end
        return False
    return True
