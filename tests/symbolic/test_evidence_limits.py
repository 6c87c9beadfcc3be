"""Verdicts of symbolic runs stand if finding evidence takes too long, with the reason why it is missing."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import strandline
from models.lotus import dining
from strandline.checker.limits import background
from strandline.checker.strategies import symbolic_run as symbolic_run_module
from strandline.checker.verdicts.verdict import Interrupted
from strandline.cli.main import main
from strandline.errors import ResourceError
from strandline.languages.dve import load as load_dve
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source
from strandline.symbolic.paths import SymbolicPaths

ASKED: list[dict[str, Any]] = [
    {"deadlock": True, "reach": "position(person0) == 4", "method": "symbolic"},
    {"ctl": ["AG !(person0=left & person1=left & person2=left)", "EF (person0=eating)"], "method": "symbolic"},
    {"ctl": ["AG !(person0=left & person1=left & person2=left)", "EF (person0=eating)"], "method": "abstraction"},
]
SHOWN = [("VIOLATED", None), ("HOLDS", None)]


def people() -> System:
    return load(Source("m.lotus", dining(3)))


def answers(verdict: strandline.Verdict) -> list[tuple[str, str | None]]:
    return [(one.answer.value, one.reason) for one in verdict.properties]


def without(reason: str) -> list[tuple[str, str]]:
    return [("VIOLATED", f"no counterexample: {reason}"), ("HOLDS", f"no witness: {reason}")]


@pytest.mark.parametrize("asked", ASKED, ids=["states", "symbolic", "abstraction"])
class TestAnswersStay:
    def test_what_is_shown(self, asked: dict[str, Any]) -> None:
        found = strandline.check(people(), **asked)
        assert answers(found) == SHOWN
        assert all(one.trace is not None for one in found.properties)

    def test_no_time_for_evidence(self, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(symbolic_run_module, "EVIDENCE_SECONDS", 0.0)
        monkeypatch.setattr(symbolic_run_module, "_too_long", lambda seconds: "too long")
        monkeypatch.setattr(symbolic_run_module.SymbolicRun, "note_answers", _at_once)
        found = strandline.check(people(), **asked)
        assert answers(found) == without("too long")
        assert all(one.trace is None for one in found.properties)
        assert found.exploration.complete

    def test_time_is_up_inside_the_library(self, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        """The work does not come back from one operation, nor looks whether it should end."""
        monkeypatch.setattr(symbolic_run_module, "EVIDENCE_SECONDS", 0.0)
        monkeypatch.setattr(symbolic_run_module, "_too_long", lambda seconds: "too long")
        monkeypatch.setattr(background, "_MOMENT", 0.0)
        monkeypatch.setattr(SymbolicPaths, "_rings", _stuck)
        monkeypatch.setattr(symbolic_run_module.SymbolicRun, "note_answers", _at_once)
        assert answers(strandline.check(people(), **asked)) == without("too long")

    def test_no_memory_for_evidence(self, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SymbolicPaths, "_rings", _no_memory)
        found = strandline.check(people(), **asked)
        assert answers(found) == without("no memory")

    def test_the_limit_of_time_is_reached(self, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        def late(paths: SymbolicPaths, *given: object) -> None:
            _run_of(paths)._background._limit = 0.001  # type: ignore[union-attr]
            _stuck(paths)

        monkeypatch.setattr(SymbolicPaths, "_rings", late)
        assert answers(strandline.check(people(), **asked)) == without("the time limit of 0.001 s is reached")

    def test_ctrl_c(self, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(paths: SymbolicPaths, *given: object) -> None:
            Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            _stuck(paths)

        monkeypatch.setattr(SymbolicPaths, "_rings", interrupted)
        with pytest.raises(Interrupted) as caught:
            strandline.check(people(), **asked)
        verdict = caught.value.result
        assert isinstance(verdict, strandline.Verdict)
        assert answers(verdict) == without("interrupted")


def _at_once(run: symbolic_run_module.SymbolicRun) -> None:
    """All answers are known, and no time is left."""
    run._answered = True
    run._until = run._background.until = (0.0, "too long")  # type: ignore[union-attr]


def _run_of(paths: SymbolicPaths) -> symbolic_run_module.SymbolicRun:
    run = paths._space.watch.__self__  # type: ignore[attr-defined]
    assert isinstance(run, symbolic_run_module.SymbolicRun)
    return run


def _stuck(paths: SymbolicPaths, *given: object) -> None:
    """What looks for a path and does not look whether it is still wanted, until the run has been left."""
    while not _run_of(paths)._background._left:  # type: ignore[union-attr]
        time.sleep(0.01)
    paths._space.watch()


def _no_memory(paths: SymbolicPaths, *given: object) -> None:
    raise ResourceError("no memory")


def test_a_fault_is_named_without_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "byte x, a[2]; process P { state s; init s; trans s -> s { effect a[x] = 1, x = x + 1; }; } system async;"
    system = load_dve(Source("m.dve", text))
    monkeypatch.setattr(SymbolicPaths, "_rings", _no_memory)
    found = strandline.explore(system, method="symbolic")
    assert found.fault is not None
    expected = "array index out of range at m.dve:1:66 (no counterexample: no memory)"
    assert (found.fault.reason, found.fault.trace) == (expected, None)


def test_the_error_of_a_claim_without_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "byte x, a[2]; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }; } system async;"
    system = load_dve(Source("m.dve", text))
    monkeypatch.setattr(SymbolicPaths, "_rings", _no_memory)
    message = "array index out of range in a state where x = 2, a has 2 elements"
    with pytest.raises(strandline.InputError, match=f"{message}\n"):
        strandline.check(system, invariants="a[x] == 0", method="symbolic")


def test_the_command_tells_why_nothing_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.lotus"
    file.write_text(dining(3))
    monkeypatch.setattr(SymbolicPaths, "_rings", _no_memory)
    for more in (["--deadlock"], []):
        assert main(["check", str(file), "--method", "symbolic", *more]) == (11 if more else 13)
        told = capsys.readouterr().out
        assert "VIOLATED" in told
        assert "no counterexample: no memory" in told
        assert main(["check", str(file), "--method", "symbolic", "--json", *more]) == (11 if more else 13)
        first = json.loads(capsys.readouterr().out)["properties"][0]
        assert (first["verdict"], first["reason"], first["trace"]) == (
            "VIOLATED",
            "no counterexample: no memory",
            None,
        )
