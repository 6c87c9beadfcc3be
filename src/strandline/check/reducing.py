"""Which searches partial-order reduction is sound for, and how it is made for one."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.callback import CallableSystem
from strandline.compile.reduction.choosing import Reduction
from strandline.compile.reduction.facts import changing, facts_of
from strandline.compile.reduction.order import rising_of
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.system import System

BRANCHING = "it keeps runs, not the tree that they make, of which CTL speaks"
_MOST_ACTIONS = 2_000
"""Actions of a System whose relations fit into tables of a reasonable size."""


def refusal(system: System, why_not: str | None = None) -> UsageError | None:
    """Why a System cannot be reduced, or a search of it for the reason that is given; None where it can."""
    why = why_not or _why_not(system)
    return None if why is None else UsageError(f"{{}}: {why}", options=[Option("por", True)])


def _why_not(system: System) -> str | None:
    if isinstance(system, CallableSystem):
        return "callables do not tell what their steps read and write"
    if system.synchronous:
        return "in a synchronous system every step is one of all processes"
    if len(system.actions) > _MOST_ACTIONS:
        return f"the model has {len(system.actions):,} actions; at most {_MOST_ACTIONS:,} are compared with each other"
    return None


def reduction_of(system: System, seen: Sequence[Expression]) -> Reduction:
    """The reduction under which deadlocks, faults and, along runs, the truth of these expressions and of all that an
    observer reads stay what they are."""
    facts = facts_of(system)
    guards = () if system.observer is None else [edge.guard for edge in system.observer.edges if edge.guard is not None]
    return Reduction(facts, rising_of(system, facts), changing(system, [*seen, *guards]))
