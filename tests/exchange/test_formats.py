"""Trace files: the text that is written, and the messages for files that are refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.trace_texts import itf_text, json_text

from strandline import __version__
from strandline.errors import InputError
from strandline.languages import load
from strandline.model.values import Multiset, Queue, RecordValue
from strandline.report.traces import write_trace
from strandline.source import Source
from strandline.traces.encoding import agrees, part
from strandline.traces.interpreter_walk import Walk, reference_of
from strandline.traces.matching import RecordedFault
from strandline.traces.trace import Change, Step, Trace
from strandline.traces.trace_files import read_trace

MESSAGE = RecordValue("Message", {"kind": "ack", "number": 3})
MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"


def _walk(name: str, steps: list[int]) -> Walk:
    walk = Walk(reference_of(load(MODELS / f"{name}.dve")))
    walk.follow(0, steps)
    return walk


def _trace(*values: Any, loop: int | None = None) -> Trace:
    """A trace of one variable."""
    steps = tuple(Step("go", (Change("x", old, new),), {"x": new}) for old, new in pairwise(values))
    return Trace({"x": values[0]}, steps, loop=loop)


def test_our_own_format() -> None:
    text = json_text(_walk("index", [0]).trace(), Source("index.dve", ""))
    assert json.loads(text) == {
        "format": "strandline-trace",
        "format_version": 2,
        "version": __version__,
        "model": "index.dve",
        "length": 1,
        "initial": {"a": [0, 0, 0], "i": 0, "P": "s"},
        "steps": [{"action": "P: s -> s", "changes": {"a[0]": [0, 1], "i": [0, 1]}}],
        "loop": None,
        "fault": None,
    }


def test_itf() -> None:
    system = load(MODELS / "index.dve")
    walk = _walk("index", [0, 0, 0, 0])
    document = json.loads(itf_text(walk.trace(), Source("index.dve", system.source.text)))
    assert document["#meta"]["format"] == "ITF"
    assert document["#meta"]["source"] == "index.dve"
    assert document["#meta"]["fault"] == {
        "kind": "array index out of range",
        "detail": "a[3], whose indices are 0..2",
        "at": "index.dve:5:38",
        "action": "P: s -> s",
    }
    assert document["vars"] == ["a", "i", "P"]
    assert "loop" not in document
    assert document["states"][:2] == [
        {"#meta": {"index": 0}, "a": [0, 0, 0], "i": 0, "P": "s"},
        {"#meta": {"index": 1, "action": "P: s -> s"}, "a": [1, 0, 0], "i": 1, "P": "s"},
    ]
    assert len(document["states"]) == 4


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, 0),
        (-7, -7),
        (9007199254740991, 9007199254740991),
        (9007199254740992, {"#bigint": "9007199254740992"}),
        (-9223372036854775808, {"#bigint": "-9223372036854775808"}),
        (True, True),
        (False, False),
        ("idle", "idle"),
        ("007", "007"),
        (None, "None"),
        ((1, (True, "a")), [1, [True, "a"]]),
        (Queue((2, 1)), [2, 1]),
        (Multiset((2, 1)), [2, 1]),
        (frozenset({2, 1}), {"#set": [1, 2]}),
        (Multiset((MESSAGE, MESSAGE)), [{"kind": "ack", "number": 3}] * 2),
    ],
)
def test_values_in_itf_and_in_our_own_format(value: Any, encoded: Any, tmp_path: Path) -> None:
    assert json.loads(itf_text(_trace(value), Source("m", "")))["states"][0]["x"] == encoded
    for text in (itf_text, json_text):
        file = tmp_path / "t.itf.json"
        file.write_text(text(_trace(value), Source("m", "")))
        told = read_trace(file).states[0]
        assert all(agrees(part({"x": value}, name)[1], one) for name, one in told.items())
        assert not any(agrees(part({"x": value}, name)[1], "other") for name in told)


def test_a_record_may_tell_of_several_variables() -> None:
    found, record = part({"leader.term": 4, "leader.name": "a", "leads": 1}, "leader")
    assert found
    assert agrees(record, {"term": 4})
    assert not agrees(record, {"term": 4, "age": 7})


def test_a_loop_goes_through_both_formats(tmp_path: Path) -> None:
    for text in (json_text, itf_text):
        file = tmp_path / "t.json"
        file.write_text(text(_trace(1, 2, 3, 2, loop=1), Source("m", "")))
        recorded = read_trace(file)
        assert (recorded.loop, recorded.actions) == (1, ("go", "go", "go"))
        assert [state["x"] for state in recorded.states] == [1, 2, 3, 2]


def test_itf_of_other_tools_is_taken_apart(tmp_path: Path) -> None:
    state = {
        "votes": {"#map": [["n1", {"#bigint": "3"}], [{"#bigint": "2"}, True]]},
        "leader": {"term": 4, "name": {"#tup": ["a", 5]}},
        "seen": {"#set": ["b", "a"]},
        "#meta": {"index": 0},
    }
    file = tmp_path / "t.itf.json"
    file.write_text(json.dumps({"vars": ["votes", "leader", "seen"], "states": [state, state]}))
    recorded = read_trace(file)
    assert recorded.format == "itf"
    assert recorded.actions == (None,)
    assert recorded.states[0] == {
        "votes[n1]": 3,
        "votes[2]": True,
        "leader": {"term": 4, "name": ["a", 5]},
        "seen": ["b", "a"],
    }


def test_names_that_only_look_like_arrays_stay_as_they_are() -> None:
    state = {"a[1]": 5, "c": (7,), "c[0]": 4, "p[0].x": 6}
    states = json.loads(itf_text(Trace(state, ()), Source("m", "")))["states"]
    assert states == [{"#meta": {"index": 0}, "a[1]": 5, "c": [7], "c[0]": 4, "p[0].x": 6}]
    assert [part(state, name) for name in ("c[0]", "c", "p[0].x", "p[0]")] == [
        (True, 4), (True, (7,)), (True, 6), (True, RecordValue("p[0]", {"x": 6})),
    ]  # fmt: skip


def test_the_report_of_a_check_is_a_trace_too(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    trace = {"initial": {"x": "1"}, "steps": [], "fault": {"kind": "division by zero", "action": None}}
    file.write_text(json.dumps({"verdict": "VIOLATED", "trace": trace}))
    assert read_trace(file).fault == RecordedFault("division by zero", None)


def test_the_suffix_says_what_is_written(tmp_path: Path) -> None:
    walk, system = _walk("index", [0]), load(MODELS / "index.dve")
    for name, word in (("t.json", '"strandline-trace"'), ("t.itf.json", '"ITF"'), ("t.txt", "initial state")):
        write_trace(tmp_path / name, walk.trace(), system, full=False)
        assert word in (tmp_path / name).read_text()


STATE = {"initial": {"x": "1"}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("initial state\n", "t:1:1: not JSON: Expecting value; traces are read as JSON or ITF"),
        ('{"a": 1,,}', "t:1:9: not JSON: Expecting property name enclosed in double quotes"),
        ([1], "t: this is no trace: neither our own JSON"),
        ({"trace": None}, "t: this report has no trace"),
        (
            STATE | {"steps": [], "format": "strandline-trace", "format_version": 3},
            "t: written as 'strandline-trace' version 3; this program reads 'strandline-trace' version 2",
        ),
        (STATE | {"steps": 4}, "t: 'steps' must be a list"),
        (STATE | {"steps": [3]}, "t: step 1: must be an object with 'action' and 'changes'"),
        (STATE | {"steps": [{"action": 3}]}, "t: step 1: 'action' must be a text"),
        (
            STATE | {"steps": [{"changes": {"x": ["1"]}}]},
            "t: step 1: the change of 'x' must be [old, new]",
        ),
        (
            STATE | {"steps": [{"changes": {"x": ["2", "3"]}}]},
            "t: step 1: 'x' changes from 2, but was 1 before the step",
        ),
        (STATE | {"steps": [], "loop": 1}, "t: 'loop' must be the number of a state, 0 to 0, not 1"),
        (STATE | {"steps": [], "fault": "bad"}, "t: 'fault' must be an object with 'kind' and 'action'"),
        ({"initial": [1], "steps": []}, "t: 'initial' must be an object of names and values"),
        ({"vars": [], "states": []}, "t: 'states' must be a list of objects, at least one"),
        ({"vars": [], "states": [{"x": 1.5}]}, "t: state 0: 'x' has a value that ITF does not have: 1.5"),
        (
            {"vars": [], "states": [{"x": {"#bigint": "one"}}]},
            "t: state 0: 'x' has a value that ITF does not have",
        ),
        ({"vars": [], "states": [{"x": {"#map": [1]}}]}, "t: state 0: '#map' of 'x' must be a list of pairs"),
        ({"vars": [], "states": [{}], "loop": True}, "t: 'loop' must be the number of a state"),
    ],
)
def test_what_is_no_trace(content: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t").write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_trace(Path("t"))
    assert str(caught.value).startswith(message)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe\xe9")
    for name, message in (("none", "no such file"), ("latin", "not UTF-8"), (".", "cannot be read")):
        with pytest.raises(InputError, match=message):
            read_trace(tmp_path / name)
