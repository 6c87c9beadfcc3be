"""The loop of random walks: each starts in an initial state and takes a uniformly chosen step in each state.

Only the walk itself is stored. The choices of a walk depend on the seed and on its number alone (SplitMix64 by Steele,
Lea and Flood, 2014), so that walks are the same however the work is divided.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.expansion_kernel import compute_successors
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE
from strandline.engine.runtime.hashing import copy_state, word_count
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _27, _30, _31, _32 = U(0), U(1), U(27), U(30), U(31), U(32)
_GOLDEN = U(0x9E3779B97F4A7C15)
_FIRST, _SECOND = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)


class Walks(NamedTuple):
    """The arrays of the walks.

    `start` are the initial states, `state` is the present one, `path` has room for the numbers of the steps, `walk` is
    a record of type `WALK`.
    """

    expansion: Any
    start: Any
    state: Any
    path: Any
    walk: Any
    counts: Any


@inlined
def _mix(number):
    number = (number ^ (number >> _30)) * _FIRST
    number = (number ^ (number >> _27)) * _SECOND
    return number ^ (number >> _31)


@inlined
def _random_below(walk, count):
    """Return a random number below `count`, which is less than 2 to the 32nd."""
    walk.chance += _GOLDEN
    # Scale by multiplication: a remainder would cost a division.
    return ((_mix(walk.chance) >> _32) * count) >> _32


@inlined
def _begin(walks):
    walk, words = walks.walk, walks.expansion.words
    walk.chance = _mix(walk.seed + _mix(walk.number + _1))
    walk.initial = _random_below(walk, U(len(walks.start)) // word_count(words))
    walk.length = _0
    copy_state(walks.start, walk.initial * word_count(words), walks.state, _0, words)


@inlined
def _step(walks, successors):
    """Take a random step of the state expanded last."""
    walk, expansion = walks.walk, walks.expansion
    chosen = _random_below(walk, successors)
    walks.path[walk.length] = chosen
    walk.length += _1
    copy_state(expansion.records, chosen * expansion.stride, walks.state, _0, expansion.words)


@njit
def walk_on(walks, budget):
    """Walk on for `budget` states.

    Returns DONE if all walks are over, BUDGET, or FOUND, FAULT or GROW as `compute_successors`; the state is expanded
    again if the walk goes on.
    """
    walk = walks.walk
    most = U(len(walks.path))
    while budget > _0:
        if walk.number == walk.most:
            return DONE
        if walk.begun == _0:
            _begin(walks)
            walk.begun = _1
        code = compute_successors(walks.expansion, walks.state, _0, walk.number, _0)
        # Nothing has changed yet: when the walk goes on, this state is expanded again.
        if code != CONTINUE:
            return code
        budget -= _1
        successors = walks.expansion.answer.successors
        count_expanded(walks.counts, successors, walks.expansion.labels[0])
        if successors == _0 or walk.length == most:
            walk.ended += _1 if successors == _0 else _0
            walk.longest = max(walk.longest, walk.length)
            walk.number += _1
            walk.begun = _0
        else:
            _step(walks, successors)
            walk.steps += _1
    return BUDGET
