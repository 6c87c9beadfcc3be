"""The temporal operators of CTL on sets of states: EX, EU and EG, with fairness after Emerson and Lei (1986).

All sets are parts of `full`, which must be closed under steps: everything that is reachable, or all states there are.
Both give the same answers in reachable states. EU is a least fixpoint and so found by saturation; EG goes round by
round, by few relations (`clusters.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from strandline.symbolic.clusters import Cluster, clustered
from strandline.symbolic.diagrams import Function
from strandline.symbolic.space import Space


class SymbolicSets:
    """Sets of states and what CTL makes of them. `repeats`, `next_repeats`: what a state without steps means, for EG
    and for EX (see `strandline.engine.graph.fixpoints.DeadEnds`)."""

    def __init__(self, space: Space, full: Function, *, repeats: bool = True, next_repeats: bool = True) -> None:
        self.space, self._full = space, full
        self._repeats, self._next_repeats = repeats, next_repeats

    # --- sets ---------------------------------------------------------------------------------------------------

    def full(self) -> Function:
        return self._full

    def empty(self) -> Function:
        return self.space.diagrams.false

    def both(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.both(one, other)

    def either(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.either(one, other)

    def differ(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.differ(one, other)

    def denied(self, one: Function) -> Function:
        return self.both(self._full, self.space.diagrams.denied(one))

    @cached_property
    def dead(self) -> Function:
        """States without a step."""
        return self.denied(self.space.enabled)

    # --- operators ----------------------------------------------------------------------------------------------

    @cached_property
    def _clusters(self) -> list[Cluster]:
        return clustered(self.space.steps, self.space.encoding, self.space.watch)

    def before(self, states: Function) -> Function:
        """The states with a step into a set."""
        found = self.empty()
        for cluster in self._clusters:
            self.space.watch()
            found = self.either(found, cluster.before(states))
        return self.both(self._full, found)

    def next(self, states: Function) -> Function:
        """EX."""
        return self._with_dead(states, self._next_repeats)

    def _with_dead(self, states: Function, repeats: bool) -> Function:
        found = self.before(states)
        return self.either(found, self.both(self.dead, states)) if repeats else found

    def until(self, through: Function, goal: Function) -> Function:
        """E [through U goal]."""
        found = self.space.leading_to(goal, None if through == self._full else through)
        return self.both(self._full, found)

    def always(self, states: Function) -> Function:
        """EG, without fairness."""
        turn = 0
        while True:
            turn += 1
            kept = self.both(states, self._with_dead(states, self._repeats))
            self.space.told("EG", turn, kept)
            if kept == states:
                return kept
            states = kept

    def fair_always(self, states: Function, conditions: Sequence[Function]) -> Function:
        """EG on paths that meet each condition infinitely often."""
        result = self.always(states)
        while conditions:
            before = result
            for one in conditions:
                reaching = self.until(result, self.both(result, one))
                result = self.both(result, self._with_dead(reaching, self._repeats))
            if result == before:
                break
            result = self.always(result)
        return result
