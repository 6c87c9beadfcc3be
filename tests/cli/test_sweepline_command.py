"""`strandline sweepline`: the thesis's examples and the forms of its traces (000 §6, listings 6.1, 6.2, 6.4, 6.5)."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from strandline.cli.main import main

FILES = {
    "EF-p.txt": "EF p\n",
    "AG-p.txt": "AG p\n",
    "AGEF-p.txt": "AGEF p\n",
    "EFAG-p.txt": "EFAG p\n",
    "pPred.txt": "0\n1\n0 true 0 p 1\n1 true 1\n",
    "implies.txt": "0\n1\n0 true 0 p!q 1\n1 !q 1\n",
    # Figure 6.1: state 4 is forgotten and found again from state 5.
    "safety.ss": "1 1 1 !p * 2\n2 2 1 !p * 3 * 4\n3 4 1 !p * 5\n4 3 1 !p * 6\n5 5 1 !p * 4\n6 6 1 p\n",
    # Figure 6.4: a terminal component of three states.
    "component.ss": "1 1 1 p * 2\n2 2 1 p * 3\n3 3 1 !p * 4\n4 3 1 !p * 5\n5 3 1 !p * 3\n",
    "good.ss": "1 1 1 !p * 2\n2 2 1 p * 2\n",
    "cycle.ss": "1 1 2 !p !q * 2\n2 2 2 p !q * 3\n3 3 2 !p !q * 2\n",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def sweepline(*arguments: str) -> int:
    try:
        return main(["sweepline", "--quiet", *arguments])
    except SystemExit as stop:
        return int(stop.code or 0)


def trace() -> list[str]:
    file = Path("trace.txt")
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.mark.parametrize("how", [("-f", "EF-p.txt"), ("-a", "pPred.txt")])
def test_a_path_as_in_listing_6_2(how: tuple[str, str]) -> None:
    code = sweepline("-m", "safety.ss", "-s", *how)
    assert code == (0 if how[0] == "-f" else 12)
    assert trace() == ["start of path -> 1 -> 2 -> 4 -> 6 -> end of path"]


def test_the_tree_as_in_listing_6_1() -> None:
    sweepline("-m", "safety.ss", "-s", "-f", "EF-p.txt", "--tree")
    lines = Path("tree.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "1 has direct predecessor: -1"
    assert "4 has direct predecessor: 2" in lines
    assert "4 has direct predecessor: 5" in lines
    assert set(lines) >= {"2 has direct predecessor: 1", "3 has direct predecessor: 2", "5 has direct predecessor: 3"}


def test_a_cycle_over_several_layers_as_in_listing_6_4() -> None:
    assert sweepline("-m", "cycle.ss", "-l", "-a", "implies.txt") == 13
    assert trace() == ["start of path -> 1 -> 2 -> end of path", "start of cycle -> 2 -> 3 -> 2 -> end of cycle"]


def test_updates_as_in_listing_6_3() -> None:
    assert sweepline("-m", "cycle.ss", "-l", "-a", "implies.txt", "--updates") == 13
    lines = Path("mppUpdate.txt").read_text(encoding="utf-8").splitlines()
    assert "3/q1 updated by: 2/q1" in lines
    assert lines[-1] == "2/q1 updated by: 3/q1"
    assert all(re.fullmatch(r"\d/q\d updated by: \d/q\d", line) for line in lines)
    assert sweepline("-m", "cycle.ss", "-s", "-a", "pPred.txt", "--updates") == 2


def test_a_component_as_in_listing_6_5() -> None:
    assert sweepline("-m", "component.ss", "-c", "-f", "AGEF-p.txt") == 13
    assert trace() == [
        "start of path -> 1 -> 2 -> 3 -> end of path",
        "start of component -> 3 -> 4 -> 5 -> end of component",
    ]


def test_what_holds_triggers_no_trace_and_an_old_one_goes() -> None:
    sweepline("-m", "safety.ss", "-s", "-f", "EF-p.txt")
    assert sweepline("-m", "good.ss", "-c", "-f", "AGEF-p.txt") == 0
    assert not os.path.exists("trace.txt")


def test_the_thesis_text_contradicts_its_lemma() -> None:
    """000 §5.3 reports a trace for EF AG as soon as one terminal component has a state without p; lemma 5.2 refutes it
    only where no component has p throughout. The lemma is right."""
    both = "1 1 1 !p * 2 * 3\n2 2 1 p * 2\n3 2 1 !p * 3\n"
    Path("both.ss").write_text(both, encoding="utf-8")
    assert sweepline("-m", "both.ss", "-c", "-f", "EFAG-p.txt") == 0
    assert sweepline("-m", "both.ss", "-c", "-f", "AGEF-p.txt") == 13


def test_a_bad_initial_state_is_found() -> None:
    """000's algorithm 3 forgets the label of the initial state; its definition 3.3 does not."""
    Path("bad.ss").write_text("1 1 1 p * 1\n", encoding="utf-8")
    assert sweepline("-m", "bad.ss", "-s", "-a", "pPred.txt") == 12
    assert trace() == ["start of path -> 1 -> end of path"]


def test_every_language_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    Path("count.dve").write_text(
        "byte x;\nprocess P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }\nsystem async;\n",
        encoding="utf-8",
    )
    Path("three.txt").write_text("EF x == 3", encoding="utf-8")
    assert sweepline("-m", "count.dve", "-s", "-f", "three.txt", "--measure", "x") == 0
    assert trace()[0].startswith("start of path -> (x=0, P=a) -> (x=1, P=a) -> ")


STARTS = """DEFINE t : 0..3; MODULE VAR t x;
INIT x=0; x=2;
TRANS x=0 => x=1; x=1 => x=1; x=2 => x=3; x=3 => x=3;
"""


@pytest.mark.parametrize(
    ("formula", "code"),
    [("EF(x=1)", 13), ("EF(x=0)", 13), ("EF(x=1 | x=3)", 0), ("EF(x>3)", 13), ("AG(x<4)", 0), ("AG(x!=3)", (12, 13))],
)
@pytest.mark.parametrize("fairness", ["", "FAIRNESS x>0;"])
@pytest.mark.parametrize("measure", [[], ["--measure", "x"]])
def test_a_formula_holds_if_it_holds_in_all_initial_states(
    formula: str, code: int | tuple[int, int], fairness: str, measure: list[str]
) -> None:
    Path("starts.lotus").write_text(STARTS + fairness, encoding="utf-8")
    Path("formula.txt").write_text(formula, encoding="utf-8")
    wanted = code if isinstance(code, tuple) else (code, code)
    found = [sweepline("-m", "starts.lotus", kind, "-f", "formula.txt", *measure) for kind in ("-s", "-c")]
    assert found[0] in wanted
    assert found[1] in wanted


def test_fairness_counts_for_both_kinds() -> None:
    """The only way to x=1 stays there, and no fair path does."""
    text = "DEFINE t : 0..1; MODULE VAR t x; INIT x=0; TRANS x=0 => x=1; x=0 => x=0; x=1 => x=1; FAIRNESS x=0;"
    Path("starts.lotus").write_text(text, encoding="utf-8")
    Path("formula.txt").write_text("EF(x=1)", encoding="utf-8")
    assert sweepline("-m", "starts.lotus", "-s", "-f", "formula.txt") == 13
    assert sweepline("-m", "starts.lotus", "-c", "-f", "formula.txt") == 13


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-c", "-a", "pPred.txt"], "-c needs a formula: give -f"),
        (["-l", "-f", "EF-p.txt"], "-l needs an automaton: give -a"),
        (["-s", "-f", "AGEF-p.txt"], "-s needs 'EF p' or 'AG p', not 'AG EF p': other formulas are for -c"),
        (["-s", "-f", "none.txt"], "none.txt: no such file"),
    ],
)
def test_what_does_not_fit_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sweepline("-m", "good.ss", *arguments) == 2
    assert message in capsys.readouterr().err


def test_listing_7_6_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """`Sweepline -m testModel.txt -f testPredicate.txt -s`: a state space, whatever its file is called."""
    Path("testModel.txt").write_text(Path("safety.ss").read_text())
    Path("testPredicate.txt").write_text(Path("EF-p.txt").read_text())
    assert sweepline("-m", "testModel.txt", "-f", "testPredicate.txt", "-s") == 0
    assert trace() == ["start of path -> 1 -> 2 -> 4 -> 6 -> end of path"]
    assert capsys.readouterr().out.endswith("trace triggered: trace.txt\n")
    assert main(["explore", "testModel.txt", "--quiet"]) == 2
    assert main(["explore", "testModel.txt", "--language", "ss", "--quiet"]) == 0


def test_without_arguments_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweepline"]) == 2
    assert capsys.readouterr().out.startswith("usage: strandline sweepline [-h] [-m FILE]")
    for given, missing in (
        (["-s", "-f", "EF-p.txt"], "the following arguments are required: -m"),
        (["-m", "safety.ss", "-f", "EF-p.txt"], "one of the arguments -s -l -c is required"),
        (["-m", "safety.ss", "-s"], "one of the arguments -f -a is required"),
    ):
        assert main(["sweepline", *given]) == 2
        assert missing in capsys.readouterr().err


def test_limits_parameters_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("count.dve").write_text(
        "const int N = 9; byte x;\n"
        "process P { state s; init s; trans s -> s { guard x < N; effect x = x + 1; }; }\nsystem async;\n"
    )
    Path("formula.txt").write_text("EF x == 20")
    asked = ("-m", "count.dve", "-s", "-f", "formula.txt", "--json")
    assert sweepline(*asked) == 12
    data = json.loads(capsys.readouterr().out)
    assert (data["exit_code"], data["states"], data["properties"][0]["verdict"]) == (12, 10, "VIOLATED")
    assert sweepline(*asked, "-D", "N=30") == 0
    assert json.loads(capsys.readouterr().out)["trace"]["length"] == 20
    assert sweepline(*asked, "--max-states", "5") == 3
    assert json.loads(capsys.readouterr().out)["reason"] == "the limit of 5 states is reached"


@pytest.mark.parametrize(
    ("action", "code", "path"), [("crit1crit2", 12, "1 -> 2"), ("crit1!crit2", 12, "1"), ("!crit1", 0, "")]
)
def test_labels_of_several_letters_in_automaton_files(action: str, code: int, path: str) -> None:
    Path("critical.ss").write_text("1 1 2 crit1 !crit2 * 2\n2 2 2 crit1 crit2 * 1\n")
    Path("both.txt").write_text(f"0\n1\n0 true 0 {action} 1\n1 true 1\n")
    assert sweepline("-m", "critical.ss", "-s", "-a", "both.txt") == code
    assert trace() == ([f"start of path -> {path} -> end of path"] if path else [])
