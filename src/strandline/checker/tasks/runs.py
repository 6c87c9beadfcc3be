"""Tasks about runs: find a run that violates a specification, among those that count, such as the fair ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.options.temporal import RunOptions
from strandline.checker.properties.fairness import FairnessConditions
from strandline.checker.properties.product import Product, Watched, make_product
from strandline.checker.properties.specification import Specification
from strandline.checker.reductions.partial_order import refusal
from strandline.checker.tasks.task import Task
from strandline.errors import UsageError
from strandline.model.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A specification of runs of the user's System `plain`, and the conditions under which a run counts."""

    plain: System
    specification: Specification
    conditions: FairnessConditions = field(default_factory=FairnessConditions)
    """The fairness conditions: only runs that satisfy all of them count."""
    ignore_finite_runs: bool = False

    def product(self, watched: Watched) -> Product:
        """Return the product to be searched for an accepted run that counts.

        `watched` is the System with the automaton of violating runs.
        """
        return make_product(
            watched.system, self.plain, self.conditions.conditions, ignore_finite_runs=self.ignore_finite_runs
        )


@dataclass(frozen=True, slots=True, eq=False)
class RunsTask(Task):
    """A question about the runs of a System."""

    question: Question
    temporal: RunOptions = field(default_factory=RunOptions)


def unreducible(task: RunsTask) -> UsageError | None:
    """Return the error if the options ask for a reduction that is unsound for this task; None otherwise."""
    question = task.question
    if not task.options.por:
        return None
    why = None
    if question.conditions.conditions:
        why = "fairness looks at steps that a reduction may leave out"
    elif question.ignore_finite_runs:
        why = "which runs are finite is not kept"
    elif not question.specification.stutter_invariant:
        why = "the property may tell how many steps were taken; LTL without X cannot"
    return refusal(question.plain, why)
