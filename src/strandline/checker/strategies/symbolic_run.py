"""A run with BDDs: the System of a task is encoded as a Space and decided in a thread, within limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from strandline.checker.driver.fault_attribution import fault_verdict
from strandline.checker.driver.outcome import INTERRUPTED, RunOutcome
from strandline.checker.limits.background import Background
from strandline.checker.limits.memory import FOR_BDDS, MemoryLimit, ensure_address_space, peak_resident_bytes
from strandline.checker.limits.progress import Progress
from strandline.checker.options.search import GPU, WHOLE
from strandline.checker.properties.selection import Property
from strandline.checker.tasks.task import Session, Task
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict, without
from strandline.compile.interpret import Fault
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.model.expression import Expression
from strandline.model.system import Capability, System
from strandline.symbolic.cone import cone_of, restrict_to_cone
from strandline.symbolic.diagrams import BYTES_PER_NODE, Function, TooManyNodes
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import StateNumbering, SymbolicPaths
from strandline.symbolic.space import FixpointProgress, Space, State
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.replay import replay, with_fault
from strandline.traces.trace import Trace, TraceFault

Made = TypeVar("Made")

FAULTED = "the search ended at a run-time fault"
EVIDENCE_SECONDS = 60.0
"""Seconds for all evidence, unless deciding took longer or the user set a time limit."""
_EVIDENCE_SHARE = 0.9
"""Share of the time left within the time limit that is spent on evidence."""
_MOST_COUNTED = 3_000_000
"""Transitions are counted up to this product of the BDD nodes of the reachable states and the number of steps."""


def refusal(task: Task, method: str) -> UsageError | None:
    """Return the error if a task cannot be decided with BDDs by `method`; None if it can."""
    asked, options = Option("method", method), task.options
    if Capability.ACTIONS not in task.system.capabilities:
        return UsageError("{} is for models with variables, not for callables", options=[asked])
    if task.system.observer is not None:
        return UsageError("{} does not support a property process; the other methods do", options=[asked])
    if task.system.has_paths or task.system.has_idle:
        message = (
            "{} takes single actions: steps of this model are paths of several, or possible only where nothing else is"
        )
        return UsageError(message, options=[asked])
    if options.order != "bfs":
        return UsageError("{} has no order: leave {} out", options=[asked, Option("order", options.order)])
    if options.device == GPU:
        return UsageError("{} does not use {}", options=[asked, Option("device", GPU)])
    for name in ("symmetry", "merge"):
        if getattr(options, name):
            return UsageError("{} does not use {}", options=[asked, Option(name, True)])
    if options.por:
        return UsageError("{} does not use {}", options=[asked, Option("por", True)])
    if options.store not in WHOLE:
        return UsageError("{} does not use {}", options=[asked, Option("store", options.store)])
    if options.checkpoint is not None:
        return UsageError("{} cannot be saved: leave {} out", options=[asked, Option("checkpoint")])
    for name in ("count_distinct", "max_states"):
        if getattr(options, name):
            return UsageError("{} does not visit states one by one: {} has no meaning", options=[asked, Option(name)])
    return None


@dataclass(slots=True)
class SymbolicRun:
    """The decision of a task with BDDs; limits that are reached are recorded in the outcome.

    `carry_out` makes the Space and calls a function with it that decides the task by the other methods.
    """

    task: Task
    session: Session
    system: System
    outcome: RunOutcome = field(default_factory=RunOutcome)
    _space: Space | None = None
    _began: float = 0.0
    _cone: tuple[int, int] | None = None
    _background: Background[None] | None = None
    _answered: bool = False
    _shown_by: float = 0.0
    _until: tuple[float, str] | None = None
    _faulting: Function | None = None
    _allowed: MemoryLimit | None = None
    missing: str | None = None
    """The reason why evidence is missing, if a limit ended the run after all answers were known; else None."""

    def carry_out(self, work: Callable[[Space], None], *, spare: int = 0) -> RunOutcome:
        """Run `work` on the System's Space in a background thread, wait for it, and return the outcome.

        `spare` is as for `Space`. Raises `InputError` if an expression of the user faults.
        """
        options = self.task.options
        given = options.memory_limit
        # BDDs of a few hundred states can need any amount of memory.
        self._allowed = allowed = MemoryLimit.by_default() if given is None else MemoryLimit(given)
        limits = (options.max_seconds, allowed)
        background: Background[None] = Background(self.session.callback, self.session.started, *limits)
        self._background = background
        self._began = time.perf_counter()

        def report(round_: FixpointProgress) -> None:
            nodes = self.space.diagrams.nodes()
            words = f"{round_.what}, round {round_.round:,}"
            background.doing = Progress(0.0, 0, 0, nodes, BYTES_PER_NODE * nodes, doing=words)

        def whole() -> None:
            self._space = Space(
                self.system,
                library=options.diagrams,
                most_bytes=most_bytes,
                watch=self._watch,
                report=report,
                spare=spare,
            )
            work(self._space)

        try:
            ensure_address_space(FOR_BDDS)
            most_bytes = allowed.remaining_bytes()
            background.run(whole)
        except ResourceError as error:
            self._end(self._reason(error))
        except MemoryError:
            self._end("the machine's memory is used up")
        except KeyboardInterrupt:
            self.outcome.interrupted = True
            self._end(INTERRUPTED)
        self._note()
        return self.outcome

    def _reason(self, error: ResourceError) -> str:
        """Return the message of a limit, with the origin of a default memory limit."""
        default = isinstance(error, TooManyNodes) and self._allowed is not None and self._allowed.why
        return f"{error} ({default})" if default else str(error)

    def _end(self, reason: str) -> None:
        """Record the limit that ended the run; answers that are known by then stay."""
        if self._answered:
            self.missing = reason
        else:
            self.outcome.complete, self.outcome.reason = False, reason

    # --- evidence -------------------------------------------------------------------------------------------------

    def note_answers(self) -> None:
        """Record that all answers are known. From then on only evidence is searched for, with its own budget."""
        self._answered = True
        now, limit = time.perf_counter(), self.task.options.max_seconds
        seconds = max(EVIDENCE_SECONDS, now - self._began)
        if limit is not None:
            seconds = _EVIDENCE_SHARE * max(0.0, self.session.started + limit - now)
        self._shown_by = now + seconds
        if self._background is not None:
            self._background.until = (self._shown_by, _too_long(seconds))
        self.space.diagrams.collect()

    def find_evidence(self, make: Callable[[], Made], *, share: int = 1) -> Made | str:
        """Return the evidence that `make` finds, or the reason why there is none, as text.

        It may take the time that is left for evidence, divided by `share`.
        """
        now = time.perf_counter()
        seconds = max(0.0, self._shown_by - now) / share
        self._until = (now + seconds, _too_long(seconds))
        try:
            return make()
        except ResourceError as error:
            return self._reason(error)
        finally:
            self._until = None
            # `nodes` updates the peak before dead nodes are freed.
            self.space.diagrams.nodes()
            self.space.diagrams.collect()

    def _watch(self) -> None:
        """Raise `ResourceError` at a limit, `Stopped` if the run was abandoned; called between BDD operations."""
        background = self._background
        if background is not None:
            background.watch()
        if self._until is not None and time.perf_counter() > self._until[0]:
            raise ResourceError(self._until[1])

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
            allowed_bytes=self._allowed.allowed if self._allowed is not None and self._allowed.why else None,
            seconds=time.perf_counter() - self._began,
        )

    def look_at_cone(self, sets: Sequence[Function]) -> Space:
        """Restrict the Space to the cone of influence of `sets`, and return it."""
        cone, every = cone_of(self.space, sets), len(self.space.encoding.fields)
        self._space = restrict_to_cone(self.space, cone)
        self._cone = (len(cone), every)
        return self._space

    # --- reachable states -----------------------------------------------------------------------------------------

    def count(self, *, transitions: bool) -> None:
        """Record the numbers of reachable states, deadlocks and, if BDDs are small enough, transitions."""
        space, sets = self.space, SymbolicSets(self.space, self.space.reachable)
        states = space.count(space.reachable)
        size = space.diagrams.size(space.reachable)
        counted = transitions and size * len(space.steps) <= _MOST_COUNTED
        self.outcome.statistics = Statistics(
            states=states,
            transitions=space.count(*(sets.and_(space.reachable, step.enabled) for step in space.steps))
            if counted
            else None,
            deadlocks=space.count(sets.dead) if self._cone is None else None,
            visited=states,
            cone=self._cone,
        )

    def stop_at_faults(self, expressions: Sequence[Expression]) -> bool:
        """Stop exploration at reachable states that fault; return True if there are any.

        They may fault in a step or in one of the expressions. As in explicit search, such a state decides nothing, and
        its steps are not counted.
        """
        space = self.space
        faulting = space.diagrams.any_of([space.faults, *(space.encoding.faulting(one) for one in expressions)])
        if space.diagrams.and_(faulting, space.reachable) == space.diagrams.false:
            return False
        space.stop_at(faulting)
        self._faulting = space.diagrams.and_(faulting, space.reachable)
        self.outcome.complete, self.outcome.reason = False, FAULTED
        return True

    def note_fault(self, blame: Blame) -> None:
        """Record a reachable fault of the model, if there is one, as a verdict without a trace."""
        space = self.space
        state = space.member(space.diagrams.and_(space.faults, self.faulting))
        if state is not None:
            reference = reference_of(self.system)
            trace = Trace(reference.describe(reference.layout.pack(state)), ())
            self.outcome.fault = replace(blame(*_faulting(self.system, (trace, state), ())), trace=None)

    def show_fault(self, expressions: Sequence[Expression], blame: Blame, *, share: int = 1) -> None:
        """Add to the recorded fault a trace to a nearest state in which the model or an expression faults.

        Raises `InputError` if an expression of the user faults there. `share` as for `find_evidence`.
        """
        goal = self.faulting if expressions else self.space.diagrams.and_(self.faulting, self.space.faults)
        found = self.find_evidence(lambda: self.trace_to(goal), share=share) if self.task.want_traces else None
        if isinstance(found, ShownTrace):
            verdict = blame(*_faulting(self.system, (found.trace, found.state), expressions))
            self.outcome.fault = replace(verdict, shortest=found.shortest)
        elif self.outcome.fault is not None:
            missing = "" if found is None else f" ({without(Answer.VIOLATED, found)})"
            self.outcome.fault = replace(self.outcome.fault, reason=f"{self.outcome.fault.reason}{missing}")
        else:
            self._blame_without_trace(expressions, blame)

    def _blame_without_trace(self, expressions: Sequence[Expression], blame: Blame) -> None:
        state = self.space.member(self.faulting)
        if state is None:
            raise InternalError("no reachable state has the fault that was found")
        reference = reference_of(self.system)
        trace = Trace(reference.describe(reference.layout.pack(state)), ())
        blame(*_faulting(self.system, (trace, state), expressions), led=False)

    @property
    def regular(self) -> Function:
        """The reachable states that do not fault."""
        return self.space.diagrams.and_(self.space.reachable, self.space.diagrams.not_(self.faulting))

    @property
    def faulting(self) -> Function:
        """The reachable states that fault; empty before `stop_at_faults`."""
        return self.space.diagrams.false if self._faulting is None else self._faulting

    def trace_to(self, goal: Function) -> ShownTrace:
        """Return a replayed trace to a state in `goal`, a set of reachable states."""
        space = self.space
        sets, numbered = SymbolicSets(space, space.reachable), StateNumbering()
        found = SymbolicPaths(sets, numbered).from_any(self.system.initial, sets.full(), goal)
        if found is None:
            raise InternalError("there is no path to a reachable state")
        trace = replay(reference_of(self.system), found.start, found.way.steps).trace
        return ShownTrace(trace, numbered.state(found.way.end), found.shortest)


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """A trace to a goal, its last state, and True if no shorter trace leads to the goal."""

    trace: Trace
    state: State
    shortest: bool


def _too_long(seconds: float) -> str:
    return f"looking for one took more than {seconds:.3g} s"


class Blame(Protocol):
    """A function that makes the verdict of a trace to a fault; `own` is True if the fault is the model's.

    It raises `InputError` for a fault in an expression of the user. `led` is True if the trace begins in an initial
    state; then the message gives its length.
    """

    def __call__(self, trace: Trace, own: bool, /, *, led: bool = True) -> PropertyVerdict: ...


def _faulting(system: System, found: tuple[Trace, State], expressions: Sequence[Expression]) -> tuple[Trace, bool]:
    """Return the trace with the fault in its last state, and True if the fault is the model's.

    The expressions of the user are evaluated first, as in the engine.
    """
    trace, state = found
    reference = reference_of(system)
    for one in expressions:
        try:
            reference.interpreter.evaluate(one, state)
        except Fault as fault:
            site = reference.site(fault)
            return replace(trace, fault=TraceFault(site.kind, site.span, None, site.detail)), False
    faulted = with_fault(reference, trace, reference.layout.pack(state))
    if faulted is None:
        raise InternalError("the step that was found to fault does not")
    return faulted, True


def blame_for(system: System, properties: Sequence[Property]) -> Blame:
    """Return the function that attributes a fault to the model, or to one of the properties, which is an error."""

    def blame(trace: Trace, own: bool, /, *, led: bool = True) -> PropertyVerdict:
        return fault_verdict(system, trace, () if own else properties, None, led=led)

    return blame
