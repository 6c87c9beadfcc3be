"""Two abstractions of a System over the same abstract states (004 §2.1).

An abstract state is the visible part of a state: the values of some slots, and membership in some sets, which splitting
adds. The *existential* relation has an edge where some state of the source has a step into the target: a property of
all its paths holds on all paths of the System. The *universal* relation has an edge where every state of the source has
such a step: a property of one of its paths holds on some path of the System. Only states of a base set count: the
reachable states, or all. Neither relation needs the next values of invisible slots; they are quantified away cluster by
cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strandline.symbolic.clusters import identity_relation
from strandline.symbolic.diagrams import Function
from strandline.symbolic.space import Space
from strandline.transform.simultaneous import Slot


@dataclass(frozen=True, slots=True)
class View:
    """The visible part of a state: slots, and memberships in sets, each encoded in a pair of spare bits."""

    slots: frozenset[Slot]
    sets: tuple[Function, ...] = ()


class AbstractModel:
    """The abstraction by a view of the states of `base`, which must be closed under steps.

    States without a step get a self-loop. `watch` is called between operations and may raise to stop the work.
    """

    def __init__(self, space: Space, base: Function, view: View, watch: Callable[[], None] = lambda: None) -> None:
        self.space, self.view, self.diagrams, self._poll = space, view, space.diagrams, watch
        fields = space.encoding.fields
        spare = space.spare[: len(view.sets)]
        visible = [fields[slot] for slot in fields if slot in view.slots]
        now = [bit for field in visible for bit in field.now] + [pair[0] for pair in spare]
        later = [bit for field in visible for bit in field.next] + [pair[1] for pair in spare]
        self._hidden = self.diagrams.cube(bit for slot in fields if slot not in view.slots for bit in fields[slot].now)
        self._next = self.diagrams.cube(later)
        self._backward = self.diagrams.renaming(dict(zip(now, later, strict=True)))
        self._forward = self.diagrams.renaming(dict(zip(later, now, strict=True)))
        self._now = self.diagrams.cube(now)
        self.bits = tuple(now)
        self._base = self._with_memberships(base, [pair[0] for pair in spare], view.sets)
        self.states = self.abstract(base)
        whole = self._visible_steps(base)
        both, denied = self.diagrams.and_, self.diagrams.not_
        self.existential = self.diagrams.and_exists(self._base, whole, self._hidden)
        lacking = self.diagrams.and_exists(self._base, both(self._next_states(), denied(whole)), self._hidden)
        self.universal = both(both(self.states, self.existential), denied(lacking))

    def _with_memberships(self, states: Function, bits: Sequence[int], sets: Sequence[Function]) -> Function:
        """Constrain bits to equal the membership in sets."""
        for bit, members in zip(bits, sets, strict=True):
            same = self.diagrams.not_(self.diagrams.xor(self.diagrams.bit(bit), members))
            states = self.diagrams.and_(states, same)
        return states

    def _next_states(self) -> Function:
        """Return the set of all abstract states, encoded in the bits of next states."""
        return self.diagrams.rename(self.states, self._backward)

    def _visible_steps(self, base: Function) -> Function:
        """Relate states to the visible part of their successors, and deadlocks to their own."""
        space, diagrams, encoding = self.space, self.diagrams, self.space.encoding
        memberships = self._with_memberships(
            diagrams.true, [pair[1] for pair in space.spare[: len(self.view.sets)]], self.view.sets
        )
        dead = diagrams.and_(base, diagrams.not_(space.enabled_states))
        whole = diagrams.and_(diagrams.and_(dead, memberships), identity_relation(encoding, self.view.slots))
        for one in space.clusters:
            self._poll()
            hidden = [bit for slot in one.written - self.view.slots for bit in encoding.fields[slot].next]
            part = diagrams.and_exists(one.between, one.behind(memberships), diagrams.cube(hidden))
            whole = diagrams.or_(whole, diagrams.and_(part, identity_relation(encoding, self.view.slots - one.written)))
        return whole

    def abstract(self, states: Function) -> Function:
        """Return the abstract states of some states."""
        bits = [pair[0] for pair in self.space.spare[: len(self.view.sets)]]
        return self.diagrams.exists(self._with_memberships(states, bits, self.view.sets), self._hidden)

    def concrete(self, abstract: Function) -> Function:
        """Return the states of the base that belong to abstract states."""
        memberships = self.diagrams.cube(pair[0] for pair in self.space.spare[: len(self.view.sets)])
        return self.diagrams.exists(self.diagrams.and_(self._base, abstract), memberships)

    def preimage(self, relation: Function, abstract: Function) -> Function:
        """Return the abstract states with an edge into a set."""
        later = self.diagrams.rename(abstract, self._backward)
        return self.diagrams.and_exists(relation, later, self._next)

    def image(self, relation: Function, abstract: Function) -> Function:
        """Return the abstract states to which edges from a set lead."""
        return self.diagrams.rename(self.diagrams.and_exists(relation, abstract, self._now), self._forward)

    def count(self, abstract: Function) -> int:
        """Count the abstract states of a set."""
        return self.diagrams.count([abstract], self.bits)

    def edges(self, relation: Function) -> int:
        """Count the edges of a relation."""
        later = [bit + 1 for bit in self.bits]
        return self.diagrams.count([relation], [*self.bits, *later])

    def single(self, abstract: Function) -> Function:
        """Return the set that contains one of these abstract states."""
        found = self.diagrams.member(abstract) or {}
        result = self.diagrams.true
        for bit in sorted(self.bits, reverse=True):
            one = self.diagrams.bit(bit)
            result = self.diagrams.and_(one if found.get(bit, False) else self.diagrams.not_(one), result)
        return result


class AbstractSets:
    """Sets of abstract states with the temporal operators, by one of the two relations.

    In the universal relation a state may have no successor; a path ends there.
    """

    def __init__(self, model: AbstractModel, relation: Function, watch: Callable[[], None]) -> None:
        self.model, self.relation, self._poll = model, relation, watch

    def full(self) -> Function:
        return self.model.states

    def empty(self) -> Function:
        return self.model.diagrams.false

    def and_(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.and_(one, other)

    def or_(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.or_(one, other)

    def xor(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.xor(one, other)

    def not_(self, one: Function) -> Function:
        return self.and_(self.model.states, self.model.diagrams.not_(one))

    def next(self, states: Function) -> Function:
        """Compute EX."""
        self._poll()
        return self.model.preimage(self.relation, states)

    def until(self, through: Function, goal: Function) -> Function:
        """Compute E [through U goal]."""
        while True:
            grown = self.or_(goal, self.and_(through, self.next(goal)))
            if grown == goal:
                return goal
            goal = grown

    def fair_always(self, states: Function, conditions: Sequence[Function]) -> Function:
        """Compute EG on paths that meet each condition infinitely often (Emerson, Lei 1986)."""
        while True:
            before = states
            states = self.and_(states, self.next(states))
            for one in conditions:
                states = self.and_(states, self.next(self.until(states, self.and_(states, one))))
            if states == before:
                return states
