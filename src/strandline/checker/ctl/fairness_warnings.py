"""Warnings about vacuous CTL answers: with fairness, or without finite runs, a state may have no path at all.

Then every claim about all paths of the state is true, and every claim about some path is false.
"""

from __future__ import annotations

from collections.abc import Callable

from strandline.checker.ctl.valuation import Set, Valuation
from strandline.checker.properties.fairness import NO_FAIR_RUN, NO_INFINITE_RUN
from strandline.checker.tasks.trees import CtlQuestion


def doubts(question: CtlQuestion, valuation: Valuation[Set], contains: Callable[[Set, int], bool]) -> tuple[str, ...]:
    """Return warnings for initial states without a path that counts, for example without a fair one.

    `contains` tests whether a set contains an initial state, given its index.
    """
    counting = valuation.counting
    if counting is None:
        return ()
    every = len(question.searched.initial)
    without = sum(not contains(counting, number) for number in range(every))
    if not without:
        return ()
    fair = bool(question.fairness.conditions)
    if without == every:
        return (NO_FAIR_RUN if fair else NO_INFINITE_RUN,)
    kind = "fair" if fair else "infinite"
    return (f"no {kind} run begins in {without:,} of {every:,} initial states",)
