"""The temporal operators of CTL on BDDs: EX, EU and EG, with fairness after Emerson and Lei (1986).

Only the part of a set within `full` counts, which must be closed under steps: the reachable states, or all states. Both
give the same answers in reachable states. Outside of it a set may hold anything, which keeps simple sets small: `x = 3`
need not be intersected with the reachable states. EU is a least fixpoint, computed by saturation. EG iterates over few
relations (`clusters.py`), but only over the steps that can recur infinitely often (`recurring.py`); EU then adds the
states that lead there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from strandline.symbolic.clusters import Cluster
from strandline.symbolic.diagrams import Function
from strandline.symbolic.recurring import recurring_steps
from strandline.symbolic.space import Space
from strandline.symbolic.steps import Step


class SymbolicSets:
    """The set algebra and the operators of CTL over a space.

    `repeats` and `next_repeats` say whether a deadlock counts as a self-loop, for EG and for EX (see
    `strandline.engine.graph.fixpoints.DeadEnds`).
    """

    def __init__(self, space: Space, full: Function, *, repeats: bool = True, next_repeats: bool = True) -> None:
        self.space, self._full = space, full
        self._repeats, self._next_repeats = repeats, next_repeats

    # --- sets ---------------------------------------------------------------------------------------------------

    def full(self) -> Function:
        return self.space.diagrams.true

    def empty(self) -> Function:
        return self.space.diagrams.false

    def and_(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.and_(one, other)

    def or_(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.or_(one, other)

    def xor(self, one: Function, other: Function) -> Function:
        return self.space.diagrams.xor(one, other)

    def not_(self, one: Function) -> Function:
        return self.space.diagrams.not_(one)

    @cached_property
    def dead(self) -> Function:
        """The deadlocks within `full`."""
        return self.and_(self._full, self.not_(self.space.enabled_states))

    # --- operators ----------------------------------------------------------------------------------------------

    def preimage(self, states: Function, clusters: Sequence[Cluster] | None = None) -> Function:
        """Return the predecessors of a set within `full`, by the clusters (default: all steps)."""
        return self.and_(self._full, self.space.preimage(states, clusters))

    def next(self, states: Function) -> Function:
        """Compute EX."""
        found = self.preimage(states)
        return self.or_(found, self.and_(self.dead, states)) if self._next_repeats else found

    def until(self, through: Function, goal: Function) -> Function:
        """Compute E [through U goal]."""
        return self._until(through, goal, self.space.steps)

    def restrict(self, states: Function) -> Function:
        """Return a bound for saturation: the set, or its part within `full` unless `full` is all states."""
        return states if self._full == self.space.valid else self.and_(self._full, states)

    def _until(self, through: Function, goal: Function, steps: Sequence[Step]) -> Function:
        return self.and_(self._full, self.space.backward_reachable(goal, self.restrict(through), steps))

    def fair_always(self, states: Function, conditions: Sequence[Function]) -> Function:
        """Compute EG on paths that meet each condition infinitely often."""
        steps = recurring_steps(self.space.steps, self.space.encoding, states)
        self.space.report_round(f"EG by {len(steps):,} of {len(self.space.steps):,} steps", 0, states)
        found = self.staying(states, conditions, steps)
        return found if len(steps) == len(self.space.steps) else self.until(states, found)

    def staying(self, states: Function, conditions: Sequence[Function], steps: Sequence[Step]) -> Function:
        """Compute EG by some of the steps alone."""
        every = len(steps) == len(self.space.steps)
        clusters = self.space.clusters if every else self.space.cluster_steps(steps)
        result = self._greatest_fixpoint(self.and_(self._full, states), clusters)
        while conditions:
            before = result
            for one in conditions:
                reaching = self._until(result, self.and_(result, one), steps)
                result = self.and_(result, self._preimage_or_dead(reaching, clusters))
            if result == before:
                break
            result = self._greatest_fixpoint(result, clusters)
        return result

    def _greatest_fixpoint(self, states: Function, clusters: Sequence[Cluster]) -> Function:
        turn = 0
        while True:
            turn += 1
            kept = self.and_(states, self._preimage_or_dead(states, clusters))
            self.space.report_round("EG", turn, kept)
            if kept == states:
                return kept
            states = kept

    def _preimage_or_dead(self, states: Function, clusters: Sequence[Cluster]) -> Function:
        """Return the predecessors of a set, and its deadlocks if they count as self-loops."""
        found = self.preimage(states, clusters)
        return self.or_(found, self.and_(self.dead, states)) if self._repeats else found
