"""Decide CTL formulas: as many in one exploration as it has labels for their propositions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.checker.ctl.found import CtlFound
from strandline.checker.driver.outcome import INTERRUPTED, RunOutcome
from strandline.checker.options.search import SWEEP, Options
from strandline.checker.options.temporal import STUTTER, TreeOptions
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.properties.fairness import FairnessConditions, fairness_of
from strandline.checker.properties.selection import Kind
from strandline.checker.strategies.choice import Choice, choose_for_trees
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import CtlQuestion, TreesTask, fitting, make_question
from strandline.checker.verdicts.ctl import CtlSearch
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict, without
from strandline.errors import ResourceError
from strandline.model.system import System
from strandline.transform.history import with_history

NOTHING = "none"
"""The method in the report if nothing was searched."""
STRONG = (
    "CTL is decided under weak fairness and given conditions, not under strong fairness of {}, which the model "
    "declares: --no-declared-fairness (declared_fairness=False) leaves it out"
)


@dataclass(frozen=True, slots=True)
class TreesDecided:
    """The answers to some formulas, and the outcome of their search."""

    verdicts: dict[CtlFormula, PropertyVerdict]
    outcome: RunOutcome


def decide_trees(
    system: System,
    formulas: Sequence[CtlFormula],
    options: Options,
    temporal: TreeOptions,
    session: Session,
    *,
    want_traces: bool = True,
) -> Iterator[TreesDecided]:
    """Yield the verdicts on formulas, search by search, with evidence if `want_traces`.

    Raises `InputError` for mistakes of the user; reaching a limit makes answers UNKNOWN.
    """
    plain, fairness = _plain(system.alone, formulas, temporal)
    strong = next((one for one in fairness.conditions if one.strong), None)
    if strong is not None:
        yield _unknown_verdicts(formulas, STRONG.format(strong.name), fairness.descriptions())
        return
    finite_runs = temporal.finite_runs or plain.finite_paths
    interrupted = False
    for group in _groups(formulas, len(fairness.conditions)):
        if isinstance(group, CtlFormula):
            yield _unknown_verdicts(
                [group], "it has more propositions than one search can have", fairness.descriptions()
            )
            continue
        question = make_question(plain, group, fairness, finite_runs)
        if interrupted:
            yield _unknown_verdicts(group, INTERRUPTED, fairness.descriptions())
            continue
        task = TreesTask(plain, options, question, temporal=temporal, want_traces=want_traces)
        choice = choose_for_trees(task, monotone=_is_monotone(plain, options, session))
        found = choice.strategy.run(task, session)
        interrupted = found.outcome.interrupted
        yield TreesDecided({one: _verdict(one, question, choice, found) for one in group}, found.outcome)


def trees_task(system: System, formula: CtlFormula, options: Options, temporal: TreeOptions) -> TreesTask:
    """Return the task of deciding a single formula. Raises `ResourceError` under strong fairness."""
    plain, fairness = _plain(system.alone, [formula], temporal)
    if any(one.strong for one in fairness.conditions):
        raise ResourceError("CTL is not decided under strong fairness")
    question = make_question(plain, [formula], fairness, temporal.finite_runs or plain.finite_paths)
    return TreesTask(plain, options, question, temporal=temporal)


def _is_monotone(plain: System, options: Options, session: Session) -> bool:
    """Return True if the search is a sweep and its measure is promised, or proved, to be monotone."""
    return options.order == SWEEP and session.measures.of(plain).measure.monotone


def _plain(system: System, formulas: Sequence[CtlFormula], temporal: TreeOptions) -> tuple[System, FairnessConditions]:
    """Return the System, without its property process, and the fairness conditions over it.

    The System is extended by the history of the last step that the formulas ask for.
    """

    def conditions_of(one: System) -> FairnessConditions:
        return fairness_of(one, fair=temporal.fair, declared=temporal.declared_fairness, texts=temporal.fairness)

    conditions = conditions_of(system)
    asked = [atom for one in formulas for atom in one.atoms.values()]
    asked += [one.condition for one in conditions.conditions if one.condition is not None]
    remembering = with_history(system, asked)
    return remembering, conditions if remembering is system else conditions_of(remembering)


def _groups(formulas: Sequence[CtlFormula], conditions: int) -> Iterator[list[CtlFormula] | CtlFormula]:
    """Yield the groups of formulas that are decided together, and each formula with too many propositions by itself."""
    small: list[CtlFormula] = []
    for one in formulas:
        try:
            fitting([one], conditions)
            small.append(one)
        except ResourceError:
            yield one
    yield from fitting(small, conditions)


def _unknown_verdicts(formulas: Sequence[CtlFormula], reason: str, fairness: tuple[str, ...]) -> TreesDecided:
    outcome = RunOutcome(reason=reason, interrupted=reason == INTERRUPTED)
    verdicts = {}
    for one in formulas:
        search = CtlSearch(one.text, NOTHING, None, fairness, STUTTER, False, reason, outcome.statistics)
        verdicts[one] = PropertyVerdict(Kind.CTL, one.text, Answer.UNKNOWN, reason, ctl=search)
    return TreesDecided(verdicts, outcome)


def _verdict(
    one: CtlFormula, question: CtlQuestion, choice: Choice[TreesTask, CtlFound], found: CtlFound
) -> PropertyVerdict:
    outcome, decided = found.outcome, found.answers.get(one)
    search = CtlSearch(
        formula=one.text,
        method=found.method,
        method_reason=choice.why,
        fairness=question.fairness.descriptions(),
        finite_runs=question.finite_runs,
        complete=outcome.complete,
        reason=outcome.reason,
        statistics=outcome.statistics,
        product=len(question.searched.variables) > len(question.plain.variables),
        records=found.records,
        disk_bytes=found.disk_bytes,
        blocks_read=found.blocks_read,
        labelling_seconds=found.seconds,
        evidence=None if decided is None else decided.evidence,
        no_evidence_reason=None if decided is None else decided.no_evidence_reason,
        initial=None if decided is None else decided.initial,
        abstraction=None if decided is None else decided.abstraction,
        warnings=() if decided is None else decided.warnings,
    )
    if decided is None:
        return PropertyVerdict(Kind.CTL, one.text, Answer.UNKNOWN, outcome.reason, ctl=search)
    answer = Answer.HOLDS if decided.holds else Answer.VIOLATED
    trace = None if decided.evidence is None else decided.evidence.first_trace()
    reason = None if decided.no_evidence_reason is None else without(answer, decided.no_evidence_reason)
    return PropertyVerdict(Kind.CTL, one.text, answer, reason, trace, ctl=search)
