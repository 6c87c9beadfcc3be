"""Answer the formulas of a file.

All formulas about single states, and all questions for a largest value, are decided in one exploration. Formulas of CTL
share a search, as many as it has labels for; each formula of LTL has a search of its own. There are no traces: check a
single formula to get one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from strandline.checker.contest.exploration import Wanted, explore_for
from strandline.checker.contest.formulas import Asked, Largest, OfRuns, OfTrees, Reached
from strandline.checker.contest.state_facts import variables_in_sum
from strandline.checker.driver.outcome import INTERRUPTED, RunOutcome
from strandline.checker.limits.progress import NullCallback, ProgressCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import InternalError, ResourceError
from strandline.model.system import System, Variable

_SHORTEST = 0.001
"""Seconds that a search gets if no time is left: it ends at once, with the reason."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a formula: true, false or a number; None if it is unknown, with the reason."""

    id: str
    value: bool | int | None
    reason: str | None = None
    method: str = ""
    seconds: float = 0.0
    """The time that its search took; formulas that share a search have the same value."""

    @property
    def text(self) -> str:
        """Return `TRUE`, `FALSE`, a number, or `UNKNOWN`."""
        return "UNKNOWN" if self.value is None else str(self.value).upper()


_FAULT = "the model has a run-time fault: "


def session_of(options: Options, callback: ProgressCallback | None = None) -> Session:
    """Return a session for the searches; the time limit counts from this call."""
    callback = callback or NullCallback()
    return Session(callback, time.perf_counter(), SweepMeasures(options, callback))


def decide_formulas(
    system: System, asked: Sequence[Asked], options: Options, temporal: TemporalOptions, session: Session
) -> Iterator[Answered]:
    """Yield the answers to formulas as they are found, those about states first.

    When a limit is reached, the remaining answers are unknown; so they are after Ctrl-C, which ends the search. The
    time limit is for all searches together.
    """
    of_states = [one for one in asked if isinstance(one, Reached | Largest)]
    of_trees = [one for one in asked if isinstance(one, OfTrees)]
    of_runs = [one for one in asked if isinstance(one, OfRuns)]
    interrupted = False
    if of_states:
        for answer in _decide_states(system, of_states, options, session):
            interrupted |= answer.reason == INTERRUPTED
            yield answer
    if of_trees and not interrupted:
        for answer in _decide_trees(system, of_trees, options, temporal, session):
            interrupted |= answer.reason == INTERRUPTED
            yield answer
    elif interrupted:
        yield from (Answered(one.id, None, INTERRUPTED) for one in of_trees)
    for number, one in enumerate(of_runs):
        answer = Answered(one.id, None, INTERRUPTED)
        if not interrupted:
            answer = _decide_runs(system, one, _share(options, session, len(of_runs) - number), temporal, session)
            interrupted = answer.reason == INTERRUPTED
        yield answer


def _share(options: Options, session: Session, searches: int) -> Options:
    """Return the options of the next of `searches` searches, with an equal part of the time left as its limit."""
    if options.max_seconds is None:
        return options
    left = session.started + options.max_seconds - time.perf_counter()
    return replace(options, max_seconds=max(left / searches, _SHORTEST))


def _decide_states(
    system: System, asked: Sequence[Reached | Largest], options: Options, session: Session
) -> Iterator[Answered]:
    began = time.perf_counter()
    properties = {
        one: Property(Kind.INVARIANT if one.always else Kind.REACHABILITY, one.id, one.expression)
        for one in asked
        if isinstance(one, Reached)
    }
    bounds = [one for one in asked if isinstance(one, Largest)]
    wanted = Wanted(properties=list(properties.values()), sums=[_added_up(one) for one in bounds])
    found = explore_for(system, wanted, options, session)
    seconds, complete = time.perf_counter() - began, found.outcome.complete
    reason = None if complete else why_not(found.outcome)
    for one in asked:
        if isinstance(one, Reached):
            met = properties[one] in found.met
            value: bool | int | None = met is not one.always if met or complete else None
        else:
            value = found.gathering.largest(bounds.index(one)) if complete and found.gathering is not None else None
        yield Answered(one.id, value, reason if value is None else None, options.order or "", seconds)


def _added_up(one: Largest) -> Sequence[Variable]:
    variables = variables_in_sum(one.expression)
    if variables is None:
        raise InternalError("upper bounds are computed for sums of variables only")
    return variables


def _decide_trees(
    system: System, asked: Sequence[OfTrees], options: Options, temporal: TemporalOptions, session: Session
) -> Iterator[Answered]:
    # Imported lazily, here and below: checks of states alone do not wait for temporal logic.
    from strandline.checker.decisions.trees import decide_trees
    from strandline.checker.properties.ctl_formula import CtlFormula

    names = {CtlFormula(one.formula, one.atoms, one.source): one.id for one in asked}
    began = time.perf_counter()
    for decided in decide_trees(system, list(names), options, temporal, session, want_traces=False):
        seconds = time.perf_counter() - began
        for formula, verdict in decided.verdicts.items():
            value = None if verdict.answer is Answer.UNKNOWN else verdict.answer is Answer.HOLDS
            reason = why_not(decided.outcome) if value is None else None
            method = "" if verdict.ctl is None else verdict.ctl.method
            yield Answered(names[formula], value, reason, method, seconds)
        began = time.perf_counter()


def _decide_runs(
    system: System, asked: OfRuns, options: Options, temporal: TemporalOptions, session: Session
) -> Answered:
    from strandline.checker.decisions.runs import runs_task
    from strandline.checker.strategies.choice import choose_for_runs

    began = time.perf_counter()
    plain = system.alone
    task = replace(runs_task(plain, asked.formula, options, temporal), want_traces=False)
    method = ""
    try:
        choice = choose_for_runs(task)
        method = choice.strategy.name
        found = choice.strategy.run(task, replace(session, started=began))
    except ResourceError as error:
        return Answered(asked.id, None, str(error), method, time.perf_counter() - began)
    seconds = time.perf_counter() - began
    if found.is_violated:
        return Answered(asked.id, False, None, method, seconds)
    if found.outcome.complete:
        return Answered(asked.id, True, None, method, seconds)
    return Answered(asked.id, None, why_not(found.outcome), method, seconds)


def decide_widening(system: System, decide: Callable[[System], Iterator[Answered]]) -> Iterator[Answered]:
    """Yield the answers of `decide(system)`; ask again with wider ranges where assumed ones were exceeded."""
    wanted: set[str] | None = None
    while True:
        exceeded: set[str] = set()
        for one in decide(system):
            if wanted is not None and one.id not in wanted:
                continue
            if system.wider is not None and (one.reason or "").startswith(_FAULT):
                exceeded.add(one.id)
            else:
                yield one
        if not exceeded or system.wider is None:
            return
        system, wanted = system.wider(), exceeded


def why_not(outcome: RunOutcome) -> str:
    """Return the reason why a search has no answer."""
    if outcome.fault is not None:
        return f"{_FAULT}{outcome.fault.reason}"
    return outcome.reason or "the search did not end"
