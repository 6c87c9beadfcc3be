"""Models have the states, edges and errors that SPIN finds, by every way of exploring them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from support.promela_models import FIGURES, MODELS

import strandline
from strandline.compile.interpret import Interpreter
from strandline.errors import InputError
from strandline.languages import load, promela
from strandline.model.system import Action, System
from strandline.source import Source

SHARED = Path(__file__).parents[4] / "shared" / "promela"
MOST_STATES, MOST_STATES_WITH_CLAIMS, MOST_INTERPRETED = 2_000, 60, 400


def read(text: str) -> System:
    return promela.load(Source("model.pml", dedent(text).lstrip()))


def explored(system: System, **options: object) -> tuple[int, int, int]:
    """States, transitions, deadlocks."""
    found = strandline.explore(system, traces=False, **options)  # type: ignore[arg-type]
    assert found.complete
    assert found.fault is None
    return found.statistics.states or 0, found.statistics.transitions or 0, found.statistics.deadlocks or 0


def figures(system: System) -> tuple[int, int, int, int]:
    """The figures that SPIN prints: states, edges, assertion errors, invalid end states."""
    plain = system.alone
    states, edges, deadlocks = explored(plain)
    failed = explored(plain.with_failures)[1] - edges if plain.failures else 0
    # Valid ends get a step, so that only the others are deadlocks.
    resting = Action("rests", (), plain.ends, (), idle=True)
    ends = explored(replace(plain, actions=(resting, *plain.actions)))[2] if deadlocks else 0
    return states, edges, failed, ends


def interpreted_figures(system: System) -> tuple[int, int, int, int]:
    """The same by the interpreter, which is faster where there are few states."""
    checked = system.alone.with_failures
    interpreter, failures = Interpreter(checked), {id(action) for action in system.failures}
    waiting, seen, edges, failed, ends = list(checked.initial), set(checked.initial), 0, 0, 0
    while waiting:
        state = waiting.pop()
        steps = interpreter.steps(state)
        kept = [step for step in steps if id(step.actions[-1]) not in failures]
        failed += len(steps) - len(kept)
        edges += len(kept)
        assert checked.ends is not None
        ends += not kept and not interpreter.evaluate(checked.ends, state)
        for step in kept:
            assert step.target is not None
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return len(seen), edges, failed, ends


@pytest.mark.parametrize("name", MODELS)
def test_figures(name: str) -> None:
    assert figures(read(MODELS[name])) == FIGURES[name]


@pytest.mark.parametrize("name", MODELS)
def test_the_interpreter_finds_the_same(name: str) -> None:
    assert interpreted_figures(read(MODELS[name])) == FIGURES[name]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", [{"order": "dfs"}, {"threads": 2}, {"order": "sweep", "measure": "auto"}], ids=str)
def test_every_search_finds_the_same(name: str, options: dict[str, object]) -> None:
    found = strandline.explore(read(MODELS[name]), traces=False, count_distinct="measure" in options, **options)  # type: ignore[arg-type]
    assert found.statistics.states == FIGURES[name][0]


def rows() -> list[dict[str, str]]:
    """SPIN's figures for the shared models that are small, where SPIN meets no error of its own."""
    if not SHARED.exists():
        return []
    found = []
    for row in csv.DictReader((SHARED / "reference.csv").open()):
        own = int(row["other_errors"] or 0) or "invalid array index" in row["error_kinds"]
        if row["result"] == "complete" and not own and int(row["states"]) <= MOST_STATES:
            found.append(row)
    return found


NOT_SUPPORTED = {
    "s_ccode": "embedded C cannot be checked",
    "s_cexpr": "embedded C cannot be checked",
    "s_pc_value": "'pc_value' is not supported",
    "s_priority": "priorities are not supported",
    "s_priority_set": "priorities are not supported",
    "spin_rtos1": "priorities are not supported",
}


@pytest.mark.skipif(not SHARED.exists(), reason="the shared models are not here")
def test_shared_models() -> None:
    differ = {}
    for row in rows():
        name, file = row["name"], SHARED / "models" / f"{row['name']}.pml"
        if name in NOT_SUPPORTED:
            with pytest.raises(InputError, match=NOT_SUPPORTED[name]):
                load(file)
            continue
        columns = ("states", "edges", "assertion_errors", "end_state_errors")
        wanted = tuple(int(row[column]) for column in columns)
        system = load(file)
        found = interpreted_figures(system) if wanted[0] <= MOST_INTERPRETED else figures(system)
        if found != wanted:
            differ[name] = (found, wanted)
    assert not differ


@pytest.mark.skipif(not SHARED.exists(), reason="the shared models are not here")
@pytest.mark.parametrize("fair", [False, True])
def test_shared_claims(fair: bool) -> None:
    """Claims of the smallest models; the others are compared by `bench/promela.py`."""
    differ = {}
    for row in rows():
        if "artefact" in row["note"] or int(row["states"]) > MOST_STATES_WITH_CLAIMS or row["name"] in NOT_SUPPORTED:
            continue
        system = load(SHARED / "models" / f"{row['name']}.pml")
        for claim in row["claims"].split():
            name, _, verdicts = claim.partition("=")
            of_labels = name in ("accept_labels", "non_progress")
            claims: dict[str, object] = {name: True} if of_labels else {"property": [name]}
            checked = system.alone if of_labels else system
            verdict = strandline.check(checked, fair=fair, traces=False, sanity=False, **claims)  # type: ignore[arg-type]
            answers = {one.answer.name for one in verdict.properties}
            found = "violated" if "VIOLATED" in answers else "holds"
            if found != verdicts.split("/")[fair]:
                differ[row["name"], name] = found
    assert not differ


@pytest.mark.parametrize("name", ["s_dstep_goto", "s_for_empty_const", "s_ltl_next", "s_scope_shadow", "s_self_loop"])
@pytest.mark.skipif(not SHARED.exists(), reason="the shared models are not here")
def test_refused_models(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}.pml:[0-9]+:[0-9]+: "):
        load(SHARED / "models" / f"{name}.pml")
