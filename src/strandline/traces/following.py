"""Map the steps of a trace to steps of a System.

A trace only names its actions. To execute it with the interpreter, or to show where the actions stand in the model, the
steps themselves are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import eq

from strandline.compile.kernel import Reference
from strandline.model.system import Action, System
from strandline.traces.candidates import Candidates
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.trace import Trace

Taken = tuple[Action, ...]


def steps_along(reference: Reference, trace: Trace) -> tuple[int, list[int]] | None:
    """Return the numbers of the initial state and of each step, by the reference; None if there is no such path.

    All states that match those of the trace are followed at once, and the first path to its end is taken.
    """
    candidates = Candidates(reference, lambda values: values == trace.initial)
    for step in trace.steps:
        candidates.advance(step.action, partial(eq, step.state))
    return candidates.path()


def actions_along(system: System, trace: Trace) -> Sequence[Taken] | None:
    """Return the actions of each step, in the System alone or in its product with the property process.

    Returns None if neither has the trace: steps of Python callables are not actions, and a trace may be of another
    System.
    """
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
            taken.append(tuple(reference.actions_of_steps(state)[number]))
            target = reference.edges(state)[number].target
            state = state if target is None else target
        return taken
    return None
