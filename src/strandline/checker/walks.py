"""Check properties by random walks, for models that are too large to search.

A violation on a walk is a violation, with its trace replayed. If none is found, nothing is proved: the answer is
UNKNOWN.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from strandline.checker.decisions.checks import answer_of, exploration_of, searched_for
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.searches import WalkSearches, random_walks
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.progress import NullCallback, ProgressCallback
from strandline.checker.options.search import Options
from strandline.checker.options.walks import WalkOptions
from strandline.checker.properties.selection import Property, Selection, label_bits
from strandline.checker.strategies.explicit import StatesFound, replay_stops, stop_mask_of
from strandline.checker.tasks.states import StatesTask
from strandline.checker.verdicts.statistics import WalkFigures
from strandline.checker.verdicts.verdict import Interrupted, PropertyVerdict, Verdict
from strandline.errors import UsageError
from strandline.model.system import System


def of_states(selection: Selection) -> tuple[Selection, tuple[Property, ...]]:
    """Split a selection into the properties of states, which walks can decide, and those of runs, which they cannot.

    Raises `UsageError` if the user has asked for one of the latter; those that the model declares are returned.
    """
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
    callback: ProgressCallback | None = None,
    *,
    started: float | None = None,
) -> Verdict:
    """Walk until every property is decided, a limit is reached or all walks are finished.

    Ctrl-C raises `Interrupted`. The time limit counts from `started`, if it is given.
    """
    properties = selection.properties
    task = StatesTask(searched_for(system, properties), options, properties)
    bits = label_bits(task.system, properties)
    specification = SearchSpecification(
        system=task.system,
        predicates=[one.predicate for one in properties if one.predicate is not None],
        measure=None,
        searches=WalkSearches(walking.walks, walking.depth, walking.seed, stop_mask_of(bits)),
        options=options,
        started=time.perf_counter() if started is None else started,
    )
    with run_search(specification, callback or NullCallback()) as run:
        found = replay_stops(run, task, bits)
    _note(run, walking)
    return _verdict(system, properties, options, found)


def _note(run: SearchRun, walking: WalkOptions) -> None:
    """Record the statistics of the walks. The outcome is made incomplete, because walks prove nothing."""
    outcome, figures = run.outcome, WalkFigures(walking.walks, walking.depth, walking.seed)
    if run.has_begun:
        walk = random_walks(run.search).walk
        longest = max(int(walk.longest), int(walk.length))
        taken = int(walk.number) + int(walk.begun)
        figures = replace(figures, taken=taken, steps=int(walk.steps), longest=longest, ended=int(walk.ended))
    outcome.statistics = replace(outcome.statistics, walks=figures)
    if outcome.complete:
        count = "1 random walk" if walking.walks == 1 else f"{walking.walks:,} random walks"
        outcome.complete, outcome.reason = False, f"not decided by {count}, which prove nothing"


def _verdict(system: System, properties: Sequence[Property], options: Options, found: StatesFound) -> Verdict:
    answers: list[PropertyVerdict] = [answer_of(one, found) for one in properties]
    if found.outcome.fault is not None:
        answers.append(found.outcome.fault if options.traces else replace(found.outcome.fault, trace=None))
    verdict = Verdict(exploration_of(system, options, found.outcome), tuple(answers))
    if found.outcome.interrupted:
        raise Interrupted(verdict)
    return verdict
