"""Choose the strategy for a task, with the reason.

A strategy is an element of one of the tables here. Its method `can` refuses tasks, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from strandline.checker.driver.compilation import no_merging
from strandline.checker.options.ctl_methods import COMPONENTS, CTL_METHODS, EXPLICIT, STATE_METHODS, SWEPT
from strandline.checker.options.cycle_methods import AUTO, METHODS, NDFS, PREFIX, SCC, SWEEP, known_methods
from strandline.checker.options.search import AUTO as ANY
from strandline.checker.options.search import CPU, GPU, ORDER_WORDS
from strandline.checker.options.search import SWEEP as IN_SWEEPS
from strandline.checker.reductions.symmetry import STATES_ONLY, no_symmetry
from strandline.checker.strategies import Strategy
from strandline.checker.strategies.device import DeviceSearchForStates
from strandline.checker.strategies.explicit import ExplicitSearch, StatesFound
from strandline.checker.tasks.runs import RunsTask
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Task
from strandline.checker.tasks.trees import TreesTask
from strandline.errors import Option, UsageError
from strandline.model.system import Capability

if TYPE_CHECKING:
    from strandline.checker.ctl.found import CtlFound
    from strandline.checker.ltl.found import ProductFound

Kind = TypeVar("Kind", bound=Task)
Found = TypeVar("Found")

FOR_STATES: tuple[Strategy[StatesTask, StatesFound], ...] = (ExplicitSearch(),)
"""Strategies for properties of states; the first that can decide the task is chosen."""
ON_DEVICE: Strategy[StatesTask, StatesFound] = DeviceSearchForStates()
"""The strategy for properties of states on a GPU."""


@cache
def strategies_for_states() -> Mapping[str, Strategy[StatesTask, StatesFound]]:
    """Return the strategies for properties of states that are only chosen by their method's name."""
    # Imported lazily: explicit search does not wait for the BDD libraries.
    from strandline.checker.strategies.symbolic import SymbolicSearch

    table: list[Strategy[StatesTask, StatesFound]] = [SymbolicSearch()]
    return {one.name: one for one in table}


@cache
def strategies_for_runs() -> Mapping[str, Strategy[RunsTask, ProductFound]]:
    """Return the strategies for properties of runs, by method name."""
    # Imported lazily: checks of states alone do not wait for temporal logic.
    from strandline.checker.strategies.cycles import CycleStrategy
    from strandline.checker.strategies.prefix import PrefixSearch

    table: list[Strategy[RunsTask, ProductFound]] = [
        PrefixSearch(),
        *(CycleStrategy(method) for method in METHODS.values()),
    ]
    return {one.name: one for one in table}


@cache
def strategies_for_trees() -> Mapping[str, Strategy[TreesTask, CtlFound]]:
    """Return the strategies for CTL formulas, by method name."""
    from strandline.checker.strategies.abstraction import Abstraction
    from strandline.checker.strategies.labelling import Labelling
    from strandline.checker.strategies.symbolic import SymbolicLabelling
    from strandline.checker.strategies.terminal import TerminalComponentSearch

    table: list[Strategy[TreesTask, CtlFound]] = [
        Labelling(swept=False),
        Labelling(swept=True),
        TerminalComponentSearch(),
        SymbolicLabelling(),
        Abstraction(),
    ]
    return {one.name: one for one in table}


@dataclass(frozen=True, slots=True)
class Choice(Generic[Kind, Found]):
    """A strategy, and the reason for choosing it; None if the user asked for it or it is the only one."""

    strategy: Strategy[Kind, Found]
    why: str | None = None


def choose_for_states(task: StatesTask) -> Choice[StatesTask, StatesFound]:
    """Choose the strategy for properties of states; a GPU if the user asked for it and it can decide them.

    Raises `UsageError` if no strategy can.
    """
    if task.method != EXPLICIT and task.method in STATE_METHODS:
        named = strategies_for_states()[task.method]
        refused = named.can(task)
        if refused is not None:
            raise refused
        return Choice(named)
    refusals: list[UsageError] = []
    asked = task.options.device
    for strategy in FOR_STATES if asked == CPU else (ON_DEVICE, *FOR_STATES):
        refusal = strategy.can(task)
        if refusal is None:
            why = "there is one that can" if asked == ANY else None
            return Choice(strategy, "; ".join(map(str, refusals)) or why)
        if asked == GPU:
            raise refusal
        refusals.append(refusal)
    raise refusals[0]


def choose_for_runs(task: RunsTask) -> Choice[RunsTask, ProductFound]:
    """Choose the strategy for a property of runs: the method that the user asked for, or the best suited one.

    Raises `UsageError` if it cannot decide the task.
    """
    if Capability.ACTIONS not in task.system.capabilities:
        raise UsageError("LTL is checked on models with variables, not on callables")
    _refuse_device(task, "LTL")
    _refuse_folding(task)
    asked = task.temporal.method
    if asked != AUTO and asked not in strategies_for_runs():
        raise UsageError(f"{{}} is a method for {_kind_of(asked)}", options=[Option("method", asked)])
    choice = _suiting(task) if asked == AUTO else Choice(strategies_for_runs()[asked])
    refusal = choice.strategy.can(task)
    if refusal is not None:
        raise refusal
    return choice


def choose_for_trees(task: TreesTask, *, monotone: bool = False) -> Choice[TreesTask, CtlFound]:
    """Choose the strategy for CTL formulas: the method that the user asked for, or the best suited one.

    `monotone` is True if the measure of the sweep is known never to decrease. Raises `UsageError` if the strategy
    cannot decide the task.
    """
    if Capability.ACTIONS not in task.system.capabilities:
        raise UsageError("CTL is checked on models with variables, not on callables")
    _refuse_device(task, "CTL")
    _refuse_folding(task)
    asked = task.temporal.method
    if asked not in (AUTO, *CTL_METHODS):
        known = f"for CTL there are {', '.join(strategies_for_trees())}"
        raise UsageError(f"{{}} is a method for {_kind_of(asked)}; {known}", options=[Option("method", asked)])
    if asked != AUTO:
        choice = Choice(strategies_for_trees()[asked])
    elif task.options.order == IN_SWEEPS and monotone and strategies_for_trees()[COMPONENTS].can(task) is None:
        why = "terminal components decide it, and the measure is monotone"
        choice = Choice(strategies_for_trees()[COMPONENTS], why)
    elif task.options.order == IN_SWEEPS:
        choice = Choice(strategies_for_trees()[SWEPT], "there is a progress measure")
    else:
        choice = Choice(strategies_for_trees()[EXPLICIT], "no progress measure is given")
    refusal = choice.strategy.can(task)
    if refusal is not None:
        raise refusal
    return choice


def _kind_of(method: str) -> str:
    """Return the properties that a method is for, in words."""
    return "LTL" if method in known_methods() else "CTL" if method in CTL_METHODS else "properties of states"


def _refuse_device(task: Task, logic: str) -> None:
    """Raise `UsageError` for a GPU: cycles and fixpoints are not implemented there."""
    if task.options.device == GPU:
        raise UsageError(
            f"{{}} decides properties of single states; {logic} is decided on the processor",
            options=[Option("device", GPU)],
        )


def _refuse_folding(task: Task) -> None:
    """Raise `UsageError` for symmetry and merging: along runs processes must be distinguished, and steps counted."""
    if task.options.symmetry:
        raise no_symmetry(STATES_ONLY)
    if task.options.merge:
        raise no_merging(STATES_ONLY)


def _suiting(task: RunsTask) -> Choice[RunsTask, ProductFound]:
    """Return the choice that the method `auto` makes."""
    known = strategies_for_runs()
    if task.temporal.all_cycles:
        return Choice(known[SCC], "all accepting components are wanted")
    if known[PREFIX].can(task) is None:
        how = ORDER_WORDS[task.options.order or ""]
        return Choice(known[PREFIX], f"a safety property: a finite path shows every violation; searched {how}")
    if task.options.order == IN_SWEEPS:
        return Choice(known[SWEEP], "there is a progress measure")
    if task.temporal.shortest:
        return Choice(known[SCC], "a shortest lasso needs all accepting components")
    return Choice(known[NDFS], "no progress measure is given")
