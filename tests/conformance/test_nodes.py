"""Logs of several nodes: reduction of interleavings, and explanations where the search for a prefix is limited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.verdict import Verdict
from strandline.conformance import nodes

APART = """from strandline import *
class Apart(Model):
    class P(Process, count=5):
        x: Range[0, 30]
        @action
        def up(m, me):
            require(me.x < 30)
            me.x += 1
"""


@pytest.fixture
def apart(tmp_path: Path) -> strandline.System:
    (tmp_path / "apart.py").write_text(APART)
    return strandline.load(tmp_path / "apart.py")


def events(most: int) -> list[dict[str, Any]]:
    return [{"event": "up", "node": node, f"P_{node}.x": number + 1} for number in range(most) for node in range(5)]


def test_independent_events_do_not_multiply(apart: strandline.System, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int | None] = []

    def check(*given: Any, **named: Any) -> Verdict:
        verdict = strandline.check(*given, **named)
        searched.append(verdict.statistics.states)
        return verdict

    monkeypatch.setattr(nodes, "check", check)
    assert strandline.conform(apart, events(6), map={"order": "nodes"})
    assert searched == [31]


def test_a_limited_search_for_the_prefix_does_not_change_the_verdict(
    apart: strandline.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = events(6)
    wrong[-1] = wrong[-1] | {"P_4.x": 9}
    whole = strandline.conform(apart, wrong, map={"order": "nodes"}).deviation
    assert whole is not None
    assert whole.matched == 29
    assert whole.reasons[0].words == "P_4.x is 6 after the step, in the log P_4.x is 9"
    monkeypatch.setattr(nodes, "_MOST_EXPLAINED", 100)
    partial = strandline.conform(apart, wrong, map={"order": "nodes"}).deviation
    assert partial is not None
    assert partial.matched < 29
    assert partial.reasons[0].kind == "search"
