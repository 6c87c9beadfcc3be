"""Whole state spaces of Kernels with and without reduction, and the facts that must agree."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernels import State, ask_all

from strandline.checker.reductions.partial_order import reduction_of
from strandline.compile.kernel import DEADLOCK_BIT, MAXIMUM_PREDICATES, Kernel
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import Expression
from strandline.model.system import System

_PREDICATES = (1 << MAXIMUM_PREDICATES) - 1


@dataclass(slots=True)
class Space:
    """The facts of a state space; `whole` is True if all of it was explored."""

    states: set[State] = field(default_factory=set)
    deadlocks: set[State] = field(default_factory=set)
    labels: set[int] = field(default_factory=set)
    faults: bool = False
    whole: bool = True


def space(kernel: Kernel, most: int) -> Space:
    """Everything reachable, up to a number of states."""
    found = Space()
    waiting = deque(dict.fromkeys(tuple(row) for row in kernel.initial.tolist()))
    found.states.update(waiting)
    while waiting:
        state = waiting.popleft()
        answer = ask_all(kernel, state)
        if answer.fault is not None:
            found.faults = True
            continue
        found.labels.add(answer.labels & _PREDICATES)
        if answer.labels >> DEADLOCK_BIT & 1:
            found.deadlocks.add(state)
        for record in answer.records:
            target = record[: kernel.words]
            if target not in found.states:
                found.states.add(target)
                waiting.append(target)
        if len(found.states) > most:
            found.whole = False
            return found
    return found


def compare(system: System, predicates: Sequence[Expression], most: int) -> tuple[int, int, int]:
    """Fails where a reduction loses a deadlock, a fault, or a combination of the predicates' truths. Returns the sizes
    of the spaces: whole, reduced, reduced for deadlocks alone; zeros where there are too many states."""
    whole = space(make_kernel(system, KernelSpecification(predicates)), most)
    if not whole.whole:
        return 0, 0, 0
    seen = space(make_kernel(system, KernelSpecification(predicates, None, reduction_of(system, predicates))), most)
    dead = space(make_kernel(system, KernelSpecification(predicates, None, reduction_of(system, ()))), most)
    assert seen.states <= whole.states
    assert dead.states <= whole.states
    assert seen.faults == dead.faults == whole.faults
    if not whole.faults:
        assert seen.deadlocks == whole.deadlocks
        assert dead.deadlocks == whole.deadlocks
        assert seen.labels == whole.labels
    return len(whole.states), len(seen.states), len(dead.states)
