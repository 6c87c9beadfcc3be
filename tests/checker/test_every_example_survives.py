"""Every example, in every language: a run that is killed and resumed, one whose memory is full, and one that stores
states as trees count the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from little_memory import give

import strandline
from strandline.checker.checkpoints import run_folder as run_folder_module
from strandline.checker.decisions import checks as checks_module
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.checker.verdicts.verdict import Exploration
from strandline.compile.make import make_kernel
from strandline.engine.search import Event, Search

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_ALL = sorted({str(case.model) for file in find_expected([EXAMPLES]) for case in read_expected(file)})
MODELS = list({Path(model.partition(":")[0]).suffix: model for model in _ALL}.values())
"""One for each language: the suites of checkpoints and of spilling have every kind of search."""


class Killed(BaseException):
    """The process is gone."""


class Watches:
    def __init__(self, *, dies: bool) -> None:
        self._dies, self.told = dies, list[str]()

    def stage(self, text: str) -> None:
        self.told.append(text)

    def progress(self, progress: object) -> None:
        if self._dies:
            raise Killed


def counts(exploration: Exploration) -> tuple[object, ...]:
    now = exploration.statistics
    return exploration.complete, now.states, now.transitions, now.deadlocks, now.levels, now.coverage


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.removeprefix(f"{EXAMPLES}/"))
def test_counts_survive(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    system = strandline.load(model)
    expected = strandline.explore(system)
    assert counts(strandline.explore(system, store="tree")) == counts(expected)
    states = expected.statistics.visited
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        search._budget = max(1, states // 4)
        event = usual(search, 0.0)
        spills = type(search).__name__ == "SpillingSearch" or not full
        return event if spills or search.statistics().visited < states // 2 else Event.MEMORY

    full = False
    monkeypatch.setattr(Search, "advance", advance)
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "saved"
    monkeypatch.setattr(checks_module, "NullCallback", lambda: Watches(dies=True))
    with pytest.raises(Killed):
        strandline.explore(system, checkpoint=folder, every=0.0)
    watching = Watches(dies=False)
    monkeypatch.setattr(checks_module, "NullCallback", lambda: watching)
    assert counts(strandline.explore(system, checkpoint=folder, resume=True)) == counts(expected)
    assert watching.told[0].startswith("resumed after ")
    # The machine code for wider states is not made for this alone.
    if make_kernel(system.alone).words == 1:
        full = True
        give(monkeypatch, 1 << 20)
        spilled = strandline.explore(system, memory="1G")
        assert counts(spilled) == counts(expected)
        assert watching.told[1] == (
            "the memory limit of 1.0 GB is reached: continuing with states on disk, from its frontier"
        )
