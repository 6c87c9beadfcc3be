"""States as tuples of numbers of components: a store of the interface of `strandline.engine.store.interface`, for
`bench/stores.py` (collapse compression; Holzmann, State compression in SPIN, 1997).

A component is a process, or the global variables: the bits that it has of the words of a state. Each component has a
table of what was met of it, numbered in the order in which it came; a state is the tuple of its numbers, each of as
many bits as are needed so far. All tuples lie in the table of quotients that `--store tree` has for its keys, and as
there, what waits to be expanded waits as a key, and of a successor only those components are looked up in which it
differs from the state whose successor it is.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BATCH, CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import home, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.bucket_kernel import mix_key, unmix_key
from strandline.engine.store.interface import make_room
from strandline.engine.store.quotient_kernel import find as find_key
from strandline.engine.store.quotient_kernel import grow_table, insert, prefetch_home, prefetch_match

__all__ = [
    "Collapse",
    "add",
    "complete_hashes",
    "find",
    "grow_table",
    "open_entry",
    "prefetch_home",
    "prefetch_match",
    "prepare_hash",
]
U = np.uint64
_0, _1, _32 = U(0), U(1), U(32)
_LAST = U(BATCH - 1)
_MIX_1, _MIX_2 = U(0xD6E8_FEB8_6659_FD93), U(0x9E37_79B9_7F4A_7C15)

_FIELDS = ("part", "parts", "slot", "slots", "entry", "room", "used", "bits", "low", "mask")
COMPONENT = np.dtype((np.record, [(name, np.uint64) for name in _FIELDS]))
"""A component: its first part, in `places` and `masks`, and how many it has; its first slot and how many there are; its
first entry in `contents`, in words, how many there is room for, and how many there are; how many bits its numbers have
in keys, where these begin, and a mask of them."""

WANTS = np.dtype((np.record, [(name, np.uint64) for name in ("bits", "room")]))
"""Which component needs more bits, which one more room; both are counted from 1."""


class Collapse(NamedTuple):
    """`entries` are the keys that wait to be expanded; `keys` is the table of all of them, whose shape is `shape`.
    `components` are what a state consists of: the bits `masks[n]` of the words `places[n]`, for some `n`. `slots` are
    the components' tables, with numbers that are counted from 1, `contents` what has these numbers. `sources` are the
    words of states that were opened, `kept` their keys, both of entry `n` at place `n % BATCH`."""

    words: Any
    entry: Any
    entries: Any
    shape: Any
    keys: Any
    components: Any
    places: Any
    masks: Any
    slots: Any
    contents: Any
    sources: Any
    kept: Any
    wants: Any


# --- components -------------------------------------------------------------------------------------------------


@inlined
def _home_of_state(store, component, array, at):
    value = _0
    for part in range(component.part, component.part + component.parts):
        value = (value ^ (array[at + store.places[part]] & store.masks[part])) * _MIX_1
        value ^= value >> _32
    return home(value * _MIX_2, component.slots)


@inlined
def _has(store, component, number, array, at):
    """Whether a number of a component is that of the state at `array[at]`."""
    content = component.entry + number * component.parts
    same = True
    for part in range(component.parts):
        place = component.part + part
        if store.contents[content + part] != array[at + store.places[place]] & store.masks[place]:
            same = False
            break
    return same


@inlined
def _seek(store, component, array, at):
    """The number of what a state has of a component, or NONE; and the slot where it is, or belongs."""
    slot = _home_of_state(store, component, array, at)
    while True:
        content = U(store.slots[component.slot + slot])
        if content == _0:
            return NONE, slot
        if _has(store, component, content - _1, array, at):
            return content - _1, slot
        slot += _1
        if slot == component.slots:
            slot = _0


@inlined
def _number(store, which, array, at):
    """The number of what a state has of a component, which may be a new one; NONE where there is no room for that."""
    component = store.components[which]
    number, slot = _seek(store, component, array, at)
    if number == NONE:
        number = component.used
        if number >> component.bits != _0:
            store.wants.bits = which + _1
            return NONE
        if number == component.room:
            store.wants.room = which + _1
            return NONE
        content = component.entry + number * component.parts
        for part in range(component.parts):
            place = component.part + part
            store.contents[content + part] = array[at + store.places[place]] & store.masks[place]
        store.slots[component.slot + slot] = number + _1
        component.used = number + _1
    return number


@inlined
def _differs(store, component, array, at, source):
    """Whether a state has another content of a component than the one at `sources[source]`."""
    differs = _0
    for part in range(component.part, component.part + component.parts):
        place = store.places[part]
        differs |= (array[at + place] ^ store.sources[source + place]) & store.masks[part]
    return differs != _0


@inlined
def _folded(store, array, at, source):
    """The key of the state at `array[at]`, and whether there was room for what is new in it; it is a successor of entry
    `source`, which was opened, or none's (NONE)."""
    place = source & _LAST
    at_source = place * word_count(store.words)
    key = store.kept[place] if source != NONE else _0
    for which in range(U(len(store.components))):
        component = store.components[which]
        if source == NONE or _differs(store, component, array, at, at_source):
            number = _number(store, which, array, at)
            if number == NONE:
                return _0, False
            key ^= (key & component.mask) ^ (number << component.low)
    return key, True


# --- growth -----------------------------------------------------------------------------------------------------


@njit
def fill_slots(slots, first, count, components, which, contents):
    """Write the numbers of a component into its slots, which are empty."""
    component = components[which]
    for number in range(component.used):
        value = _0
        for part in range(component.parts):
            value = (value ^ contents[component.entry + number * component.parts + part]) * _MIX_1
            value ^= value >> _32
        slot = home(value * _MIX_2, count)
        while slots[first + slot] != np.uint32(0):
            slot += _1
            if slot == count:
                slot = _0
        slots[first + slot] = number + _1


@njit
def repack(keys, components, lows):
    """Keys whose numbers lie as `components` say become keys whose numbers lie at `lows`."""
    for number in range(U(len(keys))):
        key = _0
        for which in range(U(len(components))):
            component = components[which]
            key |= ((keys[number] & component.mask) >> component.low) << lows[which]
        keys[number] = key


@njit
def refill(store, keys, first):
    """Put keys from number `first` on into a table of keys: up to which, and CONTINUE or what must be done first."""
    code = CONTINUE
    while first < U(len(keys)):
        code = make_room(store)
        if code != CONTINUE:
            break
        insert(store.keys, mix_key(keys[first], store.keys.form.bits))
        first += _1
    return first, code


# --- the functions of the interface; the others are those of the table of keys ----------------------------------


@inlined
def open_entry(store, number):
    words, place = word_count(store.words), number & _LAST
    key, at = store.entries[number], place * words
    store.kept[place] = key
    for word in range(words):
        store.sources[at + word] = _0
    for which in range(U(len(store.components))):
        component = store.components[which]
        kept = (key & component.mask) >> component.low
        for part in range(component.parts):
            content = store.contents[component.entry + kept * component.parts + part]
            store.sources[at + store.places[component.part + part]] |= content
    return store.sources, at


@inlined
def prepare_hash(store, batch, number, array, at, source):
    batch.sources[number] = source


@inlined
def complete_hashes(store, batch, array, stride):
    rest = batch.rest
    if rest.recognised == rest.count:
        return CONTINUE
    for number in range(rest.count):
        key, room = _folded(store, array, number * stride, batch.sources[number])
        if not room:
            return GROW
        hash_value = mix_key(key, store.keys.form.bits)
        batch.hashes[number] = hash_value
        prefetch_home(store, hash_value)
    rest.recognised = rest.count
    return CONTINUE


@inlined
def find(store, array, at, hash_value):
    """The hash is not looked at: who asks need not have one."""
    key = _0
    for which in range(U(len(store.components))):
        component = store.components[which]
        number, _ = _seek(store, component, array, at)
        if number == NONE:
            return NONE
        key |= number << component.low
    return find_key(store, array, at, mix_key(key, store.keys.form.bits))


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    store.entries[number] = unmix_key(hash_value, store.keys.form.bits)
    return number
