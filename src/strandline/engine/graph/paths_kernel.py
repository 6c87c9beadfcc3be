"""Searches on a graph log inside a set of records: the kernels of `strandline.engine.graph.paths`."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.graph.fixpoints_kernel import flip, has
from strandline.engine.graph.log_kernel import DEGREE_BITS
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1 = U(0), U(1)
FOUND, NOWHERE, GROW, PAUSE = 0, 1, 2, 3


@inlined
def _targets(index, record):
    """Return the position of the targets of a record, and their number."""
    entry = index[record]
    return entry >> U(DEGREE_BITS), entry & U((1 << DEGREE_BITS) - 1)


@njit
def nearest(numbers, index, inside, goal, met, queue, state, budget):
    """Search breadth-first, from the records in `queue`, through `inside` to a record of `goal`.

    Returns FOUND, with the goal as the last entry of the queue; NOWHERE; GROW if the queue must be longer; or PAUSE
    after `budget` records. An entry is a record, the place of its parent counted from 1, and the number of the step.
    `state` is the next entry and the number of entries; `met` are the records in the queue. The first entries are
    starts: they need be in neither set, and are no goals.
    """
    pause = state[0] + budget
    while state[0] < state[1]:
        if state[0] == pause:
            return PAUSE
        source = state[0]
        first, degree = _targets(index, queue[source, 0])
        # Before anything is appended, so that the record is expanded again after GROW.
        if state[1] + degree > U(len(queue)):
            return GROW
        for step in range(degree):
            record = U(numbers[first + step])
            reached = has(goal, record)
            if not reached and (has(met, record) or not has(inside, record)):
                continue
            queue[state[1], 0] = record
            queue[state[1], 1] = source + _1
            queue[state[1], 2] = step
            state[1] += _1
            if reached:
                return FOUND
            flip(met, record)
        state[0] += _1
    return NOWHERE


@njit
def walk_inside(numbers, index, inside, met, start):
    """Follow first steps inside a set in which every record has a successor in the set, or none at all.

    Returns the first record that repeats, and False; or a record without successors, and True.
    """
    record = start
    # Every record in the set has a successor there, or none at all: the first one never leads into a dead end.
    while not has(met, record):
        flip(met, record)
        first, degree = _targets(index, record)
        if degree == _0:
            return record, True
        for step in range(degree):
            target = U(numbers[first + step])
            if has(inside, target):
                record = target
                break
    return record, False
