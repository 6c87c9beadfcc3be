"""CTL by labelling: explore, write the graph to disk, propagate the values of subformulas backwards along edges.

`explicit` explores breadth-first and keeps every state until the graph is written. `swept` sweeps, so that only the
live layers are ever stored; the graph on disk has a record for each time that a state was found, which changes no value
(`strandline.engine.graph`). Both then hold one bit for each record and subformula in memory (see docs/papers.md, 000
§9.3).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from strandline.checker.ctl.evidence import Explaining, Start
from strandline.checker.ctl.exploration import exploration
from strandline.checker.ctl.fairness_warnings import doubts
from strandline.checker.ctl.found import CtlAnswer, CtlFound
from strandline.checker.ctl.replay import note_fault, replay_of
from strandline.checker.ctl.valuation import Valuation
from strandline.checker.ctl.warm_up import load_graph
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.specification import needs_exact_store
from strandline.checker.limits.memory import peak_resident_bytes
from strandline.checker.options.ctl_methods import EXPLICIT, SWEPT
from strandline.checker.options.search import LAYERED, SWEEP, WHOLE
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.reductions.partial_order import BRANCHING, refusal
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import CtlQuestion, TreesTask
from strandline.checker.verdicts.ctl import InitialStates
from strandline.compile.kernel import Kernel
from strandline.engine.graph.fixpoints import Fixpoints
from strandline.engine.graph.log import Bits, GraphLog, contains
from strandline.engine.graph.paths import Paths
from strandline.errors import Option, ResourceError, UsageError
from strandline.traces.interpreter_walk import reference_of

_MANY = 1_000_000
"""Number of records from which on labelling reports progress."""
LABELLING = "labelling the graph: {:,} records, {:,} MB on disk ..."


class Labelling:
    """Decides any number of CTL formulas in one exploration, by a sweep if `swept`, else breadth-first."""

    def __init__(self, *, swept: bool) -> None:
        self._swept = swept

    @property
    def name(self) -> str:
        return SWEPT if self._swept else EXPLICIT

    def can(self, task: TreesTask) -> UsageError | None:
        if task.options.por:
            return refusal(task.system, BRANCHING)
        if task.options.store not in WHOLE:
            return needs_exact_store(task.options)
        method, order = Option("method", self.name), task.options.order
        if order not in LAYERED:
            return UsageError(
                "{} explores breadth-first or, by a measure, in sweeps, not in {}",
                options=[method, Option("order", order)],
            )
        if order == SWEEP and not self._swept:
            return UsageError(
                "{} uses no measure; leave {} out, or use {}",
                options=[method, Option("measure"), Option("method", SWEPT)],
            )
        if task.options.count_distinct:
            return UsageError("{} is not for CTL", options=[Option("count_distinct", True)])
        return None

    def run(self, task: TreesTask, session: Session) -> CtlFound:
        question, found = task.question, CtlFound(self.name, RunOutcome())

        def observe(folder: Path, kernel: Kernel) -> GraphLog:
            return GraphLog(folder / "graph", kernel.words, len(kernel.initial), len(question.predicates))

        specification = exploration(task, session, observe, load_graph, question.predicates, swept=self._swept)
        with run_search(specification, session.callback) as run:
            found.outcome = run.outcome
            note_fault(run, question)
            if isinstance(run.observer, GraphLog):
                _label_graph(run, run.observer, task, question, found)
        return found


def _label_graph(run: SearchRun, graph: GraphLog, task: TreesTask, question: CtlQuestion, found: CtlFound) -> None:
    """Decide the formulas of a question on the graph that a complete run has written; store the answers in `found`."""
    try:
        if run.outcome.complete:
            graph.finish()
            _GraphLabelling(task, question, found).label(run, graph)
    except (ResourceError, KeyboardInterrupt):
        run.outcome.complete = False
        raise
    finally:
        graph.close()
        # The time for labelling counts as search time.
        run.outcome.statistics = replace(run.outcome.statistics, rss_bytes=peak_resident_bytes())


@dataclass(frozen=True, slots=True)
class _GraphLabelling:
    """Labels the graph of an exploration, and finds evidence for the values of formulas."""

    task: TreesTask
    question: CtlQuestion
    found: CtlFound

    def label(self, run: SearchRun, graph: GraphLog) -> None:
        began = time.perf_counter()
        self.found.records, self.found.disk_bytes = graph.records, graph.disk_bytes
        if graph.records >= _MANY:
            run.callback.stage(LABELLING.format(graph.records, graph.disk_bytes // 1_000_000))
        fixpoints = Fixpoints(graph, self.question.dead_ends, run.ensure_within_limits)
        parts = {part: graph.labelled(number) for part, number in self.question.labels.items()}
        conditions = [graph.labelled(number) for number in self.question.condition_labels]
        valuation = Valuation(fixpoints, parts, conditions, infinite=not self.question.dead_ends.repeats)
        warnings: tuple[str, ...] = ()
        if self.task.temporal.sanity:
            warnings = doubts(self.question, valuation, lambda bits, number: contains(bits, graph.initial[number]))
        for formula in self.question.formulas:
            satisfied = valuation.of(formula.formula)
            answer = self._answer(run, graph, formula, valuation, satisfied)
            self.found.answers[formula] = replace(answer, warnings=warnings)
        self.found.blocks_read = fixpoints.blocks_read
        self.found.seconds = time.perf_counter() - began

    def _answer(
        self, run: SearchRun, graph: GraphLog, formula: CtlFormula, valuation: Valuation[Bits], satisfied: Bits
    ) -> CtlAnswer:
        failing = [number for number, record in enumerate(graph.initial) if not contains(satisfied, record)]
        number = failing[0] if failing else 0
        start = Start(number, graph.initial[number])
        shown = reference_of(self.question.plain)
        replaying = replay_of(run, shown)
        fairness = self.question.fairness.conditions
        limit = run.memory
        ensure = None if limit.allowed is None else limit.ensure
        explaining = Explaining(
            formula, valuation, contains, lambda: Paths(graph, ensure), replaying, shown, start, fairness
        )
        initial = InitialStates(len(graph.initial) - len(failing), len(graph.initial))
        if not self.task.want_traces:
            return CtlAnswer(not failing, None, initial=initial)
        try:
            return CtlAnswer(not failing, explaining.evidence(), initial=initial)
        except ResourceError as error:
            return CtlAnswer(not failing, None, str(error), initial)
