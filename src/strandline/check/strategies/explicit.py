"""Explicit search for single states: through all that is reachable, in the order of the options."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from strandline.check.blame import fault_verdict, fault_without_trace
from strandline.check.compiling import no_merging
from strandline.check.engine_searches import FORGETTING, SearchMaker, StateSearches
from strandline.check.evidence import LeftOut
from strandline.check.exchanging import exchanges_of
from strandline.check.guards import MOST_STATES, with_reasons
from strandline.check.options import SWEEP, Options
from strandline.check.plan import Findings, Plan
from strandline.check.properties import Kind, Property, label_bits
from strandline.check.reducing import refusal
from strandline.check.running import Run
from strandline.check.task import Session, Task
from strandline.check.verdict import PropertyVerdict
from strandline.compile.callback import CallableSystem
from strandline.compile.kernel import FaultSite
from strandline.engine.search import Event
from strandline.errors import InternalError, UsageError
from strandline.traces.trace import Trace

_OBSERVED = "a property process may count steps, which a reduction leaves out"


@dataclass(frozen=True, slots=True, eq=False)
class StatesFound:
    """How far the search came, and for every property that a single state decided, the way there; None where it was
    not wanted."""

    findings: Findings
    traces: dict[Property, Trace | None]
    left_out: dict[Property, str] = field(default_factory=dict)
    """Why a trace that was wanted is not there."""


class ExplicitSearch:
    """Decides any number of properties of states in one search."""

    name = "explicit"

    def can(self, task: Task) -> UsageError | None:
        if task.options.symmetry:
            try:
                exchanges_of(task.system, [one.predicate for one in task.properties if one.predicate is not None], None)
            except UsageError as refused:
                return refused
        if task.options.merge and isinstance(task.system, CallableSystem):
            return no_merging("callables do not tell what their steps read and write")
        if not task.options.por:
            return None
        return refusal(task.system, _OBSERVED if task.system.observer is not None else None)

    def run(self, task: Task, session: Session) -> StatesFound:
        return search_for_states(task, session, StateSearches)


def search_for_states(
    task: Task,
    session: Session,
    searches: Callable[[Options, int], SearchMaker],
    *,
    for_device: bool = False,
) -> StatesFound:
    """Decide the properties of a task in one search, by searches that stop at labels of a mask."""
    options, goal, before = task.options, DecidingStates(task), time.perf_counter()
    chosen = session.measures.of(task.system) if options.order == SWEEP else None
    plan = Plan(
        checkpoints=session.checkpoints,
        system=task.system,
        predicates=[one.predicate for one in task.properties if one.predicate is not None],
        measure=None if chosen is None else chosen.measure,
        prediction=None if chosen is None else chosen.prediction,
        searches=searches(options, sum(1 << bit for bit in goal.bits.values())),
        options=options,
        # What looking for a measure took does not count.
        started=session.started + time.perf_counter() - before,
        counts_distinct=options.count_distinct and options.order in FORGETTING,
        seen=[one.predicate for one in task.properties if one.predicate is not None],
        for_device=for_device,
    )
    findings = Run(plan, goal, session.watcher).carry_out()
    _count_shown_deadlocks(findings, goal.traces)
    _explain_guards(findings, plan, session)
    return StatesFound(findings, goal.traces, goal.left_out)


@dataclass(slots=True)
class DecidingStates:
    """A goal: for every property of the task, a state that decides it."""

    task: Task
    traces: dict[Property, Trace | None] = field(default_factory=dict)
    left_out: dict[Property, str] = field(default_factory=dict)
    bits: dict[Property, int] = field(init=False)

    def __post_init__(self) -> None:
        self.bits = label_bits(self.task.system, self.task.properties)

    def stopped(self, run: Run, event: Event) -> bool:
        record, labels = run.search.found
        met = labels & run.search.stop_mask
        if event is not Event.FOUND or not met:
            raise InternalError(f"the search stopped for no reason that is known here: {event}, labels {labels}")
        trace, why = None, None
        if self.task.shows:
            try:
                trace = run.replay(record, labels=met).trace
            except LeftOut as limit:
                why = str(limit)
        for one, bit in self.bits.items():
            if met >> bit & 1:
                self.traces[one] = trace
                if why is not None:
                    self.left_out[one] = why
        run.search.stop_less(met)
        return bool(run.search.stop_mask)

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        try:
            trace = run.replay(record, fault=site).trace
        except LeftOut as limit:
            return fault_without_trace(self.task.system, site, self.task.properties, run.plan.measure, str(limit))
        return fault_verdict(self.task.system, trace, self.task.properties, run.plan.measure)

    def finished(self, run: Run, folder: Path) -> None:
        return


def _count_shown_deadlocks(findings: Findings, traces: dict[Property, Trace | None]) -> None:
    """A search that ends at a deadlock has not expanded it."""
    deadlocks = findings.statistics.deadlocks
    if deadlocks is not None:
        shown = sum(one.kind is Kind.DEADLOCK for one in traces)
        findings.statistics = replace(findings.statistics, deadlocks=max(deadlocks, shown))


def _explain_guards(findings: Findings, plan: Plan, session: Session) -> None:
    """Say which part of a guard never held, where a complete search was small."""
    now = findings.statistics
    if not findings.complete or now.coverage is None or now.visited > MOST_STATES or plan.system.synchronous:
        return
    explained = with_reasons(now.coverage, plan.system, plan.options, plan.started, session.watcher)
    findings.statistics = replace(now, coverage=explained)
