"""A System in sets, within the limits of a task: what the strategies that work symbolically have in common."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from strandline.check.background import Background
from strandline.check.blame import fault_verdict
from strandline.check.driver.outcome import INTERRUPTED, RunOutcome
from strandline.check.memory import MemoryLimit, peak_resident_bytes
from strandline.check.options import GPU, WHOLE
from strandline.check.properties import Property
from strandline.check.task import Session, Task
from strandline.check.verdict import PropertyVerdict, Statistics
from strandline.check.watching import Progress
from strandline.compile.callback import CallableSystem
from strandline.compile.interpret import Fault, Interpreter
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.model.expression import Expression
from strandline.model.system import System
from strandline.symbolic.cone import cone_of, within_cone
from strandline.symbolic.diagrams import BYTES_PER_NODE, Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import Numbered, SymbolicPaths
from strandline.symbolic.space import Space, State, Told
from strandline.traces.replay import replay, with_fault
from strandline.traces.trace import Trace, TraceFault
from strandline.traces.walk import twin_of

FAULTED = "the search ended at a run-time fault"
_SHARE_OF_FREE_MEMORY = 0.5
_MOST_BYTES = 8 << 30
_MOST_COUNTED = 3_000_000
"""Nodes that are looked at to count transitions."""


def refusal(task: Task, method: str) -> UsageError | None:
    """Why a task cannot be carried out in sets; None where it can."""
    asked, options = Option("method", method), task.options
    if isinstance(task.system, CallableSystem):
        return UsageError("{} is for models with variables, not for callables", options=[asked])
    if task.system.observer is not None:
        return UsageError("{} knows no property process; the other methods do", options=[asked])
    if options.order != "bfs":
        return UsageError("{} has no order: leave {} out", options=[asked, Option("order", options.order)])
    if options.device == GPU:
        return UsageError("{} has no use for {}", options=[asked, Option("device", GPU)])
    for name in ("symmetry", "merge"):
        if getattr(options, name):
            return UsageError("{} has no use for {}", options=[asked, Option(name, True)])
    if options.por:
        return UsageError("{} has no use for {}", options=[asked, Option("por", True)])
    if options.store not in WHOLE:
        return UsageError("{} has no use for {}", options=[asked, Option("store", options.store)])
    if options.checkpoint is not None:
        return UsageError("{} cannot be saved: leave {} out", options=[asked, Option("checkpoint")])
    for name in ("count_distinct", "max_states"):
        if getattr(options, name):
            return UsageError("{} finds no states one by one: {} has no meaning", options=[asked, Option(name)])
    return None


@dataclass(slots=True)
class SymbolicRun:
    """A task in sets. `work` gets the Space; what it finds is for whoever made it, limits end up in the outcome."""

    task: Task
    session: Session
    system: System
    outcome: RunOutcome = field(default_factory=RunOutcome)
    _space: Space | None = None
    _began: float = 0.0
    _cone: tuple[int, int] | None = None

    def carry_out(self, work: Callable[[Space], None], *, spare: int = 0) -> RunOutcome:
        """Do it in the background. Raises `InputError` for what the user can mend."""
        options = self.task.options
        allowed = MemoryLimit(options.memory_limit)
        limits = (options.max_seconds, allowed)
        background: Background[None] = Background(self.session.watcher, self.session.started, *limits)
        self._began = time.perf_counter()

        def tell(told: Told) -> None:
            nodes = self.space.diagrams.nodes()
            words = f"{told.what}, round {told.round:,}"
            background.doing = Progress(0.0, 0, 0, nodes, BYTES_PER_NODE * nodes, doing=words)

        def whole() -> None:
            self._space = Space(
                self.system,
                library=options.diagrams,
                most_bytes=most_bytes,
                watch=background.watch,
                tell=tell,
                spare=spare,
            )
            work(self._space)

        try:
            most_bytes = _most_bytes(allowed)
            background.run(whole)
        except ResourceError as error:
            self.outcome.complete, self.outcome.reason = False, str(error)
        except MemoryError:
            self.outcome.complete, self.outcome.reason = False, "the machine's memory is used up"
        except KeyboardInterrupt:
            self.outcome.complete = False
            self.outcome.interrupted, self.outcome.reason = True, INTERRUPTED
        self._note()
        return self.outcome

    @property
    def space(self) -> Space:
        if self._space is None:
            raise InternalError("the model is not encoded yet")
        return self._space

    def _note(self) -> None:
        nodes = 0 if self._space is None else max(self._space.diagrams.peak, self._space.diagrams.nodes())
        self.outcome.statistics = replace(
            self.outcome.statistics,
            nodes=nodes,
            peak_bytes=BYTES_PER_NODE * nodes,
            rss_bytes=peak_resident_bytes(),
            seconds=time.perf_counter() - self._began,
        )

    def look_at_cone(self, sets: Sequence[Function]) -> Space:
        """From here on only what can influence some sets is looked at."""
        cone, every = cone_of(self.space, sets), len(self.space.encoding.fields)
        self._space = within_cone(self.space, cone)
        self._cone = (len(cone), every)
        return self._space

    # --- what is reachable ----------------------------------------------------------------------------------------

    def count(self, *, transitions: bool) -> None:
        """Count what is reachable: states, deadlocks and, if they are few enough to be counted, transitions."""
        space, sets = self.space, SymbolicSets(self.space, self.space.reachable)
        states = space.count(space.reachable)
        size = space.diagrams.size(space.reachable)
        counted = transitions and size * len(space.steps) <= _MOST_COUNTED
        self.outcome.statistics = Statistics(
            states=states,
            transitions=space.count(*(sets.both(space.reachable, step.enabled) for step in space.steps))
            if counted
            else None,
            deadlocks=space.count(sets.dead) if self._cone is None else None,
            visited=states,
            cone=self._cone,
        )

    def look_for_faults(
        self, expressions: Sequence[Expression], blame: Callable[[Trace, bool], PropertyVerdict]
    ) -> bool:
        """Whether a reachable state faults, in a step or in one of the expressions; then `blame` makes a verdict of the
        trace, which is the model's own fault, or not."""
        space = self.space
        places = [(None, space.faults), *((one, space.encoding.faulting(one)) for one in expressions)]
        for expression, where in places:
            if space.diagrams.both(where, space.reachable) == space.diagrams.false:
                continue
            found = self.trace_to(space.diagrams.both(where, space.reachable))
            trace = _faulting(self.system, found, expression)
            self.outcome.fault = blame(trace, expression is None)
            self.outcome.complete, self.outcome.reason = False, FAULTED
            return True
        return False

    def trace_to(self, goal: Function) -> tuple[Trace, State]:
        """A shortest trace into a set of reachable states, executed again, and the state in which it ends."""
        space = self.space
        distances, known = [goal], goal
        sets = SymbolicSets(space, space.reachable)
        while space.diagrams.both(distances[-1], space.initial) == space.diagrams.false:
            fresh = sets.both(sets.before(distances[-1]), sets.denied(known))
            if fresh == sets.empty():
                raise InternalError("what is reachable cannot be reached")
            known = sets.either(known, fresh)
            distances.append(fresh)
        number = next(
            place for place, state in enumerate(self.system.initial) if space.contains(distances[-1], state)
        )
        numbered = Numbered()
        paths, steps = SymbolicPaths(sets, numbered), []
        record = numbered.number(self.system.initial[number])
        for one in reversed(distances[:-1]):
            step = paths.step_into(record, one)
            steps.append(step.steps[0])
            record = step.end
        trace = replay(twin_of(self.system), number, steps).trace
        return trace, numbered.state(record)


def _faulting(system: System, found: tuple[Trace, State], expression: Expression | None) -> Trace:
    """A trace ended by the fault in its last state: of an expression, or of a step."""
    trace, state = found
    twin = twin_of(system)
    if expression is None:
        faulted = with_fault(twin, trace, twin.layout.pack(state))
        if faulted is None:
            raise InternalError("a step was to fault and did not")
        return faulted
    try:
        Interpreter(system).evaluate(expression, state)
    except Fault as fault:
        return replace(trace, fault=TraceFault(fault.kind, fault.span, None))
    raise InternalError("an expression was to fault and did not")


def blame_for(system: System, properties: Sequence[Property]) -> Callable[[Trace, bool], PropertyVerdict]:
    """Whose fault a fault is: the model's, or that of a property, which is an error."""
    return lambda trace, own: fault_verdict(system, trace, () if own else properties, None)


def _most_bytes(allowed: MemoryLimit) -> int:
    """What decision diagrams may take."""
    left = allowed.left()
    return left if allowed.allowed is not None else min(_MOST_BYTES, int(left * _SHARE_OF_FREE_MEMORY))
