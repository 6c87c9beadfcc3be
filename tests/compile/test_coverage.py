"""Coverage bits and valid ends on random systems: machine code agrees with the interpreter."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from kernels import ask_all, compare_back_ends
from strategies import Case, cases

from strandline.checker.diagnosis.coverage import Coverage, coverage_of
from strandline.compile.host import compile_system
from strandline.compile.interpret import Fault, Interpreter, Valuation
from strandline.model.system import Predicate, System

MOST_STATES = 150


class Unsuitable(Exception):
    """A system with a fault, or too many states."""


@dataclass
class Met:
    """The coverage according to the interpreter."""

    taken: set[int] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    full: set[str] = field(default_factory=set)


def met_by_interpreter(system: System) -> Met:
    interpreter, met = Interpreter(system), Met()
    waiting = deque(dict.fromkeys(system.initial))
    seen = set(waiting)
    for state in seen:
        _look(system, interpreter, state, met)
    while waiting:
        state = waiting.popleft()
        for step in interpreter._system_steps(state):
            if step.target is None:
                raise Unsuitable
            met.taken |= {id(action) for action in step.actions}
            _look(system, interpreter, step.target, met)
        for step in interpreter.steps(state):
            if step.target is None:
                raise Unsuitable
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
        if len(seen) > MOST_STATES:
            raise Unsuitable
    return met


def _look(system: System, interpreter: Interpreter, state: Valuation, met: Met) -> None:
    try:
        met.full |= {one.name for one in system.bounds if interpreter.evaluate(one.expression, state)}
    except Fault:
        raise Unsuitable from None
    for process in system.processes:
        place = state[system.offsets[process.location]]
        met.reached.add(f"{process.name}.{process.locations[place]}")


def explored(system: System) -> Coverage:
    """The coverage of a search that asks the Kernel of every state once."""
    kernel = compile_system(system)
    waiting = deque(dict.fromkeys(kernel.reference.initial()))
    seen = set(waiting)
    while waiting:
        for record in ask_all(kernel, waiting.popleft()).records:
            if record not in seen:
                seen.add(record)
                waiting.append(record)
    coverage = coverage_of(system, kernel)
    assert coverage is not None
    return coverage


@settings(max_examples=150)
@given(cases())
def test_marks_are_what_the_interpreter_meets(case: Case) -> None:
    bounds = tuple(Predicate(f"bound {number}", one) for number, one in enumerate(case.predicates))
    system = replace(case.system, bounds=bounds)
    try:
        met = met_by_interpreter(system)
    except Unsuitable:
        return
    coverage = explored(system)
    never = {one.action for one in coverage.never_taken}
    assert never == {one.name for one in system.actions if id(one) not in met.taken}
    assert set(coverage.full) == met.full
    places = {f"{process.name}.{name}" for process in system.processes for name in process.locations}
    assert set(coverage.never_reached) == places - met.reached


@settings(max_examples=150)
@given(cases())
def test_valid_ends_are_the_same_in_both_back_ends(case: Case) -> None:
    if case.predicates:
        system = replace(case.system, ends=case.predicates[-1])
        compare_back_ends(Case(system, case.predicates[:-1], case.measure), 100)
