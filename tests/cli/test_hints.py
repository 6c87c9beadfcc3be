"""Hints for a newcomer's mistypings and omissions."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.cli.main import main

BOX = """
from strandline import Array, Enum, Model, Process, Range, action, invariant, require


class Box(Model):
    x: Range[0, 3] = 0
    a: Array[Range[0, 3], 2]

    class P(Process, count=2):
        pc: Enum["idle", "busy"] = "idle"

        @action(at="idle", to="busy")
        def go(m, me):
            m.x = 2

        @action(at="busy", to="idle")
        def back(m, me): ...

        @invariant
        def fine(m, me):
            return m.x < 3

    @action
    def up(m):
        require(m.x < 3)
        m.x += 1

    @invariant
    def small(m):
        return m.x < 3
"""

CHECK_HELP = "try 'strandline check --help'"


@pytest.fixture
def box(tmp_path: Path) -> str:
    file = tmp_path / "box.py"
    file.write_text(BOX, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ["chek", "MODEL"],
            ["strandline: there is no command 'chek'; did you mean 'check'?", "try 'strandline --help'"],
        ),
        (
            ["check", "MODEL", "--invarant=x"],
            ["strandline check: unrecognized arguments: --invarant=x; did you mean '--invariant'?", CHECK_HELP],
        ),
        (["check", "MODEL", "--qqq"], ["strandline check: unrecognized arguments: --qqq", CHECK_HELP]),
        (
            ["check", "MODEL", "--quiet", "--property", "fin"],
            ["strandline check: the model has no property 'fin': it has 'small', 'P_0.fine', 'P_1.fine'"],
        ),
    ],
)
def test_what_is_mistyped(arguments: list[str], lines: list[str], box: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([box if one == "MODEL" else one for one in arguments]) == 2
    assert capsys.readouterr().err.splitlines() == lines


def test_a_keyword_that_a_call_does_not_have(box: str) -> None:
    with pytest.raises(TypeError, match=r"check\(\) has no keyword 'invariant'; did you mean 'invariants'\?"):
        strandline.check(box, invariant="x < 3")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["fine", "P.fine"])
def test_a_claim_of_every_process_is_asked_for_by_one_name(box: str, name: str) -> None:
    verdict = strandline.check(box, property=name)
    assert [one.name for one in verdict.properties] == ["P_0.fine", "P_1.fine"]
    assert [one.name for one in strandline.check(box, property="P_1.fine").properties] == ["P_1.fine"]


def test_a_state_that_violates_two_claims_has_two_headings(box: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", box, "--quiet", "--invariant", "x < 3", "--invariant", "x != 3"])
    lines = capsys.readouterr().out.splitlines()
    headings = [line for line in lines if line.startswith("Violation")]
    assert headings == [
        "Violation of 'x < 3' after 2 steps, no shorter one exists",
        "Violation of 'x != 3' after 2 steps, no shorter one exists",
    ]
    assert lines.count("  initial state") == 1


def test_under_fairness_what_is_counted_is_not_called_states(capsys: pytest.CaptureFixture[str]) -> None:
    model = Path(__file__).resolve().parents[2] / "examples" / "peterson" / "peterson.dve"
    arguments = ["check", str(model), "--quiet", "--ctl", "AG EF P.critical", "--method", "explicit"]
    main([*arguments, "--fair"])
    fair = capsys.readouterr().out
    assert "  product      31, each a state of the model and which fair actions were just taken\n" in fair
    assert "\n  states  " not in fair
    main(arguments)
    assert "  states       20\n" in capsys.readouterr().out


MODEL = """
from strandline import Array, Enum, Fifo, Model, Process, Range, action, ctl, invariant, ltl, param, require


class Box(Model):
    n = param(3)
    lossy = param(True)
    x: Range[0, 3] = 0
    a: Array[Range[0, 3], 2]{initial}
    q: Fifo[Range[0, 3], 2]

    class P(Process, count=2):
        pc: Enum["idle", "busy"] = "idle"

        @action(at="idle", to="busy")
        def go(m, me): ...

        @action(at="busy", to="idle")
        def back(m, me): ...

    @action
    def up(m):
        require(m.x < 3{guard})
        m.x += 1

    @invariant
    def small(m):
        {claim}

    @action
    def down(m):
        require(m.x == 3)
        m.x = 0
{more}
"""

MISFIT = "model.py:9:5: Box.a: the initial value does not fit: a is Array[Range[0, 3], 2]; it cannot hold"


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        (
            {"claim": "m.x < 4"},
            ["model.py:28:9: this has no effect; did you mean 'return ...'?", "          m.x < 4", "          ^^^^^^^"],
        ),
        (
            {"guard": " and m.q.empty()"},
            [
                "model.py:23:29: 'empty' is not called: write m.q.empty",
                "          require(m.x < 3 and m.q.empty())",
                "                              ^^^^^^^^^^^",
            ],
        ),
        (
            {"initial": " = -1"},
            [
                f"{MISFIT} -1: an array has a value for each element, as in [-1] * 2",
                "      a: Array[Range[0, 3], 2] = -1",
                "      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            ],
        ),
        (
            {"initial": " = [1]"},
            [
                f"{MISFIT} [1]: an array of 2 has a value for each element",
                "      a: Array[Range[0, 3], 2] = [1]",
                "      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            ],
        ),
        (
            {"more": '    calm = ltl("G pc == idle")'},
            [
                "model.py:34:19: the model has no 'pc'; it is a variable of process 'P': P[0].pc",
                '      calm = ltl("G pc == idle")',
                "                    ^^",
            ],
        ),
        (
            {"more": '    calm = ltl("G P[0].pc == idle")'},
            [
                "model.py:34:30: the model has no 'idle'; it is a value, which is written in quotes: 'idle'",
                '      calm = ltl("G P[0].pc == idle")',
                "                               ^^^^",
            ],
        ),
        (
            {"more": '    calm = ltl("G a[x] == 0")'},
            [
                "model.py:34:19: array index out of range in a state where x = 2, a has 2 elements, after 2 steps",
                '      calm = ltl("G a[x] == 0")',
                "                    ^^^^",
            ],
        ),
        (
            {"more": '    calm = ctl("AG ({a[x] == 0} || x > 7)")'},
            [
                "model.py:34:22: array index out of range in a state where x = 2, a has 2 elements, after 2 steps",
                '      calm = ctl("AG ({a[x] == 0} || x > 7)")',
                "                       ^^^^",
            ],
        ),
    ],
)
def test_what_is_missed_in_a_model(
    parts: dict[str, str],
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    text = MODEL.format(**{"initial": "", "guard": "", "claim": "return m.x < 4", "more": "", **parts})
    Path("model.py").write_text(text, encoding="utf-8")
    assert main(["check", "model.py", "--quiet"]) == 2
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("n=three", "Box: parameter 'n' is a number, 3 where nothing is given, not 'three'"),
        ("n=2.5", "Box: parameter 'n' is a number, 3 where nothing is given, not 2.5"),
        ("lossy=maybe", "Box: parameter 'lossy' is True or False, True where nothing is given, not 'maybe'"),
    ],
)
def test_a_parameter_that_is_something_else(
    given: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL.format(initial="", guard="", claim="return m.x < 4", more=""), encoding="utf-8")
    assert main(["check", str(file), "--quiet", "-D", given]) == 2
    assert capsys.readouterr().err == f"strandline check: {message}\n"
    assert main(["check", str(file), "--quiet", "-D", "n=4", "-D", "lossy=false"]) == 0


OUTSIDE = """
from strandline import Model, Range, action


class Box(Model):
    x: Range[0, 3] = 0

    @action
    def up(m):
        m.x += 2
"""
BEYOND = """
byte a[3]; byte i;
process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }
system async;
"""


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        (
            "x.py",
            OUTSIDE,
            ["  !  up", "     value outside the variable's range: x = 4, which holds 0..3"],
        ),
        (
            "a.dve",
            BEYOND,
            ["  !  P: s -> s", "     array index out of range: a[3], whose indices are 0..2"],
        ),
    ],
)
def test_a_fault_names_the_value(
    name: str, text: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["check", str(tmp_path / name), "--quiet"]) == 12
    shown = capsys.readouterr().out.splitlines()
    place = shown.index(lines[0])
    assert shown[place : place + 2] == lines


CALLED = """
    @invariant
    def calmer(m):
        return m.calm() or m.x == 3
"""


@pytest.mark.parametrize(
    ("more", "notes"),
    [
        (
            "    def calm(m):\n        return m.x < 3 and not m.q.full",
            ["'calm' returns a condition; is it a claim without its @invariant?"],
        ),
        ("    def number(m):\n        return m.x", []),
        ("    def calm(m, i):\n        return m.x < i", []),
        (f"    def calm(m):\n        return m.x < 3\n{CALLED}", []),
    ],
)
def test_a_claim_without_its_decorator(more: str, notes: list[str], tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL.format(initial="", guard="", claim="return m.x < 4", more=more), encoding="utf-8")
    line = MODEL[: MODEL.index("{more}")].count("\n") + 1
    found = strandline.explore(str(file)).notes
    assert list(found) == [f"warning: {file}:{line}:5: {one}" for one in notes]
