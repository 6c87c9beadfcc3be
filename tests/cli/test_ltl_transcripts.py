"""LTL on the command line: exact output, and the JSON object."""

from __future__ import annotations

import json
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


@pytest.fixture(autouse=True)
def _light(tmp_path: Path) -> None:
    (tmp_path / "light.dve").write_text(LIGHT)


def test_a_lasso(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "F G Light.red", "--shortest")
    assert (answer.code, answer.stderr) == (13, "looking for a shortest lasso ...\n")
    assert answer.transcript == (
        "VIOLATED  light\n"
        "\n"
        "  violated  ltl F G Light.red  2 steps, then a loop of 2 steps\n"
        "\n"
        "Violation of 'F G Light.red': 2 steps, then a loop of 2 steps "
        "(a shortest stem to an accepting state on a cycle, then a shortest cycle through it)\n"
        "    initial state\n"
        "        rounds=0 Light=red\n"
        "    1  Light: red -> green\n"
        "    2  Light: green -> red\n"
        "         rounds: 0 → 1\n"
        "  ╭─ state 2: from here on the same steps again and again\n"
        "  │ 3  Light: red -> green\n"
        "  │ 4  Light: green -> red\n"
        "  ╰─ back in state 2\n"
        "\n"
        "  state      0  1  ┆ 2  3 ↺\n"
        "  Light.red  1  0  ┆ 1  0*\n"
        "  *: if this value alone were different, the run would satisfy the formula\n"
        "\n"
        "  method     scc (a shortest lasso needs all accepting components)\n"
        "  automaton  2 states, 4 edges\n"
        "  product    5 states, 6 transitions\n"
        "  memory\n"
        "  time\n"
    )


def test_a_run_that_ends(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G F Light.red")
    assert answer.code == 13
    trace, atoms = answer.transcript.split("\n\n")[2:4]
    assert trace == (
        "Violation of 'G F Light.red': 4 steps, then the run has ended\n"
        "  initial state\n"
        "      rounds=0 Light=red\n"
        "  1  Light: red -> green\n"
        "  2  Light: green -> red\n"
        "       rounds: 0 → 1\n"
        "  3  Light: red -> green\n"
        "  4  Light: green -> broken\n"
        "  the run ends here: no step is possible, and its last state counts for ever"
    )
    assert atoms == (
        "  state      0  1  2  3  ┆ 4 ↺\n"
        "  Light.red  1  0  1  0  ┆ 0*\n"
        "  *: if this value alone were different, the run would satisfy the formula"
    )


def test_what_holds_says_how_it_was_searched(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G F Light.red", "--finite-runs", "ignore", "--fair")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.transcript == (
        "HOLDS  light\n"
        "\n"
        "  holds  ltl G F Light.red\n"
        "\n"
        "  method       ndfs (no progress measure is given)\n"
        "  automaton    2 states, 3 edges\n"
        "  fairness     weak fairness of Light\n"
        "  finite runs  ignored\n"
        "  product      9 states, 14 transitions\n"
        "  visited      11\n"
        "  memory\n"
        "  time\n"
    )


def test_warnings_stand_beside_the_properties(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G (rounds == 2 -> F Light.red)", "--ltl", "G true")
    assert answer.code == 0
    assert answer.transcript.split("\n\n")[1] == (
        "  holds  ltl G (rounds == 2 -> F Light.red)\n"
        "  holds  ltl G true                          every run of every model satisfies this formula\n"
        "  warning: 'G (rounds == 2 -> F Light.red)': it holds vacuously: "
        "'rounds == 2' never happens where it matters\n"
        "  warning: 'G true': every run of every model satisfies this formula"
    )


def test_all_components(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "false", "--all-cycles")
    assert answer.code == 13
    assert answer.transcript.split("\n\n")[3] == (
        "2 accepting components\n"
        "  1  1 state   4 steps, then the run has ended\n"
        "  2  2 states  2 steps, then a loop of 2 steps"
    )


def test_a_bad_prefix_is_no_lasso(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G !Light.broken")
    assert answer.code == 13
    assert answer.transcript.split("\n\n")[2].splitlines()[0::8] == [
        "Violation of 'G !Light.broken': 4 steps (breadth-first: no shorter path shows it)",
        "  whatever follows, the formula is violated",
    ]


def test_json(strandline: Run) -> None:
    report = strandline("check", "light.dve", "--ltl", "F G Light.red", "--shortest", "--json").report
    (one,) = report["properties"]
    assert (one["kind"], one["name"], one["verdict"]) == ("ltl", "F G Light.red", "VIOLATED")
    search = one["search"]
    assert {key: search[key] for key in ("formula", "method", "automaton_states", "product_states", "complete")} == {
        "formula": "F G Light.red",
        "method": "scc",
        "automaton_states": 2,
        "product_states": 5,
        "complete": True,
    }
    assert search["lasso"] == {"loop_start": 2, "stem_length": 2, "loop_length": 2, "ended": False}
    assert search["atoms"] == [
        {
            "name": "Light.red",
            "values": [True, False, True, False, True],
            "decisive": [False, False, False, True, False],
        }
    ]
    assert one["trace"]["loop"] == 2
    assert report["trace"] == one["trace"]
    assert strandline("check", "mutex.dve", "--deadlock", "--json").report["properties"][0]["search"] is None


@pytest.mark.parametrize("name", ["t.json", "t.itf.json"])
def test_a_lasso_goes_to_a_file_and_comes_back(strandline: Run, name: str) -> None:
    assert strandline("check", "light.dve", "--ltl", "F G Light.red", "--trace", name, "--shortest").code == 13
    assert json.loads(Path(name).read_text())["loop"] == 2
    answer = strandline("trace", name, "--model", "light.dve")
    assert answer.code == 0
    assert answer.stdout.splitlines()[-4:] == [
        "╭─ state 2: from here on the same steps again and again",
        "│ 3  Light: red -> green",
        "│ 4  Light: green -> red",
        "╰─ back in state 2",
    ]


def test_a_run_that_ends_goes_to_a_file_and_comes_back(strandline: Run) -> None:
    assert strandline("check", "light.dve", "--ltl", "G F Light.red", "--trace", "t.itf.json").code == 13
    assert strandline("trace", "t.itf.json", "--model", "light.dve").code == 0


def test_mistakes(strandline: Run) -> None:
    answer = strandline("check", "light.dve", "--ltl", "G F Light.blue")
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.stderr == ("formula:1:11: process 'Light' has no state 'blue'\n  G F Light.blue\n            ^^^^\n")
    assert strandline("check", "light.dve", "--ltl", "G F Light.red", "--method", "ndfs", "--all-cycles").code == 2


def test_a_very_long_lasso_is_cut_in_the_middle_of_the_text_only(strandline: Run, tmp_path: Path) -> None:
    (tmp_path / "long.dve").write_text(
        "int x; process P { state s; init s; trans s -> s { guard x < 700; effect x = x + 1; },"
        " s -> s { guard x == 700; effect x = 300; }; } system async;"
    )
    answer = strandline("check", "long.dve", "--ltl", "F x > 700", "--trace", "t.json")
    lines = answer.transcript.splitlines()
    assert "Violation of 'F x > 700': 300 steps, then a loop of 401 steps" in lines
    assert [line for line in lines if "--trace FILE has them all" in line] == [
        "    ... 200 steps; --trace FILE has them all",
        "  │ ... 301 steps; --trace FILE has them all",
    ]
    assert "  ╭─ state 300: from here on the same steps again and again" in lines
    assert "  ╰─ back in state 300" in lines
    assert json.loads(Path("t.json").read_text())["length"] == 701
