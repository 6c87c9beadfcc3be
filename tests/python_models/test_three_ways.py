"""A Python model means the same as plain Python, in the interpreter and as machine code, step by step."""

from __future__ import annotations

import sys
from collections import Counter, deque
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from kernels import compare_back_ends
from strategies import Case

from strandline.compile.interpret import Fault, Interpreter
from strandline.errors import ModelError
from strandline.languages.python.loading.lowering import to_system
from strandline.languages.python.loading.scope import PythonScope
from strandline.languages.python.runtime.faults import NotEnabled
from strandline.languages.python.runtime.steps import candidates
from strandline.languages.symbolic_execution.execution import TOO_INVOLVED
from strandline.model.expression import Const
from strandline.model.measure import Measure
from strandline.model.system import System

sys.path.insert(0, str(Path(__file__).parent))
from programs import define, programs

FAULT = "fault"
REFUSALS = (TOO_INVOLVED, " stands for ", "on one way only", "None has no part", "cannot be None", "cannot hold None")
"""What the generator does not avoid."""
FAULTS = (ValueError, IndexError, ZeroDivisionError, TypeError, AttributeError)


def plain_steps(model: Any, structure: Any, state: tuple[Any, ...]) -> tuple[Counter[Any], list[tuple[Any, ...]]]:
    """Where plain Python goes from a state, as valuations of the System, and as states."""
    found: Counter[Any] = Counter()
    states = []
    model.restore(state)
    for choice in list(candidates(model)):
        try:
            model.take(choice)
        except NotEnabled:
            continue
        except FAULTS:
            found[FAULT] += 1
            continue
        states.append(model.state())
        found[structure.valuation(model.state())] += 1
        model.restore(state)
    return found, states


def system_steps(system: System, valuation: tuple[int, ...]) -> Counter[Any]:
    """Where the interpreter goes, action by action."""
    interpreter = Interpreter(system)
    found: Counter[Any] = Counter()
    for action in system.actions:
        located = (system.processes[move.process].location for move in action.moves)
        here = all(
            valuation[system.offsets[location]] == move.source
            for location, move in zip(located, action.moves, strict=True)
        )
        step = interpreter._attempt(action, valuation, valuation) if here else None
        if step is not None:
            found[FAULT if step.target is None else step.target] += 1
    return found


def evaluated(compute: Any, *arguments: Any) -> Any:
    try:
        return compute(*arguments)
    except (*FAULTS, Fault):
        return FAULT


def compare_everywhere(model: Any, limit: int = 10_000, also: Any = lambda system, state: None) -> tuple[System, int]:
    """Explore a model as plain Python and fail at the first state in which the System differs, or `also` fails; the
    System, and how many states were compared."""
    system = to_system(model)
    assert isinstance(system.scope, PythonScope)
    structure = system.scope.structure
    assert structure is not None
    states = model.initial_states()
    assert [structure.valuation(state) for state in states] == list(system.initial)
    waiting, known = deque(states), set(states)
    compared = 0
    while waiting and compared < limit:
        state = waiting.popleft()
        compared += 1
        expected, targets = plain_steps(model, structure, state)
        found = system_steps(system, structure.valuation(state))
        assert found == expected, f"{found - expected} {expected - found} {state}"
        model.restore(state)
        also(system, structure.valuation(state))
        for target in targets:
            if target not in known:
                known.add(target)
                waiting.append(target)
    claims = tuple(claim.expression for claim in system.invariants)
    measure = Measure(Const(0), system.measures[0].expression if system.measures else Const(0))
    compare_back_ends(Case(system, claims, measure), limit)
    return system, compared


def compare(text: str, limit: int) -> int:
    """Compare steps, the invariant and the measure of a generated model."""
    model = define(text)()

    def claim_and_rate(system: System, valuation: tuple[int, ...]) -> None:
        interpreter = Interpreter(system)
        claim = evaluated(interpreter.evaluate, system.invariants[0].expression, valuation)
        assert claim == evaluated(lambda: int(model.claim())), valuation
        rate = evaluated(interpreter.evaluate, system.measures[0].expression, valuation)
        assert rate == evaluated(model.rate), valuation

    return compare_everywhere(model, limit, claim_and_rate)[1]


@given(programs())
@settings(max_examples=40)
def test_plain_python_interpreter_and_machine_code_agree(text: str) -> None:
    try:
        compare(text, limit=20)
    except ModelError as error:
        assume(not any(part in error.message for part in REFUSALS))
        raise
