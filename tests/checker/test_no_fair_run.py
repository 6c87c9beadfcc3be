"""Where no run is fair, or none is infinite, LTL and CTL say so, by every method."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import strandline
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.cli.main import main
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source

HEAD = "DEFINE t : 0..3; MODULE VAR t x; INIT x=0; "
NO_FAIR_RUN = ("no run of the model is fair",)
NO_INFINITE_RUN = ("every run of the model ends: there is no infinite run",)
METHODS: tuple[dict[str, str], ...] = (
    {},
    {"order": "sweep"},
    {"method": "swept", "measure": "x"},
    {"method": "symbolic"},
    {"method": "abstraction"},
)


def model(rest: str) -> System:
    return load(Source("m.lotus", HEAD + rest))


def decided(system: System, **asked: object) -> PropertyVerdict:
    (one,) = strandline.check(system, **asked).properties  # type: ignore[arg-type]
    return one


def warnings(one: PropertyVerdict) -> tuple[str, ...]:
    search = one.search or one.ctl
    assert search is not None
    return search.warnings


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize(
    ("formula", "answer"), [("AG(x=3)", "HOLDS"), ("EF(x=0)", "VIOLATED"), ("AX AF EG(x=2)", "HOLDS")]
)
def test_no_fair_run(formula: str, answer: str, how: dict[str, str]) -> None:
    unfair = model("TRANS x=0 => x=1; x=1 => x=2; x=2 => x=1; FAIRNESS x=0;")
    one = decided(unfair, ctl=formula, **how)
    assert (one.answer.value, warnings(one)) == (answer, NO_FAIR_RUN)
    assert warnings(decided(unfair, ctl=formula, sanity=False, **how)) == ()
    assert warnings(decided(unfair, ctl=formula, declared_fairness=False, **how)) == ()
    fair = model("TRANS x=0 => x=1; x=1 => x=2; x=2 => x=1; FAIRNESS x=1;")
    assert warnings(decided(fair, ctl=formula, **how)) == ()


@pytest.mark.parametrize("how", METHODS)
def test_some_initial_states_without_a_fair_run(how: dict[str, str]) -> None:
    some = load(Source("m.lotus", HEAD.replace("x=0;", "x=0; x=3;") + "TRANS x=0 => x=1; x=1 => x=0; FAIRNESS x=1;"))
    found = decided(some, ctl="AG(x<4)", **how)
    assert warnings(found) == ("no fair run begins in 1 of 2 initial states",)


@pytest.mark.parametrize("how", [{}, {"order": "sweep"}, {"method": "symbolic"}])
def test_no_infinite_run(how: dict[str, str]) -> None:
    ending = model("TRANS x=0 => x=1; x=1 => x=2;")
    assert warnings(decided(ending, ctl="AG(x=3)", finite_runs="ignore", **how)) == NO_INFINITE_RUN
    assert warnings(decided(ending, ctl="AG(x=3)", **how)) == ()


def test_linear_time_says_the_same() -> None:
    unfair = model("TRANS x=0 => x=1; x=1 => x=2; x=2 => x=1; FAIRNESS x=0;")
    for how in ({}, {"order": "sweep"}, {"method": "scc"}):
        assert warnings(decided(unfair, ltl="G x=3", **how)) == NO_FAIR_RUN


def test_people_and_programs_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "m.lotus"
    file.write_text(HEAD + "TRANS x=0 => x=1; x=1 => x=2; FAIRNESS x=0;", encoding="utf-8")
    assert main(["check", str(file), "--ctl", "AG(x=3)"]) == 0
    assert "warning: 'AG(x=3)': no run of the model is fair" in capsys.readouterr().out
    assert main(["check", str(file), "--ctl", "AG(x=3)", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["properties"]
    assert one["ctl"]["warnings"] == list(NO_FAIR_RUN)
