"""The temporal operators of CTL on sets of states: EX, EU and EG, with fairness after Emerson and Lei (1986).

All that counts of a set is its part in `full`, which must be closed under steps: everything that is reachable, or all
states there are. Both give the same answers in reachable states. Outside of it a set may hold anything, so that what is
easily said stays small: `x = 3` need not tell what is reachable there. EU is a least fixpoint and so found by
saturation. EG goes round by round, by few relations (`clusters.py`), but only with the steps that can be taken for ever
(`recurring.py`); to where these are taken, EU leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from strandline.symbolic.clusters import Cluster
from strandline.symbolic.diagrams import Function
from strandline.symbolic.recurring import recurring
from strandline.symbolic.space import Space
from strandline.symbolic.steps import Step


class SymbolicSets:
    """Sets of states and what CTL makes of them. `repeats`, `next_repeats`: what a state without steps means, for EG
    and for EX (see `strandline.engine.graph.fixpoints.DeadEnds`)."""

    def __init__(self, space: Space, full: Function, *, repeats: bool = True, next_repeats: bool = True) -> None:
        self.space, self._full = space, full
        self._repeats, self._next_repeats = repeats, next_repeats

    # --- sets ---------------------------------------------------------------------------------------------------

    def full(self) -> Function:
        return self.space.diagrams.true

    def empty(self) -> Function:
        return self.space.diagrams.false

    def both(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.both(one, other)

    def either(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.either(one, other)

    def differ(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.differ(one, other)

    def denied(self, one: Function) -> Function:
        return self.space.diagrams.denied(one)

    @cached_property
    def dead(self) -> Function:
        """States without a step, of those that count."""
        return self.both(self._full, self.denied(self.space.enabled))

    # --- operators ----------------------------------------------------------------------------------------------

    def before(self, states: Function, clusters: Sequence[Cluster] | None = None) -> Function:
        """The states with a step into a set; by all steps, unless others are given."""
        return self.both(self._full, self.space.before(states, clusters))

    def next(self, states: Function) -> Function:
        """EX."""
        found = self.before(states)
        return self.either(found, self.both(self.dead, states)) if self._next_repeats else found

    def until(self, through: Function, goal: Function) -> Function:
        """E [through U goal]."""
        return self._until(through, goal, self.space.steps)

    def counting(self, states: Function) -> Function:
        """What counts of a set, to bound what is looked at. What is no state at all is in nobody's way; what is not
        reachable may be much."""
        return states if self._full == self.space.valid else self.both(self._full, states)

    def _until(self, through: Function, goal: Function, steps: Sequence[Step]) -> Function:
        return self.both(self._full, self.space.leading_to(goal, self.counting(through), steps))

    def fair_always(self, states: Function, conditions: Sequence[Function]) -> Function:
        """EG on paths that meet each condition infinitely often."""
        steps = recurring(self.space.steps, self.space.encoding, states)
        self.space.told(f"EG by {len(steps):,} of {len(self.space.steps):,} steps", 0, states)
        found = self.staying(states, conditions, steps)
        return found if len(steps) == len(self.space.steps) else self.until(states, found)

    def staying(self, states: Function, conditions: Sequence[Function], steps: Sequence[Step]) -> Function:
        """EG by some of the steps alone."""
        every = len(steps) == len(self.space.steps)
        clusters = self.space.clusters if every else self.space.clustered(steps)
        result = self._always(self.both(self._full, states), clusters)
        while conditions:
            before = result
            for one in conditions:
                reaching = self._until(result, self.both(result, one), steps)
                result = self.both(result, self._going_on(reaching, clusters))
            if result == before:
                break
            result = self._always(result, clusters)
        return result

    def _always(self, states: Function, clusters: Sequence[Cluster]) -> Function:
        turn = 0
        while True:
            turn += 1
            kept = self.both(states, self._going_on(states, clusters))
            self.space.told("EG", turn, kept)
            if kept == states:
                return kept
            states = kept

    def _going_on(self, states: Function, clusters: Sequence[Cluster]) -> Function:
        """From where a path goes on into a set, or stays in it for want of steps."""
        found = self.before(states, clusters)
        return self.either(found, self.both(self.dead, states)) if self._repeats else found
