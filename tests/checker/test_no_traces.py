"""Verdicts without anything that shows them: by every method the same answers, and nothing that was looked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.strategies import explicit
from strandline.cli.main import main
from strandline.errors import UsageError
from strandline.languages.dve import load
from strandline.model.system import System
from strandline.source import Source

RING = """
byte x;
process P {
    state s, t, u; init s;
    trans s -> t { guard x < 3; effect x = x + 1; }, t -> s {}, t -> u { guard x == 3; };
}
process Q { state q; init q; trans q -> q { guard x < 2; }; }
system async;
"""
FAULT = "byte x, a[2]; process P { state s; init s; trans s -> s { effect a[x] = 1, x = x + 1; }; } system async;"

ASKED: list[dict[str, Any]] = [
    *(
        {"deadlock": True, "invariants": "x < 3", "reach": "x == 2", **how}
        for how in (
            {},
            {"order": "dfs"},
            {"measure": "x"},
            {"cache_states": 4},
            {"store": "tree"},
            {"store": "compact"},
            {"store": "bitstate"},
            {"threads": 2},
            {"por": True},
            {"merge": True},
            {"method": "symbolic"},
        )
    ),
    *({"ltl": "G F !(P.t)", "method": method} for method in ("auto", "ndfs", "scc")),
    {"ltl": "G F !(P.t)", "measure": "x"},
    {"ltl": "F G P.t", "all_cycles": True},
    {"ltl": "G (x < 3)", "method": "prefix"},
    *(
        {"ctl": ["AG (x < 3)", "EF (x == 3)", "AF (x == 3)", "EG (x < 3)"], "method": method}
        for method in ("explicit", "symbolic", "abstraction")
    ),
    {"ctl": "AG (x < 3)", "measure": "x", "method": "swept"},
    {"ctl": "AG EF (x < 3)", "measure": "x", "method": "components"},
]


def model(text: str) -> System:
    return load(Source("m.dve", text))


def traced(verdict: strandline.Verdict) -> list[object]:
    """All that shows an answer."""
    evidence = [one.ctl.evidence for one in verdict.properties if one.ctl is not None and one.ctl.evidence is not None]
    cycles = [one.search.components for one in verdict.properties if one.search is not None]
    found: list[object] = [one.trace for one in verdict.properties if one.trace is not None]
    found += [one.first_trace() for one in evidence if one.first_trace() is not None]
    return found + [one.trace for several in cycles for one in several if one.trace is not None]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: "-".join(map(str, asked.values())))
def test_the_answers_are_the_same_and_nothing_shows_them(asked: dict[str, Any]) -> None:
    shown = strandline.check(model(RING), **asked)
    plain = strandline.check(model(RING), **asked, traces=False)
    assert [(one.name, one.answer, one.reason) for one in plain.properties] == [
        (one.name, one.answer, one.reason) for one in shown.properties
    ]
    assert traced(plain) == []


def test_something_is_shown_where_it_is_wanted() -> None:
    """By most of the ways above: what holds of all paths is shown by none."""
    assert sum(bool(traced(strandline.check(model(RING), **asked))) for asked in ASKED) >= len(ASKED) - 3


@pytest.mark.parametrize("method", ["explicit", "symbolic"])
def test_a_fault_is_named_without_its_trace(method: str) -> None:
    found = strandline.explore(model(FAULT), method=method, traces=False)
    assert found.fault is not None
    assert (found.fault.reason, found.fault.trace) == ("array index out of range at m.dve:1:66", None)
    asked = "auto" if method == "explicit" else method
    checked = strandline.check(model(FAULT), deadlock=True, method=asked, traces=False)
    assert [(one.answer.value, one.trace) for one in checked.properties] == [("UNKNOWN", None), ("VIOLATED", None)]


def test_no_step_is_executed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def replay(*given: object, **named: object) -> None:
        raise AssertionError

    monkeypatch.setattr(explicit.SearchRun, "replay", replay)
    found = strandline.check(model(RING), invariants="x < 3", traces=False)
    assert found.answer.value == "VIOLATED"


def test_the_command_says_what_faults_without_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.dve"
    file.write_text(FAULT)
    assert main(["explore", str(file), "--no-trace"]) == 12
    told = capsys.readouterr().out
    assert f"array index out of range at {file}:1:66" in told
    assert "initial state" not in told
    file.write_text(RING)
    assert main(["check", str(file), "--no-trace", "--json", "--invariant", "x < 3"]) == 12
    assert json.loads(capsys.readouterr().out)["properties"][0]["trace"] is None
    assert main(["simulate", str(file), "--walks", "20", "--no-trace", "--invariant", "x < 3"]) == 12
    assert "initial state" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["check", "--trace", "t.json"], "--trace FILE writes a trace, and --no-trace looks for none"),
        (
            ["check", "--shortest", "--ltl", "G F P.s"],
            "--shortest is for traces; it has no effect with --no-trace",
        ),
        (["graph"], "a graph has no traces; leave --no-trace out"),
        (["simulate"], "--no-trace is for random walks: give --walks N"),
    ],
)
def test_what_needs_a_trace_is_refused(
    given: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.dve"
    file.write_text(RING)
    assert main([given[0], str(file), "--no-trace", *given[1:]]) == 2
    assert message in capsys.readouterr().err


def test_a_call_is_told_in_its_own_words() -> None:
    with pytest.raises(UsageError, match="shortest=True is for traces; it has no effect with traces=False"):
        strandline.check(model(RING), "G F P.s", shortest=True, traces=False)
