"""Decide one property of runs: search, judge the counterexample, warn if the property holds trivially."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from strandline.checker.decisions.sanity import contradiction, doubts
from strandline.checker.driver.outcome import INTERRUPTED, RunOutcome
from strandline.checker.driver.run import LONG_TRACE, SearchRun
from strandline.checker.limits.evidence import LeftOut
from strandline.checker.ltl.found import ProductFound, replaying
from strandline.checker.ltl.judge import judge
from strandline.checker.options.cycle_methods import SCC
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import IGNORE, RunOptions
from strandline.checker.properties.fairness import FairnessConditions, fairness_of
from strandline.checker.properties.product import Product
from strandline.checker.properties.selection import Property
from strandline.checker.properties.specification import PropertyProcess, Specification
from strandline.checker.strategies.choice import Choice, choose_for_runs, strategies_for_runs
from strandline.checker.tasks.runs import Question, RunsTask
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.ltl import AcceptingComponent, AtomValues, LtlSearch
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict
from strandline.errors import InternalError, ResourceError
from strandline.model.system import System
from strandline.traces.lassos import Lasso, ShownRun
from strandline.transform.history import with_history

SHORTEST_LASSO = "a shortest stem to an accepting state on a cycle, then a shortest cycle through it"
SHORTEST_PATH = "breadth-first: no shorter path shows it"
NOTHING = "none"
"""The method in the report if nothing was searched."""


@dataclass(frozen=True, slots=True)
class RunsDecided:
    """The answer to a property of runs, and the outcome of its search."""

    verdict: PropertyVerdict
    outcome: RunOutcome


def runs_task(system: System, specification: Specification, options: Options, temporal: RunOptions) -> RunsTask:
    """Return the task of deciding a property of runs.

    The runs to be shown include the property process only if that is the property. The System is extended by the
    history that `taken(...)` in the property needs. Raises `InputError` for a fairness expression that cannot be
    parsed.
    """
    plain = system if isinstance(specification, PropertyProcess) else system.alone

    def conditions_of(one: System) -> FairnessConditions:
        return fairness_of(one, fair=temporal.fair, declared=temporal.declared_fairness, texts=temporal.fairness)

    conditions = conditions_of(plain)
    asked = [*specification.atoms.values(), *(one.condition for one in conditions.conditions if one.condition)]
    remembering = with_history(plain, asked)
    if remembering is not plain:
        # The fairness conditions refer to the actions of this System.
        plain, conditions = remembering, conditions_of(remembering)
    question = Question(plain, specification, conditions, temporal.finite_runs_of_ltl == IGNORE)
    return RunsTask(plain, options, question, temporal=temporal)


def decide_runs(task: RunsTask, one: Property, session: Session) -> RunsDecided:
    """Decide a property of runs; the verdict is UNKNOWN if a limit is reached or an automaton grows too large.

    Raises `InputError` for mistakes of the user, also if the method of the options cannot decide the property.
    """
    deciding = _Deciding(task, one, session)
    try:
        return deciding.decide()
    except ResourceError as error:
        return deciding.unknown(str(error))
    except KeyboardInterrupt:
        deciding.outcome.interrupted = True
        return deciding.unknown(INTERRUPTED)


@dataclass(frozen=True, slots=True)
class _Shown:
    """The evidence of a violation: its run, the values of the atoms, and the sense in which it is a shortest one."""

    run: ShownRun
    atoms: tuple[AtomValues, ...]
    minimised: str | None = None
    components: tuple[AcceptingComponent, ...] = ()


class _Deciding:
    def __init__(self, task: RunsTask, one: Property, session: Session) -> None:
        self.task, self.one, self.session = task, one, session
        self.question = task.question
        self.outcome = RunOutcome()

    def decide(self) -> RunsDecided:
        """Search, judge the counterexample if there is one, else warn if the property holds trivially."""
        choice = choose_for_runs(self.task)
        found = choice.strategy.run(self.task, self.session)
        self.outcome = found.outcome
        if found.product is None or found.run is None:
            why = self.question.specification.why_never_violated
            return self._property_verdict(Answer.HOLDS, reason=why, warnings=(why,))
        if found.is_violated and not self.task.want_traces:
            return self._property_verdict(Answer.VIOLATED, choice, found, warnings=tuple(contradiction(self.task)))
        if found.is_violated:
            try:
                shown = self._make_evidence(found, found.product, found.run)
            except LeftOut as limit:
                return self._property_verdict(Answer.VIOLATED, choice, found, reason=str(limit))
            return self._property_verdict(
                Answer.VIOLATED, choice, found, shown=shown, warnings=tuple(contradiction(self.task))
            )
        if not self.outcome.complete:
            return self._property_verdict(Answer.UNKNOWN, choice, found, reason=self.outcome.reason)
        warnings: list[str] = []
        try:
            warnings += doubts(self.task, found, self.session)
        except KeyboardInterrupt:
            # The search itself is complete; only the sanity checks were interrupted.
            self.outcome.interrupted = True
        return self._property_verdict(Answer.HOLDS, choice, found, warnings=tuple(warnings))

    def unknown(self, reason: str) -> RunsDecided:
        """Return the verdict UNKNOWN, for a check that did not finish."""
        self.outcome.complete, self.outcome.reason = False, reason
        return self._property_verdict(Answer.UNKNOWN, reason=reason)

    # A violation

    def _make_evidence(self, found: ProductFound, product: Product, run: SearchRun) -> _Shown:
        if found.prefix is not None:
            initial, steps = found.prefix
            shown = replaying(product, run).path(initial, steps[:-1])
            minimised = SHORTEST_PATH if self.task.options.finds_shortest else None
            return _Shown(shown, self._judge(product, run, shown), minimised)
        lasso, minimised = self._lasso(found)
        if len(lasso) >= LONG_TRACE:
            self.session.callback.stage(f"replaying a trace of {len(lasso):,} steps ...")
        shown = replaying(product, run).lasso(lasso)
        atoms = self._judge(product, run, shown)
        return _Shown(shown, atoms, minimised, tuple(self._components(found, product, run)))

    def _judge(
        self, product: Product, run: SearchRun, shown: ShownRun, *, values: bool = True
    ) -> tuple[AtomValues, ...]:
        return judge(self.question, product, shown, values=values, check_limits=run.evidence_limits.check)

    def _lasso(self, found: ProductFound) -> tuple[Lasso, str | None]:
        """Return the lasso to be shown, and the sense in which it is a shortest one; None if it is not known to be."""
        if found.lasso is None:
            raise InternalError("a violation was found, but no path to it")
        if found.shortest or not self.task.temporal.shortest or found.method == SCC:
            return found.lasso, SHORTEST_LASSO if found.shortest else None
        second = self._shortest()
        self.outcome.interrupted = second.outcome.interrupted
        if second.lasso is None or not second.shortest:
            # The second search reached a limit.
            return found.lasso, None
        return second.lasso, SHORTEST_LASSO

    def _shortest(self) -> ProductFound:
        """Search the same product again, for a shortest lasso."""
        unmeasured = replace(self.task.options, order="bfs", measure=(), componentwise=False, cache_states=None,
                             cache_rule=None)  # fmt: skip
        temporal = replace(self.task.temporal, method=SCC, all_cycles=False)
        return strategies_for_runs()[SCC].run(replace(self.task, options=unmeasured, temporal=temporal), self.session)

    def _components(self, found: ProductFound, product: Product, run: SearchRun) -> Iterator[AcceptingComponent]:
        if not self.task.temporal.all_cycles:
            return
        showing = replaying(product, run)
        for one in found.components:
            shown = None if one.lasso is None else showing.lasso(one.lasso)
            if shown is not None:
                self._judge(product, run, shown, values=False)
            yield AcceptingComponent(one.states, None if shown is None else shown.trace)

    def _other_components(self, found: ProductFound | None) -> Iterator[AcceptingComponent]:
        if found is not None and self.task.temporal.all_cycles:
            yield from (AcceptingComponent(one.states, None) for one in found.components)

    # Results

    def _property_verdict(
        self,
        answer: Answer,
        choice: Choice[RunsTask, ProductFound] | None = None,
        found: ProductFound | None = None,
        *,
        reason: str | None = None,
        shown: _Shown | None = None,
        warnings: tuple[str, ...] = (),
    ) -> RunsDecided:
        outcome, watched = self.outcome, None if found is None else found.watched
        search = LtlSearch(
            formula=self.question.specification.text,
            method=NOTHING if found is None else found.method,
            method_reason=None if choice is None else choice.why,
            automaton_states=0 if watched is None else watched.states,
            automaton_edges=0 if watched is None else watched.edges,
            fairness=self.question.conditions.descriptions(),
            finite_runs=self.task.temporal.finite_runs_of_ltl,
            complete=outcome.complete,
            reason=outcome.reason,
            statistics=outcome.statistics,
            cycle_kind=None if found is None else found.cycle_kind,
            minimised=None if shown is None else shown.minimised,
            ended=shown is not None and shown.run.ended,
            atoms=() if shown is None else shown.atoms,
            components=tuple(self._other_components(found)) if shown is None else shown.components,
            warnings=warnings,
        )
        trace = None if shown is None else shown.run.trace
        return RunsDecided(PropertyVerdict(self.one.kind, self.one.name, answer, reason, trace, search), outcome)
