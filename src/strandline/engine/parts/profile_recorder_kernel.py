"""Recording for reports: a profile of the layers that a sweep leaves, and a sample of its regress edges.

Both take a bounded number of words and hardly any time. The profile has one cell per layer, in increasing order, until
there are too many; then neighbours are merged in pairs, and `grain` is the number of layers per cell. Of the regress
edges every 2^k-th is sampled, and k grows by one whenever the sample is full, so that it always represents all of them.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.hashing import copy_state, word_count
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1, _2 = U(0), U(1), U(2)


class Recorder(NamedTuple):
    """The cells of the profile, the sample of regress edges (a source state and a step number each), and counters."""

    cells: Any
    sample: Any
    state: Any


@inlined
def _follows(column, layer, first_column, first_layer):
    """Return True if a layer comes after a key."""
    return column > first_column or (column == first_column and layer > first_layer)


@inlined
def _add_figures(to, cell):
    to.layers += cell.layers
    to.stored = max(to.stored, cell.stored)
    to.visited += cell.visited
    to.revisited += cell.revisited
    to.persistent += cell.persistent


@inlined
def _copy_cell(to, cell):
    to.first_column, to.first_layer = cell.first_column, cell.first_layer
    to.last_column, to.last_layer = cell.last_column, cell.last_layer
    to.layers, to.stored, to.visited = cell.layers, cell.stored, cell.visited
    to.revisited, to.persistent = cell.revisited, cell.persistent


@inlined
def _coarsen(recorder):
    """Merge neighbouring cells in pairs."""
    cells, state = recorder.cells, recorder.state
    count = state.cells
    for number in range((count + _1) >> _1):
        _copy_cell(cells[number], cells[_2 * number])
        if _2 * number + _1 < count:
            second = cells[_2 * number + _1]
            cells[number].last_column, cells[number].last_layer = second.last_column, second.last_layer
            _add_figures(cells[number], second)
    state.cells = (count + _1) >> _1
    state.grain *= _2
    state.at = _0


@inlined
def _make_cell(recorder, number, column, layer):
    """Insert an empty cell for one layer before cell `number`; there must be room."""
    cells = recorder.cells
    place = recorder.state.cells
    while place > number:
        _copy_cell(cells[place], cells[place - _1])
        place -= _1
    cell = cells[number]
    cell.first_column = cell.last_column = column
    cell.first_layer = cell.last_layer = layer
    cell.layers = _1
    cell.stored = cell.visited = cell.revisited = cell.persistent = _0
    recorder.state.cells += _1


@inlined
def _cells_up_to(recorder, column, layer):
    """Return the number of cells that begin at this layer or before it."""
    cells, state = recorder.cells, recorder.state
    low, high = _0, state.cells
    following = state.at + _1
    if following < high:
        # In a further sweep the layers come in the same order.
        if cells[following].first_column == column and cells[following].first_layer == layer:
            return following + _1
    elif high > _0 and _follows(column, layer, cells[high - _1].first_column, cells[high - _1].first_layer):
        return high
    while low < high:
        middle = (low + high) >> _1
        if _follows(cells[middle].first_column, cells[middle].first_layer, column, layer):
            high = middle
        else:
            low = middle + _1
    return low


@inlined
def _cell_of(recorder, column, layer):
    """Return the number of a layer's cell, made if there is none; set `known` if the layer was there before.

    A cell of several layers does not store which: all between its first and its last are taken to be there.
    """
    cells, state = recorder.cells, recorder.state
    state.known = _0
    while True:
        before = _cells_up_to(recorder, column, layer)
        if before > _0:
            cell = cells[before - _1]
            if not _follows(column, layer, cell.last_column, cell.last_layer):
                state.known = _1
                return before - _1
            between = before < state.cells and state.grain > _1
            if between or cell.layers < state.grain:
                cell.last_column, cell.last_layer = column, layer
                cell.layers += _1
                return before - _1
        if state.cells < U(len(cells)):
            _make_cell(recorder, before, column, layer)
            return before
        _coarsen(recorder)


@inlined
def record_layer(recorder, column, layer, unmoved, counts):
    """Add the layer that the line is about to leave to the profile.

    The number of stored states is at its maximum for this layer now. `unmoved` of the states expanded since the last
    layer are not persistent.
    """
    state = recorder.state
    state.at = _cell_of(recorder, column, layer)
    cell = recorder.cells[state.at]
    expanded = counts.visited - state.visited
    cell.stored = max(cell.stored, counts.stored)
    cell.visited += expanded
    cell.revisited += expanded * state.known
    # All that was expanded and is not live is persistent, and expanded only this once.
    cell.persistent += expanded - unmoved
    state.visited = counts.visited


@inlined
def _thin_sample(recorder, size):
    """Drop every other edge of a full sample, and halve the sampling rate."""
    half = recorder.state.sampled >> _1
    for number in range(half):
        for word in range(size):
            recorder.sample[number * size + word] = recorder.sample[(number + number + _1) * size + word]
    recorder.state.sampled = half
    recorder.state.sample_mask += recorder.state.sample_mask + _1


@inlined
def sample_regress_edge(recorder, words, entries, at, step, met):
    """Add a regress edge, number `met` of all, to the sample if it is due.

    The edge is its source, which lies at `entries[at]`, and the number of the step.
    """
    state, size = recorder.state, word_count(words) + _1
    if met & state.sample_mask != _0:
        return
    if (state.sampled + _1) * size > U(len(recorder.sample)):
        _thin_sample(recorder, size)
        if met & state.sample_mask != _0:
            return
    place = state.sampled * size
    copy_state(entries, at, recorder.sample, place, words)
    recorder.sample[place + size - _1] = step
    state.sampled += _1
