"""What a sweep notes on its way for reports: a profile of the layers it leaves, and some of the edges that regress.

Both take a bounded number of words and hardly any time. The profile has one cell for every layer, in increasing order,
until there are too many; then neighbours are put together, two at first, and PROFILE_GRAIN says how many layers a cell
is to hold. Of the regress edges every 2^k-th is kept, and k grows by one whenever the sample is full, so that it always
stands for all of them.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.jit import inlined

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)
_CELL = U(r.CELL)
_STEP = U(r.STEP_BITS)
_STEP_MASK = (_1 << _STEP) - _1


@inlined
def _after(column, layer, profile, at):
    """Whether a layer comes after the key that stands at a place of the profile."""
    return column > profile[at] or (column == profile[at] and layer > profile[at + _1])


@inlined
def _add_figures(profile, to, cell):
    for figure in range(U(r.CELL_LAYERS), U(r.CELL)):
        if figure == U(r.CELL_STORED):
            profile[to + figure] = max(profile[to + figure], profile[cell + figure])
        else:
            profile[to + figure] += profile[cell + figure]


@inlined
def _coarsen(profile, regs):
    """Put every two neighbouring cells together."""
    count = regs[r.PROFILE_COUNT]
    for number in range((count + _1) >> _1):
        to, source = number * _CELL, _2 * number * _CELL
        for word in range(_CELL):
            profile[to + word] = profile[source + word]
        if _2 * number + _1 < count:
            profile[to + U(r.LAST_COLUMN)] = profile[source + _CELL + U(r.LAST_COLUMN)]
            profile[to + U(r.LAST_LAYER)] = profile[source + _CELL + U(r.LAST_LAYER)]
            _add_figures(profile, to, source + _CELL)
    regs[r.PROFILE_COUNT] = (count + _1) >> _1
    regs[r.PROFILE_GRAIN] *= _2
    regs[r.PROFILE_AT] = _0


@inlined
def _make_cell(number, column, layer, profile, regs):
    """Insert an empty cell before cell `number`; there must be room."""
    at = regs[r.PROFILE_COUNT] * _CELL
    while at > number * _CELL:
        at -= _1
        profile[at + _CELL] = profile[at]
    for word in range(_CELL):
        profile[at + word] = _0
    profile[at + U(r.FIRST_COLUMN)] = profile[at + U(r.LAST_COLUMN)] = column
    profile[at + U(r.FIRST_LAYER)] = profile[at + U(r.LAST_LAYER)] = layer
    regs[r.PROFILE_COUNT] += _1


@inlined
def _cells_up_to(column, layer, profile, regs):
    """How many cells begin at this layer or before it."""
    low, high = _0, regs[r.PROFILE_COUNT]
    following = regs[r.PROFILE_AT] + _1
    if following < high:
        # In a further sweep the layers come in the same order.
        at = following * _CELL
        if profile[at] == column and profile[at + _1] == layer:
            return following + _1
    elif high > _0 and _after(column, layer, profile, (high - _1) * _CELL):
        return high
    while low < high:
        middle = (low + high) >> _1
        at = middle * _CELL
        if _after(column, layer, profile, at) or (profile[at] == column and profile[at + _1] == layer):
            low = middle + _1
        else:
            high = middle
    return low


@inlined
def _cell_of(column, layer, profile, regs):
    """The number of the cell to which a layer belongs, made where there is none; PROFILE_KNOWN says whether the layer
    was there before. In a cell for several layers that is not known of each: all between its first and its last are
    taken to be there."""
    regs[r.PROFILE_KNOWN] = _0
    while True:
        count = regs[r.PROFILE_COUNT]
        before = _cells_up_to(column, layer, profile, regs)
        if before > _0:
            at = (before - _1) * _CELL
            if not _after(column, layer, profile, at + U(r.LAST_COLUMN)):
                regs[r.PROFILE_KNOWN] = _1
                return before - _1
            between = before < count and regs[r.PROFILE_GRAIN] > _1
            if between or profile[at + U(r.CELL_LAYERS)] < regs[r.PROFILE_GRAIN]:
                profile[at + U(r.LAST_COLUMN)], profile[at + U(r.LAST_LAYER)] = column, layer
                profile[at + U(r.CELL_LAYERS)] += _1
                return before - _1
        if (count + _1) * _CELL <= U(len(profile)):
            _make_cell(before, column, layer, profile, regs)
            profile[before * _CELL + U(r.CELL_LAYERS)] = _1
            return before
        _coarsen(profile, regs)


@inlined
def note_layer(row, buckets, profile, regs):
    """The line is about to leave a layer, when as many states are stored as ever while it stood there."""
    number = _cell_of(buckets[row + U(r.COLUMN)], buckets[row + U(r.LAYER)], profile, regs)
    at = number * _CELL
    expanded = regs[r.VISITED] - regs[r.PROFILE_VISITED]
    profile[at + U(r.CELL_STORED)] = max(profile[at + U(r.CELL_STORED)], regs[r.STORED])
    profile[at + U(r.CELL_VISITED)] += expanded
    profile[at + U(r.CELL_REVISITED)] += expanded * regs[r.PROFILE_KNOWN]
    # All that was expanded and was not live is persistent, and expanded only this once.
    profile[at + U(r.CELL_PERSISTENT)] += expanded - buckets[row + U(r.LIVE) + U(r.HEAD)]
    regs[r.PROFILE_AT] = number
    regs[r.PROFILE_VISITED] = regs[r.VISITED]


@inlined
def _source_of(record, words, row, buckets, store):
    """Where the state with this record lies, one of those of the layer that were expanded last."""
    entry = word_count(words) + _1
    for bucket in (row + U(r.KEPT), row + U(r.LIVE)):
        number = buckets[bucket + U(r.HEAD)]
        last = number - min(number, U(r.BATCH))
        while number > last:
            number -= _1
            at = buckets[bucket + U(r.ARENA)] + number * entry
            if store[at + word_count(words)] == record:
                return at
    return r.NONE


@inlined
def _thin_out(width, sample, regs):
    """Drop every other edge of a full sample; from now on only every other one of those to come is taken."""
    half = regs[r.SAMPLE_COUNT] >> _1
    for number in range(half):
        for word in range(width + _1):
            sample[number * (width + _1) + word] = sample[(number + number + _1) * (width + _1) + word]
    regs[r.SAMPLE_COUNT] = half
    regs[r.SAMPLE_MASK] += regs[r.SAMPLE_MASK] + _1


@inlined
def keep_regress(words, at, step, store, sample, regs):
    """Keep a regress edge: its source, a state that lies at a place of the store, and the number of the step."""
    width = word_count(words)
    if (regs[r.SAMPLE_COUNT] + _1) * (width + _1) > U(len(sample)):
        _thin_out(width, sample, regs)
        if regs[r.REGRESS_EDGES] & regs[r.SAMPLE_MASK] != _0:
            return
    place = regs[r.SAMPLE_COUNT] * (width + _1)
    for word in range(width):
        sample[place + word] = store[at + word]
    sample[place + width] = step
    regs[r.SAMPLE_COUNT] += _1


@inlined
def sample_regress(words, link, buckets, store, sample, regs):
    """Keep a regress edge of a state that is one of those of the layer that were expanded last."""
    at = _source_of(link >> _STEP, words, regs[r.CURRENT], buckets, store)
    if at != r.NONE:
        keep_regress(words, at, link & _STEP_MASK, store, sample, regs)
