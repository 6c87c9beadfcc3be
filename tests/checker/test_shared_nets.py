"""The shared nets of up to 30,000 markings: figures, and verdicts of the contest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

import nets
from strandline.languages import load
from strandline.model.system import System

LARGEST, FEW = 30_000, 1_000
SLOW = {"RwMutex-PT-r0010w0500"}
"""A large net, which takes seconds to compile; the benchmark has it."""
SLOWER = {"StigmergyCommit-PT-02a", "SieveSingleMsgMbox-PT-d0m04"}
"""Those that are not asked formula by formula."""


def references() -> list[nets.Reference]:
    """None where the set is not there."""
    if not (nets.DEFAULT_FOLDER / "reference.csv").exists():
        return []
    return [one for one in nets.references() if one.states <= LARGEST and one.name not in SLOW]


NETS = references()
ASKED = [one for one in NETS if one.name not in SLOWER]
needs_nets = pytest.mark.skipif(not NETS, reason=f"no nets in {nets.DEFAULT_FOLDER}")


@cache
def loaded(net: nets.Reference) -> System:
    return load(net.file)


def by_name(some: list[nets.Reference]) -> list[object]:
    return [pytest.param(one, id=one.name) for one in some]


@needs_nets
@pytest.mark.parametrize("net", by_name(NETS))
def test_figures(net: nets.Reference) -> None:
    assert nets.wrong_figures(net, loaded(net)) == []


def wrong(net: nets.Reference, examination: str, method: str, first: int = 16) -> list[str]:
    answers = list(nets.judged(net, loaded(net), examination, method, first=first))
    assert answers
    return [f"{one.answer.id} is {one.verdict}, not {one.answer.text}" for one in answers if one.outcome != "right"]


def wrong_together(net: nets.Reference, examinations: Sequence[str], method: str) -> list[str]:
    answers = list(nets.judged_together(net, loaded(net), examinations, method))
    assert answers
    return [f"{one.answer.id} is {one.verdict}, not {one.answer.text}" for one in answers if one.outcome != "right"]


@needs_nets
@pytest.mark.parametrize("net", by_name(ASKED))
def test_formulas_about_states(net: nets.Reference) -> None:
    assert wrong_together(net, nets.OF_STATES, "bfs") == []


@needs_nets
@pytest.mark.parametrize("examination", nets.LTL)
@pytest.mark.parametrize("net", by_name([one for one in ASKED if one.states <= FEW]))
def test_formulas_about_runs(net: nets.Reference, examination: str) -> None:
    assert wrong(net, examination, "auto", first=3) == []


@needs_nets
@pytest.mark.parametrize("net", by_name(ASKED))
def test_formulas_about_trees(net: nets.Reference) -> None:
    assert wrong_together(net, nets.CTL, "ctl") == []


@needs_nets
@pytest.mark.parametrize("question", nets.QUESTIONS)
@pytest.mark.parametrize("net", by_name([one for one in ASKED if one.states <= FEW]))
def test_named_questions(net: nets.Reference, question: str) -> None:
    assert wrong(net, question, "bfs") == []
