"""A System as sets of states: the initial ones, steps, faults, and what can be reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from strandline.analysis.ranges import analyse_ranges
from strandline.model.system import System
from strandline.symbolic.closure import Closing
from strandline.symbolic.clusters import Cluster, clustered
from strandline.symbolic.diagrams import OXIDD, Diagrams, Function, make_diagrams
from strandline.symbolic.encoding import Encoding, lay_out
from strandline.symbolic.ordering import ordered
from strandline.symbolic.steps import Step, make_steps, picking_slots, step_of, touched_slots
from strandline.transform.simultaneous import Slot

State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """How far a fixpoint has come: what it is, its round, and the set so far."""

    what: str
    round: int
    states: Function


class Space:
    """The sets of a System without an observer. `watch` is called between operations and may raise to stop the work;
    `tell` hears of every round of a fixpoint. `spare` pairs of bits in front of all others are left for who asks."""

    def __init__(
        self,
        system: System,
        *,
        library: str = OXIDD,
        most_bytes: int = 1 << 30,
        watch: Callable[[], None] = lambda: None,
        tell: Callable[[Told], None] = lambda told: None,
        spare: int = 0,
    ) -> None:
        self.system, self.watch, self._tell = system, watch, tell
        boxes = analyse_ranges(system).variables
        slots = [Slot(one, place) for one in system.variables for place in range(one.slots)]
        numbers = {slot: number for number, slot in enumerate(slots)}
        groups = [frozenset(numbers[slot] for slot in group) for group in touched_slots(system)]
        # What picks an element of an array comes before all of its elements: behind them it would have to be told
        # for every combination of theirs what it picks.
        picking = picking_slots(system)
        order = sorted((slots[number] for number in ordered(len(slots), groups)), key=lambda slot: slot not in picking)
        fields = lay_out({slot: boxes[slot.variable] for slot in slots}, order, 2 * spare)
        bits = 2 * spare + 2 * sum(len(field.now) for field in fields)
        self.spare = tuple((2 * number, 2 * number + 1) for number in range(spare))
        self.diagrams: Diagrams = make_diagrams(library, bits, most_bytes)
        self.encoding = Encoding(self.diagrams, fields, watch)
        self.bits = tuple(bit for field in fields for bit in field.now)
        self._slots = slots
        made = make_steps(system, self.encoding)
        self.steps = made.steps
        self.faults = made.faults
        self.stopped = self.diagrams.false
        self.initial = self.diagrams.any_of(self.single(state) for state in system.initial)

    @cached_property
    def valid(self) -> Function:
        """All states, reachable or not."""
        return self.encoding.valid()

    @cached_property
    def enabled(self) -> Function:
        """Where some step can be taken, or the search ends at a fault, so that what can be taken is not known."""
        return self.diagrams.any_of([*(step.enabled for step in self.steps), self.stopped])

    def stop_at(self, states: Function) -> None:
        """Let no step be taken in some states: those in which the model faults, where every search ends. Steps that are
        not affected stay what they are; as long as no fault is reachable none needs to be."""
        both, goes_on = self.diagrams.both, self.diagrams.denied(states)
        self.stopped = self.diagrams.either(self.stopped, states)
        self.steps = tuple(
            step
            if both(step.enabled, states) == self.diagrams.false
            else step_of(both(step.enabled, goes_on), dict(step.updates), self.encoding)
            for step in self.steps
            if both(step.enabled, goes_on) != self.diagrams.false
        )
        for known in ("enabled", "reachable", "clusters"):
            vars(self).pop(known, None)

    @cached_property
    def reachable(self) -> Function:
        """Everything that steps lead to from the initial states."""
        return self.closed("reachable", self.initial, self.steps, lambda step, states: step.after(states))

    def leading_to(self, states: Function, through: Function, steps: Sequence[Step] | None = None) -> Function:
        """Everything from which steps, all unless some are given, lead into a set, from states of `through`."""
        backwards = (self.steps if steps is None else steps)[::-1]
        return self.closed("leading to it", states, backwards, lambda step, found: step.before(found), through)

    def closed(
        self,
        what: str,
        states: Function,
        steps: Sequence[Step],
        apply: Callable[[Step, Function], Function],
        within: Function | None = None,
    ) -> Function:
        """The least set with `states` in it to which no step adds a state of `within`, or of all."""
        within = self.diagrams.true if within is None else within
        found = Closing(self.diagrams, steps, apply, self.watch).closed(states, within)
        self.told(what, 1, found)
        return found

    @cached_property
    def clusters(self) -> list[Cluster]:
        """All steps as few relations."""
        return self.clustered(self.steps)

    def clustered(self, steps: Sequence[Step]) -> list[Cluster]:
        """Some steps as few relations."""
        return clustered(steps, self.encoding, self.watch)

    def before(self, states: Function, clusters: Sequence[Cluster] | None = None) -> Function:
        """The states that have a step into a set; by all steps, unless others are given."""
        return self._any((self.clusters if clusters is None else clusters), lambda one: one.before(states))

    def after(self, states: Function) -> Function:
        """The states that a step from a set leads to."""
        return self._any(self.clusters, lambda one: one.after(states))

    def _any(self, clusters: Sequence[Cluster], make: Callable[[Cluster], Function]) -> Function:
        found = self.diagrams.false
        for one in clusters:
            self.watch()
            found = self.diagrams.either(found, make(one))
        return found

    def told(self, what: str, turn: int, states: Function) -> None:
        """A round of a fixpoint is over."""
        self.diagrams.nodes()
        self._tell(Told(what, turn, states))

    def count(self, *sets: Function) -> int:
        """How many states some sets have, each counted by itself."""
        return self.diagrams.count(sets, self.bits)

    def single(self, state: Sequence[int]) -> Function:
        """The set of one state."""
        found = self.diagrams.true
        pairs = [(self.encoding.fields[slot], value) for slot, value in zip(self._slots, state, strict=True)]
        for field, value in sorted(pairs, key=lambda pair: pair[0].now, reverse=True):
            found = self.diagrams.both(self.encoding.equal(field.slot, value), found)
        return found

    def contains(self, states: Function, state: Sequence[int]) -> bool:
        """Whether a state is in a set."""
        bits: dict[int, bool] = {}
        for slot, value in zip(self._slots, state, strict=True):
            field = self.encoding.fields[slot]
            if not field.low <= value <= field.high:
                return False
            for place, bit in enumerate(reversed(field.now)):
                bits[bit] = bool(value - field.low >> place & 1)
        return self.diagrams.contains(states, bits.__getitem__)

    def member(self, states: Function) -> State | None:
        """Some state of a set; None where there is none."""
        bits = self.diagrams.member(states)
        if bits is None:
            return None
        values = []
        for slot in self._slots:
            field = self.encoding.fields[slot]
            number = 0
            for bit in field.now:
                number = number << 1 | bits.get(bit, False)
            values.append(field.low + number)
        return tuple(values)
