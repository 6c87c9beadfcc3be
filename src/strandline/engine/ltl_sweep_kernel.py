"""LTL-Sweep off-line and on-line (001 §3, §5.1): sweeps that look for accepting cycles inside a layer, and searches
over the persistent states for those over several layers.

Off-line, the second search runs when a column needs no further sweep; on-line after every sweep. A cycle lies inside
one column, and the line leaves a column only when that has been searched.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.jit import inlined, njit
from strandline.engine.layers import empty_bucket, push, remove_layer
from strandline.engine.ltl_sweep_layers import SWEEP_OVER, search_layers
from strandline.engine.ltl_sweep_values import (
    NO_CANDIDATE_LEFT,
    begin_round,
    choose_candidates,
    propagate_values,
)

U = np.uint64
_0, _1 = U(0), U(1)
_CONTINUE = -1

SWEEPING, VALUES, BETWEEN = U(0), U(1), U(2)
"""Phases."""


@inlined
def _after_sweep(words, buckets, heap, keepers, store, regs):
    """Look for cycles over several layers, if now is the time and there can be one."""
    regs[r.PHASE] = BETWEEN
    now = regs[r.ONLINE] != _0 or regs[r.PENDING_COUNT] == _0
    if now and choose_candidates(words, buckets, keepers, store, regs) > _0:
        regs[r.PHASE] = VALUES
        begin_round(words, buckets, heap, keepers, store, regs)


@inlined
def _next_sweep(buckets, places, heap, pending, keepers, index, store, regs):
    """Begin the column's next sweep or leave the column, and with it its persistent states; DONE if it is the last."""
    regs[r.PREVIOUS_SWEEP] = regs[r.THIS_SWEEP]
    regs[r.THIS_SWEEP] = regs[r.LOG_TOTAL]
    regs[r.PHASE] = SWEEPING
    if regs[r.PENDING_COUNT] > _0:
        regs[r.SWEEPS] += _1
        for number in range(regs[r.PENDING_COUNT]):
            buckets[pending[number] + U(r.QUEUED_NEXT)] = _0
            push(pending[number], heap, buckets, regs)
        regs[r.PENDING_COUNT] = _0
        return _CONTINUE
    for number in range(regs[r.KEEPER_COUNT]):
        row = keepers[number]
        regs[r.STORED] -= buckets[row + U(r.KEPT) + U(r.COUNT)]
        empty_bucket(row + U(r.KEPT), buckets, index, store, regs)
        remove_layer(row, buckets, places, regs)
    regs[r.KEEPER_COUNT] = _0
    if regs[r.HEAP_COUNT] == _0:
        return r.DONE
    regs[r.CURRENT_COLUMN] = buckets[heap[_0] + U(r.COLUMN)]
    return _CONTINUE


@njit
def ltl_sweep(
    function, words, stride, budget, regs, buckets, places, heap, pending, keepers, stack, records, links,
    index, store, log, labels, scratch,
):  # fmt: skip
    """Search on for about `budget` expansions. The first batch are the initial states, with the parent ROOT. DONE,
    BUDGET, GROW, FLUSH, FAULT, REGRESSING_COLUMN, or CYCLE: then CYCLE_RECORD lies on an accepting cycle, inside the
    current layer if the phase is SWEEPING (and accepts), else inside the current column; CYCLE_ROOT is its place in
    the store."""
    stop_at = regs[r.VISITED] + budget
    while regs[r.VISITED] < stop_at:
        if regs[r.PHASE] == SWEEPING:
            code = search_layers(
                function, words, stride, records, links, buckets, places, heap, pending, keepers, stack, index, store,
                log, labels, regs, scratch,
            )  # fmt: skip
            if code == SWEEP_OVER:
                _after_sweep(words, buckets, heap, keepers, store, regs)
                code = _CONTINUE
        elif regs[r.PHASE] == VALUES:
            code = propagate_values(
                function, words, stride, records, buckets, places, heap, keepers, index, store, labels, regs, scratch
            )
            if code == NO_CANDIDATE_LEFT:
                regs[r.PHASE] = BETWEEN
                code = _CONTINUE
        else:
            code = _next_sweep(buckets, places, heap, pending, keepers, index, store, regs)
        if code != _CONTINUE:
            return code
    return r.BUDGET
