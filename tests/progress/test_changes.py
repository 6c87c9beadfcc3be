"""Changes of expressions by steps: no step does less than claimed, and monotone expressions are monotone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_systems import COUNTERS, ELECTION, TWO_LAPS, system_of
from strategies import systems

from strandline.compile.interpret import Fault, Interpreter, evaluate
from strandline.model.expression import Binary, Const, Expression, Read, Unary
from strandline.model.system import System
from strandline.progress.changes import _LOWEST, Changes, monotone_length


def least(system: System, text: str) -> dict[str, int]:
    """The least change of an expression by each step."""
    changes = Changes(system)
    found = changes.least(system.scope.parse(text))
    return {step.name: int(one) for step, one in zip(changes.steps, found, strict=True)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("up", [1, 0, 0]),
        ("reset", [0, 1, -3]),
        ("P.mine", [0, 0, 4]),
        ("P.b + 2 * P.c", [1, -1, 1]),
        ("2 * up + P.b + 2 * P.c", [3, -1, 1]),
        ("-up", [-1, 0, 0]),
        ("total[0]", [0, 0, 0]),
        ("total[0] + 3", [0, 0, 0]),
        ("up * reset", [-(1 << 60), -(1 << 60), -(1 << 60)]),
    ],
)
def test_changes_by_each_action(text: str, expected: list[int], tmp_path: Path) -> None:
    system = system_of(COUNTERS, tmp_path)
    assert list(least(system, text).values()) == expected


def test_a_counter_that_may_wrap_may_fall(tmp_path: Path) -> None:
    system = system_of(COUNTERS, tmp_path)
    assert min(least(system, "wrapping").values()) < 0


def test_a_guard_that_compares_tells_the_direction(tmp_path: Path) -> None:
    system = system_of(ELECTION, tmp_path)
    assert min(least(system, "-best").values()) == 0
    assert max(least(system, "-best").values()) == 1


def monotone(system: System, *texts: str) -> int:
    changes = Changes(system)
    return monotone_length([changes.least(system.scope.parse(text)) for text in texts])


def test_lexicographic_measures_may_fall_behind_what_grows(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    assert monotone(system, "lap") == 1
    assert monotone(system, "P.b + 2 * P.c") == 0
    assert monotone(system, "lap", "P.b + 2 * P.c", "Q.n") == 3
    assert monotone(system, "Q.n", "lap", "P.b + 2 * P.c") == 3
    assert monotone(system, "lap", "-P.b") == 1
    assert monotone(system) == 0
    assert monotone(system, "3 * lap + P.b + 2 * P.c") == 1
    assert monotone(system, "lap + P.b + 2 * P.c") == 0, "the sum falls by one when a lap is over"


def value(expression: Expression, state: tuple[int, ...], system: System) -> int | None:
    try:
        return evaluate(expression, state, system.offsets)
    except Fault:
        return None


@st.composite
def measured(draw: st.DrawFn) -> tuple[System, list[Expression]]:
    """A random system and sums over its variables."""
    system = draw(systems())
    scalars = [one for one in system.variables if one.length is None]
    parts: list[Expression] = []
    for _ in range(draw(st.integers(1, 3))):
        if not scalars:
            break
        variable = draw(st.sampled_from(scalars))
        part: Expression = Read(variable)
        if draw(st.booleans()):
            part = Binary("==", part, Const(draw(st.integers(variable.domain.low, variable.domain.high))))
        if draw(st.booleans()):
            part = Unary("-", part)
        joined = draw(st.booleans()) if parts else False
        if joined:
            parts[-1] = Binary("+", parts[-1], Binary("*", Const(draw(st.integers(-2, 3))), part))
        else:
            parts.append(part)
    return system, parts


@settings(max_examples=200)
@given(measured())
def test_what_is_called_monotone_never_decreases(case: tuple[System, list[Expression]]) -> None:
    system, parts = case
    changes = Changes(system)
    bounds = [changes.least(part) for part in parts]
    length = monotone_length(bounds)
    leasts = [int(bound.min(initial=0)) for bound in bounds]
    interpreter = Interpreter(system)
    seen, queue = set(system.initial), list(system.initial)
    while queue and len(seen) < 200:
        state = queue.pop()
        for step in interpreter.steps(state):
            if step.target is None:
                continue
            before = [value(part, state, system) for part in parts]
            after = [value(part, step.target, system) for part in parts]
            known = None not in before and None not in after
            if known and not system.synchronous and system.observer is None:
                for old, new, lowest in zip(before, after, leasts, strict=True):
                    assert old is not None
                    assert new is not None
                    # The lowest amount stands for whatever is less.
                    assert new - old >= lowest or lowest == _LOWEST
            if known:
                assert tuple(after[:length]) >= tuple(before[:length])
            if step.target not in seen:
                seen.add(step.target)
                queue.append(step.target)


def test_what_is_no_sum_is_unknown_where_it_is_written(tmp_path: Path) -> None:
    text = "byte x, y;\nprocess P { state a; init a; trans a -> a { effect x = 0; }; }\nsystem async;\n"
    system = system_of(text, tmp_path)
    assert list(least(system, "x / 2").values()) == [-(1 << 60)]
    assert list(least(system, "y / 2").values()) == [0]
