"""`check --automaton` and `check --never`: exact output, the JSON object, the exit codes, `expected.toml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer

Run = Callable[..., Answer]

LIGHT = """
byte rounds;
process Light {
  state red, green, broken;
  init red;
  trans
    red -> green {},
    green -> red { effect rounds = 1; },
    green -> broken { guard rounds == 1; };
}
system async;
"""
DARK = "never { T0: do :: true :: (!Light.green) -> goto accept_dark od; accept_dark: do :: (!Light.green) od; }"
BROKEN = "0\n1\n0 true 0 true&Light.broken 1\n1\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    (tmp_path / "light.dve").write_text(LIGHT)
    (tmp_path / "dark.pml").write_text(DARK)
    (tmp_path / "broken.aut").write_text(BROKEN)


def test_a_run_that_an_automaton_accepts(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--automaton", "dark.pml")
    assert (answer.code, answer.stderr) == (13, "")
    assert answer.transcript == (
        "VIOLATED  light\n"
        "\n"
        "  violated  automaton dark.pml  4 steps, then the run has ended\n"
        "\n"
        "Violation of 'dark.pml': 4 steps, then the run has ended\n"
        "  initial state\n"
        "      rounds=0 Light=red\n"
        "  1  Light: red -> green\n"
        "  2  Light: green -> red\n"
        "       rounds: 0 → 1\n"
        "  3  Light: red -> green\n"
        "  4  Light: green -> broken\n"
        "  the run ends here: no step is possible, and its last state counts for ever\n"
        "\n"
        "  state        0  1  2  3  ┆ 4 ↺\n"
        "  Light.green  0  1  0  1  ┆ 0*\n"
        "  *: if this value alone were different, the run would be no violation\n"
        "\n"
        "  method     ndfs (no progress measure is given)\n"
        "  automaton  2 states, 3 edges\n"
        "  product    6 states, 10 transitions  (not complete: every property is decided)\n"
        "  memory\n"
        "  time\n"
    )


def test_a_path_that_must_never_be(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--never", "{Light.red} . {Light.red} .* {Light.broken}")
    assert (answer.code, answer.stderr) == (12, "")
    assert answer.transcript == (
        "VIOLATED  light\n"
        "\n"
        "  violated  never {Light.red} . {Light.red} .* {Light.broken}  4 steps\n"
        "\n"
        "Violation of '{Light.red} . {Light.red} .* {Light.broken}': 4 steps "
        "(breadth-first: no shorter path shows it)\n"
        "  initial state\n"
        "      rounds=0 Light=red\n"
        "  1  Light: red -> green\n"
        "  2  Light: green -> red\n"
        "       rounds: 0 → 1\n"
        "  3  Light: red -> green\n"
        "  4  Light: green -> broken\n"
        "  this path is one that must never be\n"
        "\n"
        "  state         0   1  2   3  4\n"
        "  Light.red     1*  0  1*  0  0\n"
        "  Light.broken  0   0  0   0  1*\n"
        "  *: if this value alone were different, the run would be no violation\n"
        "\n"
        "  method     prefix (a safety property: a finite path shows every violation; searched breadth-first)\n"
        "  automaton  5 states, 6 edges\n"
        "  product    7 states, 7 transitions  (not complete: every property is decided)\n"
        "  visited    6\n"
        "  memory\n"
        "  time\n"
        "\n"
        "  ▄▄▄▄█▄\n"
        "  states by distance from the start\n"
    )


def test_json(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--json", "--automaton", "broken.aut", "--automaton-words", "finite")
    (one,) = answer.report["properties"]
    assert (answer.code, one["kind"], one["name"], one["verdict"]) == (12, "never", "broken.aut", "VIOLATED")
    assert (one["trace"]["length"], one["search"]["method"], one["search"]["formula"]) == (4, "prefix", None)
    assert [atom["name"] for atom in one["search"]["atoms"]] == ["Light.broken"]
    answer = strandline("check", "light.dve", "--json", "--automaton", "dark.pml", "--automaton-accepts", "good")
    (one,) = answer.report["properties"]
    assert (answer.code, one["kind"], one["verdict"]) == (13, "automaton", "VIOLATED")
    assert one["search"]["lasso"]["loop_length"] == 2


def test_mistakes(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--never", ".* {Light.blue}")
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.stderr == "never:1:11: process 'Light' has no state 'blue'\n  .* {Light.blue}\n            ^^^^\n"
    answer = strandline("check", "light.dve", "--automaton-words", "finite")
    assert answer.code == 2
    assert answer.stderr == (
        "strandline check: --automaton-words finite says how an automaton is read, and there is none: "
        "give --automaton FILE\n"
    )


def test_a_sweep_that_looks_for_its_measure_says_so(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G F !Light.green", "--method", "sweep")
    assert answer.code == 0
    assert answer.stderr.startswith("no progress measure is given or declared: looking for one ...\n")


def test_expected_verdicts_name_files_from_their_folder(strandline: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "dark.pml").write_text(DARK)
    (folder / "expected.toml").write_text(
        'model = "../light.dve"\n[[check]]\nautomaton = "dark.pml"\nverdict = "VIOLATED"\nexit_code = 13\n'
        '[[check]]\nname = "both"\nautomaton = ["dark.pml"]\nnever = ".* {Light.broken} {Light.red}"\n'
        '[check.properties]\n".* {Light.broken} {Light.red}" = "HOLDS"\n'
    )
    answer = strandline("test", "folder")
    assert answer.code == 0, answer.stdout
    (folder / "expected.toml").write_text('model = "../light.dve"\n[[check]]\nautomaton = 3\nverdict = "HOLDS"\n')
    answer = strandline("test", "folder")
    assert answer.code == 2
    assert "'automaton' cannot be 3" in answer.stdout
