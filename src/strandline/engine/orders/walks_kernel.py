"""Random walks: each begins in an initial state and takes one of the steps of each state, all equally likely.

Nothing is stored but the walk itself. The choices of a walk depend on the seed and on its number alone (SplitMix64 by
Steele, Lea and Flood, 2014), so that walks are the same however the work is cut into pieces.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.parts.expansion_kernel import ask
from strandline.engine.parts.search_output_kernel import count_expanded
from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE
from strandline.engine.runtime.hashing import copy_state, word_count
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _27, _30, _31, _32 = U(0), U(1), U(27), U(30), U(31), U(32)
_GOLDEN = U(0x9E3779B97F4A7C15)
_FIRST, _SECOND = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)


class Walks(NamedTuple):
    """`start` are the initial states, `state` is where the walk stands, `path` has room for the numbers of its steps,
    `walk` is a record of the kind `WALK`."""

    expansion: Any
    start: Any
    state: Any
    path: Any
    walk: Any
    counts: Any


@inlined
def _mixed(number):
    number = (number ^ (number >> _30)) * _FIRST
    number = (number ^ (number >> _27)) * _SECOND
    return number ^ (number >> _31)


@inlined
def _drawn(walk, count):
    """One of the numbers below `count`, which is less than 2 to the 32nd."""
    walk.chance += _GOLDEN
    return ((_mixed(walk.chance) >> _32) * count) >> _32


@inlined
def _begin(walks):
    walk, words = walks.walk, walks.expansion.words
    walk.chance = _mixed(walk.seed + _mixed(walk.number + _1))
    walk.initial = _drawn(walk, U(len(walks.start)) // word_count(words))
    walk.length = _0
    copy_state(walks.start, walk.initial * word_count(words), walks.state, _0, words)


@inlined
def _step(walks, successors):
    """Take a step of the state that was asked for last."""
    walk, expansion = walks.walk, walks.expansion
    chosen = _drawn(walk, successors)
    walks.path[walk.length] = chosen
    walk.length += _1
    copy_state(expansion.records, chosen * expansion.stride, walks.state, _0, expansion.words)


@njit
def walk_on(walks, budget):
    """Walk on for `budget` states. DONE: all walks are over. FOUND, FAULT, GROW: as `ask` says of the state in which
    the walk stands, which is asked for again if it goes on."""
    walk = walks.walk
    most = U(len(walks.path))
    while budget > _0:
        if walk.number == walk.most:
            return DONE
        if walk.begun == _0:
            _begin(walks)
            walk.begun = _1
        code = ask(walks.expansion, walks.state, _0, walk.number, _0)
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
