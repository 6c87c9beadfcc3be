"""Properties of states, and CTL formulas, with BDDs (McMillan 1993; see docs/papers.md, 004 §1.3.5).

The reachable states are computed first, unless that is turned off, and everything else inside them. Evidence is a run
that the interpreter has replayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from strandline.checker.ctl.evidence import Explaining, Paths, Start
from strandline.checker.ctl.fairness_warnings import doubts
from strandline.checker.ctl.found import CtlAnswer, CtlFound
from strandline.checker.ctl.valuation import Valuation
from strandline.checker.options.ctl_methods import SYMBOLIC
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.strategies.explicit import StatesFound
from strandline.checker.strategies.symbolic_run import SymbolicRun, blame_for, refusal
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import CtlQuestion, TreesTask
from strandline.checker.verdicts.ctl import Evidence, InitialStates
from strandline.checker.verdicts.verdict import Answer, without
from strandline.errors import Option, UsageError
from strandline.source import Source
from strandline.symbolic.diagrams import Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import StateNumbering, SymbolicPaths
from strandline.symbolic.space import Space
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.lassos import LassoReplay
from strandline.traces.trace import Trace

ONLY_STATES = UsageError(
    "{} is for invariants and reachability: other properties depend on steps outside the cone",
    options=[Option("cone", True)],
)


class SymbolicSearch:
    """Decides any number of properties of states on the set of reachable states."""

    name = SYMBOLIC

    def can(self, task: StatesTask) -> UsageError | None:
        if task.options.cone and not all(one.predicate is not None for one in task.properties):
            return ONLY_STATES
        return refusal(task, self.name)

    def run(self, task: StatesTask, session: Session) -> StatesFound:
        traces: dict[Property, Trace | None] = {}
        missing: dict[Property, str] = {}
        run = SymbolicRun(task, session, task.system)
        stated = [one.expression for one in task.properties if one.expression is not None]
        blame = blame_for(task.system, task.properties)
        goals: dict[Property, Function] = {}
        longer: set[Property] = set()

        def work(space: Space) -> None:
            if task.options.cone:
                space = run.look_at_cone([_deciding_states(space, task, one) for one in task.properties])
            faulty = run.stop_at_faults(stated)
            run.count(transitions=not task.properties)
            run.outcome.complete = not faulty
            for one in task.properties:
                goal = space.diagrams.and_(run.regular, _deciding_states(space, task, one))
                if goal != space.diagrams.false:
                    goals[one] = goal
            traces.update(dict.fromkeys(goals))
            if faulty:
                run.note_fault(blame)
            run.note_answers()
            # A fault in a property is an error, unless all properties are answered already: none is evaluated then.
            evaluated = stated if len(goals) < len(task.properties) else []
            if run.outcome.fault is not None or (faulty and evaluated):
                run.show_fault(evaluated, blame, share=len(goals) + 1)
            if task.want_traces:
                show()

        def show() -> None:
            for number, (one, goal) in enumerate(goals.items()):
                shown = run.find_evidence(partial(run.trace_to, goal), share=len(goals) - number)
                if isinstance(shown, str):
                    missing[one] = shown
                    continue
                traces[one] = shown.trace
                if not shown.shortest:
                    longer.add(one)

        outcome = run.carry_out(work)
        # Abandoned work may still be writing to these.
        shown, unshown = dict(traces), dict(missing)
        if task.want_traces and run.missing is not None:
            unshown |= {one: run.missing for one, trace in shown.items() if trace is None and one not in unshown}
        unexplained = {one: without(_answer_with_evidence(one), why) for one, why in unshown.items()}
        return StatesFound(outcome, shown, unexplained, frozenset(longer))


def _answer_with_evidence(one: Property) -> Answer:
    """Return the answer to a property for which a deciding state is reachable."""
    return Answer.HOLDS if one.kind is Kind.REACHABILITY else Answer.VIOLATED


def _deciding_states(space: Space, task: StatesTask, one: Property) -> Function:
    """Return the states that decide a property: violate it or, for a reachability claim, satisfy it.

    They need not be reachable.
    """
    if one.predicate is not None:
        return space.encoding.truth(one.predicate)[0]
    if one.kind is not Kind.DEADLOCK:
        return space.diagrams.false
    dead = space.diagrams.not_(space.enabled_states)
    if task.system.ends is None:
        return dead
    return space.diagrams.and_(dead, space.encoding.truth(task.system.ends)[1])


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer to a CTL formula, and a function that finds its evidence."""

    answer: CtlAnswer
    explain: Callable[[], Evidence | None]


Decider = Callable[[CtlFormula], Decided]


class SymbolicLabelling:
    """Decides CTL formulas by fixpoints over BDDs."""

    name = SYMBOLIC

    def can(self, task: TreesTask) -> UsageError | None:
        return ONLY_STATES if task.options.cone else refusal(task, self.name)

    def run(self, task: TreesTask, session: Session) -> CtlFound:
        return formulas_in_sets(
            self.name, task, session, lambda run, question: Deciding(task, question, run.space).decide
        )


def formulas_in_sets(
    method: str,
    task: TreesTask,
    session: Session,
    decider: Callable[[SymbolicRun, CtlQuestion], Decider],
    *,
    spare: int = 0,
) -> CtlFound:
    """Decide the formulas of a task one by one, with BDDs; there are no answers if a fault or a limit prevents that.

    All are decided first; evidence is searched for afterwards, with a budget of its own. `decider` is called when the
    model is encoded; `spare` as in `SymbolicRun.carry_out`.
    """
    question = task.question
    run = SymbolicRun(task, session, question.searched)
    found = CtlFound(method, run.outcome)

    def work(space: Space) -> None:
        if not _prepare(run, task, question):
            return
        run.outcome.complete = True
        began = time.perf_counter()
        decide = decider(run, question)
        decided = {formula: decide(formula) for formula in question.formulas}
        found.answers.update({formula: one.answer for formula, one in decided.items()})
        found.seconds = time.perf_counter() - began
        run.note_answers()
        if task.want_traces:
            show(decided)

    def show(decided: dict[CtlFormula, Decided]) -> None:
        for number, (formula, one) in enumerate(decided.items()):
            shown = run.find_evidence(one.explain, share=len(decided) - number)
            if isinstance(shown, str):
                found.answers[formula] = replace(one.answer, no_evidence_reason=shown)
            elif shown is not None:
                found.answers[formula] = replace(one.answer, evidence=shown)

    found.outcome = run.carry_out(work, spare=spare)
    answers = dict(found.answers)
    if task.want_traces and run.missing is not None:
        for formula, answer in answers.items():
            if answer.evidence is None and answer.no_evidence_reason is None:
                answers[formula] = replace(answer, no_evidence_reason=run.missing)
    found.answers = answers if found.outcome.complete else {}
    return found


def _prepare(run: SymbolicRun, task: TreesTask, question: CtlQuestion) -> bool:
    """Compute and count the reachable states, unless that is turned off; return True if none of them faults.

    A run-time fault is recorded in the outcome.
    """
    space = run.space
    faulting = [space.encoding.faulting(one) for one in question.predicates]
    if not task.temporal.reachable_first and all(one == space.diagrams.false for one in (space.faults, *faulting)):
        return True
    claims = [
        Property(Kind.CTL, name, expression, Source("formula", name))
        for one in question.formulas
        for name, expression in one.atoms.items()
    ]

    faulty = run.stop_at_faults(question.predicates)
    run.count(transitions=False)
    if faulty:
        blame = blame_for(question.searched, claims)
        run.note_fault(blame)
        run.note_answers()
        run.show_fault(question.predicates, blame)
    return not faulty


class Deciding:
    """Decides CTL formulas by fixpoints over the BDDs of one Space."""

    def __init__(self, task: TreesTask, question: CtlQuestion, space: Space) -> None:
        self._task, self._question, self._space = task, question, space
        dead_ends = question.dead_ends
        full = space.reachable if task.temporal.reachable_first else space.valid
        self.sets = SymbolicSets(space, full, repeats=dead_ends.repeats, next_repeats=dead_ends.next_repeats)
        self._paths = SymbolicPaths(self.sets, StateNumbering())
        sets = [space.encoding.truth(one)[0] for one in question.predicates]
        parts = {part: sets[number] for part, number in question.labels.items()}
        conditions = [sets[number] for number in question.condition_labels]
        self._valuation: Valuation[Function] = Valuation(self.sets, parts, conditions, infinite=not dead_ends.repeats)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons why answers may be vacuous."""
        if not self._task.temporal.sanity:
            return ()
        initial = self._space.system.initial
        return doubts(self._question, self._valuation, lambda states, at: self._space.contains(states, initial[at]))

    def decide(self, formula: CtlFormula) -> Decided:
        """Decide a formula; return the answer and the function that finds its evidence."""
        satisfied = self._valuation.of(formula.formula)
        initial = self._space.system.initial
        failing = [number for number, state in enumerate(initial) if not self._space.contains(satisfied, state)]
        counts = InitialStates(len(initial) - len(failing), len(initial))

        def explain() -> Evidence:
            number = failing[0] if failing else 0
            return explaining_of(self._question, formula, self._valuation, self._paths, number).evidence()

        return Decided(CtlAnswer(not failing, None, initial=counts, warnings=self.warnings), explain)


class RecordedPaths(Paths[Function], Protocol):
    """The interface of a search for paths of a System by BDDs, with numbers for the states on them."""

    numbered: StateNumbering

    def contains(self, states: Function, record: int, /) -> bool: ...


def explaining_of(
    question: CtlQuestion, formula: CtlFormula, valuation: Valuation[Function], paths: RecordedPaths, number: int
) -> Explaining[Function]:
    """Return the object that finds evidence for a formula in the initial state with the index `number`."""
    shown = reference_of(question.plain)
    # One reference for both, so that its cache of steps is shared.
    searched = shown if question.searched is question.plain else reference_of(question.searched)
    return Explaining(
        formula,
        valuation,
        paths.contains,
        lambda: paths,
        LassoReplay(searched, shown),
        shown,
        Start(number, paths.numbered.number(question.searched.initial[number])),
        question.fairness.conditions,
    )
