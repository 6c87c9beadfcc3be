"""The contents of buffered DVE channels are lists, in traces, in files and in questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import strandline
from strandline.cli.main import main
from strandline.model.values import Queue
from strandline.traces.trace import Trace

MODEL = """channel {byte} c[2]; channel {byte, int} d[2];
process P { channel {byte} own[1]; state s, t, u, v; init s;
  trans s -> t { sync c!7; }, t -> u { sync d!{8, -1}; }, u -> v { sync own!3; }; }
process Q { byte x; state s, t; init s; trans s -> t { sync c?x; }; }
system async;"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "channels.dve"
    file.write_text(MODEL)
    return file


def trace_of(model: Path) -> Trace:
    trace = strandline.check(model, reach="P.v and Q.s").trace
    assert trace is not None
    return trace


def test_in_states(model: Path) -> None:
    trace = trace_of(model)
    assert trace.initial == {"c": Queue(), "d": Queue(), "P": "s", "P.own": Queue(), "Q": "s", "Q.x": 0}
    assert [step.state["c"] for step in trace] == [(7,), (7,), (7,)]
    assert [step.state["d"] for step in trace] == [(), ((8, -1),), ((8, -1),)]
    assert [step.state["P.own"] for step in trace] == [(), (), (3,)]
    (change,) = (one for one in trace[1].changes if one.name == "d")
    assert (list(change.added), list(change.removed)) == ([(8, -1)], [])


def test_as_text(model: Path) -> None:
    assert str(trace_of(model)).splitlines()[-6:] == [
        "1  P: s -> t via c!",
        "     c: [] → [7]",
        "2  P: t -> u via d!",
        "     d: [] → [[8, -1]]",
        "3  P: u -> v via P.own!",
        "     P.own: [] → [3]",
    ]


@pytest.mark.parametrize("form", ["json", "itf.json"])
def test_in_files_and_questions(model: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    saved = model.with_name(f"trace.{form}")
    assert main(["check", str(model), "--reach", "P.v and Q.s", "--trace", str(saved)]) == 0
    assert json.loads(saved.read_text())
    capsys.readouterr()
    asked = [word for text in ("c", "P->own", "d", "d.length") for word in ("--eval", text)]
    assert main(["trace", str(saved), "--model", str(model), *asked]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.split("  ", 1)[1].split("P: u")[0].split() == ["[7]", "[3]", "[[8,", "-1]]", "1"]
