"""The published schema of JSON objects: it is the program's, and the objects of every command fit it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from strandline.cli.main import main
from strandline.report.envelope import SEARCH_FIELDS
from strandline.report.schema import json_schema, schema_text

ROOT = Path(__file__).resolve().parents[2]
PETERSON, NAIVE = "examples/peterson/peterson.dve", "examples/naive-mutex/naive-mutex.dve"
COMMANDS = {
    "check": ["check", PETERSON],
    "violated": ["check", NAIVE, "--invariant", "not (P.critical and Q.critical)", "--deadlock"],
    "ltl": ["check", PETERSON, "--ltl", "G F P.critical"],
    "ctl": ["check", PETERSON, "--ctl", "AG EF P.critical"],
    "symbolic": ["check", PETERSON, "--ctl", "AG EF P.critical", "--method", "symbolic"],
    "sweep": ["explore", "examples/stop-and-wait/stop-and-wait.dve", "--measure", "auto"],
    "limit": ["explore", PETERSON, "--max-states", "3"],
    "fault": ["check", "FAULT"],
    "simulate": ["simulate", PETERSON, "--walks", "5"],
    "info": ["info", PETERSON],
    "measures": ["measures", PETERSON],
    "test": ["test", "examples/peterson"],
    "trace": ["trace", "TRACE", "--model", NAIVE, "--eval", "P.critical"],
    "conform": ["conform", "examples/python-leases/leases.py", "LOG"],
    "grid": ["check", "examples/python-leases/leases.py", "-D", "time=1,2"],
    "a mistake": ["check", PETERSON, "--invariant", "x =="],
    "no file": ["measures", "none.dve"],
    "usage": ["explore", PETERSON, "--nothing"],
}
needs_validator = pytest.mark.skipif(
    importlib.util.find_spec("jsonschema") is None, reason="jsonschema is not installed: objects are not validated"
)


def validator() -> Any:
    kind = importlib.import_module("jsonschema").Draft202012Validator
    kind.check_schema(json_schema())
    return kind(json_schema())


def test_the_published_schema_is_the_programs() -> None:
    assert (ROOT / "docs/schema.json").read_text("utf-8") == schema_text(), "run scripts/write_tables.py"


@needs_validator
@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_object_of_every_command_fits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    steps = "trans s -> s { effect x = a[2]; };"
    fault = f"byte x;\nbyte a[2];\nprocess P {{ state s; init s; {steps} }}\nsystem async;\n"
    (tmp_path / "f.dve").write_text(fault)
    if name == "trace":
        main(["check", NAIVE, "--deadlock", "--reach", "P.critical", "--trace", str(tmp_path / "trace.json")])
        capsys.readouterr()
    (tmp_path / "run.log").write_text('{"event": "tick"}\n{"event": "tick", "now": 3}\n')
    places = {"LOG": str(tmp_path / "run.log"), "FAULT": str(tmp_path / "f.dve"), "TRACE": str(tmp_path / "trace.json")}
    main([*(places.get(one, one) for one in COMMANDS[name]), "--json"])
    data = json.loads(capsys.readouterr().out)
    assert [error.message for error in validator().iter_errors(data)] == []


@needs_validator
@pytest.mark.parametrize(
    ("key", "value"), [("verdict", "MAYBE"), ("schema_version", 1), ("states", "many"), ("trace", {"length": 3})]
)
def test_an_object_that_breaks_the_promise_does_not_fit(
    key: str, value: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    main(["check", PETERSON, "--json"])
    data = json.loads(capsys.readouterr().out)
    check = validator()
    assert check.is_valid(data)
    assert not check.is_valid(data | {key: value})
    for field in (*SEARCH_FIELDS, "properties", "error"):
        assert not check.is_valid({name: one for name, one in data.items() if name != field}), field
