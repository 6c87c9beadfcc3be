"""Properties of states, and formulas of CTL, in sets of states (McMillan 1993; 004 §1.3.5).

What is reachable is found first, unless it is not wanted, and everything else inside it. Whatever shows an answer is a
run that the interpreter has executed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from strandline.check.blame import fault_verdict
from strandline.check.ctl.doubts import doubts
from strandline.check.ctl.evidence import Explaining, Paths, Start
from strandline.check.ctl.formula import CtlFormula
from strandline.check.ctl.found import CtlAnswer, CtlFound
from strandline.check.ctl.methods import SYMBOLIC
from strandline.check.ctl.question import CtlQuestion, ctl_question_of
from strandline.check.ctl.valuation import Valuation
from strandline.check.ctl.verdict import InitialStates
from strandline.check.properties import Kind, Property
from strandline.check.strategies.explicit import StatesFound
from strandline.check.symbolically import SymbolicRun, blame_for, refusal
from strandline.check.task import Session, Task
from strandline.check.verdict import PropertyVerdict
from strandline.errors import Option, ResourceError, UsageError
from strandline.source import Source
from strandline.symbolic.diagrams import Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import Numbered, SymbolicPaths
from strandline.symbolic.space import Space
from strandline.traces.lassos import LassoReplay
from strandline.traces.trace import Trace
from strandline.traces.walk import twin_of

ONLY_STATES = UsageError(
    "{} is for invariants and what is to be reached: a step outside the cone is a step all the same",
    options=[Option("cone", True)],
)


class SymbolicSearch:
    """Decides any number of properties of states in one set: what is reachable."""

    name = SYMBOLIC

    def can(self, task: Task) -> UsageError | None:
        if task.options.cone and not all(one.predicate is not None for one in task.properties):
            return ONLY_STATES
        return refusal(task, self.name)

    def run(self, task: Task, session: Session) -> StatesFound:
        traces: dict[Property, Trace | None] = {}
        run = SymbolicRun(task, session, task.system)

        def work(space: Space) -> None:
            if task.options.cone:
                space = run.look_at_cone([_decided(space, task, one) for one in task.properties])
            run.count(transitions=not task.properties)
            run.outcome.complete = True
            for one in task.properties:
                goal = space.diagrams.both(space.reachable, _decided(space, task, one))
                if goal != space.diagrams.false:
                    traces[one] = run.trace_to(goal)[0] if task.shows else None
            stated = [one.expression for one in task.properties if one.expression is not None]
            run.look_for_faults(stated, blame_for(task.system, task.properties))

        return StatesFound(run.carry_out(work), traces)


def _decided(space: Space, task: Task, one: Property) -> Function:
    """Where a property is decided: violated, or reached."""
    if one.predicate is not None:
        return space.encoding.truth(one.predicate)[0]
    if one.kind is not Kind.DEADLOCK:
        return space.diagrams.false
    dead = space.diagrams.denied(space.enabled)
    if task.system.ends is None:
        return dead
    return space.diagrams.both(dead, space.encoding.truth(task.system.ends)[1])


class SymbolicLabelling:
    """Decides formulas of CTL by fixpoints."""

    name = SYMBOLIC

    def can(self, task: Task) -> UsageError | None:
        return ONLY_STATES if task.options.cone else refusal(task, self.name)

    def run(self, task: Task, session: Session) -> CtlFound:
        return formulas_in_sets(
            self.name, task, session, lambda run, question: Deciding(task, question, run.space).answer
        )


def formulas_in_sets(
    method: str,
    task: Task,
    session: Session,
    decider: Callable[[SymbolicRun, CtlQuestion], Callable[[CtlFormula], CtlAnswer]],
    *,
    spare: int = 0,
) -> CtlFound:
    """What a method finds of the formulas of a task, one by one; none where a fault or a limit ends it. The decider is
    asked for when the model is encoded; `spare` pairs of bits are left for it."""
    question = ctl_question_of(task)
    run = SymbolicRun(task, session, question.searched)
    found = CtlFound(method, run.outcome)

    def work(space: Space) -> None:
        if not _prepared(run, task, question):
            return
        run.outcome.complete = True
        began = time.perf_counter()
        decide = decider(run, question)
        for formula in question.formulas:
            found.answers[formula] = decide(formula)
        found.seconds = time.perf_counter() - began

    found.outcome = run.carry_out(work, spare=spare)
    if not found.outcome.complete:
        found.answers.clear()
    return found


def _prepared(run: SymbolicRun, task: Task, question: CtlQuestion) -> bool:
    """Whether nothing faults. What is reachable is counted, unless it is not wanted and not needed."""
    space = run.space
    faulting = [space.encoding.faulting(one) for one in question.predicates]
    if not task.temporal.reachable_first and all(one == space.diagrams.false for one in (space.faults, *faulting)):
        return True
    run.count(transitions=False)
    claims = [
        Property(Kind.CTL, name, expression, Source("formula", name))
        for one in question.formulas
        for name, expression in one.atoms.items()
    ]

    def blame(trace: Trace, own: bool) -> PropertyVerdict:
        return fault_verdict(question.searched, trace, () if own else claims, None)

    return not run.look_for_faults(question.predicates, blame)


class Deciding:
    """Formulas over one Space."""

    def __init__(self, task: Task, question: CtlQuestion, space: Space) -> None:
        self._task, self._question, self._space = task, question, space
        dead_ends = question.dead_ends
        full = space.reachable if task.temporal.reachable_first else space.valid
        self.sets = SymbolicSets(
            space, full, repeats=dead_ends.repeats, next_repeats=dead_ends.next_repeats
        )
        self._paths = SymbolicPaths(self.sets, Numbered())
        told = [space.encoding.truth(one)[0] for one in question.predicates]
        parts = {part: told[number] for part, number in question.labels.items()}
        conditions = [told[number] for number in question.condition_labels]
        self._valuation: Valuation[Function] = Valuation(
            self.sets, parts, conditions, infinite=not dead_ends.repeats
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why answers may not mean what they seem to mean."""
        if not self._task.temporal.sanity:
            return ()
        initial = self._space.system.initial
        return doubts(self._question, self._valuation, lambda states, at: self._space.contains(states, initial[at]))

    def answer(self, formula: CtlFormula) -> CtlAnswer:
        """Whether it holds, in how many initial states, and what shows it."""
        return replace(self._answer(formula), warnings=self.warnings)

    def _answer(self, formula: CtlFormula) -> CtlAnswer:
        satisfied = self._valuation.of(formula.formula)
        initial = self._space.system.initial
        failing = [number for number, state in enumerate(initial) if not self._space.contains(satisfied, state)]
        counts = InitialStates(len(initial) - len(failing), len(initial))
        if not self._task.shows:
            return CtlAnswer(not failing, None, initial=counts)
        explaining = explaining_of(self._question, formula, self._valuation, self._paths, failing[0] if failing else 0)
        try:
            evidence = explaining.evidence()
        except ResourceError as error:
            return CtlAnswer(not failing, None, str(error), counts)
        return CtlAnswer(not failing, evidence, initial=counts)


class RecordedPaths(Paths[Function], Protocol):
    """Paths of a System by its sets, with numbers for its states."""

    numbered: Numbered

    def contains(self, states: Function, record: int, /) -> bool: ...


def explaining_of(
    question: CtlQuestion, formula: CtlFormula, valuation: Valuation[Function], paths: RecordedPaths, number: int
) -> Explaining[Function]:
    """What makes evidence for a formula, in the initial state of a number."""
    shown = twin_of(question.plain)
    return Explaining(
        formula,
        valuation,
        paths.contains,
        lambda: paths,
        LassoReplay(twin_of(question.searched), shown),
        shown,
        Start(number, paths.numbered.number(question.searched.initial[number])),
        question.fairness.conditions,
    )
