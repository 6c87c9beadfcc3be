"""Deciding one LTL property: the search, the judge of what it found, and whether the answer means what it says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from strandline.check.ltl.asking import Asked, Asker, Manner
from strandline.check.ltl.judging import judge_formula, judge_process
from strandline.check.ltl.methods import AUTO
from strandline.check.ltl.options import IGNORE, LtlOptions
from strandline.check.ltl.product import BoundFormula, fairness_of, without_observer
from strandline.check.ltl.running import CycleRun
from strandline.check.ltl.sanity import (
    CONTRADICTION,
    NO_FAIR_RUN,
    NO_INFINITE_RUN,
    TAUTOLOGY,
    stronger_formulas,
    vacuous,
)
from strandline.check.ltl.verdict import AcceptingComponent, AtomValues, LtlSearch
from strandline.check.options import Options
from strandline.check.properties import Property
from strandline.check.running import INTERRUPTED, LONG_TRACE, Findings
from strandline.check.verdict import Answer, PropertyVerdict
from strandline.check.watching import Progress, Watcher
from strandline.compile.callback import CallableSystem
from strandline.errors import InputError, InternalError, ResourceError, UsageError
from strandline.model.system import System
from strandline.properties import Formula, translate
from strandline.properties.automata.product import is_empty
from strandline.properties.ltl.formula import FALSE
from strandline.traces.lassos import Lasso, ShownRun

_MOST_IMPLICATIONS = 8
"""Implications that are looked at for being vacuous."""
SHORTEST_LASSO = "a shortest stem to an accepting state on a cycle, then a shortest cycle through it"
SHORTEST_PATH = "breadth-first: no shorter path shows it"
NOTHING = "none"
"""The method where nothing was searched."""


@dataclass(frozen=True, slots=True)
class LtlOutcome:
    """The answer to an LTL property, and what the search has found besides."""

    verdict: PropertyVerdict
    findings: Findings


def check_ltl(
    system: System, one: Property, options: Options, ltl: LtlOptions, watcher: Watcher, *, started: float | None = None
) -> LtlOutcome:
    """Decide an LTL property. Raises as `strandline.check.running.run` does, and `UsageError` for what a method cannot
    do. A translation that grows too large is an UNKNOWN verdict. A limit of time counts from `started`."""
    if isinstance(system, CallableSystem):
        raise UsageError("LTL is checked on models with variables, not on callables")
    check = _Check(system, one, options, ltl, watcher, time.perf_counter() if started is None else started)
    try:
        return check.outcome()
    except ResourceError as error:
        return check.unknown(str(error))
    except KeyboardInterrupt:
        check.findings.interrupted = True
        return check.unknown(INTERRUPTED)


class _Aside:
    """Watches a search beside the one that was asked for: how far it is, not what it begins."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        self._watcher.progress(progress)


class _Check:
    def __init__(
        self, system: System, one: Property, options: Options, ltl: LtlOptions, watcher: Watcher, started: float
    ) -> None:
        self.one, self.ltl, self.watcher = one, ltl, watcher
        self.bound: BoundFormula | None = one.formula
        self.plain = system if self.bound is None else without_observer(system)
        self.conditions = fairness_of(
            self.plain, fair=ltl.fair, declared=ltl.declared_fairness, texts=ltl.fairness
        )
        atoms = {} if self.bound is None else self.bound.atoms
        self.asker = Asker(self.plain, atoms, self.conditions, options, started)
        self.findings = Findings()

    def outcome(self) -> LtlOutcome:
        """Search, judge, and look whether the answer makes sense."""
        asked = self._asked()
        if asked is None:
            self.findings.complete = True
            return self._told(Answer.HOLDS, None, reason=TAUTOLOGY, warnings=(TAUTOLOGY,))
        self.findings = asked.run.findings
        if asked.run.found.violated:
            return self._violated(asked)
        if not self.findings.complete:
            return self._told(Answer.UNKNOWN, asked, reason=self.findings.reason)
        warnings: list[str] = []
        try:
            warnings += self._doubts(asked)
        except KeyboardInterrupt:
            # What was searched is searched; only the questions about it were cut short.
            self.findings.interrupted = True
        return self._told(Answer.HOLDS, asked, warnings=tuple(warnings))

    def unknown(self, reason: str) -> LtlOutcome:
        """The outcome of a check that could not be finished."""
        self.findings.complete, self.findings.reason = False, reason
        return self._told(Answer.UNKNOWN, None, reason=reason)

    def _asked(self) -> Asked | None:
        ltl = self.ltl
        manner = Manner(
            method=ltl.method,
            fairness=self.conditions.conditions,
            ignore_finite_runs=ltl.finite_runs == IGNORE,
            whole=ltl.all_cycles,
            shortest=ltl.shortest,
        )
        if self.bound is None:
            return self.asker.accepted(manner, self.watcher)
        return self.asker.violations(self.bound.formula, manner, self.watcher)

    # A violation

    def _violated(self, asked: Asked) -> LtlOutcome:
        run, minimised = self._shown_prefix(asked) or self._shown_lasso(asked)
        return self._told(
            Answer.VIOLATED,
            asked,
            run=run,
            atoms=self._judge(asked, run),
            components=tuple(self._components(asked)),
            minimised=minimised,
            warnings=tuple(self._contradiction()),
        )

    def _shown_prefix(self, asked: Asked) -> tuple[ShownRun, str | None] | None:
        """The path to the end of a bad prefix, and what it is a least one of."""
        if asked.run.found.prefix is None:
            return None
        initial, steps = asked.run.found.prefix
        minimised = SHORTEST_PATH if self.asker.options.order == "bfs" else None
        return asked.run.replaying().path(initial, steps[:-1]), minimised

    def _shown_lasso(self, asked: Asked) -> tuple[ShownRun, str | None]:
        found = asked.run.found
        if found.lasso is None:
            raise InternalError("a violation was found, but no way to it")
        lasso, minimised = found.lasso, SHORTEST_LASSO if found.shortest else None
        if self.ltl.shortest and isinstance(asked.run, CycleRun) and not asked.run.shortest:
            lasso, minimised = self._shortest(asked, lasso)
        if len(lasso) >= LONG_TRACE:
            self.watcher.stage(f"replaying a trace of {len(lasso):,} steps ...")
        return asked.run.replaying().lasso(lasso), minimised

    def _shortest(self, asked: Asked, lasso: Lasso) -> tuple[Lasso, str | None]:
        """A shortest lasso by a second search; where a limit ends it, the one that was found."""
        run = self.asker.shortest(asked, self.watcher)
        self.findings.interrupted = run.findings.interrupted
        if run.found.lasso is None or not run.found.shortest:
            return lasso, None
        return run.found.lasso, SHORTEST_LASSO

    def _judge(self, asked: Asked, run: ShownRun) -> tuple[AtomValues, ...]:
        if self.bound is not None:
            return judge_formula(asked.product, self.bound, run)
        judge_process(asked.product, run)
        return ()

    def _components(self, asked: Asked) -> Iterator[AcceptingComponent]:
        if not self.ltl.all_cycles:
            return
        replaying = asked.run.replaying()
        for one in asked.run.found.components:
            trace = None
            if one.lasso is not None:
                run = replaying.lasso(one.lasso)
                self._judge(asked, run)
                trace = run.trace
            yield AcceptingComponent(one.states, trace)

    # Sanity

    def _contradiction(self) -> Iterator[str]:
        if self.ltl.sanity and self.bound is not None and is_empty(translate(self.bound.formula)):
            yield CONTRADICTION

    def _doubts(self, asked: Asked) -> Iterator[str]:
        """Why a property that holds may not say much. Each is a search of its own; one that meets a limit says
        nothing."""
        if not self.ltl.sanity:
            return
        fairness = asked.product.fairness
        ignoring = asked.product.ignore_finite_runs
        if self.findings.statistics.deadlocks != 0 and self._holds(FALSE, Manner(method=AUTO, ignore_finite_runs=True)):
            yield NO_INFINITE_RUN
            if ignoring:
                return
        manner = Manner(method=AUTO, fairness=fairness, ignore_finite_runs=ignoring)
        if fairness and self._holds(FALSE, manner):
            yield NO_FAIR_RUN
        elif self.bound is not None:
            for number, (left, stronger) in enumerate(stronger_formulas(self.bound.formula)):
                if number < _MOST_IMPLICATIONS and self._holds(stronger, manner):
                    yield vacuous(left)

    def _holds(self, formula: Formula, manner: Manner) -> bool:
        """Whether the model has no run that violates a formula over the same atoms; False where that is not known."""
        try:
            asked = self.asker.violations(formula, manner, _Aside(self.watcher))
        except InputError:
            # An atom that is evaluated in other states than before, and has no value there.
            return False
        if asked is None:
            return True
        if asked.run.findings.interrupted:
            raise KeyboardInterrupt
        return asked.run.findings.complete and not asked.run.found.violated

    # What is told

    def _told(
        self,
        answer: Answer,
        asked: Asked | None,
        *,
        reason: str | None = None,
        run: ShownRun | None = None,
        atoms: tuple[AtomValues, ...] = (),
        components: tuple[AcceptingComponent, ...] = (),
        minimised: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> LtlOutcome:
        findings = self.findings
        search = LtlSearch(
            formula=None if self.bound is None else self.bound.text,
            method=NOTHING if asked is None else asked.chosen.name,
            why=None if asked is None else asked.chosen.why,
            automaton_states=0 if asked is None else asked.automaton_states,
            automaton_edges=0 if asked is None else asked.automaton_edges,
            fairness=self.conditions.described(),
            finite_runs=self.ltl.finite_runs,
            complete=findings.complete,
            reason=findings.reason,
            statistics=findings.statistics,
            cycle_kind=None if asked is None else asked.run.found.cycle_kind,
            minimised=minimised,
            ended=run is not None and run.ended,
            atoms=atoms,
            components=components,
            warnings=warnings,
        )
        trace = None if run is None else run.trace
        verdict = PropertyVerdict(self.one.kind, self.one.name, answer, reason, trace, search)
        return LtlOutcome(verdict, findings)
