"""Random models: every order reaches what the interpreter reaches, decides alike, and shows true traces.

The reference is a plain search with the interpreter, which shares no code with the engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strandline
from strandline.checker.verdicts.verdict import Answer, Verdict
from strandline.compile.interpret import Interpreter
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source

VARIABLES = ("x", "y", "z")


@dataclass(frozen=True)
class Reference:
    """The result of a plain breadth-first search with the interpreter."""

    states: int
    transitions: int
    deadlocks: int
    distance: int | None
    """Of the nearest state that satisfies the goal."""


@st.composite
def models(draw: st.DrawFn) -> str:
    """Two or three processes over three small variables; every step stays in 0..3."""
    processes = []
    for number in range(draw(st.integers(2, 3))):
        transitions = [_transition(draw, locations=3) for _ in range(draw(st.integers(1, 5)))]
        processes.append(f"process P{number} {{ state a, b, c; init a; trans {', '.join(transitions)}; }}")
    return "byte x; byte y; byte z;\n" + "\n".join(processes) + "\nsystem async;\n"


def _transition(draw: st.DrawFn, locations: int) -> str:
    source, target = (draw(st.sampled_from("abc"[:locations])) for _ in range(2))
    guard = draw(st.sampled_from(["", "guard x < 2;", "guard y != z;", "guard z == 0 or x > 1;", "guard y > 0;"]))
    variable = draw(st.sampled_from(VARIABLES))
    value = draw(st.sampled_from(["(x + 1) % 4", "(y + z) % 3", "0", "3", "(z + 2) % 4", "x"]))
    return f"{source} -> {target} {{ {guard} effect {variable} = {value}; }}"


def _reference(system: System, goal: tuple[int, int]) -> Reference:
    interpreter = Interpreter(system)
    wanted = (system.offsets[system.by_name["x"]], system.offsets[system.by_name["y"]])
    known = set(system.initial)
    level = list(system.initial)
    transitions = deadlocks = depth = 0
    distance = None
    while level:
        following = []
        for state in level:
            if distance is None and (state[wanted[0]], state[wanted[1]]) == goal:
                distance = depth
            steps = interpreter.steps(state)
            transitions += len(steps)
            deadlocks += not steps
            for step in steps:
                assert step.target is not None
                if step.target not in known:
                    known.add(step.target)
                    following.append(step.target)
        level, depth = following, depth + 1
    return Reference(len(known), transitions, deadlocks, distance)


def _follow(system: System, verdict: Verdict, goal: tuple[int, int]) -> int:
    """The length of the witness, each of whose steps must be one of the interpreter's."""
    trace = verdict.trace
    assert trace is not None
    interpreter = Interpreter(system)
    state = system.initial[0]
    for step, shown in zip(trace.steps, list(trace.states())[1:], strict=True):
        state = next(
            found.target
            for found in interpreter.steps(state)
            if found.actions[0].name == step.action and found.target is not None
            and _shown(system, found.target) == shown
        )  # fmt: skip
    assert (int(trace.final["x"]), int(trace.final["y"])) == goal
    return len(trace)


def _shown(system: System, state: tuple[int, ...]) -> dict[str, str]:
    return {variable.name: variable.show(state[offset]) for variable, offset in system.offsets.items()}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    models(),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.sampled_from(["x", "x - y", "0 - z", "x + P0.a", "x * 4 + y"]),
)
def test_all_orders_agree_with_the_interpreter(text: str, goal: tuple[int, int], measure: str) -> None:
    system = dve.load(Source("random.dve", text))
    reference = _reference(system, goal)
    orders: list[dict[str, object]] = [
        {"order": "bfs"},
        {"order": "dfs"},
        {"measure": measure},
        {"measure": [measure, "y", "0 - z"], "componentwise": True},
        {"cache_states": 1000, "cache_rule": "random"},
    ]
    for options in orders:
        statistics = strandline.explore(system, count_distinct=True, **options).statistics  # type: ignore[arg-type]
        assert (statistics.states, statistics.transitions, statistics.deadlocks) == (
            reference.states,
            reference.transitions,
            reference.deadlocks,
        )
        verdict = strandline.check(system, reach=f"x == {goal[0]} and y == {goal[1]}", **options)  # type: ignore[arg-type]
        if reference.distance is None:
            assert verdict.answer is Answer.VIOLATED
            assert verdict.complete
        else:
            assert verdict.answer is Answer.HOLDS
            length = _follow(system, verdict, goal)
            assert length == reference.distance if options.get("order") == "bfs" else length >= reference.distance
