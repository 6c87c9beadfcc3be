"""A trace from a file is fitted to a model: every walk comes back, everything else is refused at the right
step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import systems
from support.trace_texts import itf_text, json_text

from strandline.languages import load
from strandline.model.system import System
from strandline.source import Source
from strandline.traces.fitting import fit_system
from strandline.traces.interpreter_walk import Walk, reference_of
from strandline.traces.matching import MisfitError, RecordedFault, RecordedTrace, fit
from strandline.traces.trace_files import read_trace

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"


def _random_walk(system: System, seed: int, steps: int = 10) -> Walk:
    walk, random = Walk(reference_of(system)), Random(seed)
    walk.begin(random.randrange(len(walk.initial_states)))
    for _ in range(steps):
        if walk.edges:
            walk.take(random.randrange(len(walk.edges)))
    return walk


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchange") / "trace.json"


@given(systems(), st.integers(0, 2**32), st.sampled_from([json_text, itf_text]))
def test_what_is_written_comes_back(file: Path, system: System, seed: int, text: object) -> None:
    trace = _random_walk(system, seed).trace()
    file.write_text(text(trace, Source("m", "")))  # type: ignore[operator]
    recorded = read_trace(file)
    assert fit(reference_of(system), recorded).replayed.trace == trace


@given(systems(), st.integers(0, 2**32), st.data())
def test_states_alone_are_enough_and_need_not_be_whole(system: System, seed: int, data: st.DataObject) -> None:
    """Without names of actions, and with some variables only, a path is found that agrees with the file."""
    trace = replace(_random_walk(system, seed).trace(), fault=None)
    names = list(trace.initial)
    kept = data.draw(st.sets(st.sampled_from(names)))
    states = tuple({name: state[name] for name in kept} for state in trace.states())
    recorded = RecordedTrace("m", "itf", states, (None,) * len(trace))
    reference = reference_of(system)
    fitted = fit(reference, recorded)
    found = list(fitted.replayed.trace.states())
    assert [{name: state[name] for name in kept} for state in found] == list(states)
    again = Walk(reference)
    again.follow(fitted.initial, fitted.steps)
    assert again.trace() == fitted.replayed.trace


@given(systems(), st.integers(0, 2**32), st.data())
def test_a_wrong_value_is_refused_where_it_stands(system: System, seed: int, data: st.DataObject) -> None:
    """A value that no variable can have cannot be made by any step."""
    trace = replace(_random_walk(system, seed).trace(), fault=None)
    place = data.draw(st.integers(0, len(trace)))
    states = [dict(state) for state in trace.states()]
    name = data.draw(st.sampled_from(sorted(states[place])))
    states[place][name] = "nonsense"
    actions = tuple(step.action for step in trace.steps)
    with pytest.raises(MisfitError) as caught:
        fit(reference_of(system), RecordedTrace("m", "json", tuple(states), actions))
    assert caught.value.place == place


COUNTER = ({"x": "0"}, {"x": "1"}, {"x": "2"})


@pytest.mark.parametrize(
    ("states", "actions", "message"),
    [
        (({"x": "7"},), (), "the first state is not an initial state of the model: x is 0, in the file 7"),
        (
            ({"x": "0", "P": "t"},),
            (),
            "the first state is not an initial state of the model: P is s, in the file t",
        ),
        (({"y": "0"},), (), "state 0 speaks of 'y', which the model does not have (it has 'x', 'P')"),
        (
            COUNTER,
            (None, "P: t -> s"),
            "step 2 does not fit: 'P: t -> s' is not enabled; the state is made by 'P: s -> s'",
        ),
        (
            ({"x": "0"}, {"x": "3"}),
            ("jump",),
            "step 1 does not fit: 'jump' is not enabled; enabled are 'P: s -> s', 'P: s -> t'",
        ),
        (
            ({"x": "0"}, {"x": "3"}),
            ("P: s -> s",),
            "step 1 does not fit: 'P: s -> s' leads to another state: x is 1, in the file 3",
        ),
        (
            ({"x": "0"}, {"x": "3", "P": "t"}),
            (None,),
            "step 1 does not fit: no step makes this state; the nearest is 'P: s -> t', where x is 0, in the file 3",
        ),
        (({"P": "s"}, {"P": "t"}, {"P": "t"}), (None, None), "step 2 does not fit: no step is enabled there"),
        (
            ({"P": "s"}, {"P": "t"}, {"P": "t"}),
            (None, "P: s -> t"),
            "step 2 does not fit: 'P: s -> t' is not enabled; nothing is",
        ),
    ],
)
def test_messages(states: tuple[dict[str, str], ...], actions: tuple[str | None, ...], message: str) -> None:
    with pytest.raises(MisfitError) as caught:
        fit(reference_of(load(MODELS / "counter.dve")), RecordedTrace("t.json", "json", states, actions))
    assert str(caught.value) == f"t.json: {message}"


def test_a_step_that_faults_is_no_step() -> None:
    states = tuple({"i": str(number)} for number in range(5))
    with pytest.raises(MisfitError, match="step 4 does not fit: 'P: s -> s' faults: array index out of range"):
        fit(reference_of(load(MODELS / "index.dve")), RecordedTrace("t", "json", states, ("P: s -> s",) * 4))


def test_a_claimed_fault_must_be_there() -> None:
    reference = reference_of(load(MODELS / "index.dve"))
    states = tuple({"i": str(number)} for number in range(4))
    claimed = RecordedTrace(
        "t", "json", states, (None,) * 3, fault=RecordedFault("array index out of range", "P: s -> s")
    )
    assert fit(reference, claimed).replayed.trace.fault is not None
    wrong = replace(claimed, fault=RecordedFault("division by zero", "P: s -> s"))
    with pytest.raises(MisfitError, match="'division by zero', does not fit: the model has 'array index out of range'"):
        fit(reference, wrong)
    early = replace(claimed, states=states[:3], actions=(None, None))
    with pytest.raises(MisfitError, match="does not fit: nothing faults there"):
        fit(reference, early)


def test_a_claim_that_cannot_be_evaluated_is_a_fault_too(tmp_path: Path) -> None:
    model = tmp_path / "m.dve"
    model.write_text(
        "byte a[2]; byte x;\n"
        "process P { state s; init s; assert s: a[x] == 0; trans s -> s { effect x = x + 1; }; }\n"
        "system async;\n"
    )
    recorded = RecordedTrace(
        "t",
        "json",
        ({"x": "0"}, {"x": "1"}, {"x": "2"}),
        (None, None),
        fault=RecordedFault("array index out of range", None),
    )
    fault = fit_system(load(model), recorded).trace.fault
    assert fault is not None
    assert (fault.kind, fault.action) == ("array index out of range", None)


def test_a_loop_must_close() -> None:
    reference = reference_of(load(MODELS / "watched.dve"))
    values = tuple({"x": str(number)} for number in (0, 1))
    back = RecordedTrace("t", "json", values, (None,), loop=0)
    alone = reference_of(replace(load(MODELS / "watched.dve"), observer=None))
    whole = RecordedTrace("t", "json", tuple({"x": str(number)} for number in (0, 1, 2, 3)), (None,) * 3, loop=0)
    assert fit(alone, whole).replayed.trace.loop == 0
    same = replace(whole, states=(*whole.states, {"x": "0"}), actions=(None,) * 4)
    assert fit(alone, same).replayed.trace.loop == 0
    with pytest.raises(MisfitError, match="the loop does not close: the last state is not state 0"):
        fit(reference, back)


def test_traces_of_the_system_and_of_its_product_both_fit() -> None:
    system = load(MODELS / "watched.dve")
    alone = RecordedTrace("t", "json", tuple({"x": str(n)} for n in (0, 1, 2, 3)), (None,) * 3)
    assert fit_system(system, alone).system.observer is None
    states = tuple({"x": str(n), "Never": never} for n, never in ((0, "q0"), (1, "q0"), (2, "q1")))
    product = RecordedTrace("t", "json", states, (None,) * 2)
    assert fit_system(system, product).system.observer is not None
    neither = replace(product, states=(*states, {"x": "3"}), actions=(None,) * 3)
    with pytest.raises(MisfitError, match="step 3 does not fit: no step is enabled there"):
        fit_system(system, neither)


def test_truths_may_be_words_or_numbers() -> None:
    reference = reference_of(load(MODELS / "counter.dve"))
    recorded = RecordedTrace("t", "itf", ({"x": "false"}, {"x": "true"}), (None,))
    assert len(fit(reference, recorded).steps) == 1
