"""Asking a Kernel by its ABI, and comparing two of them answer by answer."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from strategies import Case
from support.interpreted_kernel import interpret_system

from strandline.compile.host import compile_system
from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite, Kernel
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System

State = tuple[int, ...]

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_GUARD = 0xDEAD_BEEF_0BAD_F00D
_GUARD_WORDS = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of `successors`. `records` holds at most `capacity` of the `count` records."""

    count: int
    records: tuple[State, ...]
    labels: int
    fault: FaultSite | None = None


def ask(kernel: Kernel, state: State, capacity: int = 64) -> Answer:
    """One call of the Kernel's function; fails where it writes beyond its scratch place or into the state."""
    source = np.array(state, dtype=np.uint64)
    records = np.full((capacity + 1) * kernel.stride + _GUARD_WORDS, _GUARD, dtype=np.uint64)
    labels = np.full(2, _GUARD, dtype=np.uint64)
    count = _FUNCTION(kernel.successors)(source.ctypes.data, records.ctypes.data, capacity, labels.ctypes.data)
    kernel.reraise()
    assert tuple(source.tolist()) == state, "the source state was changed"
    assert (records[-_GUARD_WORDS:] == _GUARD).all(), "written beyond the scratch place"
    assert labels[1] == _GUARD, "written beyond the labels"
    if count < 0:
        return Answer(-1, (), 0, kernel.fault_sites[-1 - count])
    rows = records[: min(count, capacity) * kernel.stride].reshape(-1, kernel.stride)
    return Answer(count, tuple(tuple(row) for row in rows.tolist()), int(labels[0]))


def ask_all(kernel: Kernel, state: State) -> Answer:
    """As a search asks: again with more room where the first buffer was too small."""
    answer = ask(kernel, state, 4)
    return answer if answer.count <= 4 else ask(kernel, state, answer.count)


def build_both(case: Case) -> tuple[Kernel, Kernel] | None:
    """The interpreter's and the compiler's Kernel; None where the measure faults in an initial state."""
    plain, fast = _built(interpret_system, case), _built(compile_host, case)
    if isinstance(plain, FaultSite) or isinstance(fast, FaultSite):
        assert plain == fast, "the back ends differ in an initial state"
        return None
    return plain, fast


def compile_host(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """Compile a System, with the arguments of `interpret_system`."""
    return compile_system(system, KernelSpecification(predicates, measure))


def _built(build: Callable[..., Kernel], case: Case) -> Kernel | FaultSite:
    try:
        return build(case.system, case.predicates, case.measure)
    except Fault as fault:
        return FaultSite(fault.kind, fault.span)


def compare_back_ends(case: Case, limit: int) -> int:
    """Explore with the interpreter, at most `limit` states, and fail at the first answer in which the compiled
    function differs. Returns how many states were compared."""
    kernels = build_both(case)
    if kernels is None:
        return 0
    plain, fast = kernels
    assert (plain.words, plain.stride) == (fast.words, fast.stride)
    assert plain.initial.tolist() == fast.initial.tolist()
    assert plain.initial_progress.tolist() == fast.initial_progress.tolist()
    waiting = deque(dict.fromkeys(tuple(row) for row in plain.initial.tolist()))
    known = set(waiting)
    compared = 0
    while waiting and compared < limit:
        state = waiting.popleft()
        compared += 1
        expected = ask_all(plain, state)
        compare_state(case, plain, fast, state, expected)
        for record in expected.records:
            target = record[: plain.words]
            if target not in known:
                known.add(target)
                waiting.append(target)
    return compared


def compare_state(case: Case, plain: Kernel, fast: Kernel, state: State, expected: Answer) -> None:
    """All that two Kernels say of one state, with a large buffer and with one that is too small."""
    shown = case.system.name, plain.reference.describe(state)
    found = ask_all(fast, state)
    assert found == expected, f"{shown}: compiled {found}, interpreted {expected}"
    if expected.count > 0:
        for capacity in {0, expected.count - 1}:
            short = Answer(expected.count, expected.records[:capacity], expected.labels)
            assert ask(fast, state, capacity) == short, f"{shown}: capacity {capacity}"
            assert ask(plain, state, capacity) == short, f"{shown}: capacity {capacity}, interpreted"
    if expected.fault is None:
        words = [edge.target for edge in plain.reference.edges(state)]
        assert words == [record[: plain.words] for record in expected.records]
        assert plain.reference.labels(state) == expected.labels
