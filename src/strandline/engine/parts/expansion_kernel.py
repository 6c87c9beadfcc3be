"""The one place that asks the Kernel, by the ABI of `strandline.compile.kernel`."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import CONTINUE, FAULT, FLUSH, FOUND, GROW, STEP_BITS
from strandline.engine.runtime.intrinsics import call_successors
from strandline.engine.runtime.jit import inlined

U = np.uint64
_0, _1 = U(0), U(1)
_STEP = U(STEP_BITS)


class Expansion(NamedTuple):
    """The Kernel's function, and room for what it answers: at most `most` records of `stride` words, each a successor
    with its progress, and the labels of the state that was asked for."""

    function: Any
    words: Any
    stride: Any
    most: Any
    records: Any
    labels: Any
    answer: Any


@inlined
def ask(expansion, states, at, record, used):
    """Ask for the successors of the state at `states[at]`, after the first `used` records. CONTINUE:
    `answer.successors` says how many there are. FOUND: a label is in the stop mask. FAULT: the model has none to give.
    GROW: even an empty buffer is too small. FLUSH: it would do if it were empty. Of a state that was found or faults,
    `record` is kept."""
    answer, labels = expansion.answer, expansion.labels
    room = expansion.most - used
    count = call_successors(
        expansion.function, states, at, expansion.records, used * expansion.stride, np.int64(room), labels
    )
    if count < 0 or labels[0] & answer.stop_mask != _0:
        answer.record, answer.labels = record, labels[0]
        if count < 0:
            answer.fault = U(-count)
            return FAULT
        return FOUND
    answer.successors = U(count)
    if U(count) <= room:
        return CONTINUE
    if used != _0:
        return FLUSH
    answer.wanted = U(count)
    return GROW


@inlined
def link_of(record, step):
    """The link of the state that a step of the state with this record leads to."""
    return (record << _STEP) | step
