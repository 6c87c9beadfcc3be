"""`--measure auto` and `measures` on every example in every language: no state is lost, and what is printed means the
same again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import strandline
from strandline.checker.measures.notation import measure_texts, parse_measures
from strandline.checker.verdicts.verdict import Exploration
from strandline.cli.main import main
from strandline.languages import LANGUAGES, load

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "examples").glob("*/*")
    if path.suffix in LANGUAGES and path.name != "__init__.py"
)


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def counts(explored: Exploration) -> tuple[object, ...]:
    now = explored.statistics
    fault = None if explored.fault is None else explored.fault.reason
    return explored.complete, now.states, now.transitions, now.deadlocks, fault


def effort(explored: Exploration) -> tuple[int, ...]:
    now = explored.statistics
    return now.visited, now.peak_states, now.sweeps, now.persistent, now.regress_edges, now.layers


def test_there_are_examples_in_every_language() -> None:
    assert {path.suffix for path in EXAMPLES} >= {".dve", ".psl", ".py"}
    assert len(EXAMPLES) > 20


@pytest.mark.parametrize("path", EXAMPLES, ids=named)
def test_a_sweep_by_a_found_measure_sees_what_breadth_first_search_sees(path: Path) -> None:
    plain, swept = strandline.explore(path), strandline.explore(path, measure="auto", count_distinct=True)
    if plain.fault is None:
        assert counts(swept) == counts(plain)
    else:
        assert swept.fault is not None
        assert swept.fault.reason == plain.fault.reason
    assert swept.prediction is not None
    texts = measure_texts(swept.prediction.measure, swept.system)
    again = strandline.explore(path, measure=texts, count_distinct=True)
    assert counts(again) == counts(swept)
    assert effort(again) == effort(swept)


@pytest.mark.parametrize("path", EXAMPLES, ids=named)
def test_every_measure_that_is_printed_can_be_given(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from strandline.progress.finding import find_measures

    assert main(["measures", str(path), "--json", "--top", "100"]) == 0
    printed = [tuple(one["measure"]) for one in json.loads(capsys.readouterr().out)["measures"]]
    system = load(path)
    found = find_measures(system)
    assert printed == [measure_texts(trial.measure, system) for trial in found.trials]
    for trial, texts in zip(found.trials, printed, strict=True):
        again = parse_measures(texts, system)
        assert [(one.expression, one.monotone) for one in again.components] == [
            (one.expression, one.monotone) for one in trial.measure.components
        ]
        assert (again.column, again.layer) == (trial.measure.column, trial.measure.layer)
