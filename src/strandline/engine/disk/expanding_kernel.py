"""Expansion of states in an array; successors are queued for their layer, in pages, with links to their parents.

Nothing is looked up: a duplicate is detected when its layer comes and the queue is sorted. Only successors that were
reached shortly before, which are many, are dropped at once, by a small cache of recent states.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.expansion_kernel import compute_successors, link_of
from strandline.engine.parts.layer_table_kernel import (
    layer_chain,
    persistent_chain,
    queue_layer,
    remove_row,
    row_of,
    schedule_root,
)
from strandline.engine.parts.line_kernel import column_at, layer_at, move_line, queue_roots
from strandline.engine.parts.profile_recorder_kernel import record_layer, sample_regress_edge
from strandline.engine.parts.search_output_kernel import count_expanded, expanded_is_full, record_expanded
from strandline.engine.runtime.codes import (
    BATCH,
    BIAS,
    BUDGET,
    CONTINUE,
    DONE,
    FLUSH,
    GROW,
    NONE,
    REGRESSING_COLUMN,
    STEP_MASK,
)
from strandline.engine.runtime.hashing import copy_state, home, state_hash, word_count
from strandline.engine.runtime.intrinsics import prefetch
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.paged_kernel import append

U = np.uint64
_0, _1 = U(0), U(1)
_BIAS, _STEP_MASK = U(BIAS), U(STEP_MASK)
_BATCH, _LINE = U(BATCH), U(8)
"""Successors per batch; words of a cache line."""


class DiskExpansion(NamedTuple):
    """The arrays of the search.

    `states` are rows of a state and its link, `pages` hold the queued successors, `recent` is the cache of recent
    states, in cache lines. In queues and caches a state's hash stands in place of its first word (`sorting_kernel`).
    """

    expansion: Any
    batch: Any
    pages: Any
    layers: Any
    journal: Any
    recorder: Any
    states: Any
    recent: Any
    work: Any


@inlined
def _recent_line(search, hash_value):
    """Return the cache set for states with this hash, and its length in words."""
    width, recent = word_count(search.expansion.words), search.recent
    line = max(_1, _LINE // width) * width
    return home(hash_value, U(len(recent)) // line) * line, line


@inlined
def _is_recent(search, at, hash_value):
    """Return True if the state at `records[at]` is in the cache of recent states; insert it if not.

    The oldest state of the set is evicted.
    """
    words, records, recent = search.expansion.words, search.expansion.records, search.recent
    width = word_count(words)
    first, line = _recent_line(search, hash_value)
    # Free places are zero, so a state whose hash is 0 is never cached.
    for place in range(first, first + line, width):
        if recent[place] == hash_value and hash_value != _0 and _same_rest(records, at, recent, place, width):
            return True
    for back in range(line - width):
        recent[first + line - _1 - back] = recent[first + line - _1 - back - width]
    recent[first] = hash_value
    for word in range(_1, width):
        recent[first + word] = records[at + word]
    return False


@inlined
def _same_rest(records, at, recent, place, width):
    """Return True if all words after the first are equal."""
    same = True
    for word in range(_1, width):
        if records[at + word] != recent[place + word]:
            same = False
            break
    return same


@inlined
def _wait(search, number):
    """Queue successor `number` for its layer. Returns CONTINUE; or REGRESSING_COLUMN or GROW with nothing changed."""
    expansion, layers, pages, work = search.expansion, search.layers, search.pages, search.work
    words, records, line = expansion.words, expansion.records, layers.line
    at = number * expansion.stride
    column, layer = _BIAS, _BIAS
    if work.measured != _0:
        column, layer = column_at(words, records, at), layer_at(words, records, at) >> work.grain
    if column < line.column:
        return REGRESSING_COLUMN
    behind = column == line.column and layer < line.layer
    row = row_of(layers, column, layer)
    if row == NONE:
        return GROW
    hash_value = search.batch.hashes[number]
    # Targets behind the line bypass the cache: they must become persistent even if queued before.
    if not behind and _is_recent(search, at, hash_value):
        return CONTINUE
    chain = layers.chains[persistent_chain(row) if behind else layer_chain(row)]
    entry = append(pages, chain, _0)
    if entry == NONE:
        # Remove it from the cache: it is not queued yet, and will be tried again.
        if not behind:
            search.recent[_recent_line(search, hash_value)[0]] = _0
        return GROW
    place = entry * pages.entry
    copy_state(records, at, pages.entries, place, words)
    pages.entries[place] = hash_value
    pages.entries[place + word_count(words)] = search.batch.links[number]
    work.queued += _1
    if behind:
        line.regress_edges += _1
        step = search.batch.links[number] & _STEP_MASK
        sample_regress_edge(
            search.recorder, words, search.states, search.batch.sources[number], step, line.regress_edges
        )
        schedule_root(layers, row)
    elif row != line.row:
        queue_layer(layers, row)
    return CONTINUE


@inlined
def _expand_batch(search):
    """Fill the batch with successors of the next states, and prefetch their sets of the cache of recent states."""
    expansion, batch, journal, work = search.expansion, search.batch, search.journal, search.work
    words, used, code = expansion.words, _0, CONTINUE
    size = word_count(words) + _1
    while work.next < work.count and used < _BATCH:
        if expanded_is_full(journal, words):
            code = FLUSH
            break
        at, record = work.next * size, work.record + work.next
        code = compute_successors(expansion, search.states, at, record, used)
        if code != CONTINUE:
            break
        successors, labels = expansion.answer.successors, expansion.labels[0]
        record_expanded(journal, words, search.states, at, successors, labels)
        count_expanded(journal.counts, successors, labels)
        for step in range(successors):
            number = used + step
            hash_value = state_hash(expansion.records, number * expansion.stride, words)
            batch.links[number], batch.hashes[number] = link_of(record, step), hash_value
            batch.sources[number] = at
            prefetch(search.recent, _recent_line(search, hash_value)[0])
        used += successors
        work.next += _1
    batch.rest.count = used
    # A full buffer is empty again when the successors are queued.
    return CONTINUE if code == FLUSH and used > _0 else code


@njit
def expand(search, budget):
    """Expand on for about `budget` states.

    Returns DONE if all states are expanded, else BUDGET, GROW, FAULT, FOUND, FLUSH or REGRESSING_COLUMN; after all but
    FAULT and REGRESSING_COLUMN it can be called again.
    """
    rest, work, counts = search.batch.rest, search.work, search.journal.counts
    stop_at = counts.visited + budget
    while True:
        while rest.next < rest.count:
            code = _wait(search, rest.next)
            if code != CONTINUE:
                return code
            rest.next += _1
        rest.next = rest.count = _0
        if work.next == work.count:
            return DONE
        if counts.visited >= stop_at:
            return BUDGET
        code = _expand_batch(search)
        if code != CONTINUE:
            return code


# --- the queues -------------------------------------------------------------------------------------------------


@njit
def drain(pages, layers, work, chain_number, rows):
    """Move queued states of a chain to `rows`, as many pages as fit; return the number of states."""
    shape, chain, moved = pages.shape, layers.chains[chain_number], _0
    most = U(len(rows)) // pages.entry
    while chain.first != _0:
        page = chain.first - _1
        count = U(pages.filled[page])
        if moved + count > most:
            break
        first = (page << shape.page_bits) * pages.entry
        for word in range(count * pages.entry):
            rows[moved * pages.entry + word] = pages.entries[first + word]
        moved += count
        chain.first = U(pages.following[page])
        pages.filled[page] = 0
        pages.following[page] = shape.free_page
        shape.free_page = page + _1
    chain.count -= moved
    if chain.first == _0:
        chain.last = chain.count = chain.taken = chain.page = chain.offset = _0
    work.queued -= moved
    return moved


@njit
def drop_rows(layers):
    """Remove all rows but that of the line, when no queued state is left in memory."""
    line = layers.line
    for place in range(U(len(layers.places))):
        layers.places[place] = _0
    line.waiting = line.pending = line.rows = _0
    line.free_row = NONE
    if line.row != NONE:
        line.row = NONE
        line.row = row_of(layers, line.column, line.layer)


@njit
def stand_at(layers, column, layer):
    """Move the line to a layer before which none is queued; return False if there is no room."""
    line = layers.line
    if line.waiting > _0:
        least = layers.rows[layers.heap[_0]]
        if least.column == column and least.layer == layer:
            move_line(layers)
            return True
    line.row = NONE
    row = row_of(layers, column, layer)
    if row == NONE:
        return False
    line.row, line.column, line.layer = row, column, layer
    return True


@njit
def queue_next_roots(layers):
    """Queue the layers that have roots of the next sweep, for callers outside of kernels."""
    queue_roots(layers)


@njit
def leave_layer(search, unmoved):
    """Leave the line's layer, whose queue is empty.

    `unmoved` is the number of expanded states that are not persistent.
    """
    layers, line = search.layers, search.layers.line
    record_layer(search.recorder, line.column, line.layer << search.work.grain, unmoved, search.journal.counts)
    remove_row(layers, line.row)
    line.row = NONE
