"""The search under CTL: a plain one, to which a goal listens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from strandline.check.ctl.question import ctl_question_of
from strandline.check.engine_searches import StateSearches
from strandline.check.options import SWEEP
from strandline.check.plan import Findings, Goal, Plan
from strandline.check.running import Run
from strandline.check.task import Session, Task
from strandline.compile.kernel import Kernel
from strandline.engine.journal import Listener
from strandline.model.expression import Expression


class ListeningGoal(Goal, Protocol):
    """A goal that decides by what it hears."""

    def listen(self, folder: Path, kernel: Kernel) -> Listener:
        """The listener of the search."""


def explored(
    task: Task, session: Session, goal: ListeningGoal, predicates: Sequence[Expression], *, swept: bool
) -> Findings:
    """Explore the System of the task's question, breadth-first or by its measure."""
    question = ctl_question_of(task)
    options = replace(task.options, order=SWEEP if swept else "bfs")
    plan = Plan(
        system=question.searched,
        predicates=predicates,
        measure=session.measures.of(question.plain).measure if swept else None,
        searches=StateSearches(options, 0),
        options=options,
        started=session.started,
        checkpoints=session.checkpoints,
        listens=goal.listen,
        tells_edges=True,
    )
    return Run(plan, goal, session.watcher).carry_out()
