"""The exact output of commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import MODELS, Answer

from strandline.cli.main import main

Run = Callable[..., Answer]


def test_a_violated_invariant(strandline: Run) -> None:
    answer = strandline("check", "mutex.dve", "--invariant", "not (P.critical and Q.critical)")
    assert answer.code == 12
    assert answer.stderr == ""
    assert answer.transcript == (
        "VIOLATED  mutex\n"
        "\n"
        "  violated  invariant not (P.critical and Q.critical)  trace of 4 steps\n"
        "\n"
        "Violation of 'not (P.critical and Q.critical)' after 4 steps, no shorter one exists\n"
        "  initial state\n"
        "      flag=[0, 0] P=idle Q=idle\n"
        "  1  P: idle -> seen\n"
        "  2  Q: idle -> seen\n"
        "  3  P: seen -> critical\n"
        "       flag[0]: 0 → 1\n"
        "  4  Q: seen -> critical\n"
        "       flag[1]: 0 → 1\n"
        "\n"
        "  states       9  (not complete: every property is decided)\n"
        "  transitions  14\n"
        "  deadlocks    0\n"
        "  visited      8\n"
        "  levels       5, the widest 3 states\n"
        "  memory\n"
        "  time\n"
    )


def test_whole_states_on_request(strandline: Run) -> None:
    answer = strandline("check", "mutex.dve", "--reach", "P.critical", "--full", "--quiet")
    assert answer.code == 0
    assert answer.transcript.split("\n\n")[2] == (
        "Witness of 'P.critical' after 2 steps, no shorter one exists\n"
        "  initial state\n"
        "      flag=[0, 0] P=idle Q=idle\n"
        "  1  P: idle -> seen\n"
        "      flag=[0, 0] P=seen Q=idle\n"
        "  2  P: seen -> critical\n"
        "      flag=[1, 0] P=critical Q=idle"
    )


def test_a_bare_check_says_what_it_checks(strandline: Run) -> None:
    answer = strandline("check", "counter.dve")
    assert answer.code == 12
    assert answer.stderr == "checking: deadlocks, 1 assertion\n"
    assert answer.stdout.startswith(
        "VIOLATED  counter\n"
        "\n"
        "  violated  deadlock freedom      trace of 1 step\n"
        "  violated  assertion P.t: x < 3  trace of 4 steps\n"
        "\n"
        "Deadlock after 1 step, no shorter one exists\n"
    )
    assert strandline("check", "mutex.dve").stderr == "checking: deadlocks\n"
    assert strandline("check", "mutex.dve", "--no-deadlock").stderr == "checking: run-time faults only\n"
    assert strandline("check", "watched.dve").stderr == "checking: the property process\n"
    assert strandline("check", "mutex.dve", "--quiet").stderr == ""


def test_an_index_out_of_range(strandline: Run) -> None:
    answer = strandline("check", "index.dve")
    assert answer.code == 12
    assert answer.stderr == "checking: deadlocks\n"
    assert answer.transcript == (
        "VIOLATED  index\n"
        "\n"
        "  unknown   deadlock freedom   the search ended at a run-time fault\n"
        "  violated  no run-time fault  array index out of range at index.dve:5:38\n"
        "\n"
        "Run-time fault after 3 steps, no shorter one exists\n"
        "  initial state\n"
        "      a=[0, 0, 0] i=0 P=s\n"
        "  1  P: s -> s\n"
        "       a[0]: 0 → 1   i: 0 → 1\n"
        "  2  P: s -> s\n"
        "       a[1]: 0 → 1   i: 1 → 2\n"
        "  3  P: s -> s\n"
        "       a[2]: 0 → 1   i: 2 → 3\n"
        "  !  P: s -> s\n"
        "     array index out of range: a[3], whose indices are 0..2\n"
        "     index.dve:5:38\n"
        "       trans s -> s { guard i < 5; effect a[i] = 1, i = i + 1; }; }\n"
        "                                          ^^^^\n"
        "\n"
        "  states       4  (not complete: the search ended at a run-time fault)\n"
        "  transitions  3\n"
        "  deadlocks    0\n"
        "  visited      3\n"
        "  levels       4, the widest 1 state\n"
        "  memory\n"
        "  time\n"
    )


def test_exploring(strandline: Run) -> None:
    answer = strandline("explore", "counter.dve")
    assert answer.code == 0
    assert answer.stderr == ""
    assert answer.transcript == (
        "EXPLORED  counter\n"
        "\n"
        "  states       12\n"
        "  transitions  11\n"
        "  deadlocks    6\n"
        "  levels       7, the widest 2 states\n"
        "  memory\n"
        "  time\n"
        "\n"
        "  ▄█████▄\n"
        "  states by distance from the start\n"
    )


def test_a_sweep_with_regress_edges(strandline: Run) -> None:
    answer = strandline("explore", "mutex.dve", "--measure", "flag[0] + flag[1]")
    assert answer.code == 0
    assert answer.transcript.startswith(
        "EXPLORED  mutex\n"
        "\n"
        "  states          about 9 after regress edges (--count-distinct makes it exact)\n"
        "  transitions     not known after regress edges (--count-distinct makes it exact)\n"
    )
    counted = strandline("explore", "mutex.dve", "--measure", "flag[0] + flag[1]", "--count-distinct")
    assert counted.stdout.startswith("EXPLORED  mutex\n\n  states          9\n  transitions     16\n")
    assert counted.stderr == "counting distinct states ...\n"


def test_a_limit(strandline: Run) -> None:
    answer = strandline("check", "endless.dve", "--max-states", "1000", "--quiet")
    assert answer.code == 3
    assert answer.stdout.startswith(
        "UNKNOWN  endless\n\n  unknown  deadlock freedom  the limit of 1,000 states is reached\n\n  states "
    )
    assert "(not complete: the limit of 1,000 states is reached)" in answer.stdout


@pytest.mark.parametrize("suffix", ["txt", "json"])
def test_a_trace_goes_to_a_file(strandline: Run, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"trace.{suffix}"
    answer = strandline("check", "counter.dve", "--reach", "x == 1", "--trace", str(target))
    assert answer.code == 0
    if suffix == "txt":
        assert target.read_text() == "initial state\n    x=0 P=s\n1  P: s -> s\n     x: 0 → 1\n"
    else:
        assert '"changes": {\n        "x": [\n          0,\n          1\n        ]' in target.read_text()


def test_no_trace_to_write(strandline: Run, tmp_path: Path) -> None:
    answer = strandline("check", "mutex.dve", "--deadlock", "--trace", "trace.txt")
    assert answer.code == 0
    assert answer.stderr == "there is no trace: trace.txt is not written\n"
    assert not (tmp_path / "trace.txt").exists()


def test_expectations(strandline: Run) -> None:
    assert strandline("check", "mutex.dve", "--expect", "holds").code == 0
    wrong = strandline("check", "mutex.dve", "--deadlock", "--expect", "violated")
    assert wrong.code == 5
    assert wrong.stderr == "expected violated, but the verdict is holds\n"
    assert strandline("check", "counter.dve", "--expect", "violated").code == 0
    assert strandline("check", "endless.dve", "--max-states", "9", "--expect", "unknown").code == 0
    assert strandline("check", "nothing.dve", "--expect", "violated").code == 2
    assert strandline("check", "watched.dve", "--expect", "holds", "--json").report["exit_code"] == 0


def test_left_overs_are_offered_for_removal(strandline: Run, tmp_path: Path) -> None:
    import os

    folder = tmp_path / "work" / "strandline-run-old"
    folder.mkdir(parents=True)
    (folder / "pid").write_text("1\n")
    (folder / "parents").write_bytes(bytes(3 << 20))
    os.utime(folder, (0, 0))
    assert strandline("explore", "mutex.dve", "--work-dir", "work").stderr == "", "a little is not worth a word"
    os.truncate(folder / "parents", 300 << 20)
    answer = strandline("explore", "mutex.dve", "--work-dir", "work")
    assert answer.code == 0
    assert answer.stderr == (
        "left over from a killed run, 300.0 MB; `strandline runs --remove --work-dir work` removes it\n"
    )
    assert folder.exists()
    folder.rename(folder.with_name("strandline-run-b"))
    (tmp_path / "work" / "strandline-run-a").mkdir()
    (tmp_path / "work" / "strandline-run-a" / "pid").write_text("1\n")
    os.utime(tmp_path / "work" / "strandline-run-a", (0, 0))
    answer = strandline("explore", "mutex.dve", "--work-dir", "work")
    assert answer.stderr == (
        "left over from 2 killed runs, 300.0 MB; `strandline runs --remove --work-dir work` removes it\n"
    )


def test_the_first_use_of_the_engine_is_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("strandline.engine.runtime.jit.cache_directory", lambda: tmp_path)
    for quiet, said in (([], "compiling this part of the engine, once per machine ...\n"), (["--quiet"], "")):
        assert main(["explore", str(MODELS / "mutex.dve"), "--work-dir", str(tmp_path / "run"), *quiet]) == 0
        assert capsys.readouterr().err == said


def test_version_and_help(strandline: Run) -> None:
    assert strandline("--version").stdout == "strandline 0.1.0\n"
    answer = strandline("check", "--help")
    assert answer.code == 0
    for option in (
        "--invariant",
        "--reach",
        "--no-deadlock",
        "--property",
        "--measure",
        "--expect",
        "--trace",
    ):
        assert option in answer.stdout


def test_colours_go_to_terminals_only(strandline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in strandline("check", "mutex.dve").stdout
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32;1mHOLDS\x1b[0m  mutex\n" in strandline("check", "mutex.dve").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in strandline("check", "mutex.dve").stdout


def test_random_walks(strandline: Run) -> None:
    answer = strandline("simulate", "endless.dve", "--walks", "3", "--depth", "4", "--seed", "1", "--quiet")
    assert answer.code == 3
    reason = "not decided by 3 random walks, which prove nothing"
    assert answer.transcript.startswith(f"UNKNOWN  endless\n\n  unknown  deadlock freedom  {reason}\n")
    assert "  walks  3 of 3, seed 1\n  steps  12, the longest walk 4 of at most 4\n" in answer.transcript


def test_what_is_for_walks_is_refused_without_them(strandline: Run) -> None:
    answer = strandline("simulate", "endless.dve", "--invariant", "x < 3")
    assert (answer.code, answer.stderr) == (
        2,
        "strandline simulate: --invariant is for random walks: give --walks N\n",
    )
    answer = strandline("simulate", "endless.dve", "--walks", "3", "-c", "random")
    assert (answer.code, answer.stderr) == (
        2,
        "strandline simulate: --walks takes walks by itself: not with --command or --product\n",
    )
