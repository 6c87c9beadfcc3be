"""A long trace is held as packed states and says the same as one that is held as objects."""

from __future__ import annotations

import copy
import json
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.verdict import Verdict
from strandline.errors import ReplayError
from strandline.report.data import result_data
from strandline.report.envelope import render
from strandline.report.html import runs
from strandline.report.html.page import report_page
from strandline.report.style import Style
from strandline.report.text import verdict_text
from strandline.report.traces import TRACE_FORMATS, trace_text, write_trace
from strandline.traces import itf, replay, stored
from strandline.traces import trace_files as trace_files_module
from strandline.traces.streamed import Streamed, json_pieces
from strandline.traces.trace import Trace

COUNTER = """
int x = 0;
byte a[2];
process P {
  state even, odd;
  init even;
  trans even -> odd { guard x < LIMIT; effect x = x + 1, a[x % 2] = x % 200; },
        odd -> even { guard x < LIMIT; effect x = x + 1, a[0] = a[1]; };
}
system async;
"""


def counter(tmp_path: Path, limit: int) -> Path:
    model = tmp_path / "counter.dve"
    model.write_text(COUNTER.replace("LIMIT", str(limit)))
    return model


def held_as(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let traces of so many steps be held as objects."""
    for module in (stored, replay, trace_files_module, itf):
        monkeypatch.setattr(module, "MOST_HELD", most)


def both(monkeypatch: pytest.MonkeyPatch, model: Path, **claims: Any) -> tuple[Verdict, Verdict]:
    """A verdict whose trace is held as objects, and one whose trace is not."""
    usual = strandline.check(model, **claims)
    held_as(monkeypatch, 3)
    return usual, strandline.check(model, **claims)


CLAIMS: dict[str, dict[str, Any]] = {
    "invariant": {"invariants": "x < 30"},
    "deadlock": {"deadlock": True},
    "lasso": {"ltl": "F (x > 1000)"},
    "path": {"ltl": "G (x < 25)"},
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_both_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    model = counter(tmp_path, 40)
    usual, long = both(monkeypatch, model, **CLAIMS[claim])
    one, other = usual.trace, long.trace
    assert one is not None
    assert other is not None
    assert isinstance(one.steps, tuple)
    assert not isinstance(other.steps, tuple)
    assert other == one
    assert one == other
    assert [step.state for step in other] == [step.state for step in one]
    assert (other[0], other[-1], other[2:7:2]) == (one[0], one[-1], one[2:7:2])
    assert (len(other), other.final, list(other.states())) == (len(one), one.final, list(one.states()))
    assert str(other) == str(one)
    for format_ in TRACE_FORMATS:
        for full in (False, True):
            assert trace_text(other, long.system, format_, full=full) == trace_text(
                one, usual.system, format_, full=full
            )
    write_trace(tmp_path / "t.json", other, long.system, full=False)
    assert json.loads((tmp_path / "t.json").read_text())["length"] == len(one)
    with pytest.raises(IndexError):
        other[len(one)]


def test_the_object_of_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, long = both(monkeypatch, counter(tmp_path, 40), invariants="x < 30")
    found, expected = (json.loads(render(result_data(one, 12))) for one in (long, usual))
    for name in ("properties", "trace"):
        assert found[name] == expected[name]


def test_a_copy_is_of_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, long = both(monkeypatch, counter(tmp_path, 40), invariants="x < 30")
    for again in (pickle.loads(pickle.dumps(long.trace)), copy.deepcopy(long.trace)):
        assert again == usual.trace
        assert again is not None
        assert isinstance(again.steps, tuple)


@pytest.mark.parametrize("loop", [None, 0, 50, 100, 101, 450, 700, 899, 900])
def test_what_is_left_out_for_people(loop: int | None) -> None:
    """Only the steps that are shown are worked out."""
    asked: list[int] = []

    class Steps(list[Any]):
        def __getitem__(self, place: Any) -> Any:
            asked.append(place)
            return super().__getitem__(place)

        def __iter__(self) -> Any:
            raise AssertionError("all steps are worked out")

    from strandline.report.traces import trace_lines
    from strandline.traces.trace import Step

    steps = [Step(f"step-{number}", (), {"x": number}) for number in range(1, 901)]
    trace = Trace({"x": 0}, Steps(steps), loop=loop)
    lines = trace_lines(trace, None, Style(), whole=False)  # type: ignore[arg-type]
    assert len(asked) == 200
    shown = [line for line in lines if "step-" in line]
    assert len(shown) == 200
    left_out = [int(line.split("... ")[1].split(" ")[0]) for line in lines if "--trace FILE has them all" in line]
    assert sum(left_out) == 700
    assert len(left_out) == (2 if loop is not None and 100 < loop < 800 else 1)
    starts = [number for number, line in enumerate(lines) if line.startswith("╭─ state")]
    if loop is None or loop == 900:
        assert starts == []
    else:
        before = sum(int(line.split("... ")[1].split(" ")[0]) if "..." in line else "step-" in line
                     for line in lines[: starts[0]])  # fmt: skip
        assert before == loop


def test_a_page_shows_both_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_MOST_AT_AN_END", 5)
    verdict = strandline.check(counter(tmp_path, 40), invariants="x < 30")
    assert verdict.trace is not None
    data = runs.run_data(verdict.trace, 1_000_000)
    assert data["length"] == 30
    assert [(piece["first"], len(piece["steps"])) for piece in data["pieces"]] == [(0, 5), (25, 5)]
    assert data["pieces"][1]["state"]["x"] == 25
    whole = strandline.check(counter(tmp_path, 40), invariants="x < 10")
    assert whole.trace is not None
    assert [len(piece["steps"]) for piece in runs.run_data(whole.trace, 1_000_000)["pieces"]] == [10]


def test_a_long_trace_takes_little_memory(tmp_path: Path) -> None:
    """Counted by what Python takes, whatever the machine does beside it."""
    steps = 30_000
    verdict = strandline.check(counter(tmp_path, 100_000), invariants=f"x < {steps}")
    trace = verdict.trace
    assert trace is not None
    assert len(trace) == steps
    tracemalloc.start()
    try:
        verdict_text(verdict, Style())
        for name in ("trace.json", "trace.itf.json", "trace.txt"):
            write_trace(tmp_path / name, trace, verdict.system, full=False)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000, "as objects the steps take ten times as much"
    assert len((tmp_path / "trace.json").read_text()) > 3_000_000
    assert "--trace FILE has them all" in verdict_text(verdict, Style())
    assert f'"length":{steps}' in report_page(verdict)


def test_a_step_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from strandline.traces.interpreter_walk import reference_of

    held_as(monkeypatch, 3)
    reference = reference_of(strandline.load(counter(tmp_path, 40)))
    with pytest.raises(ReplayError, match="step 7 of the trace is edge 1, but the state has only 1"):
        replay.replay(reference, 0, [0] * 6 + [1] + [0] * 3)


@pytest.mark.parametrize("indent", [None, 2])
def test_json_in_pieces(indent: int | None) -> None:
    items: list[Any] = [1, "a\nb", [], {}, [1, {"x": [2]}], {"y": {"z": None}}]
    for value in (items, [], {"é": items, "b": []}, [[items], {"c": items, "d": 1}]):

        def streamed(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: streamed(one) for name, one in value.items()}
            return Streamed(lambda: map(streamed, value)) if isinstance(value, list) else value

        expected = json.dumps(value, indent=indent, ensure_ascii=False)
        assert "".join(json_pieces(value, indent)) == expected
        assert "".join(json_pieces(streamed(value), indent)) == expected
