"""Random walks that check what a check checks: what one does before a search that is too large.

A violation that a walk meets is one, with its trace replayed. That none is met proves nothing: the answer is UNKNOWN.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from strandline.check.deciding import answer_of, exploration_of, searched_for
from strandline.check.engine_searches import WalkSearches, random_walks
from strandline.check.options import Options
from strandline.check.plan import Findings, Plan
from strandline.check.properties import Property, Selection
from strandline.check.running import Run
from strandline.check.strategies.explicit import DecidingStates, StatesFound
from strandline.check.task import Task
from strandline.check.verdict import Interrupted, PropertyVerdict, Verdict, WalkFigures
from strandline.check.walk_options import WalkOptions
from strandline.check.watching import Unwatched, Watcher
from strandline.errors import UsageError
from strandline.model.system import System


def of_states(selection: Selection) -> tuple[Selection, tuple[Property, ...]]:
    """What walks can decide of a selection, and what they cannot: a walk is the beginning of a run. Raises
    `UsageError` where the user has asked for that."""
    runs = tuple(one for one in selection.properties if one.specification is not None or one.branching is not None)
    if runs and not selection.picked:
        raise UsageError(f"random walks decide no property of runs, such as '{runs[0].name}': use check")
    states = tuple(one for one in selection.properties if one not in runs)
    return replace(selection, properties=states), runs


def walk_selection(
    system: System,
    selection: Selection,
    walking: WalkOptions,
    options: Options,
    watcher: Watcher | None = None,
    *,
    started: float | None = None,
) -> Verdict:
    """Walk until every property is decided, a limit is reached or all walks are over. Ctrl-C raises `Interrupted`. A
    limit of time counts from `started` on, where that is known."""
    properties = selection.properties
    task = Task(searched_for(system, properties), options, properties)
    goal = DecidingStates(task)
    plan = Plan(
        system=task.system,
        predicates=[one.predicate for one in properties if one.predicate is not None],
        measure=None,
        searches=WalkSearches(walking.walks, walking.depth, walking.seed, sum(1 << bit for bit in goal.bits.values())),
        options=options,
        started=time.perf_counter() if started is None else started,
    )
    run = Run(plan, goal, watcher or Unwatched())
    findings = run.carry_out()
    _note(findings, run, walking)
    return _verdict(system, properties, options, StatesFound(findings, goal.traces, goal.left_out))


def _note(findings: Findings, run: Run, walking: WalkOptions) -> None:
    """Walks are never complete."""
    figures = WalkFigures(walking.walks, walking.depth, walking.seed)
    if hasattr(run, "search"):
        walk = random_walks(run.search).walk
        longest = max(int(walk.longest), int(walk.length))
        taken = int(walk.number) + int(walk.begun)
        figures = replace(figures, taken=taken, steps=int(walk.steps), longest=longest, ended=int(walk.ended))
    findings.statistics = replace(findings.statistics, walks=figures)
    if findings.complete:
        count = "1 random walk" if walking.walks == 1 else f"{walking.walks:,} random walks"
        findings.complete, findings.reason = False, f"not decided by {count}, which prove nothing"


def _verdict(system: System, properties: Sequence[Property], options: Options, found: StatesFound) -> Verdict:
    answers: list[PropertyVerdict] = [answer_of(one, found) for one in properties]
    if found.findings.fault is not None:
        answers.append(found.findings.fault)
    verdict = Verdict(exploration_of(system, options, found.findings), tuple(answers))
    if found.findings.interrupted:
        raise Interrupted(verdict)
    return verdict
