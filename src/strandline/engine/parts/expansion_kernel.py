"""The only caller of a Kernel's successor function, by the ABI of `strandline.compile.kernel`."""

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
    """The Kernel's successor function and its output buffers.

    There is room for `most` records of `stride` words, each a successor with its progress, and for the labels of the
    source.
    """

    function: Any
    words: Any
    stride: Any
    most: Any
    records: Any
    labels: Any
    answer: Any


@inlined
def compute_successors(expansion, states, at, record, used):
    """Compute the successors of the state at `states[at]` behind the first `used` records of the buffer.

    Returns CONTINUE, with their number in `answer.successors`; FOUND if a label is in the stop mask; FAULT if a step of
    the model faults; FLUSH if they would fit into an empty buffer; GROW if not even that is large enough. After FOUND
    and FAULT `answer.record` is the state's record.
    """
    answer, labels = expansion.answer, expansion.labels
    room = expansion.most - used
    count = call_successors(
        expansion.function, states, at, expansion.records, used * expansion.stride, np.int64(room), labels
    )
    # Before anything is counted, so that the expansion can be repeated after the event.
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
    """Return the link of the state that a step of the given record leads to."""
    return (record << _STEP) | step
