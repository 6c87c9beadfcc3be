"""The HTML of results in notebooks: well-formed, with the important figures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import strandline
from strandline.properties import parse_ltl, translate

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = (
    "naive-mutex/naive-mutex.dve", "python-two-phase-commit/two_phase_commit.py", "process-stop-and-wait/deaf.psl",
    "petri-crossing/crossing.pnml", "lotus-token/token.lotus",
)  # fmt: skip


def shown(value: object) -> str:
    """The picture of a value, which is well formed."""
    text = value._repr_html_()  # type: ignore[attr-defined]
    ElementTree.fromstring(f"<div>{text}</div>")
    return str(text)


@pytest.mark.parametrize("model", MODELS)
def test_systems_of_every_language(model: str) -> None:
    system = strandline.load(EXAMPLES / model)
    text = shown(system)
    assert system.title in text
    assert "<summary>variables</summary>" in text


def test_verdicts_and_traces() -> None:
    verdict = strandline.check(EXAMPLES / "naive-mutex/naive-mutex.dve", invariants="not (P.critical and Q.critical)")
    text = shown(verdict)
    assert "<b>naive-mutex</b>" in text
    assert ">VIOLATED</b>" in text
    assert "trace of 4 steps" in text
    assert "<script" not in text
    assert "flag[0]: 0 → 1" in shown(verdict.trace)
    assert "stored at most 9 of 9, layer by layer" in shown(verdict.statistics)


def test_a_lasso_says_where_it_goes_back_to() -> None:
    verdict = strandline.check(EXAMPLES / "ltl-starvation/semaphore.dve", ltl="G (P.wait -> F P.critical)")
    assert "then back to state 1, for ever" in shown(verdict.trace)


def test_explorations_and_automata() -> None:
    text = shown(strandline.explore(EXAMPLES / "stop-and-wait/stop-and-wait.dve", measure="mono(sent + received)"))
    assert "110,526" in text
    assert "<svg" in text
    assert "<svg" in shown(translate(parse_ltl("G (p -> F q)").formula))


def test_long_traces_lose_their_middle(tmp_path: Path) -> None:
    model = tmp_path / "up.dve"
    steps = "s -> s { guard x < 300; effect x = x + 1; }"
    model.write_text(f"int x; process P {{ state s; init s; trans {steps}; }} system async;")
    text = shown(strandline.check(model, reach="x == 300").trace)
    assert "... 200 steps ..." in text
