"""What a newcomer mistypes or misses is answered by what was perhaps meant."""

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
            ["check", "MODEL", "--property", "fin"],
            ["strandline check: the model has no property 'fin': it has 'small', 'P_0.fine', 'P_1.fine'"],
        ),
    ],
)
def test_what_is_mistyped(
    arguments: list[str], lines: list[str], box: str, capsys: pytest.CaptureFixture[str]
) -> None:
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
