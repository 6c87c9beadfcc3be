"""Insertion into stores that keep every state: the number of an entry is its record, in the order of discovery."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from strandline.engine.parts.search_output_kernel import links_are_full, log_new_state
from strandline.engine.runtime.codes import CONTINUE, FLUSH, GROW
from strandline.engine.runtime.jit import inlined
from strandline.engine.store.interface import add, entry_room, make_room


@inlined
def room_for_one(store, journal):
    """Check that one more state can be stored and logged. Returns CONTINUE, or FLUSH, GROW or BUDGET."""
    if links_are_full(journal):
        return FLUSH
    code = make_room(store)
    if code == CONTINUE and not entry_room(store, journal.counts.recorded):
        return GROW
    return code


@inlined
def store_one(store, journal, array, at, hash_value, link):
    """Store and log the state at `array[at]` unless it is stored; return True if it is new. There must be room."""
    if add(store, journal.counts.recorded, array, at, hash_value) != journal.counts.recorded:
        return False
    log_new_state(journal, link)
    return True
