"""Tasks about computation trees: CTL formulas, the System to be searched for them, and the paths that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from strandline.checker.options.temporal import IGNORE, STUTTER, TreeOptions
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.properties.fairness import FairnessConditions
from strandline.checker.tasks.task import Task
from strandline.compile.kernel import MAXIMUM_PREDICATES
from strandline.engine.graph.fixpoints import DeadEnds
from strandline.errors import ResourceError
from strandline.model.expression import Expression
from strandline.model.system import System
from strandline.properties import Formula
from strandline.transform.fairness import with_visible_conditions


@dataclass(frozen=True, slots=True, eq=False)
class CtlQuestion:
    """CTL formulas that are decided in one search.

    `plain` is the user's System; `searched` also records which fairness conditions are met. `predicates` are the
    propositional subformulas, at the indices `labels`, and then the fairness conditions, at the indices
    `condition_labels`.
    """

    plain: System
    searched: System
    formulas: tuple[CtlFormula, ...]
    fairness: FairnessConditions
    finite_runs: str
    predicates: tuple[Expression, ...]
    labels: Mapping[Formula, int]
    condition_labels: tuple[int, ...]

    @property
    def dead_ends(self) -> DeadEnds:
        """The meaning of a state without successors for the fixpoints, as `finite_runs` demands."""
        return DeadEnds(repeats=self.finite_runs != IGNORE, next_repeats=self.finite_runs == STUTTER)


def make_question(
    plain: System, formulas: Sequence[CtlFormula], fairness: FairnessConditions, finite_runs: str
) -> CtlQuestion:
    """Return the question for formulas whose propositions fit into one search; see `fitting`."""
    searched, conditions = with_visible_conditions(plain, fairness.conditions)
    labels: dict[Formula, int] = {}
    predicates: list[Expression] = []
    for one in formulas:
        for part, expression in one.propositions().items():
            # The same text means the same in all formulas.
            if part not in labels:
                labels[part] = len(predicates)
                predicates.append(expression)
    first = len(predicates)
    predicates += conditions
    numbers = tuple(range(first, len(predicates)))
    return CtlQuestion(plain, searched, tuple(formulas), fairness, finite_runs, tuple(predicates), labels, numbers)


def fitting(formulas: Sequence[CtlFormula], conditions: int) -> list[list[CtlFormula]]:
    """Group formulas so that the propositions of each group, and `conditions` more, fit into the labels of one search.

    Raises `ResourceError` if a single formula has too many.
    """
    groups: list[list[CtlFormula]] = []
    used: set[Formula] = set()
    for one in formulas:
        parts = set(one.propositions())
        if len(parts) + conditions > MAXIMUM_PREDICATES:
            raise ResourceError(
                f"the formula has {len(parts)} propositions, more than the {MAXIMUM_PREDICATES - conditions} that a "
                "search can have"
            )
        if not groups or len(used | parts) + conditions > MAXIMUM_PREDICATES:
            groups.append([])
            used = set()
        groups[-1].append(one)
        used |= parts
    return groups


@dataclass(frozen=True, slots=True, eq=False)
class TreesTask(Task):
    """A question about the computation trees of a System."""

    question: CtlQuestion
    temporal: TreeOptions = field(default_factory=TreeOptions)
