"""Explicit search for single states, through all reachable states, in the order that the options choose."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from strandline.checker.driver.compilation import no_merging
from strandline.checker.driver.fault_attribution import fault_verdict, fault_without_trace
from strandline.checker.driver.outcome import FaultStop, RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.searches import FORGETTING, SearchMaker, StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.evidence import LeftOut
from strandline.checker.options.search import SWEEP, Options
from strandline.checker.properties.selection import Kind, Property, label_bits
from strandline.checker.reductions.partial_order import refusal
from strandline.checker.reductions.symmetry import exchanges_of
from strandline.checker.strategies.guard_reasons import MOST_STATES, with_reasons
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.errors import UsageError
from strandline.model.system import Capability
from strandline.traces.trace import Trace

_OBSERVED = "a property process may count steps, which a reduction leaves out"


@dataclass(frozen=True, slots=True, eq=False)
class StatesFound:
    """The outcome of a search for states, with a trace for every property that some state decides.

    The trace is None if it is not wanted or missing.
    """

    outcome: RunOutcome
    traces: dict[Property, Trace | None]
    missing: Mapping[Property, str] = field(default_factory=dict)
    """The reason why a wanted trace is missing, for each such property."""
    longer: frozenset[Property] = frozenset()
    """Properties whose trace may not be a shortest one although the order of the search suggests it."""


class ExplicitSearch:
    """Decides any number of properties of states in one explicit search."""

    name = "explicit"

    def can(self, task: StatesTask) -> UsageError | None:
        if task.options.symmetry:
            try:
                exchanges_of(task.system, [one.predicate for one in task.properties if one.predicate is not None], None)
            except UsageError as refused:
                return refused
        if task.options.merge and Capability.ACTIONS not in task.system.capabilities:
            return no_merging("callables do not declare the variables that their steps read and write")
        if not task.options.por:
            return None
        return refusal(task.system, _OBSERVED if task.system.observer is not None else None)

    def run(self, task: StatesTask, session: Session) -> StatesFound:
        return search_for_states(task, session, StateSearches)


def search_for_states(
    task: StatesTask,
    session: Session,
    searches: Callable[[Options, int], SearchMaker],
    *,
    for_device: bool = False,
) -> StatesFound:
    """Decide the properties of a task in one search, made by `searches`."""
    options, before = task.options, time.perf_counter()
    bits = label_bits(task.system, task.properties)
    chosen = session.measures.of(task.system) if options.order == SWEEP else None
    specification = SearchSpecification(
        checkpoints=session.checkpoints,
        system=task.system,
        predicates=[one.predicate for one in task.properties if one.predicate is not None],
        measure=None if chosen is None else chosen.measure,
        prediction=None if chosen is None else chosen.prediction,
        searches=searches(options, stop_mask_of(bits)),
        options=options,
        # The time for finding a measure does not count as search time.
        started=session.started + time.perf_counter() - before,
        counts_distinct=options.count_distinct and options.order in FORGETTING,
        visible=[one.predicate for one in task.properties if one.predicate is not None],
        for_device=for_device,
    )
    with run_search(specification, session.callback) as run:
        found = replay_stops(run, task, bits)
    _count_shown_deadlocks(found)
    _explain_guards(found.outcome, specification, session)
    return found


def stop_mask_of(bits: Mapping[Property, int]) -> int:
    """Return the mask of the labels that decide properties, given the bit of each property."""
    return sum(1 << bit for bit in bits.values())


def replay_stops(run: SearchRun, task: StatesTask, bits: Mapping[Property, int]) -> StatesFound:
    """Replay the path to every state at which the search stopped, and to a fault; return the findings.

    If the limits of the run do not allow for a replay, the verdict is given without its trace.
    """
    traces: dict[Property, Trace | None] = {}
    missing: dict[Property, str] = {}
    for stop in run.stops:
        decided = [one for one, bit in bits.items() if stop.labels >> bit & 1]
        traces.update(dict.fromkeys(decided))
        if task.want_traces:
            try:
                traces.update(dict.fromkeys(decided, run.replay(stop).trace))
            except LeftOut as limit:
                missing.update(dict.fromkeys(decided, str(limit)))
    if run.fault is not None:
        run.outcome.fault = _fault_of(run, run.fault, task)
    return StatesFound(run.outcome, traces, missing)


def _fault_of(run: SearchRun, fault: FaultStop, task: StatesTask) -> PropertyVerdict:
    measure = run.specification.measure
    try:
        trace = run.replay(fault).trace
    except LeftOut as limit:
        return fault_without_trace(task.system, fault.site, task.properties, measure, str(limit))
    return fault_verdict(task.system, trace, task.properties, measure)


def _count_shown_deadlocks(found: StatesFound) -> None:
    """Count the deadlock at which the search ended, which was not expanded and so not counted."""
    outcome = found.outcome
    deadlocks = outcome.statistics.deadlocks
    if deadlocks is not None:
        shown = sum(one.kind is Kind.DEADLOCK for one in found.traces)
        outcome.statistics = replace(outcome.statistics, deadlocks=max(deadlocks, shown))


def _explain_guards(outcome: RunOutcome, specification: SearchSpecification, session: Session) -> None:
    """Find the part of each guard that never held, for the coverage of a complete search of a small model."""
    now, system = outcome.statistics, specification.system
    if (
        not outcome.complete
        or now.coverage is None
        or now.visited > MOST_STATES
        or system.synchronous
        or system.has_paths
    ):
        return
    explained = with_reasons(now.coverage, system, specification.options, specification.started, session.callback)
    outcome.statistics = replace(now, coverage=explained)
