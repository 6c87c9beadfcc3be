"""The store of a sweep: states in pages, each of one layer, found through one hash table of cache-line buckets.

One table serves all layers. A bucket, 64 bytes, has room for twelve states: a byte of the hash and the 32 bits of the
entry's number for each, and an overflow count, the number of states whose probe sequence passed this bucket because it
was full. A lookup probes from the home bucket on until an overflow count is 0. Nothing ever moves, so a state is
removed by clearing its byte, and the load of the table stays as it was made: bytes per state do not depend on the
number of layers, nor on their size (ADR 11).

Entries lie in pages; a page belongs to one layer and is freed as a whole. The record of an entry is that of the first
in its page plus a difference of 32 bits: the records of a layer increase.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BUDGET, CONTINUE, GROW, NONE
from strandline.engine.runtime.hashing import copy_state, home, same_state, state_hash
from strandline.engine.runtime.intrinsics import lowest_bit, prefetch
from strandline.engine.runtime.jit import inlined
from strandline.engine.runtime.sizes import LEAST_GROWTH

U = np.uint64
_0, _1, _2, _3, _8, _12, _32 = U(0), U(1), U(2), U(3), U(8), U(12), U(32)
_FILL, FULLEST = U(10), 11
"""States per bucket at which the table grows, and the most when it cannot."""
_LEAST_LINES, _MOST_LINES = U(1 << 3), U((1 << 32) // 12)
_PAGES_AT_A_TIME = U(1 << 16)
_BYTES, _TOPS = U(0x0101_0101_0101_0101), U(0x8080_8080_8080_8080)
_LOW, _BYTE, _LINE = U(0xFFFF_FFFF), U(0xFF), U(8)
_OVERFLOW, _LEAST_GROWTH = U(1 << 32), U(LEAST_GROWTH)
_REACH = U(1 << 32)


class Paged(NamedTuple):
    """The table and the pages.

    `following` links the pages of a layer and the free ones; `filled` is the number of used entries of each page. The
    record of an entry is the record of the first entry of its page, in `first_record`, plus a difference, in `further`.
    """

    words: Any
    entry: Any
    entries: Any
    table: Any
    shape: Any
    following: Any
    filled: Any
    first_record: Any
    further: Any


# --- the table --------------------------------------------------------------------------------------------------


@inlined
def _tag(hash_value):
    """Return the byte that distinguishes a state from others in its bucket; never 0, which marks a free place."""
    return max(_1, hash_value & _BYTE)


@inlined
def _zero_bytes(word):
    """Return a mask of the zero bytes of a word: exact for the lowest one, others must be checked again."""
    return (word - _BYTES) & ~word & _TOPS


@inlined
def _number_at(table, line, place):
    return (table[line + _2 + (place >> _1)] >> ((place & _1) << U(5))) & _LOW


@inlined
def _look_in(store, line, hash_value, array, at):
    """Return the entry of the state at `array[at]` if it lies in a bucket, else NONE."""
    table = store.table
    pattern = _tag(hash_value) * _BYTES
    for half in range(_2):
        bits = _zero_bytes(table[line + half] ^ pattern)
        if half == _1:
            bits &= _LOW
        while bits != _0:
            place = lowest_bit(bits) >> _3
            number = _number_at(table, line, (half << _3) + place)
            # A false positive of the zero-byte test may be a free place, with the number of a removed state.
            exact = (table[line + half] >> (place << _3)) & _BYTE == pattern & _BYTE
            if exact and same_state(array, at, store.entries, number * store.entry, store.words):
                return number
            bits &= bits - _1
    return NONE


@inlined
def prefetch_home(store, hash_value):
    prefetch(store.table, home(hash_value, store.shape.places) * _LINE)


@inlined
def prefetch_match(store, hash_value):
    line = home(hash_value, store.shape.places) * _LINE
    pattern = _tag(hash_value) * _BYTES
    bits, place = _zero_bytes(store.table[line] ^ pattern), _0
    if bits == _0:
        bits, place = _zero_bytes(store.table[line + _1] ^ pattern) & _LOW, _8
    if bits != _0:
        prefetch(store.entries, _number_at(store.table, line, place + (lowest_bit(bits) >> _3)) * store.entry)


@inlined
def find(store, array, at, hash_value):
    lines = store.shape.places
    if store.shape.count == _0:
        return NONE
    number = home(hash_value, lines)
    while True:
        found = _look_in(store, number * _LINE, hash_value, array, at)
        if found != NONE or store.table[number * _LINE + _1] < _OVERFLOW:
            return found
        number += _1
        if number == lines:
            number = _0


@inlined
def _enter(store, number, hash_value, lines):
    """Insert the number of an entry into a table of `lines` buckets, which must have room."""
    table, tag = store.table, _tag(hash_value)
    line = home(hash_value, lines) * _LINE
    while True:
        place = _12
        bits = _zero_bytes(table[line])
        if bits != _0:
            place = lowest_bit(bits) >> _3
            table[line] |= tag << (place << _3)
        else:
            bits = _zero_bytes(table[line + _1]) & _LOW
            if bits != _0:
                place = lowest_bit(bits) >> _3
                table[line + _1] |= tag << (place << _3)
                place += _8
        if place != _12:
            word, shift = line + _2 + (place >> _1), (place & _1) << U(5)
            table[word] = (table[word] & ~(_LOW << shift)) | (number << shift)
            return
        # Full: searches for this state must pass on from here.
        table[line + _1] += _OVERFLOW
        line += _LINE
        if line == lines * _LINE:
            line = _0


@inlined
def insert(store, number, array, at, hash_value):
    """Write a new state to its entry and insert it into the table; there must be room."""
    copy_state(array, at, store.entries, number * store.entry, store.words)
    _enter(store, number, hash_value, store.shape.places)
    store.shape.count += _1


@inlined
def add(store, number, array, at, hash_value):
    found = find(store, array, at, hash_value)
    if found != NONE:
        return found
    insert(store, number, array, at, hash_value)
    return number


@inlined
def forget(store, number, hash_value):
    table, lines = store.table, store.shape.places
    pattern = _tag(hash_value) * _BYTES
    line = home(hash_value, lines) * _LINE
    while True:
        for half in range(_2):
            bits = _zero_bytes(table[line + half] ^ pattern)
            if half == _1:
                bits &= _LOW
            while bits != _0:
                shift = (lowest_bit(bits) >> _3) << _3
                exact = (table[line + half] >> shift) & _BYTE == pattern & _BYTE
                if exact and _number_at(table, line, (half << _3) + (shift >> _3)) == number:
                    table[line + half] &= ~(_BYTE << shift)
                    store.shape.count -= _1
                    return
                bits &= bits - _1
        table[line + _1] -= _OVERFLOW
        line += _LINE
        if line == lines * _LINE:
            line = _0


@inlined
def grow_table(store):
    """Rehash a full table into one twice as large, or as large as memory allows, from the pages.

    The pages, not the table, hold the states. A rehash takes a while, so the kernel returns BUDGET now and then, and
    the next attempt to make room continues it.
    """
    shape = store.shape
    if shape.target == _0:
        target = max(_LEAST_LINES, _2 * shape.places)
        if target > _MOST_LINES:
            shape.overfull = _1
            return GROW
        room = U(len(store.table)) // _LINE
        if target > room:
            if room < max(_LEAST_LINES, shape.places + shape.places // _LEAST_GROWTH):
                shape.wanted_table = target * _LINE
                return GROW
            target = room
        # The table is cleared at once and refilled in steps; until then it must not be searched.
        for word in range(shape.places * _LINE):
            store.table[word] = _0
        shape.target, shape.moved = target, _0
    last = min(shape.pages, shape.moved + _PAGES_AT_A_TIME)
    for page in range(shape.moved, last):
        _enter_page(store, page, shape.target)
    shape.moved = last
    if last < shape.pages:
        return BUDGET
    shape.places, shape.most, shape.target = shape.target, shape.target * _FILL, _0
    return CONTINUE


@inlined
def _enter_page(store, page, lines):
    first = page << store.shape.page_bits
    last = first + U(store.filled[page])
    for number in range(first, last):
        prefetch(store.table, home(state_hash(store.entries, number * store.entry, store.words), lines) * _LINE)
    for number in range(first, last):
        _enter(store, number, state_hash(store.entries, number * store.entry, store.words), lines)


# --- pages ------------------------------------------------------------------------------------------------------


@inlined
def record_of(store, number):
    """Return the record of an entry."""
    return store.first_record[number >> store.shape.page_bits] + U(store.further[number])


@inlined
def _new_page(store):
    """Return the number of a free page, counted from 1, or 0 if arrays must grow first."""
    shape = store.shape
    page = shape.free_page
    if page != _0:
        shape.free_page = U(store.following[page - _1])
    else:
        page = shape.pages + _1
        end = page << shape.page_bits
        pages = min(len(store.filled), len(store.following), len(store.first_record))
        if end * store.entry > U(len(store.entries)) or end > U(len(store.further)) or page > U(pages):
            shape.wanted_entries = end
            return _0
        shape.pages = page
    store.following[page - _1] = _0
    store.filled[page - _1] = _0
    return page


@inlined
def append(store, chain, record):
    """Return the number of a new entry at the end of a chain, or NONE if arrays must grow first."""
    shape = store.shape
    page = chain.last
    full = page == _0 or U(store.filled[page - _1]) >> shape.page_bits != _0
    if full or record - store.first_record[page - _1] >= _REACH:
        page = _new_page(store)
        if page == _0:
            return NONE
        store.first_record[page - _1] = record
        if chain.last == _0:
            chain.first = chain.page = page
        else:
            store.following[chain.last - _1] = page
        chain.last = page
    offset = U(store.filled[page - _1])
    store.filled[page - _1] = offset + _1
    number = ((page - _1) << shape.page_bits) + offset
    store.further[number] = record - store.first_record[page - _1]
    chain.count += _1
    return number


@inlined
def _prefetch_entries(store, page):
    """Prefetch the states of a page; page 0 is harmless."""
    first = (page - _1) << store.shape.page_bits
    prefetch(store.further, first)
    for word in range(first * store.entry, (first + (_1 << store.shape.page_bits)) * store.entry, _LINE):
        prefetch(store.entries, word)


@inlined
def next_of(store, chain):
    """Return the number of the next entry to be taken from a chain; there must be one."""
    if chain.offset == U(store.filled[chain.page - _1]):
        chain.page = U(store.following[chain.page - _1])
        chain.offset = _0
        _prefetch_entries(store, U(store.following[chain.page - _1]))
    return ((chain.page - _1) << store.shape.page_bits) + chain.offset


@inlined
def take(chain):
    """Advance a chain past the entry that `next_of` returned."""
    chain.offset += _1
    chain.taken += _1


@inlined
def first_of(store, chain):
    """Return the number of a chain's first entry, or NONE."""
    if chain.first == _0:
        return NONE
    return (chain.first - _1) << store.shape.page_bits


@inlined
def after(store, number):
    """Return the number of the entry that follows in the same chain, or NONE."""
    bits = store.shape.page_bits
    page = number >> bits
    if number - (page << bits) + _1 < U(store.filled[page]):
        return number + _1
    following = U(store.following[page])
    if following == _0:
        return NONE
    return (following - _1) << bits


@inlined
def _prefetch_homes(store, page):
    """Prefetch the home buckets of the states of a page, and the states of the page behind it."""
    _prefetch_entries(store, U(store.following[page - _1]))
    first = (page - _1) << store.shape.page_bits
    for number in range(first, first + U(store.filled[page - _1])):
        prefetch_home(store, state_hash(store.entries, number * store.entry, store.words))


@inlined
def forget_chain(store, chain, pages):
    """Remove the states of a chain, at most `pages` pages; return True if all are removed."""
    shape = store.shape
    if chain.first != _0:
        _prefetch_homes(store, chain.first)
    for _ in range(pages):
        page = chain.first
        if page == _0:
            break
        chain.first = U(store.following[page - _1])
        if chain.first != _0:
            _prefetch_homes(store, chain.first)
        first = (page - _1) << shape.page_bits
        for number in range(first, first + U(store.filled[page - _1])):
            forget(store, number, state_hash(store.entries, number * store.entry, store.words))
        # The page goes to the free list.
        store.filled[page - _1] = _0
        store.following[page - _1] = shape.free_page
        shape.free_page = page
    if chain.first != _0:
        return False
    chain.last = chain.count = chain.taken = chain.page = chain.offset = _0
    return True
