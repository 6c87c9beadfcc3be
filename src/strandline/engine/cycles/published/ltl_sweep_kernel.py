"""The loop of LTL-Sweep, off-line and on-line (001 §3, §5.1).

Sweeps look for accepting cycles inside a layer, and searches over the persistent states for those over several layers.
Off-line, the second search runs when a column needs no further sweep; on-line after every sweep. A cycle lies inside
one column, and the line leaves a column only when that has been searched.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.cycles.published.layers_kernel import search_layers
from strandline.engine.cycles.published.states_kernel import BETWEEN, SWEEPING, VALUES
from strandline.engine.cycles.published.values_kernel import begin_round, choose_candidates, propagate_values
from strandline.engine.runtime.codes import BUDGET, COLUMN_OVER, CONTINUE, DONE, SWEEP_OVER
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0 = U(0)


@inlined
def _after_sweep(search):
    """Begin the search for cycles over several layers, if it is due after this sweep and there can be one."""
    state = search.state
    state.phase = BETWEEN
    now = state.online != _0 or search.layers.line.pending == _0
    if now and choose_candidates(search) > _0:
        state.phase = VALUES
        begin_round(search)


@inlined
def _next_sweep(search):
    """Continue with the next sweep of the column, or with the next column."""
    state = search.state
    state.previous_sweep = state.this_sweep
    state.this_sweep = search.journal.counts.recorded
    state.phase = SWEEPING


@njit
def ltl_sweep(search, budget):
    """Search on for about `budget` expansions, with the initial states as the first batch.

    Returns DONE, BUDGET, GROW, FLUSH, FAULT, REGRESSING_COLUMN, or CYCLE: then entry `found` lies on an accepting
    cycle, inside the current layer if the phase is SWEEPING (and accepts), else inside the current column.
    """
    counts, state = search.journal.counts, search.state
    stop_at = counts.visited + budget
    while counts.visited < stop_at:
        code = CONTINUE
        if state.phase == SWEEPING:
            code = search_layers(search)
            if code in (SWEEP_OVER, COLUMN_OVER):
                _after_sweep(search)
                code = CONTINUE
        elif state.phase == VALUES:
            code = propagate_values(search)
            if code == DONE:
                state.phase = BETWEEN
                code = CONTINUE
        else:
            _next_sweep(search)
        if code != CONTINUE:
            return code
    return BUDGET
