"""Steps as relations between current and next states.

A step is one action or, in a synchronous system, one action of every process together. Slots that it does not write are
no part of its relation (disjunctive partitioning; Burch, Clarke, Long 1991). Where all written values are constant
there is no relation at all: images quantify the written bits away and intersect with the constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from strandline.analysis.dependencies import dependencies_of, expressions
from strandline.errors import ResourceError
from strandline.model.expression import TRUE, Const, Element, walk
from strandline.model.system import Action, Assign, System
from strandline.symbolic.diagrams import Diagrams, Function
from strandline.symbolic.encoding import Cases, Encoding
from strandline.transform.simultaneous import Slot, simultaneous

_MOST_COMBINATIONS = 20_000
"""Most combinations of actions of a synchronous system."""


@dataclass(frozen=True, slots=True)
class Step:
    """The transitions of one step, with the cubes and substitutions that images and preimages need.

    `enabled` holds the states in which it can be taken without a fault. `target` holds the written values where they
    are constant; otherwise `relation` relates states to the next values of the written slots.
    """

    diagrams: Diagrams
    enabled: Function
    now: Function
    """Cube of the current bits of the written slots; `next` is that of their next bits."""
    next: Function
    forward: object
    """Substitution of next bits by current bits; `backward` is its inverse."""
    backward: object
    target: Function | None
    behind: Function
    """For constant updates, a set that contains the image: `target` and the constraints on slots that are only read.

    Intersecting with it first keeps the sets in a preimage small.
    """
    relation: Function
    top: int
    """The topmost bit that the step reads or writes."""
    updates: tuple[tuple[Slot, Cases], ...]
    """The written slots with the cases of their new values."""

    def image(self, states: Function) -> Function:
        """Return the successors of a set by this step."""
        diagrams = self.diagrams
        if self.target is not None:
            return diagrams.and_(diagrams.and_exists(states, self.enabled, self.now), self.target)
        return diagrams.rename(diagrams.and_exists(states, self.relation, self.now), self.forward)

    def preimage(self, states: Function) -> Function:
        """Return the predecessors of a set by this step."""
        diagrams = self.diagrams
        if self.target is not None:
            return diagrams.and_(self.enabled, diagrams.and_exists(states, self.behind, self.now))
        return diagrams.and_exists(self.relation, diagrams.rename(states, self.backward), self.next)


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a System, and the states in which some step faults."""

    steps: tuple[Step, ...]
    faults: Function


def make_steps(system: System, encoding: Encoding) -> Steps:
    """Make the steps of a System without a property process."""
    return _StepBuilder(system, encoding).build()


class _StepBuilder:
    def __init__(self, system: System, encoding: Encoding) -> None:
        self.system, self.encoding, self.diagrams = system, encoding, encoding.diagrams
        self.steps: list[Step] = []
        self.faults: list[Function] = []
        self.committed = self._committed_states()

    def build(self) -> Steps:
        if self.system.synchronous:
            self._add_combinations(0, self.diagrams.true, ())
        else:
            for action in self.system.actions:
                self._add_action(action)
        return Steps(tuple(self.steps), self.diagrams.any_of(self.faults))

    def _committed_states(self) -> Function:
        """Return the states in which a process stands in a committed location."""
        return self.diagrams.any_of(
            self.encoding.equal(Slot(process.location), place)
            for process in self.system.processes
            for place in sorted(process.committed)
        )

    def _add_action(self, action: Action) -> None:
        where = self._source_states(action)
        if not action.committed:
            where = self.diagrams.and_(where, self.diagrams.not_(self.committed))
        enabled = self._enabled_states(action, where)
        if enabled != self.diagrams.false:
            self._add_step(action.effects, enabled)

    def _source_states(self, action: Action) -> Function:
        return self.diagrams.all_of(
            self.encoding.equal(Slot(self.system.processes[move.process].location), move.source)
            for move in action.moves
        )

    def _enabled_states(self, action: Action, where: Function) -> Function:
        """Return the states in which the guard is true; record the states in which it faults."""
        true, false = self.encoding.truth(TRUE if action.guard is None else action.guard)
        known = self.diagrams.or_(true, false)
        self.faults.append(self.diagrams.and_(where, self.diagrams.not_(known)))
        return self.diagrams.and_(where, true)

    def _add_combinations(self, process: int, where: Function, taken: tuple[Action, ...]) -> None:
        """Add every combination of one action per process, the first process outermost as in the interpreter."""
        if process == len(self.system.processes):
            return
        for action in self.system.actions:
            if action.moves[0].process == process:
                enabled = self._enabled_states(action, self.diagrams.and_(where, self._source_states(action)))
                if enabled == self.diagrams.false:
                    continue
                last = process + 1 == len(self.system.processes)
                effects = tuple(effect for one in (*taken, action) for effect in one.effects)
                going_on = self._add_step(effects, enabled, made=last)
                self._add_combinations(process + 1, going_on, (*taken, action))

    def _add_step(self, effects: Sequence[Assign], enabled: Function, *, made: bool = True) -> Function:
        """Add a step with some effects, unless `made` is False; return the states in which they do not fault."""
        found = simultaneous(effects)
        for expression in found.evaluated:
            if not isinstance(expression, Const):
                faulting = self.diagrams.and_(enabled, self.encoding.faulting(expression))
                self.faults.append(faulting)
                enabled = self.diagrams.and_(enabled, self.diagrams.not_(faulting))
        if made and enabled != self.diagrams.false:
            if len(self.steps) >= _MOST_COMBINATIONS and self.system.synchronous:
                raise ResourceError(
                    f"the synchronous composition has more than {_MOST_COMBINATIONS:,} combinations of actions"
                )
            cases = {slot: self.encoding.cases(value) for slot, value in found.updates.items()}
            self.steps.append(step_of(enabled, cases, self.encoding))
        return enabled


def step_of(enabled: Function, cases: Mapping[Slot, Cases], encoding: Encoding) -> Step:
    """Make the step that is enabled in some states and writes slots by cases."""
    diagrams = encoding.diagrams
    fields = [encoding.fields[slot] for slot in cases]
    constant = all(len(one) == 1 and diagrams.true in one.values() for one in cases.values())
    now = diagrams.cube(bit for field in fields for bit in field.now)
    target, behind, relation = None, diagrams.true, enabled
    if constant:
        target = diagrams.all_of(encoding.equal(slot, value) for slot, one in cases.items() for value in one)
        behind = diagrams.and_(target, diagrams.exists(enabled, now))
    else:
        for slot, one in cases.items():
            values = [diagrams.and_(states, encoding.equal(slot, value, next=True)) for value, states in one.items()]
            relation = diagrams.and_(relation, diagrams.any_of(values))
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


def slots_by_action(system: System) -> Iterator[int]:
    """Yield for every action the slots that it reads or writes, for the variable order.

    They are those of its simultaneous updates: an index that its own effects make constant means a single element.
    """
    slots = dependencies_of(system).slots
    for action in system.actions:
        effects = simultaneous(action.effects)
        found = slots.union([system.processes[move.process].location for move in action.moves])
        for slot in effects.updates:
            found |= slots.of_element(slot.variable, slot.place)
        guard = () if action.guard is None else (action.guard,)
        yield found | slots.read_by_all((*guard, *effects.updates.values(), *effects.evaluated))


def index_slots(system: System) -> int:
    """Return the scalar slots on which an array index of some action depends."""
    slots, found = dependencies_of(system).slots, 0
    for action in system.actions:
        for expression in expressions(action):
            for node in walk(expression):
                if isinstance(node, Element) and node.variable.slots > 1:
                    found |= slots.read_by(node.index)
    return found & slots.scalars
