"""The specification of a search for CTL: a plain exploration with an observer of states and edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from strandline.checker.driver.searches import StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.options.search import SWEEP
from strandline.checker.tasks.task import Session
from strandline.checker.tasks.trees import TreesTask
from strandline.compile.kernel import Kernel
from strandline.engine.parts.search_output import SearchObserver
from strandline.model.expression import Expression


def exploration(
    task: TreesTask,
    session: Session,
    observe: Callable[[Path, Kernel], SearchObserver],
    load_observer: Callable[[], object],
    predicates: Sequence[Expression],
    *,
    swept: bool,
) -> SearchSpecification:
    """Specify the exploration of a task's System: by its measure if `swept`, else breadth-first."""
    question = task.question
    options = replace(task.options, order=SWEEP if swept else "bfs")
    return SearchSpecification(
        system=question.searched,
        predicates=predicates,
        measure=session.measures.of(question.plain).measure if swept else None,
        searches=StateSearches(options, 0),
        options=options,
        started=session.started,
        checkpoints=session.checkpoints,
        observe=observe,
        load_observer=load_observer,
        observes_edges=True,
    )
