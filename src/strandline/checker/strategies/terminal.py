"""AG EF and EF AG by terminal SCCs, found layer by layer as the sweep-line passes.

`AG EF p` is refuted by a terminal SCC in which p never holds, `EF AG p` is shown by one in which it always does; one of
them decides, because every run ends up in some terminal SCC (see docs/papers.md, 000 §5.3, lemma 5.2). It needs a
monotone measure, which the sweep checks, and no more memory than a plain sweep.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from strandline.checker.ctl.exploration import exploration
from strandline.checker.ctl.found import CtlAnswer, CtlFound
from strandline.checker.ctl.replay import note_fault, replay_of
from strandline.checker.ctl.warm_up import load_components
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.specification import needs_exact_store
from strandline.checker.options.ctl_methods import COMPONENTS, SWEPT
from strandline.checker.options.search import SWEEP, WHOLE
from strandline.checker.options.temporal import IGNORE
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.reductions.partial_order import BRANCHING, refusal
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import CtlQuestion, TreesTask
from strandline.checker.verdicts.ctl import ComponentShown, Evidence
from strandline.compile.kernel import Kernel, Reference
from strandline.engine.graph.terminal import TerminalComponent, TerminalComponents
from strandline.errors import InternalError, Option, UsageError
from strandline.properties import Formula
from strandline.properties.ltl.formula import Operator
from strandline.traces.interpreter_walk import reference_of

_MOST_SHOWN = 1000
"""Most states of a terminal SCC that are shown as evidence."""
_ALWAYS_POSSIBLE = ((Operator.ALL, Operator.ALWAYS), (Operator.EXISTS, Operator.EVENTUALLY))
_POSSIBLY_ALWAYS = ((Operator.EXISTS, Operator.EVENTUALLY), (Operator.ALL, Operator.ALWAYS))


def decided_by_components(formula: Formula) -> tuple[bool, Formula] | None:
    """Return True and p for a formula AG EF p, False and p for EF AG p; None for other formulas.

    p must have no temporal operator.
    """
    for shape, always in ((_ALWAYS_POSSIBLE, True), (_POSSIBLY_ALWAYS, False)):
        node = formula
        for quantifier, operator in shape:
            if node.operator is not quantifier or node.operands[0].operator is not operator:
                break
            node = node.operands[0].operands[0]
        else:
            if node.is_boolean:
                return always, node
    return None


class TerminalComponentSearch:
    """Decides a single formula of the form AG EF p or EF AG p."""

    name = COMPONENTS

    def can(self, task: TreesTask) -> UsageError | None:
        if task.options.por:
            return refusal(task.system, BRANCHING)
        if task.options.store not in WHOLE:
            return needs_exact_store(task.options)
        question, method = task.question, Option("method", COMPONENTS)
        fit = [decided_by_components(one.formula) for one in question.formulas]
        if len(fit) != 1 or fit[0] is None:
            return UsageError(
                "{} decides AG EF p and EF AG p, one at a time, where p has no temporal operator", options=[method]
            )
        if question.fairness.conditions or question.finite_runs == IGNORE:
            return UsageError("{} supports no fairness, and runs that end count", options=[method])
        if not fit[0][0] and len(question.plain.initial) > 1:
            return UsageError("{} decides EF AG p from one initial state, and there are several", options=[method])
        if task.options.order != SWEEP and task.temporal.method != COMPONENTS:
            return UsageError("{} needs a measure: give {}", options=[method, Option("measure")])
        if task.options.count_distinct:
            return UsageError("{} is not for CTL", options=[Option("count_distinct", True)])
        return None

    def run(self, task: TreesTask, session: Session) -> CtlFound:
        question = task.question
        formula = question.formulas[0]
        shape = decided_by_components(formula.formula)
        if shape is None:
            raise InternalError("terminal components do not decide this formula")
        always, part = shape
        found = CtlFound(COMPONENTS, RunOutcome())

        def observe(folder: Path, kernel: Kernel) -> TerminalComponents:
            return TerminalComponents(kernel.words, len(kernel.initial))

        specification = exploration(task, session, observe, load_components, (formula.expression(part),), swept=True)
        with run_search(specification, session.callback) as run:
            found.outcome = run.outcome
            note_fault(run, question)
            if run.outcome.complete and isinstance(run.observer, TerminalComponents):
                began = time.perf_counter()
                decision = _ComponentDecision(task, question, formula, always, part)
                found.answers[formula] = decision.answer(run, run.observer)
                found.seconds = time.perf_counter() - began
        return found


@dataclass(frozen=True, slots=True)
class _ComponentDecision:
    """Decides a formula AG EF p (`always`) or EF AG p from the terminal SCCs of a complete sweep.

    `part` is p.
    """

    task: TreesTask
    question: CtlQuestion
    formula: CtlFormula
    always: bool
    part: Formula

    def answer(self, run: SearchRun, components: TerminalComponents) -> CtlAnswer:
        regress_edges = run.outcome.statistics.regress_edges
        if regress_edges:
            raise UsageError(
                f"{{}} needs a measure that never decreases, and {regress_edges:,} edges decrease this one; {{}} takes "
                "any measure",
                options=[Option("method", COMPONENTS), Option("method", SWEPT)],
            )
        components.finish()
        shown = components.without if self.always else components.throughout
        holds = (shown is None) if self.always else (shown is not None)
        words = f"all {components.count:,} terminal components were looked at"
        evidence = Evidence(str(self.formula.formula), holds, words)
        if shown is not None and self.task.want_traces:
            evidence = self._make_evidence(run, shown, holds)
        return CtlAnswer(holds, evidence)

    def _make_evidence(self, run: SearchRun, component: TerminalComponent, holds: bool) -> Evidence:
        reference = reference_of(self.question.plain)
        initial, steps = run.path_to(component.record)
        path = replay_of(run, reference).path(initial, steps)
        expression = self.formula.expression(self.part)
        reached = _closure(reference, path.states[-1])
        if any(bool(reference.values(state, [expression])[0]) is not holds for state in reached):
            raise InternalError("a state of the terminal component differs from the claimed one")
        always = "always" if holds else "never"
        states = "1 state" if component.states == 1 else f"{component.states:,} states"
        words = f"a terminal component of {states}, in which '{self.part}' {always} holds"
        members = tuple(reference.describe(state) for state in reached)
        return Evidence(
            str(self.formula.formula), holds, words, path.trace, component=ComponentShown(component.states, members)
        )


def _closure(reference: Reference, start: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the states that `start` reaches, by distance, at most `_MOST_SHOWN` of them."""
    states, known = [start], {start}
    for state in states:
        for edge in reference.edges(state):
            if edge.target is not None and edge.target not in known and len(states) < _MOST_SHOWN:
                known.add(edge.target)
                states.append(edge.target)
    return states
