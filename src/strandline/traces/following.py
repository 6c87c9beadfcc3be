"""Which steps of a System the steps of a trace are. A trace names its actions; who walks along it by the interpreter,
or draws where they stand in the model, wants the steps themselves."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.kernel import Reference
from strandline.model.system import Action, System
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.replay import State
from strandline.traces.trace import Trace

Taken = tuple[Action, ...]
_Found = dict[State, tuple[State, int]]
"""States that look like one of the trace, each with the one before it and the number of the step from there."""


def steps_along(reference: Reference, trace: Trace) -> tuple[int, list[int]] | None:
    """The number of the initial state and of each step, by the reference; None where it has no such path. All states that
    look like those of the trace are followed at once, and the first way to its end is taken."""
    begun: dict[State, int] = {}
    for number, state in enumerate(reference.initial()):
        if reference.describe(state) == trace.initial:
            begun.setdefault(state, number)
    known, ways = list(begun), list[_Found]()
    for step in trace.steps:
        found: _Found = {}
        for state in known:
            for number, edge in enumerate(reference.edges(state)):
                target = edge.target
                if target is None or target in found or edge.action != step.action:
                    continue
                if reference.describe(target) == step.state:
                    found[target] = (state, number)
        ways.append(found)
        known = list(found)
    if not known:
        return None
    state, numbers = known[0], list[int]()
    for found in reversed(ways):
        state, number = found[state]
        numbers.append(number)
    return begun[state], numbers[::-1]


def actions_along(system: System, trace: Trace) -> Sequence[Taken] | None:
    """The actions of each step, in the System alone or, where that does not have the trace, in its product with the
    property process. None where neither has it: the steps of a model made of callables are no actions, and a trace may
    be one of another System."""
    if type(system) is not System:
        return None
    for one in [system.alone] if system.observer is None else [system.alone, system]:
        reference = reference_of(one)
        found = steps_along(reference, trace)
        if found is None:
            continue
        initial, numbers = found
        state, taken = reference.initial()[initial], list[Taken]()
        for number in numbers:
            taken.append(tuple(reference.taken(state)[number]))
            target = reference.edges(state)[number].target
            state = state if target is None else target
        return taken
    return None
