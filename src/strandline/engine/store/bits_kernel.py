"""Bitstate hashing: some bits per state in a table of fixed size (Holzmann 1998, 003 §3).

A state counts as stored if all of its bits are set, so a new state can be mistaken for a stored one. The positions of
the bits are hash + i * step for i = 0, 1, ..., which is as good as independent functions (Kirsch and Mitzenmacher
2006).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BIT_FUNCTIONS, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, mix
from strandline.engine.runtime.intrinsics import prefetch
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1, _6, _63 = U(0), U(1), U(6), U(63)
_SALT = U(0x9E37_79B9_7F4A_7C15)


class BitTable(NamedTuple):
    """A bit array; `shape.places` is the number of bits, a power of two."""

    words: Any
    entry: Any
    entries: Any
    table: Any
    shape: Any


@inlined
def _step(hash_value):
    return mix(hash_value ^ _SALT) | _1


@inlined
def _is_set(store, position):
    place = position & (store.shape.places - _1)
    return (store.table[place >> _6] >> (place & _63)) & _1 != _0


@inlined
def _set(store, position):
    place = position & (store.shape.places - _1)
    store.table[place >> _6] |= _1 << (place & _63)


@inlined
def prefetch_home(store, hash_value):
    prefetch(store.table, (hash_value & (store.shape.places - _1)) >> _6)


@inlined
def prefetch_match(store, hash_value):
    prefetch(store.table, ((hash_value + _step(hash_value)) & (store.shape.places - _1)) >> _6)


@inlined
def find(store, array, at, hash_value):
    """Return NONE if some bit of the state is not set; any other result means that the state counts as stored."""
    step, position = _step(hash_value), hash_value
    for _ in range(BIT_FUNCTIONS):
        if not _is_set(store, position):
            return NONE
        position += step
    return _0


@inlined
def add(store, number, array, at, hash_value):
    if find(store, array, at, hash_value) != NONE:
        return NONE
    step, position = _step(hash_value), hash_value
    for _ in range(BIT_FUNCTIONS):
        _set(store, position)
        position += step
    copy_state(array, at, store.entries, number * store.entry, store.words)
    store.shape.count += _1
    return number


@inlined
def forget(store, number, hash_value):
    """Do nothing: a bit may belong to several states."""


@inlined
def grow_table(store):
    """Refuse to grow: the table has a fixed size."""
    store.shape.overfull = _1
    return GROW
