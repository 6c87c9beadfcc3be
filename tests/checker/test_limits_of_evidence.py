"""Limits hold for traces too: the verdict stands, and says why a trace is left out. Time and memory are pretended."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.limits.evidence import EvidenceLimits, LeftOut
from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.main import main

STEPS = 10_000
WHY = "the trace is left out: the time limit of 60 s is reached"
COUNTER = """
int x = 0;
byte a[2];
process P {
  state s;
  init s;
  trans s -> s { guard x < 12000; effect x = x + 1; },
        s -> s { guard x == 12000; effect FAULT; };
}
system async;
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "counter.dve"
    path.write_text(COUNTER.replace("FAULT", "x = 11000"))
    return path


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let the time be up at the look at limits with this number, counted from 0."""

    def let(count: int) -> None:
        left = [count]

        def check(limits: EvidenceLimits) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise LeftOut("the time limit of 60 s is reached")

        monkeypatch.setattr(EvidenceLimits, "check", check)

    return let


CLAIMS: dict[str, dict[str, Any]] = {
    "invariant": {"invariants": f"x < {STEPS}"},
    "path": {"ltl": f"G (x < {STEPS})"},
    "lasso": {"ltl": "F (x > 12000)"},
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_verdict_stands_without_its_trace(
    model: Path, after: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, claim: str
) -> None:
    looks = 0

    def count(limits: EvidenceLimits) -> None:
        nonlocal looks
        looks += 1

    with monkeypatch.context() as counting:
        counting.setattr(EvidenceLimits, "check", count)
        usual = strandline.check(model, **CLAIMS[claim])
    assert (usual.answer, usual.trace is None) == (Answer.VIOLATED, False)
    assert looks >= 2
    for number in range(looks):
        after(number)
        verdict = strandline.check(model, **CLAIMS[claim])
        (one,) = verdict.properties
        assert (one.answer, one.reason, one.trace) == (Answer.VIOLATED, WHY, None)


def test_a_short_trace_is_always_there(model: Path, after: Callable[[int], None]) -> None:
    after(0)
    every: tuple[dict[str, Any], ...] = ({"invariants": "x < 4000"}, {"ltl": "G (x < 4000)"})
    for claims in every:
        verdict = strandline.check(model, **claims)
        assert verdict.trace is not None
        assert verdict.properties[0].reason is None


def test_a_fault(tmp_path: Path, after: Callable[[int], None]) -> None:
    path = tmp_path / "counter.dve"
    path.write_text(COUNTER.replace("FAULT", "a[x] = 1"))
    after(0)
    verdict = strandline.check(path, deadlock=True)
    fault = verdict.properties[-1]
    assert (fault.answer, fault.trace) == (Answer.VIOLATED, None)
    assert fault.reason == f"array index out of range at {path}:8:43; {WHY}"
    with pytest.raises(strandline.InputError, match=WHY):
        strandline.check(path, invariants="x < 9000 or a[x] == 0")


@pytest.mark.parametrize("machine", [False, True])
def test_the_command_line(
    model: Path, after: Callable[[int], None], capsys: pytest.CaptureFixture[str], machine: bool
) -> None:
    after(0)
    further = ["--json"] if machine else []
    assert main(["check", str(model), "--invariant", f"x < {STEPS}", "--quiet", *further]) == 12
    said = capsys.readouterr().out
    if machine:
        assert json.loads(said)["properties"][0]["reason"] == WHY
    else:
        assert f"violated  invariant x < {STEPS}  {WHY}\n" in said


def test_the_time_is_up_while_the_object_is_written(
    model: Path, after: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    after(2)
    assert main(["check", str(model), "--invariant", f"x < {STEPS}", "--quiet", "--json"]) == 12
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["exit_code"], report["trace"]) == ("VIOLATED", 12, None)
    assert (report["properties"][0]["reason"], report["properties"][0]["trace"]) == (WHY, None)


@pytest.mark.parametrize("suffix", ["json", "itf.json", "txt"])
def test_the_time_is_up_while_a_trace_is_written(
    model: Path, after: Callable[[int], None], capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    """Half a trace is none: the file is removed."""
    after(2)
    trace = model.with_name(f"trace.{suffix}")
    code = main(["check", str(model), "--reach", f"x == {STEPS}", "--quiet", "--trace", str(trace)])
    said = capsys.readouterr()
    assert code == 7
    assert said.out.startswith("HOLDS  counter")
    assert said.err == f"warning: {trace} is not written: {WHY}\n"
    assert not trace.exists()


def test_limits() -> None:
    EvidenceLimits(Options(), 0.0, 0.0).check()
    EvidenceLimits(Options(max_seconds=1e9, memory="1000G"), 0.0, 0.0).check()
    with pytest.raises(LeftOut, match=r"^the trace is left out: the time limit of 0\.5 s is reached$"):
        EvidenceLimits(Options(max_seconds=0.5), 0.0, 0.0).check()
    with pytest.raises(LeftOut, match=r"^the trace is left out: the memory limit of 1\.0 MB is reached$"):
        EvidenceLimits(Options(memory="1M"), 0.0, 0.0).check()


def test_a_trace_has_a_second_after_a_search_to_the_limit_of_time() -> None:
    now = time.perf_counter()
    EvidenceLimits(Options(max_seconds=0.5), now - 60.0, now + 3600.0).check()
    with pytest.raises(LeftOut):
        EvidenceLimits(Options(max_seconds=0.5), now - 60.0, now - 30.0).check()
