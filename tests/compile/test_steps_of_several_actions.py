"""Steps that are paths of several actions, and idle actions: the compiled function answers as the interpreter does."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels import compare_back_ends, compile_host
from strategies import Case, random_case

import strandline
from strandline.compile.interpret import LONGEST_PATH, PATH_FAULT, Interpreter
from strandline.model.expression import Binary, Const, Read
from strandline.model.system import Action, Assign, Domain, Move, Process, System, Variable
from strandline.source import Source


def with_paths(system: System, random: Random) -> System:
    """Let some actions continue, always towards later locations, so that paths end, and let some be idle."""
    actions = []
    for action in system.actions:
        forward = [move.process for move in action.moves if move.target > move.source]
        continues = random.choice(forward) if forward and random.random() < 0.5 else None
        actions.append(replace(action, continues=continues, idle=random.random() < 0.2))
    return replace(system, actions=tuple(actions))


@given(seed=st.integers(0, 2**32), wild=st.sampled_from((0.0, 0.1, 0.3)))
def test_random_systems(seed: int, wild: float) -> None:
    random = Random(seed)
    case = random_case(random, wild=wild)
    if not case.system.synchronous:
        compare_back_ends(Case(with_paths(case.system, random), case.predicates, case.measure), 60)


X = Variable("x", Domain(0, 9))


def moving(system_actions: list[tuple[int, int, dict[str, object]]]) -> System:
    """A process with three locations; each step also counts x up to 9."""
    place = Variable("P", Domain(0, 2), None, (0,), ("L0", "L1", "L2"), owner="P")
    more = Binary("<", Read(X), Const(9))
    actions = [
        Action(
            f"{source} to {target}",
            (Move(0, source, target),),
            more,
            (Assign(Read(X), Binary("+", Read(X), Const(1))), Assign(Read(place), Const(target))),
            **options,  # type: ignore[arg-type]
        )
        for source, target, options in system_actions
    ]
    return System.create("m", Source("m", ""), (place, X), (Process("P", place),), tuple(actions))


def test_each_path_is_a_step() -> None:
    system = moving([(0, 1, {"continues": 0}), (0, 1, {"continues": 0}), (1, 2, {}), (1, 2, {}), (2, 0, {})])
    (start,) = system.initial
    steps = Interpreter(system).steps(start)
    assert [one.target for one in steps] == [(2, 2)] * 4
    assert [len(one.actions) for one in steps] == [2] * 4
    compare_back_ends(Case(system, (), None), 50)


def test_a_path_that_blocks_ends_there() -> None:
    system = moving([(0, 1, {"continues": 0}), (2, 0, {})])
    assert [one.target for one in Interpreter(system).steps((0, 0))] == [(1, 1)]
    assert strandline.explore(system).statistics.states == 2


def test_idle_actions_are_tried_last() -> None:
    system = moving([(0, 1, {}), (0, 2, {"idle": True}), (1, 2, {"idle": True})])
    assert [one.target for one in Interpreter(system).steps((0, 0))] == [(1, 1)]
    assert [one.target for one in Interpreter(system).steps((1, 1))] == [(2, 2)]
    compare_back_ends(Case(system, (), None), 50)


def test_endless_paths_are_a_fault() -> None:
    place = Variable("P", Domain(0, 0), None, (0,), ("L0",), owner="P")
    loop = Action("loop", (Move(0, 0, 0),), None, (), continues=0)
    system = System.create("m", Source("m", ""), (place,), (Process("P", place),), (loop,))
    (found,) = Interpreter(system).steps((0,))
    assert found.fault is not None
    assert found.fault.kind == PATH_FAULT
    assert len(found.actions) == LONGEST_PATH + 1
    assert [site.kind for site in compile_host(system).fault_sites] == [PATH_FAULT]
    compare_back_ends(Case(system, (), None), 5)


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_traces_of_paths_are_replayed(order: str) -> None:
    system = moving([(0, 1, {"continues": 0}), (1, 2, {}), (2, 0, {})])
    verdict = strandline.check(system, invariants="x < 5", order=order, deadlock=False)
    trace = verdict.properties[0].trace
    assert trace is not None
    assert [one.action for one in trace.steps] == ["0 to 1; 1 to 2", "2 to 0", "0 to 1; 1 to 2"]
