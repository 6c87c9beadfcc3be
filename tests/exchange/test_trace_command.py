"""`strandline trace`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from strandline.cli.main import main

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"
MUTEX, COUNTER = str(MODELS / "mutex.dve"), str(MODELS / "counter.dve")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command line where `t.json` is a trace of the mutex that a check found."""
    monkeypatch.chdir(tmp_path)
    assert main(["check", MUTEX, "--invariant", "not (P.critical and Q.critical)", "--trace", "t.json"]) == 12
    capsys.readouterr()

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        return code, *capsys.readouterr()

    return command


def test_a_trace_that_fits_is_shown(run: Run) -> None:
    code, stdout, stderr = run("trace", "t.json", "--model", MUTEX)
    assert (code, stderr) == (0, "")
    assert stdout == (
        "FITS  mutex: a trace of 4 steps\n"
        "\n"
        "initial state\n"
        "    flag=[0, 0] P=idle Q=idle\n"
        "1  P: idle -> seen\n"
        "2  Q: idle -> seen\n"
        "3  P: seen -> critical\n"
        "     flag[0]: 0 → 1\n"
        "4  Q: seen -> critical\n"
        "     flag[1]: 0 → 1\n"
    )


def test_expressions_along_the_trace(run: Run) -> None:
    _, stdout, _ = run("trace", "t.json", "--model", MUTEX, "--eval", "flag[0] + 1", "--eval", "Q.seen")
    assert stdout == (
        "FITS  mutex: a trace of 4 steps\n"
        "\n"
        "step  flag[0] + 1  Q.seen  action\n"
        "0     1            false\n"
        "1     1            false   P: idle -> seen\n"
        "2     1            true    Q: idle -> seen\n"
        "3     2            true    P: seen -> critical\n"
        "4     2            false   Q: seen -> critical\n"
    )


def test_csv(run: Run) -> None:
    _, stdout, _ = run("trace", "t.json", "--model", MUTEX, "--to", "csv", "-", "--eval", "1 / flag[1]")
    assert stdout == (
        "step,action,flag[0],flag[1],P,Q,1 / flag[1]\n"
        "0,,0,0,idle,idle,fault: division by zero\n"
        "1,P: idle -> seen,0,0,seen,idle,fault: division by zero\n"
        "2,Q: idle -> seen,0,0,seen,seen,fault: division by zero\n"
        "3,P: seen -> critical,1,0,critical,seen,fault: division by zero\n"
        "4,Q: seen -> critical,1,1,critical,critical,1\n"
    )


def test_through_itf_and_back_nothing_is_lost(run: Run, tmp_path: Path) -> None:
    assert run("trace", "t.json", "--model", MUTEX, "--to", "itf", "u.itf.json", "--to", "text", "u.txt")[0] == 0
    assert run("trace", "u.itf.json", "--model", MUTEX, "--to", "json", "v.json")[0] == 0
    assert (tmp_path / "v.json").read_text() == (tmp_path / "t.json").read_text()
    assert (tmp_path / "u.txt").read_text().startswith("initial state\n")


def test_the_report_of_a_check_can_be_replayed(run: Run, tmp_path: Path) -> None:
    code, stdout, _ = run("check", COUNTER, "--property", "P.t: x < 3", "--json")
    assert code == 12
    (tmp_path / "report.json").write_text(stdout)
    code, stdout, _ = run("trace", "report.json", "--model", COUNTER, "--eval", "x")
    assert code == 0
    assert stdout.splitlines()[-1] == "4     3  P: s -> t"


def _write_loop(file: Path, loop: int) -> None:
    """Four numbers and the first again."""
    states = [{"x": x} for x in (0, 1, 2, 3, 0)]
    file.write_text(json.dumps({"vars": ["x"], "loop": loop, "states": states}))


def test_a_loop_is_shown_where_it_begins(run: Run, tmp_path: Path) -> None:
    for loop, line in ((0, 4), (1, 6)):
        _write_loop(tmp_path / "l.itf.json", loop)
        code, stdout, _ = run("trace", "l.itf.json", "--model", str(MODELS / "watched.dve"))
        assert code == 0
        lines = stdout.splitlines()
        assert lines[line] == f"╭─ state {loop}: from here on the same steps again and again"
        assert lines[-1] == f"╰─ back in state {loop}"


def test_a_loop_whose_last_step_the_file_leaves_out_is_closed(run: Run, tmp_path: Path) -> None:
    """Other tools write the states of a loop once."""
    _write_loop(tmp_path / "l.itf.json", 1)
    code, stdout, _ = run("trace", "l.itf.json", "--model", str(MODELS / "watched.dve"), "--json")
    trace = json.loads(stdout)["trace"]
    assert (code, trace["length"], trace["loop"]) == (0, 5, 1)
    assert [step["changes"]["x"][1] for step in trace["steps"]] == [1, 2, 3, 0, 1]


def test_a_run_that_ends_stays_in_its_last_state(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "stops.dve"
    model.write_text(
        "byte x; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }; } system async;"
    )
    states = [{"x": x} for x in (0, 1, 2)]
    file = tmp_path / "l.itf.json"
    file.write_text(json.dumps({"vars": ["x"], "loop": 2, "states": states}))
    code, stdout, _ = run("trace", "l.itf.json", "--model", str(model))
    assert code == 0
    assert stdout.splitlines()[-1] == "the run ends here: no step is possible, and its last state counts for ever"
    file.write_text(json.dumps({"vars": ["x"], "loop": 1, "states": states[:2]}))
    code, _, stderr = run("trace", "l.itf.json", "--model", str(model))
    assert (code, stderr) == (
        2,
        "l.itf.json: the loop does not close: the last state cannot stay as it is, because other steps are possible\n",
    )


def test_a_loop_that_does_not_close(run: Run, tmp_path: Path) -> None:
    _write_loop(tmp_path / "l.itf.json", 2)
    code, _, stderr = run("trace", "l.itf.json", "--model", str(MODELS / "watched.dve"))
    assert code == 2
    assert stderr == ("l.itf.json: the loop does not close: the last state is not state 2, and no step leads to it\n")


def test_json(run: Run) -> None:
    code, stdout, _ = run("trace", "t.json", "--model", MUTEX, "--eval", "Q.seen", "--json")
    report = json.loads(stdout)
    assert code == 0
    assert (report["command"], report["exit_code"], report["fits"], report["format"]) == (
        "trace",
        0,
        True,
        "json",
    )
    assert report["evaluations"] == [{"expression": "Q.seen", "values": [False, False, True, True, False]}]
    assert report["trace"]["length"] == 4
    assert report["error"] is None


def test_a_trace_of_another_model_does_not_fit(run: Run) -> None:
    code, stdout, stderr = run("trace", "t.json", "--model", COUNTER)
    assert (code, stdout) == (2, "")
    assert stderr == ("t.json: state 0 speaks of 'flag', 'Q', which the model does not have (it has 'x', 'P')\n")
    code, stdout, _ = run("trace", "t.json", "--model", COUNTER, "--json")
    report = json.loads(stdout)
    assert (code, report["exit_code"], report["error"]["type"]) == (2, 2, "MisfitError")
    assert report["error"]["file"] == "t.json"


def test_the_first_step_that_does_not_fit_is_named(run: Run, tmp_path: Path) -> None:
    text = (tmp_path / "t.json").read_text().replace("P: seen -> critical", "P: seen -> idle")
    (tmp_path / "t.json").write_text(text)
    code, _, stderr = run("trace", "t.json", "--model", MUTEX)
    assert code == 2
    assert stderr == (
        "t.json: step 3 does not fit: 'P: seen -> idle' is not enabled; the state is made by 'P: seen -> critical'\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "the following arguments are required: --model"),
        (
            ("--model", MUTEX, "--to", "yaml", "x"),
            "--to: unknown format 'yaml' (known: json, itf, text, csv)",
        ),
        (("--model", MUTEX, "--json", "--to", "csv", "-"), "--json prints one object on stdout"),
        (("--model", MUTEX, "--to", "csv", "no/where"), "no/where: the trace cannot be written"),
        (("--model", MUTEX, "--eval", "z"), "expression:1:1: "),
    ],
)
def test_bad_usage(run: Run, options: tuple[str, ...], message: str) -> None:
    code, _, stderr = run("trace", "t.json", *options)
    assert code == 2
    assert stderr.removeprefix("strandline trace: ").startswith(message)
