"""Measures found: a prediction from all states is what a sweep does, and a sweep by any of them loses no state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from small_systems import ROOT, STOP_AND_WAIT, TWO_LAPS, system_of
from strategies import systems

import strandline
from strandline.analysis.ranges import analyse_ranges
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.notation import measure_texts, parse_measures
from strandline.checker.measures.prediction import KEEP_ALL, predicted_measure
from strandline.cli.main import main
from strandline.compile.callback import from_callables
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.orders.sweep import SweepSearch
from strandline.engine.parts.search_output import StatesOnly
from strandline.engine.search import Event
from strandline.errors import UsageError
from strandline.languages import load
from strandline.model.expression import Expression
from strandline.model.measure import Reason
from strandline.progress.candidates import Candidate
from strandline.progress.finding import Figures, Found, Trial, find_measures

STATES = 110_526


@pytest.mark.parametrize("name", ["stop-and-wait", "peterson", "philosophers"])
def test_what_is_told_from_all_states_is_what_a_sweep_does(name: str) -> None:
    path = next((ROOT / "examples" / name).glob("*.dve"))
    states = strandline.explore(path).statistics.states
    found_in = load(path)
    found = find_measures(found_in)
    assert found.whole
    assert found.states == states
    assert found.trials
    for trial in found.trials[:3]:
        assert trial.exact
        run = strandline.explore(path, measure=measure_texts(trial.measure, found_in), count_distinct=True).statistics
        assert run.states == states
        assert run.peak_states == trial.figures.peak_states
        assert run.visited == trial.figures.visited
        assert (run.persistent, run.regress_edges) == (trial.figures.persistent, trial.figures.regress_edges)
        assert (run.sweeps, run.layers) == (trial.figures.sweeps, trial.figures.layers)


@settings(max_examples=40)
@given(systems())
def test_every_sweep_finds_the_states_of_breadth_first_search(system: strandline.System) -> None:
    found = find_measures(system, 2_000)
    if not found.whole:
        return
    plain = strandline.explore(system)
    for trial in found.trials[:2]:
        kernel = compile_system(system, KernelSpecification((), trial.measure))
        swept = states_of(kernel)
        assert swept == states_of(compile_system(system))
        assert len(swept) == plain.statistics.states == found.states


def states_of(kernel: Kernel) -> set[tuple[int, ...]]:
    """The states that a search expands."""
    rows: list[tuple[int, ...]] = []
    observer = StatesOnly(lambda states: rows.extend(tuple(row) for row in states[:, :-2].tolist()))
    kind = SweepSearch if kernel.measured else BreadthFirstSearch
    search = kind(kernel, log=lambda links: None, observer=observer)
    while (event := search.advance()) is Event.PAUSED:
        pass
    search.close()
    assert event is Event.DONE
    return set(rows)


@settings(max_examples=15)
@given(systems())
def test_the_same_is_found_every_time(system: strandline.System) -> None:
    first, second = find_measures(system, 500), find_measures(system, 500)
    assert [(measure_texts(one.measure, system), one.figures, one.earlier) for one in first.trials] == [
        (measure_texts(one.measure, system), one.figures, one.earlier) for one in second.trials
    ]
    assert (first.states, first.whole, first.tried) == (second.states, second.whole, second.tried)


def test_prediction_and_reality_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(STOP_AND_WAIT), "--measure", "auto", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    predicted = next(line for line in lines if line.startswith("  predicted"))
    came_out = next(line for line in lines if line.startswith("  actual"))
    assert predicted.replace(", by all states", "").split()[1:] == came_out.split()[1:]
    assert main(["explore", str(STOP_AND_WAIT), "--measure", "auto", "--json", "--quiet"]) == 0
    data = json.loads(capsys.readouterr().out)["prediction"]
    assert (data["exact"], data["sampled"]) == (True, STATES)
    assert (data["peak"], data["visits"]) == (data["actual_peak"], data["actual_visits"])


def test_reality_may_be_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = next((ROOT / "examples" / "peterson").glob("*.dve"))
    assert main(["explore", str(path), "--measure", "auto", "--max-states", "5", "--json", "--quiet"]) == 3
    data = json.loads(capsys.readouterr().out)["prediction"]
    assert (data["actual_peak"], data["actual_visits"]) == (None, None)
    assert main(["explore", str(path), "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["prediction"] is None


def test_a_small_sample_is_marked_as_a_prediction() -> None:
    found = find_measures(load(STOP_AND_WAIT), sample=5_000)
    assert (found.states, found.whole) == (5_000, False)
    assert not any(trial.exact for trial in found.trials)


def trial(peak: int, visited: int, *, earlier: tuple[int, int] | None = None) -> Trial:
    """A trial on 100 states; `earlier` on 10."""
    now = Figures(100, peak, visited, 0, 0, 1, 1, True)
    before = None if earlier is None else Figures(10, *earlier, 0, 0, 1, 1, True)
    return Trial(KEEP_ALL, now, exact=earlier is None, earlier=before)


def test_little_memory_makes_the_sample_small() -> None:
    least = predicted_measure(load(STOP_AND_WAIT), NullCallback(), memory=1)
    ample = predicted_measure(load(STOP_AND_WAIT), NullCallback(), memory=1 << 40)
    assert (least.exact, least.sampled <= 10_000) == (False, True)
    assert (ample.exact, ample.sampled) == (True, STATES)


def test_predictions_carry_on_what_the_sample_shows() -> None:
    assert (trial(20, 150).peak, trial(20, 150).visits) == (0.2, 1.5)
    rising = trial(40, 400, earlier=(1, 10))
    assert (rising.peak, rising.visits) == (pytest.approx(0.8), pytest.approx(8.0))
    assert trial(90, 100, earlier=(1, 10)).peak == 1.0
    falling = trial(10, 100, earlier=(4, 20))
    assert (falling.peak, falling.visits) == (pytest.approx(0.05), 1.0)


def test_optimal_is_the_least_time_that_fits() -> None:
    small, medium, quick = trial(10, 300), trial(20, 200), trial(60, 110)
    found = Found((small, medium, quick), 100, True, 3, 0.0)
    assert found.best() is small
    assert found.best(0.7) is quick
    assert found.best(0.3) is medium
    assert found.best(0.1) is small
    assert found.best(0.05) is small, "none fits: the least product"
    assert Found((trial(100, 100), trial(50, 220)), 100, True, 2, 0.0).best() is None
    assert Found((), 100, True, 0, 0.0).best() is None


def test_monotone_parts_come_first_and_are_proved(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    found = find_measures(system)
    best = found.trials[0]
    assert measure_texts(best.measure, system) == (
        "mono(lap)",
        "mono(P.place)",
        "mono(lap + Q.n)",
        "mono(P.b + 2 * P.c + P.place)",
    )
    assert (best.figures.peak_states, best.figures.visited, best.figures.states) == (6, 36, 36)


def test_edges_that_regress_are_sampled(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    found = find_measures(system, given=[parse_measures(["P.place"], system)])
    shown = next(one for one in found.trials if one.given)
    assert len(shown.regress_sample) == 8, "in two of the three laps, with four values of n"
    assert found.reference is not None
    actions = {found.reference.edges(state)[step].action for state, step in shown.regress_sample}
    assert actions == {"P: c -> a"}


def test_a_model_without_progress_keeps_its_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "idle.dve"
    path.write_text("process P { state a; init a; trans a -> a {}; }\nsystem async;\n", encoding="utf-8")
    prediction = predicted_measure(load(path), NullCallback())
    assert (prediction.measure, prediction.peak, prediction.visits) == (KEEP_ALL, 1.0, 1.0)
    assert main(["explore", str(path), "--measure", "auto"]) == 0
    assert "all states are kept" in capsys.readouterr().err
    assert main(["measures", str(path)]) == 0
    assert "no progress measure was found" in capsys.readouterr().out


def test_a_cycle_may_begin_elsewhere(tmp_path: Path) -> None:
    """Of a ring of philosophers who go on forever, no distance from the initial locations saves anything: all of them
    regress. That of one philosopher from the left fork does."""
    philosophers = [
        f"process P_{i} {{ state idle, left, both, right; init idle; trans\n"
        f"idle -> left {{ guard f[{i}] == 0; effect f[{i}] = 1; }},\n"
        f"left -> both {{ guard f[{(i + 1) % 7}] == 0; effect f[{(i + 1) % 7}] = 1; }},\n"
        f"both -> right {{ effect f[{i}] = 0; }}, right -> idle {{ effect f[{(i + 1) % 7}] = 0; }}; }}\n"
        for i in range(7)
    ]
    best = find_measures(system_of("byte f[7];\n" + "".join(philosophers) + "system async;\n", tmp_path)).best()
    assert best is not None
    assert best.exact
    assert "from left" in best.measure.reason
    assert best.cost < 0.99


def test_callables_have_nothing_to_look_at() -> None:
    model = from_callables(init=[0], successors=lambda state: [(state + 1) % 5])
    with pytest.raises(UsageError, match="no progress measure was found"):
        predicted_measure(model, NullCallback())


def test_a_first_step_that_faults_leaves_nothing_to_look_at(tmp_path: Path) -> None:
    text = "byte a[2], i = 5;\nprocess P { state s; init s; trans s -> s { effect a[i] = 1; }; }\nsystem async;\n"
    assert find_measures(system_of(text, tmp_path)).trials == ()


def test_a_sweep_by_the_automatic_measure_counts_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(STOP_AND_WAIT), "--measure", "auto", "--count-distinct", "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["states"], data["transitions"]) == (STATES, 317_521)
    assert data["peak_states"] < 4_000
    assert "\n--measure " in err


def test_the_list_shows_what_regresses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(STOP_AND_WAIT), "--measure", "Noise.lost", "--top", "1"]) == 0
    out = capsys.readouterr().out
    assert "110,526 states, all of them" in out
    assert "given: Noise.lost" in out
    assert "by a change of Noise.lost 100%" in out


def test_the_list_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(STOP_AND_WAIT), "--json", "--top", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["sampled"], data["whole"]) == (STATES, True)
    assert len(data["measures"]) == 2
    best = data["measures"][0]
    assert best["product"] == pytest.approx(best["peak"] * best["visits"], abs=1e-5)
    assert best["exact"] is True
    assert set(best) == {
        "measure", "reason", "given", "exact", "peak", "visits", "product", "seconds", "persistent", "regress_edges",
        "layers", "sweeps", "regress",
    }  # fmt: skip


LIE = "byte x;\nprocess P { state a; init a; trans a -> a { effect x = 1 - x; }; }\nsystem async;\n"


@pytest.mark.parametrize(
    ("declared", "arguments", "message"),
    [
        ("", ["measures", "--measure", "mono(x)"], "'mono(x)' is not monotone: 'P: a -> a' takes it from 1 to 0"),
        ("// measure: mono(x)\n", ["measures"], "'mono(x)' is not monotone: 'P: a -> a' takes it from 1 to 0"),
        ("// measure: mono(x)\n", ["explore", "--measure", "auto"], "not monotone: 'P: a -> a' takes it from 1 to 0"),
        ("", ["measures", "--measure", "1/x"], "'1/x' cannot be evaluated: division by zero, in an initial state"),
        ("", ["measures", "--top", "0"], "--top must be more than 0, not 0"),
    ],
)
def test_measures_that_are_not_what_is_said_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], declared: str, arguments: list[str], message: str
) -> None:
    path = tmp_path / "lie.dve"
    path.write_text(LIE + declared, encoding="utf-8")
    assert main([arguments[0], str(path), *arguments[1:]]) == 2
    assert message in capsys.readouterr().err


def test_a_sample_must_have_states(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(STOP_AND_WAIT), "--sample", "0"]) == 2
    assert "--sample must be more than 0, not 0" in capsys.readouterr().err


def test_measures_that_are_too_wide_for_64_bits_are_packed(tmp_path: Path) -> None:
    from strandline.progress.candidates import Term, fit_to_64_bits
    from strandline.progress.changes import Changes

    names = [f"v{number}" for number in range(12)]
    text = (
        f"byte {', '.join(names)};\nprocess P {{ state s; init s; trans\n"
        + ",\n".join(f"s -> s {{ guard {name} < 200; effect {name} = {name} + 1; }}" for name in names)
        + ";\n}\nsystem async;\n"
    )
    system = system_of(text, tmp_path)
    ranges = analyse_ranges(system)
    changes = Changes(system)
    terms = tuple(Term(strandline_expression(f"-{name}", system), Reason("{}", name), changes) for name in names)
    pack_terms = fit_to_64_bits(Candidate(terms), ranges.environment(), lambda expression: (-2, 0))
    assert len(pack_terms.terms) == 1
    assert system.scope.render(pack_terms.terms[0].expression).startswith("3 * (3 * (3 * (")
    assert pack_terms.columns == 0
    wide = fit_to_64_bits(Candidate(terms), ranges.environment(), lambda expression: (-200, 0))
    assert system.scope.render(wide.terms[0].expression).count("201 * (") == 6, "what does not fit is left out"


def strandline_expression(text: str, system: strandline.System) -> Expression:
    return system.scope.parse(text)
