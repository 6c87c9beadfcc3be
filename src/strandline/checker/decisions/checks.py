"""From a selection of properties to a verdict: make tasks, run strategies, collect answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TypeVar

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.decisions.option_conflicts import refuse_mixture
from strandline.checker.driver.outcome import INTERRUPTED, RunOutcome
from strandline.checker.limits.progress import NullCallback, ProgressCallback
from strandline.checker.limits.translation import limited_translation
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.ctl_methods import EXPLICIT
from strandline.checker.options.effects import CTL, LTL, STATES, Decided, Way, given_facts, refuse_without_effect
from strandline.checker.options.search import NO_TRACES, Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import Kind, Property, Selection, needs_product
from strandline.checker.reductions.partial_order import BRANCHING, examine_reduction, pays
from strandline.checker.strategies.choice import choose_for_runs, choose_for_states, choose_for_trees
from strandline.checker.strategies.explicit import StatesFound
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session, Task
from strandline.checker.verdicts.verdict import Answer, Exploration, Interrupted, PropertyVerdict, Verdict
from strandline.errors import Option, ResourceError, UsageError
from strandline.model.expression import Expression
from strandline.model.system import Capability, System
from strandline.transform.history import with_history

TaskKind = TypeVar("TaskKind", bound=Task)


def explore_system(
    system: System,
    options: Options,
    callback: ProgressCallback | None = None,
    *,
    started: float | None = None,
    method: str = EXPLICIT,
    checkpoints: Checkpoints | None = None,
) -> Exploration:
    """Visit every reachable state, one by one or, with the method `symbolic`, as sets with BDDs.

    Ctrl-C raises `Interrupted`. The time limit counts from `started`, a time of `time.perf_counter`. A caller that
    writes files afterwards opens the `checkpoints` itself, by `open_checkpoints`, so that they are removed only after
    that.
    """
    with _own_or(checkpoints, options) as checkpoints:
        session = _session(options, callback, started, checkpoints)
        _refuse_without_effect(system, (), options, TemporalOptions(method=method))
        task = resolve_reduction(StatesTask(system, options, method=method), (), choose_for_states, session)
        outcome = _search_states(task, session).outcome
        exploration = exploration_of(system, task.options, outcome)
        if outcome.interrupted:
            raise Interrupted(exploration)
        return exploration


def check_selection(
    system: System,
    selection: Selection,
    options: Options,
    callback: ProgressCallback | None = None,
    *,
    temporal: TemporalOptions | None = None,
    started: float | None = None,
    checkpoints: Checkpoints | None = None,
) -> Verdict:
    """Decide the properties: those of states in one search, then each of runs, then CTL formulas in groups.

    Ctrl-C raises `Interrupted`; `started` and `checkpoints` as in `explore_system`.
    """
    refuse_mixture(selection, options)
    temporal = temporal or TemporalOptions()
    if not options.traces and temporal.shortest:
        raise UsageError("{} is for traces; it has no effect with {}", options=[Option("shortest", True), NO_TRACES])
    started = time.perf_counter() if started is None else started
    with limited_translation(options, started):
        for notice in _refuse_without_effect(system, selection.properties, options, temporal):
            (callback or NullCallback()).stage(notice)
        with _own_or(checkpoints, options) as checkpoints:
            session = _session(options, callback, started, checkpoints)
            return _Deciding(system, options, temporal, session).verdict(selection.properties)


def _refuse_without_effect(
    system: System, properties: Sequence[Property], options: Options, temporal: TemporalOptions
) -> Iterable[str]:
    """Raise `UsageError` for an option that takes effect on none of the properties.

    Returns a notice for each option that takes effect on some properties only.
    """
    if not any(given_facts(options, temporal)):
        return ()
    # `auto` decides later whether steps are reduced; here they are taken not to be.
    settled = replace(options, auto_por=False, check_independence=False)
    decided: list[Decided] = []
    states = [one for one in properties if one.is_of_states]
    if len(states) == len(properties):
        temporal.refuse_without_runs()
    if states or not properties:
        task = StatesTask(searched_for(system, states), settled, tuple(states), method=temporal.method)
        title = "what is reachable" if not states else f"{states[0].kind.value} '{states[0].name}'"
        decided.append(Decided(Way(STATES, choose_for_states(task).strategy.name), title))
    for one in properties:
        with suppress(ResourceError):
            # A product that is too large is UNKNOWN by every method.
            decided += [Decided(way, f"{one.kind.value} '{one.name}'") for way in _ways(system, one, settled, temporal)]
    return refuse_without_effect(decided, options, temporal, reentrant=Capability.THREADS in system.capabilities)


def _ways(system: System, one: Property, options: Options, temporal: TemporalOptions) -> Iterator[Way]:
    """Yield the method by which a property of runs or of trees is decided; nothing for a property of states."""
    # Imported lazily: checks of states alone do not wait for temporal logic.
    if one.specification is not None:
        from strandline.checker.decisions.runs import runs_task

        task = runs_task(system, one.specification, options, temporal)
        yield Way(LTL, choose_for_runs(task).strategy.name)
    if one.branching is not None:
        from strandline.checker.decisions.trees import trees_task

        of_trees = trees_task(system, one.branching, options, temporal)
        yield Way(CTL, choose_for_trees(of_trees).strategy.name)


def open_checkpoints(options: Options) -> AbstractContextManager[Checkpoints | None]:
    """Return a context manager for the folder of checkpoints; its value is None if the options name no folder.

    The caller sets `delivered` when the verdict and all files are written, and the checkpoints are not needed any more.
    """
    if options.checkpoint_folder is None:
        return nullcontext()
    return Checkpoints(options.checkpoint_folder, options.checkpoint_seconds, resume=options.resume)


@contextmanager
def _own_or(given: Checkpoints | None, options: Options) -> Iterator[Checkpoints | None]:
    """Yield the caller's checkpoints, else those of the options, which are open until the search ends."""
    if given is not None:
        yield given
        return
    with open_checkpoints(options) as checkpoints:
        yield checkpoints
        if checkpoints is not None:
            checkpoints.delivered = True


def _session(
    options: Options, callback: ProgressCallback | None, started: float | None, checkpoints: Checkpoints | None
) -> Session:
    callback = callback or NullCallback()
    begun = time.perf_counter() if started is None else started
    return Session(callback, begun, SweepMeasures(options, callback, checkpoints), checkpoints)


def _search_states(task: StatesTask, session: Session) -> StatesFound:
    """Run the task with the strategy chosen for it, and report the reason for the choice if there is one."""
    choice = choose_for_states(task)
    if choice.why is not None:
        session.callback.stage(f"searched by {choice.strategy.name}: {choice.why}")
    return choice.strategy.run(task, session)


def resolve_reduction(
    task: TaskKind, seen: Sequence[Expression], choose: Callable[[TaskKind], object], session: Session
) -> TaskKind:
    """Return the task with `auto_por` replaced by a decision about partial-order reduction.

    With `check_independence`, the independence relation is tested on sampled states. `seen` are the expressions whose
    truth the reduction must preserve; `choose` raises `UsageError` if no strategy can decide the reduced task.
    """
    options = task.options
    if options.auto_por:
        reduced = replace(task, options=replace(options, por=True, auto_por=False))
        try:
            choose(reduced)
        except UsageError as refused:
            session.callback.stage(f"partial-order reduction is not used: {refused}")
            used = False
        else:
            used = pays(task.system, seen, session.callback)
        whole = replace(options, auto_por=False, check_independence=False)
        task = reduced if used else replace(task, options=whole)
    if task.options.check_independence:
        choose(task)
        examine_reduction(task.system, seen, session.callback)
    return task


class _Deciding:
    """The tasks of one check, run one after the other."""

    def __init__(self, system: System, options: Options, temporal: TemporalOptions, session: Session) -> None:
        self._system, self._options, self._temporal, self._session = system, options, temporal, session
        self._outcomes: list[RunOutcome] = []
        self._searched: list[Options] = []
        """The options of each search."""
        self._answers: dict[Property, PropertyVerdict] = {}

    def verdict(self, asked: Sequence[Property]) -> Verdict:
        about_states = [one for one in asked if one.is_of_states]
        if len(about_states) == len(asked):
            self._temporal.refuse_without_runs()
        if about_states or not asked:
            self._decide_states(about_states)
        for one in asked:
            if one.specification is not None:
                self._decide_runs(one)
        self._decide_trees([one for one in asked if one.branching is not None])
        return self._verdict_on(asked)

    def _decide_states(self, properties: Sequence[Property]) -> None:
        searched = searched_for(self._system, properties)
        task = StatesTask(searched, self._options, tuple(properties), method=self._temporal.method)
        seen = [one.predicate for one in properties if one.predicate is not None]
        task = resolve_reduction(task, seen, choose_for_states, self._session)
        found = _search_states(task, self._session)
        self._searched.append(task.options)
        self._outcomes.append(found.outcome)
        self._answers.update({one: answer_of(one, found) for one in properties})

    def _decide_runs(self, one: Property) -> None:
        if self._is_interrupted or one.specification is None:
            self._answers[one] = PropertyVerdict(one.kind, one.name, Answer.UNKNOWN, INTERRUPTED)
            return
        # Imported lazily: checks of states alone do not wait for temporal logic.
        from strandline.checker.decisions.runs import decide_runs, runs_task

        task = runs_task(self._system, one.specification, self._options, self._temporal)
        task = resolve_reduction(task, list(one.specification.atoms.values()), choose_for_runs, self._session)
        self._searched.append(task.options)
        decided = decide_runs(task, one, self._session)
        self._outcomes.append(decided.outcome)
        self._answers[one] = decided.verdict

    def _decide_trees(self, properties: Sequence[Property]) -> None:
        owners = {one.branching: one for one in properties if one.branching is not None}
        if not owners:
            return
        if self._is_interrupted:
            for one in properties:
                self._answers[one] = PropertyVerdict(one.kind, one.name, Answer.UNKNOWN, INTERRUPTED)
            return
        # Imported here, for the same reason.
        from strandline.checker.decisions.trees import decide_trees

        options = self._options
        if options.auto_por:
            self._session.callback.stage(f"partial-order reduction is not used: {BRANCHING}")
            options = replace(options, auto_por=False, check_independence=False)
        for decided in decide_trees(self._system, list(owners), options, self._temporal, self._session):
            self._outcomes.append(decided.outcome)
            self._searched.append(options)
            for formula, verdict in decided.verdicts.items():
                self._answers[owners[formula]] = replace(verdict, name=owners[formula].name)

    @property
    def _is_interrupted(self) -> bool:
        return any(outcome.interrupted for outcome in self._outcomes)

    def _verdict_on(self, asked: Sequence[Property]) -> Verdict:
        fault = next((outcome.fault for outcome in self._outcomes if outcome.fault is not None), None)
        fault = fault if fault is None or self._options.traces else replace(fault, trace=None)
        verdicts = [self._answers[one] for one in asked] + ([] if fault is None else [fault])
        main = replace(self._outcomes[0], fault=fault, interrupted=self._is_interrupted)
        verdict = Verdict(exploration_of(self._system, self._searched[0], main), tuple(verdicts))
        if self._is_interrupted:
            raise Interrupted(verdict)
        return verdict


def searched_for(system: System, properties: Sequence[Property]) -> System:
    """Return the System in which properties of states are decided: usually without its property process.

    A property process restricts the System, so the product must not decide them, unless a property refers to the
    property process. The System is extended by the history that `taken(...)` in the properties needs, and by the steps
    that violate its assertions if these are asked for.
    """
    searched = system if needs_product(system, properties) else system.alone
    if any(one.kind is Kind.ASSERTION for one in properties):
        searched = searched.with_failures
    asked = [one.expression for one in properties if one.expression is not None]
    return with_history(searched, asked if searched.ends is None else [*asked, searched.ends])


def exploration_of(system: System, options: Options, outcome: RunOutcome) -> Exploration:
    """Return the public result of a search through states, made of its outcome."""
    fault = outcome.fault
    return Exploration(
        system,
        options,
        outcome.complete,
        outcome.reason,
        outcome.statistics,
        fault if fault is None or options.traces else replace(fault, trace=None),
        outcome.interrupted,
        outcome.prediction,
    )


def answer_of(one: Property, found: StatesFound) -> PropertyVerdict:
    """Return the verdict on a property of states."""
    wanted = one.kind is Kind.REACHABILITY
    if one in found.traces:
        answer = Answer.HOLDS if wanted else Answer.VIOLATED
        reason = found.missing.get(one)
        shortest = one not in found.longer
        return PropertyVerdict(one.kind, one.name, answer, reason, found.traces[one], shortest=shortest)
    if not found.outcome.complete:
        return PropertyVerdict(one.kind, one.name, Answer.UNKNOWN, found.outcome.reason)
    if wanted:
        return PropertyVerdict(one.kind, one.name, Answer.VIOLATED, "no reachable state satisfies it")
    return PropertyVerdict(one.kind, one.name, Answer.HOLDS)
