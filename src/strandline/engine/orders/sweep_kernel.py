"""The loop of the sweep: least progress first; states behind the line are deleted (000 §2, 001 §2.2, 002 §2-5)."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.batch_kernel import add_to_batch
from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.layer_table_kernel import layer_chain, persistent_chain, unexpanded
from strandline.engine.parts.line_kernel import next_layer, place_successor, regresses
from strandline.engine.parts.profile_recorder_kernel import sample_regress_edge
from strandline.engine.parts.search_output_kernel import (
    count_expanded,
    expanded_is_full,
    record_expanded,
    record_source,
    record_target,
    targets_are_full,
)
from strandline.engine.runtime.codes import AHEAD, BATCH, BUDGET, CONTINUE, FLUSH, NONE, STEP_MASK
from strandline.engine.runtime.hashing import copy_state, word_count
from strandline.engine.runtime.jit import inlined, njit
from strandline.engine.store.interface import prefetch_match
from strandline.engine.store.paged_kernel import next_of, record_of, take

U = np.uint64
_0, _1 = U(0), U(1)
_BATCH, _AHEAD = U(BATCH), U(AHEAD)
_STEP_MASK = U(STEP_MASK)


class Sweep(NamedTuple):
    """The arrays of the search."""

    expansion: Any
    batch: Any
    store: Any
    layers: Any
    journal: Any
    recorder: Any


@inlined
def _expand(search):
    """Fill the batch with successors of the next states of the line's layer."""
    expansion, batch, store, journal = search.expansion, search.batch, search.store, search.journal
    words, line = expansion.words, search.layers.line
    used = batch.rest.count
    code = CONTINUE
    left = _BATCH
    while left > _0 and used < _BATCH:
        number = unexpanded(search.layers, line.row)
        if number == NONE:
            break
        if expanded_is_full(journal, words):
            code = FLUSH
            break
        chain = search.layers.chains[number]
        source = next_of(store, chain)
        at, record = source * store.entry, record_of(store, source)
        code = compute_successors(expansion, store.entries, at, record, used)
        if code != CONTINUE:
            break
        # Taken only now: after FLUSH, FOUND or GROW the same state is expanded again.
        take(chain)
        left -= _1
        successors, labels = expansion.answer.successors, expansion.labels[0]
        record_source(journal, record)
        record_expanded(journal, words, store.entries, at, successors, labels)
        count_expanded(journal.counts, successors, labels)
        add_to_batch(batch, expansion, store, record, source, used)
        for number in range(used, used + successors):
            batch.sources[number] = at
        used += successors
    batch.rest.count = used
    # A full buffer of successors is empty again when they are placed.
    return CONTINUE if code == FLUSH and used > _0 else code


@inlined
def _absorb(search):
    """Place the rest of the batch, each state in its layer."""
    expansion, batch, store, layers = search.expansion, search.batch, search.store, search.layers
    line, last = layers.line, batch.rest.count
    while batch.rest.next < last:
        number = batch.rest.next
        if number + _AHEAD < last:
            prefetch_match(store, batch.hashes[number + _AHEAD])
        if targets_are_full(search.journal):
            return FLUSH
        at, link = number * expansion.stride, batch.links[number]
        code = place_successor(layers, store, search.journal, expansion, at, batch.hashes[number], link)
        if code != CONTINUE:
            return code
        record_target(search.journal, record_of(store, line.placed))
        if regresses(layers, expansion, at):
            line.regress_edges += _1
            step = link & _STEP_MASK
            sample_regress_edge(
                search.recorder, expansion.words, store.entries, batch.sources[number], step, line.regress_edges
            )
        batch.rest.next = number + _1
    batch.rest.next = batch.rest.count = _0
    return CONTINUE


@njit
def sweep(search, budget):
    """Search on for about `budget` expansions, with the initial states as the first batch.

    Returns DONE, BUDGET, GROW, FAULT, FOUND, FLUSH, REGRESSING_COLUMN, or LAYER_OVER if that is observed; after all but
    DONE, FAULT and REGRESSING_COLUMN it can be called again.
    """
    counts = search.journal.counts
    stop_at = counts.visited + budget
    while True:
        # The rest of a batch lies in arrays, so after any event the loop resumes by placing it.
        code = _absorb(search)
        if code == CONTINUE and counts.visited >= stop_at:
            return BUDGET
        if code == CONTINUE:
            code = next_layer(search.layers, search.store, counts, search.recorder)
        if code == CONTINUE:
            code = _expand(search)
        if code != CONTINUE:
            return code


@njit
def list_frontier(search, block):
    """Move unexpanded states of all layers to the rows of a block: words and record.

    Returns their number; 0 if none is left.
    """
    layers, store, words = search.layers, search.store, search.expansion.words
    rows, width, count = U(len(block)), word_count(words), _0
    states = block.reshape(-1)
    for entry in range(len(layers.places)):
        if layers.places[entry] != _0:
            row = layers.places[entry] - _1
            for number in range(layer_chain(row), persistent_chain(row) + _1):
                chain = layers.chains[number]
                while chain.taken < chain.count and count < rows:
                    source = next_of(store, chain)
                    at = count * (width + _1)
                    copy_state(store.entries, source * store.entry, states, at, words)
                    states[at + width] = record_of(store, source)
                    take(chain)
                    count += _1
    return count
