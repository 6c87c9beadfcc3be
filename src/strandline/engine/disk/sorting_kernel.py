"""Rows in the order of their states' hashes: sorting, removing duplicates, merging.

In a row, and wherever states lie on disk, a state's hash stands in place of its first word: it determines the word
(`first_word`), and comparisons mostly end there. A row of the queues has the link to its parent behind the state.
Hashes are uniform: the states of a range of hashes are contiguous in every sorted run, and ranges of equal size have
about equally many.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.hashing import copy_state, first_word, home, same_state, state_hash, word_count
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_FEW = U(16)


@njit
def put_first_words(rows, size, words):
    """Replace the hashes in rows of `size` words by the first words of the states."""
    for number in range(U(len(rows)) // size):
        rows[number * size] = first_word(rows[number * size], rows, number * size, words)


@njit
def put_hashes(rows, size, words):
    """Replace the first words of the states in rows of `size` words by their hashes."""
    for number in range(U(len(rows)) // size):
        rows[number * size] = state_hash(rows, number * size, words)


# --- sorting ----------------------------------------------------------------------------------------------------


@inlined
def _comes_before(rows, first, other_rows, second, size):
    """Return True if the row at `rows[first]` comes before that at `other_rows[second]`."""
    for word in range(size):
        one, other = rows[first + word], other_rows[second + word]
        if one != other:
            return one < other
    return False


@inlined
def _swap(rows, size, first, second):
    for word in range(size):
        one = rows[first * size + word]
        rows[first * size + word] = rows[second * size + word]
        rows[second * size + word] = one


@inlined
def _part(rows, size, low, high):
    """Partition rows around their middle one; return its final position."""
    _swap(rows, size, low, (low + high) >> _1)
    left, right = low, high
    while True:
        left += _1
        while left < high and _comes_before(rows, left * size, rows, low * size, size):
            left += _1
        right -= _1
        while _comes_before(rows, low * size, rows, right * size, size):
            right -= _1
        if left >= right:
            break
        _swap(rows, size, left, right)
    _swap(rows, size, low, right)
    return right


@inlined
def _sort_part(rows, size, low, high, stack):
    """Sort rows `low` to `high` in place: quicksort, then insertion sort of small ranges."""
    depth = _0
    while True:
        while high - low > _FEW:
            middle = _part(rows, size, low, high)
            # Push the larger part and go on with the smaller: the stack stays logarithmic.
            if middle - low < high - middle:
                stack[depth], stack[depth + _1] = middle + _1, high
                high = middle
            else:
                stack[depth], stack[depth + _1] = low, middle
                low = middle + _1
            depth += _2
        for number in range(low + _1, high):
            place = U(number)
            while place > low and _comes_before(rows, place * size, rows, (place - _1) * size, size):
                _swap(rows, size, place, place - _1)
                place -= _1
        if depth == _0:
            break
        depth -= _2
        low, high = stack[depth], stack[depth + _1]


@njit
def sort_rows(rows, words, sorted_rows, ends, stack):
    """Sort rows of states with links into another array.

    Rows are distributed by the upper bits of their hashes to places of a few rows each, which are then sorted. `ends`
    has one word more than there are places, all zero; `stack` two words for each time that the number of rows can be
    halved.
    """
    size = word_count(words) + _1
    count, places = U(len(rows)) // size, U(len(ends)) - _1
    # Counting sort by the upper bits of hashes: after the prefix sums, `ends[p]` is where place p begins.
    for number in range(count):
        ends[home(rows[number * size], places) + _1] += _1
    for place in range(places):
        ends[place + _1] += ends[place]
    for number in range(count):
        place = home(rows[number * size], places)
        to = ends[place]
        ends[place] = to + _1
        for word in range(size):
            sorted_rows[to * size + word] = rows[number * size + word]
    low = _0
    for place in range(places):
        _sort_part(sorted_rows, size, low, ends[place], stack)
        low = ends[place]


@inlined
def at_least(known, width, low, count, step, wanted):
    """Return the first of the sorted states from `low` on whose hash is not less than `wanted`.

    Exponential search with steps that double from `step`, then binary search.
    """
    while low + step < count and known[(low + step) * width] < wanted:
        low += step
        step += step
    high = min(low + step, count)
    while low < high:
        middle = (low + high) >> _1
        if known[middle * width] < wanted:
            low = middle + _1
        else:
            high = middle
    return low


@njit
def cut_rows(rows, size, bound):
    """Count the sorted rows with a hash below the bound, and those with a hash up to it."""
    count = U(len(rows)) // size
    low = at_least(rows, size, _0, count, max(_1, count), bound)
    end = low
    while end < count and rows[end * size] == bound:
        end += _1
    return low, end


# --- rows with links --------------------------------------------------------------------------------------------


@inlined
def _move(rows, size, source, target):
    if source != target:
        for word in range(size):
            rows[target * size + word] = rows[source * size + word]


@njit
def drop_equal(rows, words):
    """Keep the first of equal states in sorted rows; return the number of rows."""
    size, end = word_count(words) + _1, _0
    for number in range(U(len(rows)) // size):
        if end > _0 and same_state(rows, number * size, rows, (end - _1) * size, words):
            continue
        _move(rows, size, number, end)
        end += _1
    return end


@inlined
def _append(rows, first, merged, to):
    """Append the rest of `rows`; return the position behind it."""
    for word in range(first, U(len(rows))):
        merged[to] = rows[word]
        to += _1
    return to


@njit
def merge_rows(first, second, words, merged):
    """Merge two sorted arrays of rows."""
    size = word_count(words) + _1
    one, other, to = _0, _0, _0
    while one < U(len(first)) and other < U(len(second)):
        if _comes_before(second, other, first, one, size):
            for word in range(size):
                merged[to + word] = second[other + word]
            other += size
        else:
            for word in range(size):
                merged[to + word] = first[one + word]
            one += size
        to += size
    _append(second, other, merged, _append(first, one, merged, to))


@njit
def drop_marked(rows, size, count, marks):
    """Keep the rows without a mark; return their number."""
    end = _0
    for number in range(count):
        if marks[number] == 0:
            _move(rows, size, number, end)
            end += _1
    return end


# --- states -----------------------------------------------------------------------------------------------------


@njit
def merge_states(first, second, words, merged):
    """Merge two sorted arrays of disjoint states."""
    width = word_count(words)
    one, other, to = _0, _0, _0
    while one < U(len(first)) and other < U(len(second)):
        if first[one] <= second[other]:
            copy_state(first, one, merged, to, words)
            one += width
        else:
            copy_state(second, other, merged, to, words)
            other += width
        to += width
    _append(second, other, merged, _append(first, one, merged, to))
