"""Rows of words in the order of their states' hashes: sorting, removing duplicates, merging.

A row is a state and, of one that waits, the link to its parent. The order is that of the hash, then of the words; so
the states of a range of hashes lie together in every sorted run, and equally many in ranges of equal size.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.hashing import copy_state, home, same_state, state_hash, word_count
from strandline.engine.jit import inlined, njit

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_FEW = U(16)


@njit
def hash_rows(rows, size, words, hashes):
    """The hashes of rows of so many words each."""
    for number in range(U(len(hashes))):
        hashes[number] = state_hash(rows, number * size, words)


@inlined
def _before(rows, hashes, size, first, second):
    if hashes[first] != hashes[second]:
        return hashes[first] < hashes[second]
    for word in range(size):
        one, other = rows[first * size + word], rows[second * size + word]
        if one != other:
            return one < other
    return False


@inlined
def _swap(rows, hashes, size, first, second):
    hashes[first], hashes[second] = hashes[second], hashes[first]
    for word in range(size):
        one = rows[first * size + word]
        rows[first * size + word] = rows[second * size + word]
        rows[second * size + word] = one


@inlined
def _part(rows, hashes, size, low, high):
    """Move what comes before the middle one of these rows before it, the rest behind it; where it is then."""
    _swap(rows, hashes, size, low, (low + high) >> _1)
    left, right = low, high
    while True:
        left += _1
        while left < high and _before(rows, hashes, size, left, low):
            left += _1
        right -= _1
        while _before(rows, hashes, size, low, right):
            right -= _1
        if left >= right:
            break
        _swap(rows, hashes, size, left, right)
    _swap(rows, hashes, size, low, right)
    return right


@inlined
def _sort_part(rows, hashes, size, low, high, stack):
    """Sort rows `low` to `high` in place."""
    depth = _0
    while True:
        while high - low > _FEW:
            middle = _part(rows, hashes, size, low, high)
            if middle - low < high - middle:
                stack[depth], stack[depth + _1] = middle + _1, high
                high = middle
            else:
                stack[depth], stack[depth + _1] = low, middle
                low = middle + _1
            depth += _2
        for number in range(low + _1, high):
            place = U(number)
            while place > low and _before(rows, hashes, size, place, place - _1):
                _swap(rows, hashes, size, place, place - _1)
                place -= _1
        if depth == _0:
            break
        depth -= _2
        low, high = stack[depth], stack[depth + _1]


@njit
def sort_rows(rows, hashes, size, sorted_rows, sorted_hashes, ends, stack):
    """Sort rows, whose hashes are known, into other arrays. Hashes are as good as random: by their upper bits rows are
    dealt out to places of which each gets a few, and these are sorted. `ends` has one word more than there are such
    places, all zero; the stack two words for each time the number of rows can be halved."""
    count, places = U(len(hashes)), U(len(ends)) - _1
    for number in range(count):
        ends[home(hashes[number], places) + _1] += _1
    for place in range(places):
        ends[place + _1] += ends[place]
    for number in range(count):
        place = home(hashes[number], places)
        to = ends[place]
        ends[place] = to + _1
        sorted_hashes[to] = hashes[number]
        for word in range(size):
            sorted_rows[to * size + word] = rows[number * size + word]
    low = _0
    for place in range(places):
        _sort_part(sorted_rows, sorted_hashes, size, low, ends[place], stack)
        low = ends[place]


@inlined
def _move(rows, hashes, size, source, target):
    if source != target:
        hashes[target] = hashes[source]
        for word in range(size):
            rows[target * size + word] = rows[source * size + word]


@njit
def drop_equal(rows, hashes, size, words, first, last, to):
    """Of sorted rows, keep the first with each state, from row `to` on; the answer is where they end."""
    end = U(to)
    for number in range(first, last):
        known = end > to and hashes[number] == hashes[end - _1]
        if known and same_state(rows, number * size, rows, (end - _1) * size, words):
            continue
        _move(rows, hashes, size, number, end)
        end += _1
    return end


@njit
def mark_known(rows, hashes, size, words, first, last, known, marks):
    """Mark those of the sorted rows whose state is among the known ones, which are sorted too."""
    width = word_count(words)
    count, place = U(len(known)) // width, _0
    for number in range(first, last):
        wanted = hashes[number]
        # From the place of the last one on, in steps that double.
        low, step = place, _1
        while low + step < count and state_hash(known, (low + step) * width, words) < wanted:
            low += step
            step += step
        high = min(low + step, count)
        while low < high:
            middle = (low + high) >> _1
            if state_hash(known, middle * width, words) < wanted:
                low = middle + _1
            else:
                high = middle
        place = low
        while low < count and state_hash(known, low * width, words) == wanted:
            if same_state(rows, number * size, known, low * width, words):
                marks[number] = 1
                break
            low += _1


@njit
def drop_marked(rows, hashes, size, count, marks):
    """Keep the rows without a mark; how many there are."""
    end = _0
    for number in range(count):
        if marks[number] == 0:
            _move(rows, hashes, size, number, end)
            end += _1
    return end


@njit
def merge_states(first, second, words, merged):
    """Two sorted arrays of different states as one."""
    width = word_count(words)
    size = U(len(first)) // width
    other_size = U(len(second)) // width
    one, other, to = _0, _0, _0
    hash_one = state_hash(first, _0, words) if size > _0 else _0
    hash_other = state_hash(second, _0, words) if other_size > _0 else _0
    while one < size and other < other_size:
        if hash_one <= hash_other:
            copy_state(first, one * width, merged, to * width, words)
            one += _1
            if one < size:
                hash_one = state_hash(first, one * width, words)
        else:
            copy_state(second, other * width, merged, to * width, words)
            other += _1
            if other < other_size:
                hash_other = state_hash(second, other * width, words)
        to += _1
    while one < size:
        copy_state(first, one * width, merged, to * width, words)
        one, to = one + _1, to + _1
    while other < other_size:
        copy_state(second, other * width, merged, to * width, words)
        other, to = other + _1, to + _1
