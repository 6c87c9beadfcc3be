"""`strandline test`: processes, exit codes, JSON and JUnit XML."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from expecting import write

from strandline.checker.expected.cases import Case, CaseResult, Expectation, Judgement, Outcome
from strandline.cli import testing_pool
from strandline.cli.main import main
from strandline.cli.testing_pool import run_in_processes
from strandline.report.junit import junit_text

MIXED = {
    "a": 'model = "mutex.dve"\nstates = 9\n[[check]]\nname = "both"\n'
    'invariants = ["not (P.critical and Q.critical)"]\nverdict = "VIOLATED"\n',
    "b": 'model = "counter.dve"\nstates = 13\n[[check]]\nverdict = "HOLDS"\n[[check]]\n'
    'reach = ["x == 5"]\nverdict = "VIOLATED"\n',
    "c": 'model = "endless.dve"\n[[check]]\nmax_states = 50\nverdict = "HOLDS"\n',
    "d": 'model = "none.dve"\n[[check]]\nverdict = "VIOLATED"\n',
    "e": "model =\n",
}
OUTCOMES = {
    "a: counts": "holds-as-expected",
    "a: both": "violated-as-expected",
    "b: counts": "wrong-count",
    "b: check 1": "violated-unexpectedly",
    "b: check 2": "holds-unexpectedly",
    "c: check 1": "limit",
    "d: check 1": "error",
    "e: expected.toml": "error",
}


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in MIXED.items():
        write(tmp_path / name, text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_outcomes_are_told_apart_in_json_and_junit(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "a", "b", "c", "d", "e", "-j", "2", "--json", "--junit", "j.xml"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["command"], report["exit_code"], report["as_expected"]) == ("test", 2, False)
    found = {f"{Path(one['file']).parent}: {one['name']}": one["outcome"] for one in report["cases"]}
    assert found == OUTCOMES
    assert list(found) == list(OUTCOMES)
    assert report["outcomes"] == {
        "holds-as-expected": 1,
        "violated-as-expected": 1,
        "unknown-as-expected": 0,
        "violated-unexpectedly": 1,
        "holds-unexpectedly": 1,
        "wrong-count": 1,
        "wrong-trace": 0,
        "limit": 1,
        "error": 2,
        "bug": 0,
    }
    both = report["cases"][1]
    assert (both["kind"], both["model"], both["verdict"], both["exit_code"]) == (
        "check",
        "a/mutex.dve",
        "VIOLATED",
        12,
    )
    document = ElementTree.parse(mixed / "j.xml").getroot()
    assert (document.get("tests"), document.get("failures"), document.get("errors")) == ("8", "3", "3")
    cases = {f"{one.get('classname')}: {one.get('name')}": one for one in document.iter("testcase")}
    assert {name: one.find("properties/property").get("value") for name, one in cases.items()} == OUTCOMES  # type: ignore[union-attr]
    kinds = {name: [part.tag for part in one if part.tag != "properties"] for name, one in cases.items()}
    assert list(kinds.values()) == [
        [], [], ["failure"], ["failure"], ["failure"], ["error"], ["error"], ["error"],
    ]  # fmt: skip
    assert cases["b: counts"].find("failure").attrib == {  # type: ignore[union-attr]
        "type": "wrong-count",
        "message": "states is 12, expected 13",
    }


def test_text(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "a", "b", "-j", "1"]) == 12
    text = re.sub(r"[0-9.]+ s$", "T s", capsys.readouterr().out, flags=re.MULTILINE)
    assert text == (
        "ok      a: counts: holds as expected, T s\n"
        "ok      a: both: violated as expected, T s\n"
        "FAILED  b: counts: wrong count, T s\n"
        "          states is 12, expected 13\n"
        "FAILED  b: check 1: violated unexpectedly, T s\n"
        "          VIOLATED, expected HOLDS\n"
        "FAILED  b: check 2: holds unexpectedly, T s\n"
        "          HOLDS, expected VIOLATED\n"
        "NOT AS EXPECTED  5 cases: 1 holds as expected, 1 violated as expected, 1 violated unexpectedly, "
        "1 holds unexpectedly, 1 wrong count; T s\n"
    )


def test_quiet_tells_only_what_is_wrong(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "a", "-j", "1", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("AS EXPECTED  2 cases: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none: no such file or folder"),
        (["."], "there is no expected.toml in this folder"),
        ([".", "-j", "0"], "'0' is not a number of 1 or more"),
        ([".", "--timeout", "-1"], "'-1' is not a number of seconds"),
    ],
)
def test_bad_usage(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["test", *arguments]) == 2
    assert message in capsys.readouterr().err


class Deadly(Case):
    """A case that kills the process that receives it."""

    def __reduce__(self) -> tuple[object, ...]:
        return signal.raise_signal, (signal.SIGKILL,)


class Leaving(Case):
    """A case that ends the process that receives it."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (7,)


def _case(folder: Path, kind: type[Case] = Case) -> Case:
    model = Path(__file__).resolve().parent.parent / "checker" / "models" / "mutex.dve"
    return kind(folder / "expected.toml", "counts", "explore", model, {}, Expectation("HOLDS", figures={"states": 9}))


def test_a_process_that_dies_costs_only_its_case(tmp_path: Path) -> None:
    cases = [_case(tmp_path, Deadly), _case(tmp_path), _case(tmp_path, Leaving)]
    results: dict[int, CaseResult] = {}
    run_in_processes(cases, 1, None, results.__setitem__)
    assert results[0].judgement == Judgement(
        Outcome.BUG, ("the process that ran it was ended by SIGKILL, perhaps because memory ran out",)
    )
    assert results[1].outcome is Outcome.HOLDS_AS_EXPECTED
    assert results[2].judgement == Judgement(Outcome.BUG, ("the process that ran it ended with exit code 7",))


def test_a_case_with_a_limit_of_memory_gets_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    real = testing_pool._Worker

    def start() -> testing_pool._Worker:
        started.append(1)
        return real()

    monkeypatch.setattr(testing_pool, "_Worker", start)
    cases = [_case(tmp_path), replace(_case(tmp_path), asked={"memory": "8G"}), _case(tmp_path)]
    results: dict[int, CaseResult] = {}
    run_in_processes(cases, 1, None, results.__setitem__)
    assert [results[number].outcome for number in range(3)] == [Outcome.HOLDS_AS_EXPECTED] * 3
    assert len(started) == 2


def test_a_case_that_takes_too_long_is_ended_and_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    monkeypatch.setenv("TMPDIR", str(run))
    write(tmp_path / "a", 'model = "endless.dve"\n[[check]]\nverdict = "VIOLATED"\n')
    assert main(["test", str(tmp_path / "a"), "--timeout", "2", "-j", "1"]) == 3
    assert "the time limit of 2 s for a case is reached" in capsys.readouterr().out
    assert list(run.iterdir()) == []


def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    write(tmp_path / "a", 'model = "endless.dve"\n[[check]]\nverdict = "HOLDS"\n')
    process = subprocess.Popen(
        [sys.executable, "-m", "strandline", "test", str(tmp_path / "a"), "-j", "1", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(run)},
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not list(run.glob("strandline-run-*/parents")):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=15)
    assert process.returncode == 130
    assert json.loads(stdout)["exit_code"] == 130
    assert "Traceback" not in stderr
    assert list(run.glob("strandline-run-*")) == []


def test_junit_survives_texts_that_xml_cannot_hold(tmp_path: Path) -> None:
    judgement = Judgement(Outcome.WRONG_TRACE, ("a < b & \x1b[31m\x00", "second"))
    result = CaseResult(tmp_path / "expected.toml", 'na"me', "check", None, judgement, 0.25)
    document = ElementTree.fromstring(junit_text([result]).encode())
    problem = document.find("testsuite/testcase/failure")
    assert problem is not None
    assert problem.get("message") == "a < b & \ufffd[31m\ufffd"
    assert problem.text == "a < b & \ufffd[31m\ufffd\nsecond"
    assert document.find("testsuite/testcase").get("time") == "0.250000"  # type: ignore[union-attr]


def test_a_failure_has_its_counterexample(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[2] / "examples" / "naive-mutex" / "naive-mutex.dve", tmp_path)
    (tmp_path / "expected.toml").write_text(
        '[[check]]\nmodel = "naive-mutex.dve"\ninvariants = "not (P.critical and Q.critical)"\nverdict = "HOLDS"\n'
    )
    junit = tmp_path / "junit.xml"
    assert main(["test", str(tmp_path), "-j", "1", "--junit", str(junit)]) == 12
    problem = ElementTree.fromstring(junit.read_text()).find("testsuite/testcase/failure")
    assert problem is not None
    assert problem.text is not None
    assert problem.text.endswith(
        "\n\ninitial state\n    flag=[0, 0] P=idle Q=idle\n1  P: idle -> seen\n2  Q: idle -> seen\n"
        "3  P: seen -> critical\n     flag[0]: 0 → 1\n4  Q: seen -> critical\n     flag[1]: 0 → 1"
    )
