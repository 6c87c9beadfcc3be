"""A store alone, fed with the successors that a search had met, for `bench/stores.py`."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.codes import BATCH, CONTINUE, DONE, GROW, NONE
from strandline.engine.runtime.hashing import word_count
from strandline.engine.runtime.jit import njit
from strandline.engine.store.interface import (
    add,
    complete_hashes,
    entry_room,
    find,
    make_room,
    open_entry,
    prefetch_match,
    prepare_hash,
)

U = np.uint64
_0, _1, _BATCH, _AHEAD = U(0), U(1), U(BATCH), U(6)

PLACE = np.dtype((np.record, [(name, np.uint64) for name in ("first", "source", "row", "begin", "stored")]))
"""How far a store is fed: the number of the first source, how many sources were opened, how many rows joined a batch,
the first row of the batch; how many states the store has."""


@njit
def feed(store, batch, rows, degrees, place, new):
    """Give a store rows of successors in batches, as a breadth-first search does: source `n` has `degrees[n]` of them.
    Which of them are new is written to `new`. The sources are entries, from number `place.first` on; where that is NONE
    the rows are initial states. DONE; or GROW or BUDGET, after which it can be called again."""
    rest, words = batch.rest, word_count(store.words)
    while True:
        if rest.count == _0:
            place.begin = place.row
            first, used = place.source, _0
            while place.source < U(len(degrees)) and used < _BATCH and place.source - first < _BATCH:
                degree = U(degrees[place.source])
                number = place.first + place.source
                if number != NONE and degree > _0:
                    open_entry(store, number)
                for step in range(degree):
                    prepare_hash(store, batch, used + step, rows, (place.row + step) * words, number)
                used += degree
                place.row += degree
                place.source += _1
            rest.count = used
            if used == _0:
                if place.source == U(len(degrees)):
                    return DONE
                continue
        code = complete_hashes(store, batch, rows[place.begin * words :], words)
        if code != CONTINUE:
            return code
        while rest.next < rest.count:
            code = make_room(store)
            if code != CONTINUE:
                return code
            if not entry_room(store, place.stored):
                return GROW
            if rest.next + _AHEAD < rest.count:
                prefetch_match(store, batch.hashes[rest.next + _AHEAD])
            row = place.begin + rest.next
            is_new = add(store, place.stored, rows, row * words, batch.hashes[rest.next]) == place.stored
            new[row] = is_new
            if is_new:
                place.stored += _1
            rest.next += _1
        rest.next = rest.count = rest.recognised = _0


@njit
def look_up(store, rows, found):
    """Which of the states in rows a store has; of one that does not ask for hashes."""
    words = word_count(store.words)
    for row in range(U(len(found))):
        found[row] = find(store, rows, row * words, _0) != NONE
