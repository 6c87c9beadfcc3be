"""A System as BDDs: its initial states, steps and faults, images, and the reachable states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from strandline.analysis.dependencies import members
from strandline.analysis.ranges import analyse_ranges
from strandline.model.system import System
from strandline.symbolic.closure import Saturation
from strandline.symbolic.clusters import Cluster, cluster_steps
from strandline.symbolic.diagrams import OXIDD, Diagrams, Function, make_diagrams
from strandline.symbolic.encoding import Encoding, lay_out_fields
from strandline.symbolic.ordering import force_order
from strandline.symbolic.steps import Step, index_slots, make_steps, slots_by_action, step_of
from strandline.transform.simultaneous import Slot

State = tuple[int, ...]

STEP_FACTS = ("enabled_states", "reachable", "clusters")
"""The cached properties of a Space that depend on its steps."""


@dataclass(frozen=True, slots=True)
class FixpointProgress:
    """A progress report on a fixpoint computation: its name, the number of the round, and the set so far."""

    what: str
    round: int
    states: Function


class Space:
    """The BDDs of a System without a property process.

    `watch` is called between operations and may raise to stop the work; `report` receives every round of a fixpoint.
    `spare` pairs of bits at the top of the order are reserved for the caller.
    """

    def __init__(
        self,
        system: System,
        *,
        library: str = OXIDD,
        most_bytes: int = 1 << 30,
        watch: Callable[[], None] = lambda: None,
        report: Callable[[FixpointProgress], None] = lambda progress: None,
        spare: int = 0,
    ) -> None:
        self.system, self.watch, self._report = system, watch, report
        intervals = analyse_ranges(system).variables
        slots = [Slot(one, place) for one in system.variables for place in range(one.slots)]
        groups = [frozenset(members(group)) for group in slots_by_action(system)]
        # An array's index variables come before its elements in the order: below them, the BDD of an indexed read
        # would grow with every combination of the elements' values.
        picking = index_slots(system)
        numbers = sorted(force_order(len(slots), groups), key=lambda number: not picking >> number & 1)
        order = [slots[number] for number in numbers]
        fields = lay_out_fields({slot: intervals[slot.variable] for slot in slots}, order, 2 * spare)
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
    def enabled_states(self) -> Function:
        """The states with an enabled step, and those where exploration stops at a fault."""
        return self.diagrams.any_of([*(step.enabled for step in self.steps), self.stopped])

    def stop_at(self, states: Function) -> None:
        """Disable all steps in some states: those in which the model faults, where every search ends.

        Steps that are not enabled there are kept unchanged; as long as no fault is reachable, no step needs to change.
        """
        both, goes_on = self.diagrams.and_, self.diagrams.not_(states)
        self.stopped = self.diagrams.or_(self.stopped, states)
        self.steps = tuple(
            step
            if both(step.enabled, states) == self.diagrams.false
            else step_of(both(step.enabled, goes_on), dict(step.updates), self.encoding)
            for step in self.steps
            if both(step.enabled, goes_on) != self.diagrams.false
        )
        self.forget_step_facts()

    def forget_step_facts(self) -> None:
        """Forget the cached properties that depend on the steps."""
        for name in STEP_FACTS:
            vars(self).pop(name, None)

    @cached_property
    def reachable(self) -> Function:
        """The states reachable from the initial states."""
        return self.saturate("reachable", self.initial, self.steps, lambda step, states: step.image(states))

    def backward_reachable(self, states: Function, through: Function, steps: Sequence[Step] | None = None) -> Function:
        """Return the states that reach a set through states of `through`.

        `steps` are the steps to take, by default all.
        """
        backwards = (self.steps if steps is None else steps)[::-1]
        return self.saturate("backward reachable", states, backwards, lambda step, found: step.preimage(found), through)

    def saturate(
        self,
        what: str,
        states: Function,
        steps: Sequence[Step],
        apply: Callable[[Step, Function], Function],
        within: Function | None = None,
    ) -> Function:
        """Return the least superset of `states` to which no step adds a state of `within` (default: any state)."""
        within = self.diagrams.true if within is None else within
        found = Saturation(self.diagrams, steps, apply, self.watch).saturate(states, within)
        self.report_round(what, 1, found)
        return found

    @cached_property
    def clusters(self) -> list[Cluster]:
        """All steps as few relations."""
        return self.cluster_steps(self.steps)

    def cluster_steps(self, steps: Sequence[Step]) -> list[Cluster]:
        """Combine some steps into few relations."""
        return cluster_steps(steps, self.encoding, self.watch)

    def preimage(self, states: Function, clusters: Sequence[Cluster] | None = None) -> Function:
        """Return the predecessors of a set by the clusters (default: all steps)."""
        return self._any((self.clusters if clusters is None else clusters), lambda one: one.preimage(states))

    def image(self, states: Function) -> Function:
        """Return the successors of a set."""
        return self._any(self.clusters, lambda one: one.image(states))

    def _any(self, clusters: Sequence[Cluster], make: Callable[[Cluster], Function]) -> Function:
        found = self.diagrams.false
        for one in clusters:
            self.watch()
            found = self.diagrams.or_(found, make(one))
        return found

    def report_round(self, what: str, turn: int, states: Function) -> None:
        """Report a round of a fixpoint computation."""
        self.diagrams.nodes()
        self._report(FixpointProgress(what, turn, states))

    def count(self, *sets: Function) -> int:
        """Count the states of some sets, each set separately, and return the sum."""
        return self.diagrams.count(sets, self.bits)

    def single(self, state: Sequence[int]) -> Function:
        """Return the set of one state."""
        found = self.diagrams.true
        pairs = [(self.encoding.fields[slot], value) for slot, value in zip(self._slots, state, strict=True)]
        for field, value in sorted(pairs, key=lambda pair: pair[0].now, reverse=True):
            found = self.diagrams.and_(self.encoding.equal(field.slot, value), found)
        return found

    def contains(self, states: Function, state: Sequence[int]) -> bool:
        """Return True if a state is in a set."""
        bits: dict[int, bool] = {}
        for slot, value in zip(self._slots, state, strict=True):
            field = self.encoding.fields[slot]
            if not field.low <= value <= field.high:
                return False
            for place, bit in enumerate(reversed(field.now)):
                bits[bit] = bool(value - field.low >> place & 1)
        return self.diagrams.contains(states, bits.__getitem__)

    def member(self, states: Function) -> State | None:
        """Return a state of a set; None if it is empty."""
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
