"""The judge of CTL evidence accepts exactly the runs that show the claim, for every operator."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.engine.graph.log import Bits
from strandline.engine.graph.paths import Path as Way
from strandline.engine.graph.paths import Paths
from strandline.errors import ReplayError

CHAIN = "1 1 2 p !q * 2\n2 2 2 p q * 3\n3 3 2 !p !q * 3 * 1\n"
"""p, then p and q, then neither, for ever or from the beginning."""

REACHING = [
    ("EF q", "HOLDS"),
    ("E [p U q]", "HOLDS"),
    ("E [q M p]", "HOLDS"),
    ("E [q R p]", "HOLDS"),
    ("E [p W !p]", "HOLDS"),
    ("AG !q", "VIOLATED"),
    ("A [!p R !q]", "VIOLATED"),
    ("A [!q W !p]", "VIOLATED"),
    ("A [!q U !p]", "VIOLATED"),
    ("A [!p M !q]", "VIOLATED"),
]
STAYING = [
    ("EF (!p && EG !p)", "HOLDS"),
    ("EF (!p && E [p R !p])", "HOLDS"),
    ("EF (!p && E [!p W q])", "HOLDS"),
    ("AG (p || AF q)", "VIOLATED"),
    ("AG (p || A [!q U q])", "VIOLATED"),
    ("AG (p || A [p M (p || !q)])", "VIOLATED"),
]
MEASURES: list[tuple[str, ...]] = [(), ("progress",)]


@pytest.fixture
def chain(tmp_path: Path) -> str:
    file = tmp_path / "chain.ss"
    file.write_text(CHAIN, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("measure", MEASURES, ids=["explicit", "swept"])
@pytest.mark.parametrize(("formula", "answer"), REACHING + STAYING)
def test_what_is_shown_is_judged_to_be_right(chain: str, formula: str, answer: str, measure: tuple[str, ...]) -> None:
    (one,) = strandline.check(chain, ctl=formula, measure=measure).properties
    assert one.answer.value == answer
    assert one.trace is not None


@pytest.mark.parametrize(("formula", "answer"), REACHING)
def test_a_path_that_stops_too_early_is_found_out(
    chain: str, formula: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(paths: Paths, start: int, through: Bits, goal: Bits) -> Way:
        return Way((start,), ())

    monkeypatch.setattr(Paths, "until", stops)
    with pytest.raises(ReplayError, match=r"the run that is evidence for '.*' does not"):
        strandline.check(chain, ctl=formula)


@pytest.mark.parametrize(("formula", "answer"), STAYING)
def test_a_loop_through_other_states_is_found_out(
    chain: str, formula: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def round_the_chain(paths: Paths, start: int, inside: Bits, conditions: object) -> Way:
        leads_back = paths.successors(start).index(0)
        return Way((start, 0, 1, start), (leads_back, 0, 0), loop=0)

    monkeypatch.setattr(Paths, "always", round_the_chain)
    with pytest.raises(ReplayError, match=r"the run that is evidence for '.*' does not"):
        strandline.check(chain, ctl=formula)


def test_a_loop_that_is_not_fair_is_found_out(chain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = strandline.check(chain, ctl="EG (p || !q)", fairness="p").properties
    assert one.trace is not None
    assert one.trace.loop == 0
    always = Paths.always

    def unfair(paths: Paths, start: int, inside: Bits, conditions: object = ()) -> Way:
        return always(paths, start, inside)

    monkeypatch.setattr(Paths, "always", unfair)
    with pytest.raises(ReplayError, match=r"the run that is evidence for 'EG .*' is not fair: p"):
        strandline.check(chain, ctl="EG (p || !q)", fairness="p")
