"""Decide for which searches partial-order reduction is sound, and make the reduction of a search."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.checker.limits.progress import ProgressCallback
from strandline.compile.kernel import Kernel
from strandline.compile.make import make_kernel
from strandline.compile.reduction.facts import actions_changing, make_facts
from strandline.compile.reduction.independence_check import check_facts
from strandline.compile.reduction.order import order_actions
from strandline.compile.reduction.selection import Reduction
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.search import Event
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.system import Capability, System

ONLY_SINGLE_ACTIONS = "steps of this model are paths of several actions, or possible only where nothing else is"
BRANCHING = "it keeps runs, not the tree that they make, of which CTL speaks"
_MOST_ACTIONS = 2_000
"""Most actions of a System whose relations fit into tables of a reasonable size."""
_FIRST_STATES, _PAYS = 20_000, 0.5
"""Number of first states explored with and without reduction, and the share of transitions below which it pays.

With reduction, expanding a state takes half as much time again and more.
"""


def refusal(system: System, why_not: str | None = None) -> UsageError | None:
    """Return the error for a search that cannot be reduced, because of `why_not` or of the System; None if it can."""
    why = why_not or _why_not(system)
    return None if why is None else UsageError(f"{{}}: {why}", options=[Option("por", True)])


def _why_not(system: System) -> str | None:
    if Capability.ACTIONS not in system.capabilities:
        return "callables do not declare the variables that their steps read and write"
    if system.synchronous:
        return "in a synchronous system every step is one of all processes"
    if system.has_paths or system.has_idle:
        return ONLY_SINGLE_ACTIONS
    if len(system.actions) > _MOST_ACTIONS:
        return f"the model has {len(system.actions):,} actions; at most {_MOST_ACTIONS:,} are compared with each other"
    return None


def reduction_of(system: System, seen: Sequence[Expression]) -> Reduction:
    """Return the partial-order reduction that preserves deadlocks, faults and the truth of `seen` along runs.

    The truth of the observer's guards is preserved too.
    """
    facts = make_facts(system)
    guards = () if system.observer is None else [edge.guard for edge in system.observer.edges if edge.guard is not None]
    return Reduction(facts, order_actions(system, facts), actions_changing(system, [*seen, *guards]))


def examine_reduction(system: System, seen: Sequence[Expression], callback: ProgressCallback) -> None:
    """Test the independence relation on sampled states, and report the result to the callback.

    Raises `InternalError` if the relation is wrong.
    """
    found = check_facts(system.alone, reduction_of(system.alone, seen), seen)
    callback.stage(
        f"independence: {found.pairs:,} pairs of steps commute and {found.conditions:,} conditions stay as they are in "
        f"{found.states:,} states, as the reduction takes it"
    )


def pays(system: System, seen: Sequence[Expression], callback: ProgressCallback) -> bool:
    """Return True if partial-order reduction omits enough transitions, measured on the first states of the System."""
    plain, reduced = (
        _branching(make_kernel(system, KernelSpecification((), None, one)))
        for one in (None, reduction_of(system, seen))
    )
    share = reduced / plain if plain else 1.0
    used = share <= _PAYS
    callback.stage(f"partial-order reduction {'is' if used else 'is not'} used: it leaves {share:.0%} of the steps")
    return used


def _branching(kernel: Kernel) -> float:
    """Return the mean number of transitions per state among the first states that the Kernel generates."""
    search = BreadthFirstSearch(kernel, log=lambda _: None, max_states=_FIRST_STATES)
    try:
        while search.advance() is Event.PAUSED:
            pass
        now = search.statistics()
        return now.transitions / max(now.visited, 1)
    finally:
        search.close()
