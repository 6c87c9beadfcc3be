"""Strategies: each refuses tasks with a reason, and a new one is a class and a line in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.decisions.checks import check_selection
from strandline.checker.driver import compilation as compilation_module
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.warm_up import COMPILING
from strandline.checker.limits.progress import Progress
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.properties.selection import select
from strandline.checker.strategies import choice as choice_module
from strandline.checker.strategies.explicit import StatesFound
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.interpret import Interpreter
from strandline.errors import Option, UsageError

MUTEX = Path(__file__).parent / "models" / "mutex.dve"


class ByInterpreter:
    """Explores with the interpreter alone: no Kernel is compiled."""

    name = "interpreter"

    def can(self, task: StatesTask) -> UsageError | None:
        if task.options.order != "bfs":
            return UsageError("the interpreter knows no {}", options=[Option("order", task.options.order)])
        return None

    def run(self, task: StatesTask, session: Session) -> StatesFound:
        interpreter = Interpreter(task.system)
        seen = waiting = set(task.system.initial)
        while waiting:
            found = {step.target for state in waiting for step in interpreter.steps(state) if step.target is not None}
            waiting = found - seen
            seen = seen | waiting
        return StatesFound(RunOutcome(complete=True, statistics=Statistics(states=len(seen), visited=len(seen))), {})


class SearchObserver:
    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage(self, text: str) -> None:
        self.stages.append(text)

    def progress(self, progress: Progress) -> None:
        return


@pytest.fixture
def _another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_module, "FOR_STATES", (ByInterpreter(), *choice_module.FOR_STATES))


@pytest.mark.usefixtures("_another")
def test_a_strategy_that_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*arguments: Any) -> None:
        raise AssertionError("a Kernel was compiled")

    monkeypatch.setattr(compilation_module, "make_kernel", none)
    verdict = strandline.check(MUTEX, invariants="flag[0] < 2")
    assert (verdict.answer, verdict.statistics.states) == (Answer.HOLDS, 9)
    assert strandline.explore(MUTEX).statistics.states == 9


@pytest.mark.usefixtures("_another")
def test_the_next_one_steps_in_and_that_is_told() -> None:
    system, observer = strandline.load(MUTEX), SearchObserver()
    verdict = check_selection(system, select(system, Claims(reach="P.critical")), Options(order="dfs"), observer)
    assert verdict.answer is Answer.HOLDS
    told = [stage for stage in observer.stages if stage != COMPILING]
    assert told == ["searched by explicit: the interpreter knows no order='dfs'"]


def test_every_method_is_a_strategy() -> None:
    assert set(choice_module.strategies_for_runs()) == {
        "prefix", "ndfs", "scc", "map", "sweep-off", "sweep-on", "sweep",
    }  # fmt: skip
    for name, strategy in choice_module.strategies_for_runs().items():
        assert strategy.name == name
