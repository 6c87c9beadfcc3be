"""Sanity checks: warn of properties that hold, or are violated, for a trivial reason.

Examples are a formula that every word satisfies, or none; an implication whose left side is never true, so that the
property holds *vacuously* (it would hold with `false` on the right side as well); a model without an infinite run, or
without a fair one. Each is checked as a property of its own, by the same strategies. Reachability of several kinds of
states is checked in one search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from strandline.checker.limits.progress import Progress, ProgressCallback
from strandline.checker.ltl.found import ProductFound
from strandline.checker.options.temporal import RunOptions
from strandline.checker.properties.fairness import NO_FAIR_RUN, NO_INFINITE_RUN
from strandline.checker.properties.product import guard_expression
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.properties.specification import BoundFormula
from strandline.checker.strategies.choice import choose_for_runs, choose_for_states
from strandline.checker.tasks.runs import Question, RunsTask
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session
from strandline.errors import InputError, ResourceError
from strandline.model.expression import Expression
from strandline.properties import Formula, ParsedFormula, translate
from strandline.properties.automata.product import is_empty
from strandline.properties.ltl.formula import FALSE, TRUE, Operator, make, rebuild
from strandline.properties.ltl.implication import boolean_guard
from strandline.properties.ltl.simplify import simplify
from strandline.source import Source

CONTRADICTION = "no run of any model satisfies this formula"
_MOST_IMPLICATIONS = 8
"""Most implications that are checked for vacuity."""


def contradiction(task: RunsTask) -> Iterator[str]:
    """Yield a warning if a violated formula is a contradiction, which every run of every model violates."""
    specification = task.question.specification
    if not task.temporal.sanity or not isinstance(specification, BoundFormula):
        return
    try:
        automaton = translate(specification.formula)
    except ResourceError:
        # The automaton is too large; then satisfiability is not checked.
        return
    if is_empty(automaton):
        yield CONTRADICTION


def doubts(task: RunsTask, found: ProductFound, session: Session) -> Iterator[str]:
    """Yield warnings about a property that holds for a trivial reason.

    A sanity check that reaches a limit yields nothing; Ctrl-C raises `KeyboardInterrupt`.
    """
    if task.temporal.sanity:
        with suppress(ResourceError):
            yield from _Doubts(task, session).all(found)


class _Doubts:
    """The sanity checks of a property that holds: further questions about the same model."""

    def __init__(self, task: RunsTask, session: Session) -> None:
        asked = task.question
        plain = asked.plain.alone
        session.measures.share(asked.plain, plain)
        self._session = replace(session, callback=ProgressOnly(session.callback))
        self._task = replace(task, system=plain, temporal=RunOptions(sanity=False))
        self._question = replace(asked, plain=plain)
        self._formula = asked.specification if isinstance(asked.specification, BoundFormula) else None

    def all(self, found: ProductFound) -> Iterator[str]:
        question = self._question
        infinite = Question(question.plain, _FALSE, ignore_finite_runs=True)
        if found.outcome.statistics.deadlocks != 0 and self._has_no_run(infinite):
            yield NO_INFINITE_RUN
            if question.ignore_finite_runs:
                return
        if question.conditions.conditions and self._has_no_run(replace(question, specification=_FALSE)):
            yield NO_FAIR_RUN
        elif self._formula is not None:
            yield from self._vacuous(self._formula)

    def _has_no_run(self, question: Question) -> bool:
        """Return True if no run that counts violates the question's specification; False also if unknown."""
        task = replace(self._task, question=question)
        try:
            found = choose_for_runs(task).strategy.run(task, self._session)
        except (InputError, ResourceError):
            # An atom faults in a state where the formula does not evaluate it, or the automaton is too large.
            return False
        if found.outcome.interrupted:
            raise KeyboardInterrupt
        return found.outcome.complete and not found.is_violated

    # Vacuity

    def _vacuous(self, bound: BoundFormula) -> Iterator[str]:
        stronger = list(stronger_formulas(bound.formula))[:_MOST_IMPLICATIONS]
        reachable = self._reachability(bound, [formula for _, formula in stronger])
        for number, (left, formula) in enumerate(stronger):
            holds = reachable.get(number)
            if holds is None:
                parsed = replace(bound.parsed, formula=formula)
                holds = self._has_no_run(replace(self._question, specification=BoundFormula(parsed, bound.atoms)))
            if holds:
                yield vacuous(left)

    def _reachability(self, bound: BoundFormula, formulas: Sequence[Formula]) -> dict[int, bool]:
        """Return the values of formulas G p with a propositional p, by their indices, from one search for states.

        Returns nothing if only some runs count, because then a path to a state decides nothing.
        """
        if self._question.conditions.conditions or self._question.ignore_finite_runs:
            return {}
        claims = {
            number: Property(Kind.INVARIANT, str(formula), expression, bound.parsed.source)
            for number, formula in enumerate(formulas)
            if (expression := always(formula, bound)) is not None
        }
        if not claims:
            return {}
        task = StatesTask(self._question.plain, self._task.options, tuple(claims.values()), want_traces=False)
        try:
            found = choose_for_states(task).strategy.run(task, self._session)
        except InputError:
            # One formula faults in some state: check the others without it.
            return {}
        if found.outcome.interrupted:
            raise KeyboardInterrupt
        return {number: found.outcome.complete and one not in found.traces for number, one in claims.items()}


def always(formula: Formula, bound: BoundFormula) -> Expression | None:
    """Return the expression p of a formula `G p` where p is propositional; None for other formulas."""
    simple = simplify(formula)
    if simple.operator is not Operator.ALWAYS or not simple.operands[0].is_boolean:
        return None
    names = tuple(bound.atoms)
    return guard_expression(boolean_guard(simple.operands[0], names), [bound.atoms[name] for name in names])


_FALSE = BoundFormula(ParsedFormula(FALSE, Source("formula", "false"), {}), {})
"""The formula that every run violates."""


@dataclass(frozen=True, slots=True)
class ProgressOnly:
    """A callback that forwards the progress of a secondary search, but not its stages."""

    callback: ProgressCallback

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        self.callback.progress(progress)


def vacuous(left: Formula) -> str:
    """Return the warning for an implication whose left side is never true."""
    return f"it holds vacuously: '{left}' never happens where it matters"


def stronger_formulas(formula: Formula) -> Iterator[tuple[Formula, Formula]]:
    """Yield, for every implication in positive position, its left side and a stronger formula.

    The stronger formula has `false` as the right side of the implication. If it holds too, the right side did not
    matter. Of a conjunction only the conjuncts that change are included; the others hold anyway.
    """
    for implication in _implications(formula):
        left, right = implication.operands
        if left is not TRUE and right is not FALSE:
            strong = make(Operator.IMPLIES, left, FALSE)
            changed = [(part, _replace(part, implication, strong)) for part in _conjuncts(formula)]
            asked = [new for old, new in changed if new is not old]
            yield left, asked[0] if len(asked) == 1 else make(Operator.AND, *asked)


def _conjuncts(formula: Formula) -> list[Formula]:
    """Return the conjuncts of a formula, from left to right; those of `G (p & q)` are `G p` and `G q`."""
    if formula.operator is Operator.AND:
        return [part for operand in formula.operands for part in _conjuncts(operand)]
    if formula.operator is Operator.ALWAYS:
        return [make(Operator.ALWAYS, part) for part in _conjuncts(formula.operands[0])]
    return [formula]


def _implications(formula: Formula) -> list[Formula]:
    """Return the implications that occur in positive position only, outer ones first.

    That is under an even number of negations, and outside of equivalences.
    """
    stack = [(formula, True)]
    seen: dict[tuple[Formula, bool], None] = {}
    while stack:
        node, positive = stack.pop()
        if (node, positive) in seen:
            continue
        seen[node, positive] = None
        both_ways = node.operator in (Operator.EQUIVALENT, Operator.EXCLUSIVE_OR)
        for number, operand in enumerate(node.operands):
            flips = node.operator is Operator.NOT or (node.operator is Operator.IMPLIES and number == 0)
            stack.append((operand, positive != flips))
            if both_ways:
                stack.append((operand, not positive))
    return [
        node for node, positive in seen if positive and node.operator is Operator.IMPLIES and (node, False) not in seen
    ]


def _replace(formula: Formula, old: Formula, new: Formula) -> Formula:
    def step(node: Formula, operands: tuple[Formula, ...]) -> Formula:
        if node is old:
            return new
        return make(node.operator, *operands) if operands else node

    return rebuild(formula, step)
