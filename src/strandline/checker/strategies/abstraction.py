"""CTL by dynamic abstraction (W. Wang 2013, see docs/papers.md, 004), with refinement.

ACTL is true if the existential abstraction satisfies it and false if the universal abstraction violates it; ECTL the
other way round. If neither decides, a path of the existential abstraction has an edge that the universal one lacks, and
the abstract state in which the edge begins is split. After a number of refinements, and for formulas with both
quantifiers, the model itself is checked.

Theorem 2.5 of the thesis, by which a path as counterexample would decide AX and AG, does not hold; `_shortcut` is the
part of it that does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from strandline.checker.ctl.evidence import NOTHING_ELSE
from strandline.checker.ctl.found import CtlAnswer, CtlFound
from strandline.checker.ctl.fragments import quantifiers_of
from strandline.checker.ctl.valuation import Valuation
from strandline.checker.options.ctl_methods import ABSTRACTION
from strandline.checker.options.temporal import STUTTER
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.strategies.symbolic import (
    ONLY_STATES,
    Decided,
    Decider,
    Deciding,
    explaining_of,
    formulas_in_sets,
)
from strandline.checker.strategies.symbolic_run import SymbolicRun, refusal
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import CtlQuestion, TreesTask
from strandline.checker.verdicts.ctl import AbstractionFigures, Evidence, InitialStates
from strandline.errors import Option, UsageError
from strandline.model.expression import variables_read
from strandline.properties import Formula
from strandline.properties.ltl.formula import QUANTIFIERS, Operator
from strandline.symbolic.abstraction.model import AbstractModel, AbstractSets, View
from strandline.symbolic.abstraction.paths import AbstractPaths
from strandline.symbolic.abstraction.runs import ConcreteRuns
from strandline.symbolic.abstraction.splitting import first_missing, slot_name, split
from strandline.symbolic.diagrams import Function
from strandline.symbolic.fixpoints import SymbolicSets
from strandline.symbolic.paths import StateNumbering, SymbolicPaths
from strandline.transform.simultaneous import Slot

CONCRETE = "the model itself"
MOST_TIMES, FEW_NODES = 3, 500_000
"""Factor and number of BDD nodes that limit abstractions.

They are relative to the nodes of reachable states and transition relation; at the limit, abstraction is given up, so
that it costs no more than a few times the direct method. The size of abstractions does not predict whether refinement
ends (bench/history/lotus.md).
"""


class Abstraction:
    """Decides CTL formulas one by one, each by its own sequence of abstractions."""

    name = ABSTRACTION

    def can(self, task: TreesTask) -> UsageError | None:
        question = task.question
        if task.options.cone:
            return ONLY_STATES
        if question.finite_runs != STUTTER:
            finite = Option("finite_runs", question.finite_runs)
            asked = Option("method", self.name)
            return UsageError("{} lets a state without a step repeat for ever, not {}", options=[asked, finite])
        return refusal(task, self.name)

    def run(self, task: TreesTask, session: Session) -> CtlFound:
        def decider(run: SymbolicRun, question: CtlQuestion) -> Decider:
            return lambda formula: _Abstracting(run, task, question, formula).decide()

        return formulas_in_sets(self.name, task, session, decider, spare=task.temporal.refinements)


@dataclass(slots=True)
class _Known:
    """The result of evaluating the formula on one abstraction.

    `true` and `false` are the abstract states in which the formula is known to be true or false; the valuations and
    `sets` are for the next refinement.
    """

    true: Function
    false: Function
    existential: Valuation[Function]
    universal: Valuation[Function]
    sets: AbstractSets


class _TooLarge(Exception):
    """Raised when the BDDs of abstractions exceed their limit of nodes."""


@dataclass(slots=True)
class _Abstracting:
    """The decision of one formula by abstraction."""

    run: SymbolicRun
    task: TreesTask
    question: CtlQuestion
    formula: CtlFormula
    steps: list[str] = field(default_factory=list)
    _refinements: int = 0
    _allowed: int = 0

    def decide(self) -> Decided:
        space, kinds = self.run.space, quantifiers_of(self.formula.formula)
        if len(kinds) != 1:
            why = "it has both path quantifiers" if kinds else "it has no path quantifier"
            return self._concrete(f"{CONCRETE}, because {why}", 0)
        shortcut = self._shortcut()
        if shortcut is not None:
            return shortcut
        try:
            return self._refining(View(self._visible()), universally=Operator.ALL in kinds)
        except _TooLarge:
            space.diagrams.collect()
            return self._concrete(f"{CONCRETE}, because abstractions need much more room", self._refinements)

    def _refining(self, view: View, *, universally: bool) -> Decided:
        """Refine abstractions, beginning with `view`, until one decides the formula.

        `universally` is True for ACTL, False for ECTL. Falls back to the model itself after the last refinement. Raises
        `_TooLarge`.
        """
        space, base, most = self.run.space, self._base(), self.task.temporal.refinements
        self._allow()
        for self._refinements in range(most + 1):
            model = AbstractModel(space, base, view, self._watch)
            known = self._evaluate(model, universally)
            self._note_refinement(self._refinements, model, known)
            undecided = space.diagrams.and_(
                model.abstract(space.initial), space.diagrams.not_(space.diagrams.or_(known.true, known.false))
            )
            if undecided == space.diagrams.false:
                return self._by_abstraction(model, known, self._refinements)
            if self._refinements < most:
                finer = self._refine(model, known, model.single(undecided))
                if finer is None:
                    return self._concrete(f"{CONCRETE}, because no edge is left to split by", self._refinements)
                view = finer
        return self._concrete(f"{CONCRETE}, because refinement did not end before", most)

    def _allow(self) -> None:
        """Set the limit of BDD nodes.

        Combining the steps into clusters, which the model itself needs too, does not count.
        """
        diagrams, _ = self.run.space.diagrams, self.run.space.clusters
        known = diagrams.nodes()
        diagrams.collect()
        self._allowed = diagrams.nodes() + MOST_TIMES * known + FEW_NODES

    def _watch(self) -> None:
        """Raise `_TooLarge`, or the error of another limit, if it is reached; called between BDD operations."""
        self.run.space.watch()
        if self.run.space.diagrams.nodes() > self._allowed:
            raise _TooLarge

    def _base(self) -> Function:
        """Return the concrete states over which abstractions are made: the reachable ones, or all valid ones."""
        return self.run.space.reachable if self.task.temporal.reachable_first else self.run.space.valid

    # --- visible slots --------------------------------------------------------------------------------------------

    def _visible(self) -> frozenset[Slot]:
        """Return the slots that are visible at first: those of the formula and of the fairness conditions."""
        question = self.question
        stated = [self.formula.expression(part) for part in self.formula.propositions()]
        stated += [question.predicates[number] for number in question.condition_labels]
        variables = {variable for one in stated for variable in variables_read(one)}
        return frozenset(Slot(one, place) for one in variables for place in range(one.slots))

    def _shortcut(self) -> Decided | None:
        """Decide AG of a proposition, without fairness, by searching for a reachable state that violates it.

        Returns None for any other formula, and for several initial states, which this does not distinguish.
        """
        node, question = self.formula.formula, self.question
        always = node.operator is Operator.ALL and node.operands[0].operator is Operator.ALWAYS
        alone = len(question.searched.initial) == 1 and not question.condition_labels
        if not always or not node.operands[0].operands[0].is_boolean or not alone:
            return None
        if not self.task.temporal.reachable_first:
            return None
        space = self.run.space
        true, _ = space.encoding.truth(self.formula.expression(node.operands[0].operands[0]))
        bad = space.diagrams.and_(space.reachable, space.diagrams.not_(true))
        holds = bad == space.diagrams.false

        def explain() -> Evidence:
            if holds:
                return Evidence(str(node), True, NOTHING_ELSE)
            trace = self.run.trace_to(bad).trace
            return Evidence(str(node), False, f"{len(trace)} steps lead to a state that shows it", trace)

        figures = AbstractionFigures("reachability", 0, 0, len(self._visible()), tuple(self.steps))
        return Decided(CtlAnswer(holds, None, initial=InitialStates(int(holds), 1), abstraction=figures), explain)

    # --- evaluation -------------------------------------------------------------------------------------------------

    def _valuation(self, model: AbstractModel, relation: Function) -> tuple[Valuation[Function], AbstractSets]:
        sets = AbstractSets(model, relation, self._watch)
        encoding, question = self.run.space.encoding, self.question

        def proposition(number: int) -> Function:
            return sets.and_(model.states, encoding.truth(question.predicates[number])[0])

        parts = {part: proposition(question.labels[part]) for part in self.formula.propositions()}
        conditions = [proposition(number) for number in question.condition_labels]
        return Valuation(sets, parts, conditions, infinite=False), sets

    def _evaluate(self, model: AbstractModel, universally: bool) -> _Known:
        above, sets = self._valuation(model, model.existential)
        below, lower = self._valuation(model, model.universal)
        over, under = above.of(self.formula.formula), below.of(self.formula.formula)
        if universally:
            return _Known(over, lower.not_(under), above, below, sets)
        return _Known(under, sets.not_(over), above, below, sets)

    # --- refinement -------------------------------------------------------------------------------------------------

    def _refine(self, model: AbstractModel, known: _Known, start: Function) -> View | None:
        """Return the view refined by the first edge of an existential path that the universal abstraction lacks.

        Returns None if the universal abstraction lacks no edge.
        """
        path = self._path(known, self.formula.formula, start)
        missing = first_missing(model, path)
        if missing is None:
            path = self._any_missing(model)
            missing = first_missing(model, path)
        if missing is None:
            return None
        found = split(self.task.temporal.splitting, model, path, missing)
        if self.task.temporal.explain:
            source, target = self._describe_state(model, missing.source), self._describe_state(model, missing.target)
            self.steps.append(f"  the universal one lacks step {missing.place + 1}, {source} -> {target}")
            self.steps.append(f"  split by {self.task.temporal.splitting}: {found.words()}")
        return found.view

    def _path(self, known: _Known, node: Formula, start: Function) -> Sequence[Function]:
        """Return an existential path that shows why the formula is undecided in the abstract state `start`.

        It is for the first undecided quantified subformula; `start` alone if there is none.
        """
        sets, above = known.sets, known.existential
        if node.operator not in QUANTIFIERS:
            for one in node.operands:
                if not one.is_boolean:
                    path = self._path(known, one, start)
                    if len(path) > 1:
                        return path
            return [start]
        found, paths = above.witnesses(node), AbstractPaths(sets)
        if sets.and_(start, found.satisfied) == sets.empty():
            return [start]
        if found.entered is not None:
            return paths.step_into(start, found.entered)
        if found.goal is not None and sets.and_(start, found.reaching) != sets.empty():
            return paths.until(start, found.through, found.goal) or [start]
        return paths.always(start, found.staying, above.conditions)

    def _any_missing(self, model: AbstractModel) -> Sequence[Function]:
        """Return any edge that the universal abstraction lacks, as a path; a single state if it lacks none."""
        diagrams = model.diagrams
        lacking = diagrams.and_(model.existential, diagrams.not_(model.universal))
        sources = model.preimage(lacking, model.states)
        if sources == diagrams.false:
            return [model.single(model.states)]
        source = model.single(sources)
        return [source, model.single(model.image(lacking, source))]

    # --- answers ----------------------------------------------------------------------------------------------------

    def _by_abstraction(self, model: AbstractModel, known: _Known, refinements: int) -> Decided:
        space = self.run.space
        true = model.concrete(known.true)
        initial = space.system.initial
        satisfying = sum(space.contains(true, state) for state in initial)
        figures = AbstractionFigures(
            "the abstraction",
            refinements,
            model.count(model.states),
            len(model.view.slots),
            tuple(self.steps),
        )
        counts = InitialStates(satisfying, len(initial))
        warnings = self._warnings(model, known)
        answer = CtlAnswer(satisfying == len(initial), None, None, counts, figures, warnings)
        failing = next((number for number, state in enumerate(initial) if not space.contains(true, state)), None)

        def explain() -> Evidence | None:
            try:
                return self._evidence(model, known, failing)
            except _TooLarge:
                return self._concrete(CONCRETE, refinements).explain()

        return Decided(answer, explain)

    def _warnings(self, model: AbstractModel, known: _Known) -> tuple[str, ...]:
        """Return warnings about initial states in which no fair run begins.

        If the universal abstraction has a fair run from every initial state, so has the model, which is checked only
        otherwise.
        """
        fair = known.universal.counting
        if fair is None or not self.task.temporal.sanity:
            return ()
        states = model.concrete(fair)
        if all(self.run.space.contains(states, state) for state in self.run.space.system.initial):
            return ()
        return Deciding(self.task, self.question, self.run.space).warnings

    def _evidence(self, model: AbstractModel, known: _Known, failing: int | None) -> Evidence:
        """Return evidence in the initial state with the index `failing`, or in the first one if it is None.

        It includes a run if the universal abstraction decided the formula.
        """
        runs = ConcreteRuns(model, SymbolicPaths(SymbolicSets(self.run.space, self._base()), StateNumbering()))
        universally = Operator.ALL in quantifiers_of(self.formula.formula)
        deciding = known.universal if universally is (failing is not None) else known.existential
        return explaining_of(self.question, self.formula, deciding, runs, failing or 0).evidence()

    def _concrete(self, why: str, refinements: int) -> Decided:
        found = Deciding(self.task, self.question, self.run.space).decide(self.formula)
        figures = AbstractionFigures(why, refinements, 0, len(self._visible()), tuple(self.steps))
        return replace(found, answer=replace(found.answer, abstraction=figures))

    # --- reports ----------------------------------------------------------------------------------------------------

    def _note_refinement(self, number: int, model: AbstractModel, known: _Known) -> None:
        self.run.space.report_round(f"refinement {number}", number, model.states)
        if not self.task.temporal.explain:
            return
        initial = model.abstract(self.run.space.initial)
        both, count = model.diagrams.and_, model.count
        true, false, every = count(both(initial, known.true)), count(both(initial, known.false)), count(initial)
        self.steps.append(
            f"{number}: {count(model.states):,} abstract states, {model.edges(model.existential):,} edges from above, "
            f"{model.edges(model.universal):,} from below; initial ones: {true:,} true, {false:,} false of {every:,}"
        )

    def _describe_state(self, model: AbstractModel, abstract: Function) -> str:
        """Describe an abstract state by the values of its first visible variables."""
        state = self.run.space.member(model.concrete(abstract))
        if state is None:
            return "?"
        offsets = self.run.system.offsets
        slots = sorted(model.view.slots, key=lambda slot: (offsets[slot.variable], slot.place))
        shown = [f"{slot_name(one)}={one.variable.show(state[offsets[one.variable] + one.place])}" for one in slots[:8]]
        return f"({', '.join(shown)}{', ...' if len(slots) > len(shown) else ''})"
