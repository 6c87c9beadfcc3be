"""Planted faults: the exact message, one JSON object whatever happens, and the exit code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer

from strandline.report.envelope import FIGURES
from strandline.traces.log import ParentLog

Run = Callable[..., Answer]

FIELDS = [
    *("schema_version", "version", "command", "exit_code", "model", "parameters"),
    *("verdict", "complete", "reason", "notes"),
    *FIGURES,
    *(
        "coverage",
        "order",
        "measure",
        "prediction",
        "por",
        "symmetry",
        "symmetry_variables",
        "not_symmetric",
        "merged",
        "store",
    ),
    *("fallbacks", "componentwise", "cache"),
    *("threads", "device", "bdds"),
    *("properties", "trace", "error"),
]


def _both(strandline: Run, *arguments: str) -> tuple[Answer, dict[str, object]]:
    """The same command line with and without --json: same code, same words on stderr, all fields there."""
    plain, machine = strandline(*arguments), strandline(*arguments, "--json")
    assert plain.code == machine.code == machine.report["exit_code"]
    assert plain.stderr == machine.stderr
    assert list(machine.report) == FIELDS
    assert machine.report["schema_version"] == 2
    return plain, machine.report


def _failed(strandline: Run, message: str, code: int, *arguments: str) -> dict[str, object]:
    plain, report = _both(strandline, *arguments)
    assert plain.code == code
    assert plain.stdout == ""
    assert plain.stderr == message
    assert (report["verdict"], report["complete"]) == ("UNKNOWN", False)
    assert all(report[name] is None for name in FIGURES)
    assert report["trace"] is None
    error = report["error"]
    assert isinstance(error, dict)
    return error


def test_a_syntax_error(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.dve").write_text("byte x\nprocess P { state s; init s; }\nsystem async;\n")
    error = _failed(
        strandline,
        "bad.dve:2:1: expected ',' or ';', found the keyword 'process'\n  process P { state s; init s; }\n  ^^^^^^^\n",
        2,
        "check",
        "bad.dve",
    )
    assert (error["type"], error["file"], error["line"], error["column"]) == ("ParseError", "bad.dve", 2, 1)


def test_an_unknown_name_in_the_model(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.dve").write_text("process P { state s; init s; trans s -> s { effect y = 1; }; }\nsystem async;\n")
    error = _failed(
        strandline,
        "bad.dve:1:52: unknown variable 'y'\n"
        "  process P { state s; init s; trans s -> s { effect y = 1; }; }\n"
        "                                                     ^\n",
        2,
        "explore",
        "bad.dve",
    )
    assert error["type"] == "ModelError"


def test_an_unknown_name_in_a_property(strandline: Run) -> None:
    error = _failed(
        strandline,
        "reach:1:3: process 'P' has no state 'cs'\n  P.cs\n    ^^\n",
        2,
        *("check", "mutex.dve", "--reach", "P.cs"),
    )
    assert (error["file"], error["line"], error["column"]) == ("reach", 1, 3)


def test_a_missing_file(strandline: Run) -> None:
    error = _failed(strandline, "nothing.dve: no such file\n", 2, "check", "nothing.dve")
    assert error["message"] == "nothing.dve: no such file"


def test_a_measure_that_overflows(strandline: Run) -> None:
    error = _failed(
        strandline,
        "measure:1:1: result does not fit 64 bits, after 3 steps\n"
        "  x * 2000000000 * 2000000000\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n",
        2,
        *("explore", "counter.dve", "--measure", "x * 2000000000 * 2000000000"),
    )
    assert error["type"] == "MeasureError"


def test_a_measure_that_lies(strandline: Run) -> None:
    _failed(
        strandline,
        "measure:1:1: not monotone: step 3, 'P: critical -> idle', takes it from 1 to 0 "
        "(flag[0]: 1 -> 0, P: critical -> idle)\n  mono(flag[0])\n  ^^^^^^^^^^^^^\n",
        2,
        *("explore", "mutex.dve", "--measure", "mono(flag[0])"),
    )


def test_usage(strandline: Run) -> None:
    error = _failed(
        strandline,
        "strandline explore: --measure is for sweeps; it has no meaning with --order dfs\n",
        2,
        *("explore", "mutex.dve", "--order", "dfs", "--measure", "1"),
    )
    assert error["type"] == "UsageError"
    _failed(
        strandline,
        "strandline explore: unrecognized arguments: --fast\ntry 'strandline explore --help'\n",
        2,
        *("explore", "mutex.dve", "--fast"),
    )
    _failed(
        strandline,
        "strandline explore: argument --memory: '2X' is not a size of memory; write for example 512M or 2G\n"
        "try 'strandline explore --help'\n",
        2,
        *("explore", "mutex.dve", "--memory", "2X"),
    )


def test_no_command(strandline: Run) -> None:
    answer = strandline()
    assert answer.code == 2
    assert answer.stderr == ("strandline: the following arguments are required: COMMAND\ntry 'strandline --help'\n")


def test_an_unknown_suffix(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "model.xyz").write_text("")
    answer = strandline("check", "model.xyz")
    assert answer.code == 2
    assert answer.stderr.startswith("strandline check: model.xyz: cannot determine the language")


def test_a_run_time_fault_as_json(strandline: Run) -> None:
    plain, report = _both(strandline, "explore", "index.dve")
    assert plain.code == 12
    assert (report["verdict"], report["complete"]) == ("VIOLATED", False)
    assert report["reason"] == "the search ended at a run-time fault"
    trace = report["trace"]
    assert isinstance(trace, dict)
    assert trace["length"] == 3
    assert trace["initial"] == {"a": [0, 0, 0], "i": 0, "P": "s"}
    assert trace["steps"][2] == {"action": "P: s -> s", "changes": {"a[2]": [0, 1], "i": [2, 3]}}
    assert trace["fault"] == {
        "kind": "array index out of range",
        "detail": "a[3], whose indices are 0..2",
        "at": "index.dve:5:38",
        "action": "P: s -> s",
    }
    properties: Any = report["properties"]
    (fault,) = properties
    assert (fault["kind"], fault["verdict"]) == ("fault", "VIOLATED")


def test_a_limit_as_json(strandline: Run) -> None:
    plain, report = _both(strandline, "check", "endless.dve", "--max-states", "500", "--quiet")
    assert plain.code == 3
    assert (report["verdict"], report["complete"]) == ("UNKNOWN", False)
    assert report["reason"] == "the limit of 500 states is reached"
    assert report["error"] is None
    assert isinstance(report["states"], int)
    assert report["states"] >= 500


def test_a_verdict_as_json(strandline: Run) -> None:
    plain, report = _both(strandline, "check", "mutex.dve", "--reach", "P.critical", "--deadlock")
    assert plain.code == 0
    figures = {name: report[name] for name in ("states", "transitions", "deadlocks", "visited", "sweeps")}
    assert figures == {"states": 9, "transitions": 16, "deadlocks": 0, "visited": 9, "sweeps": 0}
    assert (report["verdict"], report["complete"], report["reason"]) == ("HOLDS", True, None)
    assert (report["order"], report["measure"], report["depth"]) == ("bfs", [], 4)
    assert report["levels"] == [1, 2, 3, 2, 1]
    properties = report["properties"]
    assert isinstance(properties, list)
    assert [(one["kind"], one["verdict"]) for one in properties] == [
        ("deadlock", "HOLDS"),
        ("reach", "HOLDS"),
    ]
    assert report["trace"] == properties[1]["trace"]


def test_codes_of_several_properties(strandline: Run) -> None:
    """Safety before deadlock before unknown."""
    assert strandline("check", "counter.dve", "--deadlock", "--invariant", "x < 9").code == 11
    assert strandline("check", "counter.dve", "--deadlock", "--invariant", "x < 1").code == 12
    limited = ("check", "endless.dve", "--max-states", "9", "--invariant")
    assert strandline(*limited, "A.x < 9").code == 3
    assert strandline(*limited, "A.x < 1").code == 12
    liveness = ("check", "mutex.dve", "--ltl", "G F P.critical", "--invariant")
    assert strandline(*liveness, "flag[0] < 9").code == 13
    assert strandline(*liveness, "flag[0] < 1").code == 12
    assert strandline(*liveness, "flag[0] < 9", "--deadlock").code == 13
    assert strandline("check", "mutex.dve", "--reach", "flag[0] == 7").code == 12


def test_an_exception_of_our_own(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise RuntimeError("two and two are five")

    monkeypatch.setattr("strandline.checker.driver.compilation.make_kernel", broken)
    answer = strandline("check", "mutex.dve", "--quiet")
    assert answer.code == 4
    assert answer.stdout == ""
    assert answer.stderr.startswith("Traceback (most recent call last):\n")
    assert answer.stderr.endswith(
        "RuntimeError: two and two are five\n"
        "This is a bug in strandline. Please report it with the text above and, if you can, the model.\n"
    )
    report = strandline("check", "mutex.dve", "--quiet", "--json").report
    assert (report["exit_code"], report["verdict"]) == (4, "UNKNOWN")
    assert report["error"]["type"] == "RuntimeError"
    assert strandline("check", "mutex.dve", "--expect", "unknown").code == 4


def test_a_damaged_log(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ParentLog.append
    monkeypatch.setattr(ParentLog, "append", lambda self, links: honest(self, links | 5))
    answer = strandline("check", "mutex.dve", "--reach", "P.critical", "--json")
    assert answer.code == 4
    assert answer.report["error"]["type"] == "ReplayError"
    assert answer.report["trace"] is None
    assert "This is a bug in strandline." in answer.stderr


def test_a_work_directory_that_cannot_be_made(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = strandline("check", "mutex.dve", "--work-dir", "file", "--json")
    assert answer.code == 3
    assert answer.report["reason"].startswith("file: no directory for this run: ")


def test_a_trace_file_that_cannot_be_written(strandline: Run) -> None:
    answer = strandline("check", "mutex.dve", "--reach", "P.critical", "--trace", "no/where.txt")
    assert answer.code == 2
    assert answer.stderr == ("strandline check: no/where.txt: the trace cannot be written: No such file or directory\n")


def test_windows_is_refused(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    answer = strandline("check", "mutex.dve")
    assert answer.code == 2
    assert answer.stderr == (
        "strandline: Windows is not supported; strandline works in the Windows Subsystem for Linux (WSL)\n"
    )


def test_nothing_is_left_behind(strandline: Run, tmp_path: Path) -> None:
    for arguments in (
        ("check", "mutex.dve"),
        ("explore", "index.dve"),
        ("explore", "endless.dve", "--max-states", "9"),
        ("explore", "mutex.dve", "--measure", "flag[0]", "--count-distinct"),
        ("explore", "mutex.dve", "--measure", "mono(flag[0])"),
    ):
        strandline(*arguments)
    assert list((tmp_path / "run").iterdir()) == []
