"""Measures found: what is promised of them holds, and what a trial tells is what a sweep does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import systems

import strandline
from strandline.cli.main import main
from strandline.compile.interpret import Interpreter
from strandline.languages import load
from strandline.model.ranges import analyse_ranges
from strandline.progress.finding import choose, find_measures
from strandline.progress.static import component_ranks, distance_ranks, never_decreasing

ROOT = Path(__file__).parent.parent.parent
STOP_AND_WAIT = ROOT / "examples" / "stop-and-wait" / "stop-and-wait.dve"

COUNTERS = """
byte up = 0, down = 9, reset = 0, wrapping = 0, total[2];
process P { byte mine; state a, b, c; init a;
trans a -> b { guard up < 9; effect up = up + 1, down = 9 - up, total[1] = total[1] + up % 2; },
      b -> a { guard reset < 3; effect reset = reset + 1, wrapping = wrapping + 1; },
      b -> c { guard down == 0; effect reset = 0, mine = 4; };
}
system async;
"""


@pytest.fixture
def counters(tmp_path: Path) -> Path:
    path = tmp_path / "counters.dve"
    path.write_text(COUNTERS, encoding="utf-8")
    return path


def test_variables_that_only_grow_are_found(counters: Path) -> None:
    system = load(counters)
    names = [variable.name for variable in never_decreasing(system, analyse_ranges(system))]
    assert names == ["up", "P.mine"], "total may wrap, as far as intervals tell; the others do fall back"


@given(systems())
def test_what_is_said_to_grow_never_shrinks(system: strandline.System) -> None:
    growing = never_decreasing(system, analyse_ranges(system))
    interpreter = Interpreter(system)
    seen, queue = set(system.initial), list(system.initial)
    while queue and len(seen) < 300:
        state = queue.pop()
        for step in interpreter.steps(state):
            if step.target is None:
                continue
            for variable in growing:
                start = system.offsets[variable]
                for slot in range(start, start + variable.slots):
                    assert step.target[slot] >= state[slot]
            if step.target not in seen:
                seen.add(step.target)
                queue.append(step.target)


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_ranks_of_components_never_decrease(edges: set[tuple[int, int]]) -> None:
    ranks = component_ranks(7, edges)
    reach = {(a, b) for a in range(7) for b in range(7) if a == b}
    while True:
        further = reach | {(a, d) for a, b in reach for c, d in edges if b == c}
        if further == reach:
            break
        reach = further
    for source, target in edges:
        if (target, source) in reach:
            assert ranks[source] == ranks[target]
        else:
            assert ranks[source] < ranks[target]


def test_distances_count_moves() -> None:
    assert distance_ranks(5, {(0, 1), (1, 2), (0, 2), (2, 0), (3, 4)}, 0) == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("name", ["stop-and-wait", "peterson", "philosophers"])
def test_an_exact_trial_tells_what_a_sweep_does(name: str) -> None:
    path = next((ROOT / "examples" / name).glob("*.dve"))
    states = strandline.explore(path).statistics.states
    trials = find_measures(load(path))
    assert trials
    assert all(trial.exact for trial in trials)
    assert [trial.cost for trial in trials] == sorted(trial.cost for trial in trials)
    for trial in trials[:3]:
        run = strandline.explore(path, measure=trial.candidate.texts, count_distinct=True).statistics
        assert states is not None
        assert run.states == states
        assert run.peak_states == pytest.approx(trial.peak * states)
        assert run.visited == pytest.approx(trial.visits * states)
        assert run.persistent == trial.persistent


def test_a_small_sample_is_marked_as_a_prediction() -> None:
    assert not any(trial.exact for trial in find_measures(load(STOP_AND_WAIT), sample=5_000))


def test_a_limit_on_the_peak_prefers_few_visits() -> None:
    trials = find_measures(load(STOP_AND_WAIT))
    loose = choose(trials, largest_peak=1.0)
    assert loose is not None
    assert loose.visits == min(trial.visits for trial in trials)
    assert choose([]) is None


def test_a_sweep_by_the_automatic_measure_counts_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(STOP_AND_WAIT), "--measure", "auto", "--count-distinct", "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["states"], data["transitions"]) == (110526, 317521)
    assert data["peak_states"] < 6_000
    assert "found --measure" in err


def test_a_model_without_progress_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "idle.dve"
    path.write_text("process P { state a; init a; trans a -> a {}; }\nsystem async;\n", encoding="utf-8")
    assert main(["explore", str(path), "--measure", "auto"]) == 2
    assert "no measure of progress was found" in capsys.readouterr().err
    assert main(["measures", str(path)]) == 0
    assert "no measure of progress was found" in capsys.readouterr().out
