"""Two abstractions of a System over the same abstract states (004 §2.1).

An abstract state is what is visible of a state: the values of some slots, and whether the state is in some sets, which
splitting adds. The *existential* relation has an edge where some state of the one has a step into the other; what all
its paths satisfy, all paths of the System do. The *universal* relation has one where every state of the one has; what
some path of it satisfies, some path of the System does. Only states of a base set count: what is reachable, or all.

Neither relation needs the next values of what is invisible: they are forgotten in one step after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strandline.symbolic.clusters import unchanged
from strandline.symbolic.diagrams import Function
from strandline.symbolic.space import Space
from strandline.transform.simultaneous import Slot


@dataclass(frozen=True, slots=True)
class View:
    """What is visible: slots, and memberships in sets, each kept in a pair of spare bits."""

    slots: frozenset[Slot]
    sets: tuple[Function, ...] = ()


class AbstractModel:
    """The abstraction by a view of the states of `base`, which steps do not leave; states without a step repeat
    themselves. `watch` is called between operations and may raise to stop the work."""

    def __init__(self, space: Space, base: Function, view: View, watch: Callable[[], None] = lambda: None) -> None:
        self.space, self.view, self.diagrams, self._watch = space, view, space.diagrams, watch
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
        self._base = self._marked(base, [pair[0] for pair in spare], view.sets)
        self.states = self.abstracted(base)
        whole = self._visible_steps(base)
        both, denied = self.diagrams.both, self.diagrams.denied
        self.existential = self.diagrams.some_of_both(self._base, whole, self._hidden)
        lacking = self.diagrams.some_of_both(self._base, both(self._anywhere(), denied(whole)), self._hidden)
        self.universal = both(both(self.states, self.existential), denied(lacking))

    def _marked(self, states: Function, bits: Sequence[int], sets: Sequence[Function]) -> Function:
        """The states with their memberships in the sets written into bits."""
        for bit, members in zip(bits, sets, strict=True):
            same = self.diagrams.denied(self.diagrams.differ(self.diagrams.bit(bit), members))
            states = self.diagrams.both(states, same)
        return states

    def _anywhere(self) -> Function:
        """All next abstract states there are."""
        return self.diagrams.renamed(self.states, self._backward)

    def _visible_steps(self, base: Function) -> Function:
        """Between states and what is visible after a step, or of itself after none."""
        space, diagrams, encoding = self.space, self.diagrams, self.space.encoding
        marks = self._marked(diagrams.true, [pair[1] for pair in space.spare[: len(self.view.sets)]], self.view.sets)
        dead = diagrams.both(base, diagrams.denied(space.enabled))
        whole = diagrams.both(diagrams.both(dead, marks), unchanged(encoding, self.view.slots))
        for one in space.clusters:
            self._watch()
            hidden = [bit for slot in one.written - self.view.slots for bit in encoding.fields[slot].next]
            part = diagrams.some_of_both(one.between, one.behind(marks), diagrams.cube(hidden))
            whole = diagrams.either(whole, diagrams.both(part, unchanged(encoding, self.view.slots - one.written)))
        return whole

    def abstracted(self, states: Function) -> Function:
        """The abstract states of some states."""
        bits = [pair[0] for pair in self.space.spare[: len(self.view.sets)]]
        return self.diagrams.some(self._marked(states, bits, self.view.sets), self._hidden)

    def concrete(self, abstract: Function) -> Function:
        """The states of the base that abstract states stand for."""
        marks = self.diagrams.cube(pair[0] for pair in self.space.spare[: len(self.view.sets)])
        return self.diagrams.some(self.diagrams.both(self._base, abstract), marks)

    def before(self, relation: Function, abstract: Function) -> Function:
        """The abstract states with an edge into some."""
        later = self.diagrams.renamed(abstract, self._backward)
        return self.diagrams.some_of_both(relation, later, self._next)

    def after(self, relation: Function, abstract: Function) -> Function:
        """The abstract states that edges from some lead to."""
        return self.diagrams.renamed(self.diagrams.some_of_both(relation, abstract, self._now), self._forward)

    def count(self, abstract: Function) -> int:
        """How many abstract states there are in a set."""
        return self.diagrams.count([abstract], self.bits)

    def edges(self, relation: Function) -> int:
        """How many edges a relation has."""
        later = [bit + 1 for bit in self.bits]
        return self.diagrams.count([relation], [*self.bits, *later])

    def single(self, abstract: Function) -> Function:
        """A set of one of these abstract states."""
        found = self.diagrams.member(abstract) or {}
        result = self.diagrams.true
        for bit in sorted(self.bits, reverse=True):
            one = self.diagrams.bit(bit)
            result = self.diagrams.both(one if found.get(bit, False) else self.diagrams.denied(one), result)
        return result


class AbstractSets:
    """Sets of abstract states, and the temporal operators by one of the two relations. In the universal one a state
    may have no successor, and then no path goes on there."""

    def __init__(self, model: AbstractModel, relation: Function, watch: Callable[[], None]) -> None:
        self.model, self.relation, self._watch = model, relation, watch

    def full(self) -> Function:
        return self.model.states

    def empty(self) -> Function:
        return self.model.diagrams.false

    def both(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.both(one, other)

    def either(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.either(one, other)

    def differ(self, one: Function, other: Function) -> Function:
        return self.model.diagrams.differ(one, other)

    def denied(self, one: Function) -> Function:
        return self.both(self.model.states, self.model.diagrams.denied(one))

    def next(self, states: Function) -> Function:
        """EX."""
        self._watch()
        return self.model.before(self.relation, states)

    def until(self, through: Function, goal: Function) -> Function:
        """E [through U goal]."""
        while True:
            grown = self.either(goal, self.both(through, self.next(goal)))
            if grown == goal:
                return goal
            goal = grown

    def fair_always(self, states: Function, conditions: Sequence[Function]) -> Function:
        """EG on paths that meet each condition infinitely often (Emerson, Lei 1986)."""
        while True:
            before = states
            states = self.both(states, self.next(states))
            for one in conditions:
                states = self.both(states, self.next(self.until(states, self.both(states, one))))
            if states == before:
                return states
