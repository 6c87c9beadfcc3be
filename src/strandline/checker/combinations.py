"""The table of the kinds of properties and the methods that can decide them, with the reasons for refusals.

This module does not decide about soundness: for each combination it asks the strategies
(`strandline.checker.strategies.choice`) and the table of effects, as a check does, and takes their reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from strandline.checker.decisions.runs import runs_task
from strandline.checker.options.cycle_methods import AUTO, NDFS, SWEEP
from strandline.checker.options.effects import CTL, LTL, STATES, Decided, Way, refuse_without_effect
from strandline.checker.options.search import STORES, WHOLE, Options
from strandline.checker.options.search import SWEEP as IN_SWEEPS
from strandline.checker.options.temporal import STUTTER, TemporalOptions
from strandline.checker.properties.ctl_formula import bind_ctl
from strandline.checker.properties.fairness import FairnessConditions
from strandline.checker.properties.specification import Specification, bind_formula
from strandline.checker.strategies.choice import choose_for_runs, choose_for_states, choose_for_trees
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.trees import TreesTask, make_question
from strandline.errors import UsageError
from strandline.model.system import Capability, System

WAYS: Mapping[str, Mapping[str, Any]] = {
    "bfs": {},
    "dfs": {"order": "dfs"},
    "sweep": {"order": "sweep"},
    "cache": {"order": "cache", "cache_states": 1000},
    "por": {"por": True},
    "sweep, por": {"order": "sweep", "por": True},
    "symmetry": {"symmetry": True},
    "merge": {"merge": True},
    **{store: {"store": store} for store in STORES if store not in WHOLE},
    "threads": {"threads": 2},
    "gpu": {"device": "gpu"},
}
"""The methods of the table, by the name of their column: the options of a search for each."""


@dataclass(frozen=True, slots=True)
class Combination:
    """A kind of property, a method, and the error that refuses their combination; None if it is possible."""

    question: str
    way: str
    refusal: UsageError | None


def combinations_of(system: System) -> Iterator[Combination]:
    """Yield all combinations for a System: for each kind of property, all methods of `WAYS`."""
    for question, choose in _questions(system).items():
        for way, given in WAYS.items():
            try:
                choose(Options(**given))
            except UsageError as error:
                yield Combination(question, way, error)
            else:
                yield Combination(question, way, None)


def _questions(system: System) -> dict[str, Callable[[Options], None]]:
    def of_runs(formula: str, *, cycles: bool = True, fair: bool = False) -> Callable[[Options], None]:
        asked: Specification = bind_formula(formula, system)

        def choose(options: Options) -> None:
            method = AUTO if not cycles else SWEEP if options.order == IN_SWEEPS else NDFS
            temporal = TemporalOptions(method=method, fair=fair, declared_fairness=False)
            choice = choose_for_runs(runs_task(system, asked, options, temporal))
            _refuse(Way(LTL, choice.strategy.name), f"LTL '{formula}'", options)

        return choose

    def of_trees(options: Options) -> None:
        plain = system.alone
        question = make_question(plain, [bind_ctl("AG EF true", plain)], FairnessConditions(), STUTTER)
        choice = choose_for_trees(TreesTask(plain, options, question))
        _refuse(Way(CTL, choice.strategy.name), "CTL 'AG EF true'", options)

    def of_states(options: Options) -> None:
        choice = choose_for_states(StatesTask(system.alone, options))
        _refuse(Way(STATES, choice.strategy.name), "the reachable states", options)

    def _refuse(way: Way, title: str, options: Options) -> None:
        reentrant = Capability.THREADS in system.capabilities
        refuse_without_effect([Decided(way, title)], options, TemporalOptions(), reentrant=reentrant)

    return {
        "states, deadlocks": of_states,
        "LTL, safety": of_runs("G true", cycles=False),
        "LTL": of_runs("G F true"),
        "LTL with X": of_runs("G F X true"),
        "LTL, fair": of_runs("G F true", fair=True),
        "CTL": of_trees,
    }
