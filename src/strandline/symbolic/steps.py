"""Steps as relations between states.

A step is what one action does, or, in a synchronous system, one action of every process together. What it does not
write stays as it is, and so is no part of its relation (disjunctive partitioning; Burch, Clarke, Long 1991). Where
everything that it writes is constant there is no relation at all: forget what was there, and say what is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from strandline.errors import ResourceError
from strandline.model.expression import TRUE, Const, Element, Read, walk
from strandline.model.system import Action, Assign, System
from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.encoding import Cases, Encoding
from strandline.transform.simultaneous import Slot, simultaneous

_MOST_TOGETHER = 20_000
"""Combinations of actions that a synchronous system may take."""


@dataclass(frozen=True, slots=True)
class Step:
    """`enabled` are the states in which it can be taken, without a fault. `target`: what it writes, where that is
    constant; else `relation` between states and, of what it writes, next states."""

    diagrams: Diagrams
    enabled: Function
    now: Function
    """The bits that it writes, to quantify over; `next` those of the next state."""
    next: Function
    forward: object
    """Renames next bits as present ones; `backward` the other way round."""
    backward: object
    target: Function | None
    behind: Function
    """Where it leads to, as far as that is known of all of its states at once: `target`, and what it reads without
    writing it. The fewer states are looked at for what was before them, the better."""
    relation: Function
    top: int
    """The first bit that it reads or writes."""
    updates: tuple[tuple[Slot, Cases], ...]
    """What it writes, by cases."""

    def after(self, states: Function) -> Function:
        """The states that it leads to."""
        diagrams = self.diagrams
        if self.target is not None:
            return diagrams.both(diagrams.some_of_both(states, self.enabled, self.now), self.target)
        return diagrams.renamed(diagrams.some_of_both(states, self.relation, self.now), self.forward)

    def before(self, states: Function) -> Function:
        """The states in which it leads to one of these."""
        diagrams = self.diagrams
        if self.target is not None:
            return diagrams.both(self.enabled, diagrams.some_of_both(states, self.behind, self.now))
        return diagrams.some_of_both(self.relation, diagrams.renamed(states, self.backward), self.next)


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a System, and where trying to take one is a fault."""

    steps: tuple[Step, ...]
    faults: Function


def make_steps(system: System, encoding: Encoding) -> Steps:
    """The steps of a System without an observer."""
    return _Making(system, encoding).made()


class _Making:
    def __init__(self, system: System, encoding: Encoding) -> None:
        self.system, self.encoding, self.diagrams = system, encoding, encoding.diagrams
        self.steps: list[Step] = []
        self.faults: list[Function] = []
        self.hurried = self._hurried()

    def made(self) -> Steps:
        if self.system.synchronous:
            self._together(0, self.diagrams.true, ())
        else:
            for action in self.system.actions:
                self._taken(action)
        return Steps(tuple(self.steps), self.diagrams.any_of(self.faults))

    def _hurried(self) -> Function:
        """Where a process stands in a committed location."""
        return self.diagrams.any_of(
            self.encoding.equal(Slot(process.location), place)
            for process in self.system.processes
            for place in sorted(process.committed)
        )

    def _taken(self, action: Action) -> None:
        where = self._located(action)
        if not action.committed:
            where = self.diagrams.both(where, self.diagrams.denied(self.hurried))
        enabled = self._guarded(action, where)
        if enabled != self.diagrams.false:
            self._effects(action.effects, enabled)

    def _located(self, action: Action) -> Function:
        return self.diagrams.all_of(
            self.encoding.equal(Slot(self.system.processes[move.process].location), move.source)
            for move in action.moves
        )

    def _guarded(self, action: Action, where: Function) -> Function:
        """Where its guard is true; that it faults is noted."""
        true, false = self.encoding.truth(TRUE if action.guard is None else action.guard)
        known = self.diagrams.either(true, false)
        self.faults.append(self.diagrams.both(where, self.diagrams.denied(known)))
        return self.diagrams.both(where, true)

    def _together(self, process: int, where: Function, taken: tuple[Action, ...]) -> None:
        """One action of every process, those of the first one outermost, as the interpreter has it."""
        if process == len(self.system.processes):
            return
        for action in self.system.actions:
            if action.moves[0].process == process:
                enabled = self._guarded(action, self.diagrams.both(where, self._located(action)))
                if enabled == self.diagrams.false:
                    continue
                last = process + 1 == len(self.system.processes)
                effects = tuple(effect for one in (*taken, action) for effect in one.effects)
                going_on = self._effects(effects, enabled, made=last)
                self._together(process + 1, going_on, (*taken, action))

    def _effects(self, effects: Sequence[Assign], enabled: Function, *, made: bool = True) -> Function:
        """Where the effects run without a fault; they become a step, if they are all."""
        found = simultaneous(effects)
        for expression in found.evaluated:
            if not isinstance(expression, Const):
                faulting = self.diagrams.both(enabled, self.encoding.faulting(expression))
                self.faults.append(faulting)
                enabled = self.diagrams.both(enabled, self.diagrams.denied(faulting))
        if made and enabled != self.diagrams.false:
            if len(self.steps) >= _MOST_TOGETHER and self.system.synchronous:
                raise ResourceError(f"more than {_MOST_TOGETHER:,} combinations of actions are taken together")
            cases = {slot: self.encoding.cases(value) for slot, value in found.updates.items()}
            self.steps.append(step_of(enabled, cases, self.encoding))
        return enabled


def step_of(enabled: Function, cases: Mapping[Slot, Cases], encoding: Encoding) -> Step:
    """A step that can be taken in some states, by what it writes."""
    diagrams = encoding.diagrams
    fields = [encoding.fields[slot] for slot in cases]
    constant = all(len(one) == 1 and diagrams.true in one.values() for one in cases.values())
    now = diagrams.cube(bit for field in fields for bit in field.now)
    target, behind, relation = None, diagrams.true, enabled
    if constant:
        target = diagrams.all_of(encoding.equal(slot, value) for slot, one in cases.items() for value in one)
        behind = diagrams.both(target, diagrams.some(enabled, now))
    else:
        for slot, one in cases.items():
            values = [diagrams.both(states, encoding.equal(slot, value, next=True)) for value, states in one.items()]
            relation = diagrams.both(relation, diagrams.any_of(values))
    bits = [bit for field in fields for bit in field.now]
    later = [bit for field in fields for bit in field.next]
    node = diagrams.children(relation)
    return Step(
        diagrams=diagrams,
        enabled=enabled,
        now=now,
        next=diagrams.cube(later),
        forward=diagrams.renaming(dict(zip(later, bits, strict=True))),
        backward=diagrams.renaming(dict(zip(bits, later, strict=True))),
        target=target,
        behind=behind,
        relation=relation,
        top=min([*bits, node[0]] if node else bits, default=0),
        updates=tuple(cases.items()),
    )


def touched_slots(system: System) -> Iterator[frozenset[Slot]]:
    """For every action the slots that it reads or writes, for the order of bits."""
    for action in system.actions:
        effects = simultaneous(action.effects)
        found: set[Slot] = set(effects.updates)
        found |= {Slot(system.processes[move.process].location) for move in action.moves}
        for expression in (action.guard, *effects.updates.values(), *effects.evaluated):
            for node in () if expression is None else walk(expression):
                match node:
                    case Read(variable=variable):
                        found.add(Slot(variable))
                    case Element(variable=variable, index=Const(value=place)):
                        if 0 <= place < variable.slots:
                            found.add(Slot(variable, place))
                    case Element(variable=variable):
                        found |= {Slot(variable, place) for place in range(variable.slots)}
        yield frozenset(found)


def picking_slots(system: System) -> frozenset[Slot]:
    """Scalars that the index of an array's element depends on, in some action."""
    found: set[Slot] = set()
    for action in system.actions:
        stated = [action.guard] + [one for effect in action.effects for one in (effect.target, effect.value)]
        for expression in stated:
            for node in () if expression is None else walk(expression):
                if isinstance(node, Element) and node.variable.slots > 1:
                    found |= {Slot(one.variable) for one in walk(node.index) if isinstance(one, Read)}
    return frozenset(found)
