"""A question about runs: whether one that counts violates a specification."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.check.ltl.fairness import FairnessConditions
from strandline.check.ltl.product import Product, Watched, make_product
from strandline.check.ltl.specification import Specification
from strandline.check.task import Task
from strandline.errors import InternalError
from strandline.model.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """`plain` is the System that the user knows."""

    plain: System
    specification: Specification
    conditions: FairnessConditions = field(default_factory=FairnessConditions)
    """Which runs count."""
    ignore_finite_runs: bool = False

    def product(self, watched: Watched) -> Product:
        """What is to be searched for a run that the observer accepts and that counts."""
        return make_product(
            watched.system, self.plain, self.conditions.conditions, ignore_finite_runs=self.ignore_finite_runs
        )


def question_of(task: Task) -> Question:
    """The question of a task that has one."""
    if task.question is None:
        raise InternalError("the task is not about runs")
    return task.question
