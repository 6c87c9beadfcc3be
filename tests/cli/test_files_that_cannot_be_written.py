"""A file that cannot be written costs no verdict: it is tried before the search, and is a warning afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

Run = Callable[..., Answer]

FULL = "warning: /dev/full: the {} cannot be written: No space left on device\n"
pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let any search fail."""

    def search(*arguments: object, **options: object) -> None:
        raise AssertionError("this searches")

    monkeypatch.setattr("strandline.checker.driver.run.SearchRun.search_to_the_end", search)
    monkeypatch.setattr("strandline.cli.testing_pool.run_in_processes", search)


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize(
    ("arguments", "option", "noun"),
    [
        (("check", "mutex.dve"), "--trace", "the trace "),
        (("check", "mutex.dve"), "--report", "the report "),
        (("explore", "mutex.dve"), "--trace", "the trace "),
        (("explore", "mutex.dve"), "--report", "the report "),
        (("explore", "mutex.dve"), "--plot", ""),
        (("explore", "mutex.dve"), "--plot-memory", ""),
        (("simulate", "mutex.dve", "--walks", "1"), "--trace", "the trace "),
        (("simulate", "mutex.dve", "--walks", "1"), "--report", "the report "),
        (("graph", "mutex.dve"), "--output", ""),
        (("graph", "mutex.dve", "--format", "svg"), "--output", ""),
        (("test", "."), "--junit", ""),
    ],
)
def test_files_are_tried_before_the_search(
    strandline: Run, tmp_path: Path, arguments: tuple[str, ...], option: str, noun: str
) -> None:
    answer = strandline(*arguments, option, "no/where.html")
    said = f"no/where.html: {noun}cannot be written: No such file or directory\n"
    assert (answer.code, answer.stdout, answer.stderr) == (2, "", f"strandline {arguments[0]}: {said}")
    answer = strandline(*arguments, option, str(tmp_path))
    assert (answer.code, answer.stderr) == (
        2,
        f"strandline {arguments[0]}: {tmp_path}: {noun}cannot be written: Is a directory\n",
    )


@pytest.mark.usefixtures("no_search")
def test_files_of_the_thesis_tool_are_tried_before_the_search(strandline: Run) -> None:
    Path("f.ctl").write_text("EF P.critical")
    for further in ((), ("--tree",)):
        answer = strandline("sweepline", "-m", "mutex.dve", "-s", "-f", "f.ctl", "--output", "no", *further)
        said = "strandline sweepline: no/trace.txt: cannot be written: No such file or directory\n"
        assert (answer.code, answer.stdout, answer.stderr) == (2, "", said)


def test_trying_a_file_changes_nothing(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("a trace of another run")
    for path in ("old.txt", "new.txt"):
        answer = strandline("check", "mutex.dve", "--deadlock", "--trace", path)
        assert f"there is no trace: {path} is not written\n" in answer.stderr
    assert (tmp_path / "old.txt").read_text() == "a trace of another run"
    assert not (tmp_path / "new.txt").exists()


def test_a_pipe_is_not_opened_before_its_text_is_there(strandline: Run, tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    answer = strandline("check", "mutex.dve", "--reach", "P.critical", "--trace", str(pipe))
    reader.join(60)
    assert answer.code == 0
    assert read[0].startswith("initial state\n")


@pytest.mark.parametrize("machine", [False, True])
@pytest.mark.parametrize(
    ("claim", "code", "verdict"),
    [
        (("--reach", "P.critical"), 7, "HOLDS"),
        (("--invariant", "not P.critical"), 12, "VIOLATED"),
        (("--invariant", "not P.critical", "--expect", "violated"), 7, "VIOLATED"),
        (("--invariant", "not P.critical", "--expect", "holds"), 5, "VIOLATED"),
        (("--reach", "P.critical", "--deadlock", "--max-states", "2"), 3, "UNKNOWN"),
    ],
)
@pytest.mark.parametrize("option", ["trace", "report"])
def test_the_verdict_stands_when_the_disk_is_full(
    strandline: Run, claim: tuple[str, ...], code: int, verdict: str, option: str, machine: bool
) -> None:
    if verdict == "UNKNOWN" and option == "trace":
        pytest.skip("there is no trace")
    further = ("--json",) if machine else ()
    answer = strandline("check", "mutex.dve", *claim, f"--{option}", "/dev/full", "--quiet", *further)
    assert answer.code == code
    assert answer.stderr.endswith(FULL.format(option))
    if machine:
        assert (answer.report["verdict"], answer.report["exit_code"]) == (verdict, code)
    else:
        assert answer.stdout.startswith(f"{verdict}  ")


def test_pictures_and_junit_files(strandline: Run, tmp_path: Path) -> None:
    answer = strandline("explore", "mutex.dve", "--plot", "/dev/full", "--report", "report.html")
    assert answer.code == 7
    assert answer.stdout.startswith("EXPLORED  mutex")
    assert answer.stderr.endswith("warning: /dev/full: cannot be written: No space left on device\n")
    assert (tmp_path / "report.html").exists(), "one file that is lost does not cost another"
    (tmp_path / "expected.toml").write_text('[[case]]\nmodel = "mutex.dve"\nstates = 8\n')
    answer = strandline("test", ".", "--junit", "/dev/full", "--quiet")
    assert answer.stderr.endswith("warning: /dev/full: cannot be written: No space left on device\n")


def test_a_graph(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    monkeypatch.setattr("pathlib.Path.write_text", full)
    for further in ((), ("--draw", "components")):
        answer = strandline("graph", "mutex.dve", "--output", "graph.dot", "--quiet", *further)
        said = "strandline: graph.dot: cannot be written: No space left on device\n"
        assert (answer.code, answer.stdout, answer.stderr) == (7, "", said)


def test_a_graph_takes_no_place_of_a_pipe(strandline: Run, tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert strandline("graph", "mutex.dve", "--output", str(pipe), "--quiet").code == 0
    reader.join(60)
    assert pipe.is_fifo()
    assert read[0].startswith("1 0 0 P:_idle_->_seen 2 ")


def test_checkpoints_stay_until_all_is_written(strandline: Run, tmp_path: Path) -> None:
    check = ("check", "mutex.dve", "--reach", "P.critical", "--checkpoint", "saved")
    answer = strandline(*check, "--trace", "/dev/full")
    kept = "the run is kept: `strandline resume saved` continues it\n"
    assert (answer.code, answer.stderr) == (7, FULL.format("trace") + kept)
    answer = strandline("resume", "saved", "--trace", "trace.txt")
    assert (answer.code, answer.stdout.split()[0]) == (0, "HOLDS")
    assert (tmp_path / "trace.txt").read_text().startswith("initial state\n")
    assert not (tmp_path / "saved").exists()


def test_checkpoints_stay_when_writing_is_interrupted(
    strandline: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    explore = ("explore", "mutex.dve", "--checkpoint", "saved", "--report", "report.html")
    with monkeypatch.context() as patch:
        patch.setattr("strandline.report.html.page.write_report", interrupt)
        answer = strandline(*explore)
    assert (answer.code, answer.stdout.split()[0]) == (130, "EXPLORED")
    answer = strandline("resume", "saved")
    assert (answer.code, answer.stdout.split()[0]) == (0, "EXPLORED")
    assert (tmp_path / "report.html").exists()
    assert not (tmp_path / "saved").exists()
