"""Keys in lines of 64 bytes, of each only what its place does not tell (quotients: Knuth 6.4, ex. 13; Cleary 1984).

A key of `bits` bits is scattered by a bijection. The upper part of what comes out says in which line it belongs, and
need not be stored; the rest, with the distance in lines between that line and the one that had room, is. Nothing is
lost: a key can be told from where it lies and what lies there, which is also how the table grows.

A key that finds no room in `REACH` lines takes the place of one that is nearer to where it belongs, which then looks
for another place further on; where that does not help, a key is kept beside the table, and the table grows: by three
fifths, or what there is room for; in place, from its end to its beginning, as that of `table_kernel` does: where a key
belongs is monotone in what it is scattered to.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BUDGET, CONTINUE, GROW, NONE
from strandline.engine.runtime.intrinsics import prefetch
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.runtime.sizes import LEAST_GROWTH
from strandline.engine.store.bucket_kernel import (
    REACH,
    fill,
    further,
    gathered,
    holds_key,
    line_of,
    placed,
    quotient_of,
    scattered,
    set_form,
    value_at,
    value_of,
)

U = np.uint64
_0, _1, _2, _3, _5, _8, _255 = U(0), U(1), U(2), U(3), U(5), U(8), U(255)

SPARE = REACH + 1
"""Lines behind the last that a key belongs to."""
_REACH, _SPARE = U(REACH), U(SPARE)
_LEAST_LINES, _DOUBLED_LINES, _MOST_LINES = U(1 << 6), U(1 << 13), U(1 << 31)
_LINES_AT_A_TIME, _MANY_BESIDE = U(1 << 18), U(64)
_LEAST_GROWTH = U(LEAST_GROWTH)


_BELONGS, _QUOTIENT = U(9), U(9 + 15)
COPY_WORDS = 9 + 2 * 15
"""A copy of a line, one word more, and of each of its keys where it goes."""


class Lines(NamedTuple):
    """A table of keys. `larger` is the form that it gets while it grows, `copy` has room for a line and where its keys
    go; `scratch` is for keys that are put off and those that are kept beside the table."""

    table: Any
    shape: Any
    form: Any
    larger: Any
    scratch: Any
    copy: Any


class Keys(NamedTuple):
    """The store of states of one word, which are their own keys. It knows whether a state is there, not where;
    `entries` are those that wait to be expanded."""

    words: Any
    entry: Any
    entries: Any
    shape: Any
    keys: Any


# --- the table --------------------------------------------------------------------------------------------------


@inlined
def prefetch_line(keys, value):
    prefetch(keys.table, line_of(keys.form, value) << _3)


@inlined
def _kept_beside(keys, value):
    found = False
    for number in range(keys.shape.put_off):
        found = found or keys.scratch[number] == value
    return found


@inlined
def _keep_beside(keys, value):
    """Where there is no room for that either, which no scattering of this quality produces, `clustered` says so, and
    the search must end."""
    if keys.shape.put_off == U(len(keys.scratch)):
        keys.shape.clustered = _1
    else:
        keys.scratch[keys.shape.put_off] = value
        keys.shape.put_off += _1


@inlined
def _seek(keys, value, inserts):
    """Look for the key that is scattered to a value, and put it into the first line with room where it is not there and
    is to be: whether it was there, and whether the table is too crowded to tell."""
    table, form = keys.table, keys.form
    quotient = quotient_of(form, value)
    line, rest = line_of(form, value) << _3, quotient >> _8
    for _ in range(_REACH):
        if holds_key(table, line, form, quotient & _255, rest):
            return True, False
        count = table[line] & _255
        if count < form.room:
            if inserts:
                fill(table, line, form, count, quotient & _255, rest)
            return False, False
        line += _8
        rest += further(form)
    return False, True


@inlined
def holds(keys, value):
    """Whether the table has the key that is scattered to a value."""
    found, crowded = _seek(keys, value, False)
    return _kept_beside(keys, value) if crowded else found


@inlined
def insert(keys, value):
    """Put the key that is scattered to a value into the table; whether it was not there. There must be room."""
    found, crowded = _seek(keys, value, True)
    if crowded:
        found = _crowded_out(keys, value)
    if not found:
        keys.shape.count += _1
    return not found


@njit
def _crowded_out(keys, value):
    """Whether a key that has no room in its lines is kept beside the table; if not, it is put somewhere."""
    if _kept_beside(keys, value):
        return True
    done, left = placed(keys.table, keys.form, line_of(keys.form, value), quotient_of(keys.form, value))
    if not done:
        _keep_beside(keys, left)
        # Where that is because the table is rather full, it must grow before anything else is put into it.
        if keys.shape.put_off >= _MANY_BESIDE and _2 * keys.shape.count > keys.shape.most:
            keys.shape.most = keys.shape.count
    return False


@njit
def grow_lines(keys):
    """A table is made larger when it is 94 % full. A large one takes seconds for that, so the kernel returns now and
    then, and the next attempt to make room goes on with it. As `strandline.engine.store.interface.make_room`."""
    code = _begin_growth(keys) if keys.shape.target == _0 else CONTINUE
    if code == CONTINUE:
        code = _spread(keys)
    if code == CONTINUE:
        _finish_growth(keys)
    return code


@inlined
def _begin_growth(keys):
    shape, lines = keys.shape, keys.form.lines
    target = max(_LEAST_LINES, _2 * lines if lines < _DOUBLED_LINES else lines + lines * _3 // _5)
    if target > _MOST_LINES:
        shape.overfull = _1
        return GROW
    room = U(len(keys.table)) >> _3
    if target + _SPARE > room:
        if room < max(_LEAST_LINES, lines + lines // _LEAST_GROWTH) + _SPARE:
            shape.wanted_table = (target + _SPARE) << _3
            return GROW
        # More was asked for, and that is what could be had.
        target = room - _SPARE
    set_form(keys.larger, keys.form.bits, target)
    shape.target, shape.moved = target, lines + _REACH if lines > _0 else _0
    return CONTINUE


@inlined
def _spread(keys):
    """Move the keys of the first `moved` lines, in place, to where they belong in the larger table.

    From the last line to the first: a key nearly always belongs to a line not below the one that is read, where
    nothing of the old table is left. The few of the first lines that do not are put off until everything is read.
    BUDGET after a part of the work."""
    shape, table, form, larger, copied = keys.shape, keys.table, keys.form, keys.larger, keys.copy
    line = shape.moved
    pause = line - min(line, _LINES_AT_A_TIME)
    while line > pause:
        line -= _1
        for word in range(_8):
            copied[word] = table[(line << _3) + word]
            table[(line << _3) + word] = _0
        count = copied[0] & _255
        # All of a line together: no division waits for what is written.
        for place in range(count):
            value = value_at(copied, _0, form, line, place)
            copied[_BELONGS + place], copied[_QUOTIENT + place] = line_of(larger, value), quotient_of(larger, value)
        for place in range(count):
            target, quotient = copied[_BELONGS + place], copied[_QUOTIENT + place]
            done = False
            if target >= line:
                done, value = placed(table, larger, target, quotient)
            else:
                value = value_of(larger, target, quotient)
            if not done:
                _keep_beside(keys, value)
    shape.moved = line
    return BUDGET if line > _0 else CONTINUE


@inlined
def _finish_growth(keys):
    """What was put off finds its place, and the table is as large as it was to be."""
    shape, put_off = keys.shape, keys.shape.put_off
    shape.most = set_form(keys.form, keys.larger.bits, keys.larger.lines)
    shape.places, shape.target, shape.put_off = keys.form.lines, _0, _0
    for number in range(put_off):
        value = keys.scratch[number]
        done, left = placed(keys.table, keys.form, line_of(keys.form, value), quotient_of(keys.form, value))
        if not done:
            _keep_beside(keys, left)


@njit
def listed(keys, line, beside, found):
    """Write keys to `found`: those of whole lines from `line` on, then those beside the table from `beside` on. How
    many that are, and where to go on; none when there are no more. The table must not be growing."""
    form, count, room = keys.form, _0, U(len(found))
    last = form.lines + _REACH if form.lines > _0 else _0
    while line < last:
        held = keys.table[line << _3] & _255
        if count + held > room:
            return count, line, beside
        for place in range(held):
            found[count + place] = gathered(value_at(keys.table, line << _3, form, line, place), form.bits)
        count += held
        line += _1
    while beside < keys.shape.put_off and count < room:
        found[count] = gathered(keys.scratch[beside], form.bits)
        count += _1
        beside += _1
    return count, line, beside


# --- the store of states of one word ----------------------------------------------------------------------------


@inlined
def fingerprint(store, array, at):
    return scattered(array[at], store.keys.form.bits)


@inlined
def prefetch_home(store, hash_value):
    prefetch_line(store.keys, hash_value)


@inlined
def prefetch_match(store, hash_value):
    """All that is looked at lies in one line."""


@inlined
def find(store, array, at, hash_value):
    return _0 if store.shape.count != _0 and holds(store.keys, hash_value) else NONE


@inlined
def add(store, number, array, at, hash_value):
    if not insert(store.keys, hash_value):
        return NONE
    store.entries[number] = array[at]
    return number


@inlined
def grow_table(store):
    return grow_lines(store.keys)


# --- wider keys -------------------------------------------------------------------------------------------------


@njit
def shaped(form, bits, lines):
    """As `set_form`, for callers outside."""
    return set_form(form, bits, lines)


@njit
def widen(keys, other, narrow, wide):
    """Put what lies in another table, whose keys are pairs of numbers of `narrow` bits, into this one, which is empty
    and whose keys are pairs of numbers of `wide` bits. There must be room."""
    form = other.form
    for line in range(form.lines + _REACH):
        for place in range(other.table[line << _3] & _255):
            _insert_widened(keys, value_at(other.table, line << _3, form, line, place), form.bits, narrow, wide)
    for number in range(other.shape.put_off):
        _insert_widened(keys, other.scratch[number], form.bits, narrow, wide)


@inlined
def _insert_widened(keys, value, bits, narrow, wide):
    key = gathered(value, bits)
    insert(keys, scattered(((key >> narrow) << wide) | (key & ((_1 << narrow) - _1)), keys.form.bits))
