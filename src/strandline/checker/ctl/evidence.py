"""Find evidence that a CTL formula holds, or not: a path or lasso, and evidence for the operands at its end.

A formula about some path is shown by one such path, and so is the negation of one about all paths. For the others the
only evidence is that all states were explored. A conjunction that holds is shown by all its operands, one that does not
by a single operand, and so on down the formula. Every run begins in an initial state, is replayed, and is judged
(`judge.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from strandline.checker.ctl.judge import Judge
from strandline.checker.ctl.valuation import Set, Valuation, Witnesses
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.verdicts.ctl import Evidence
from strandline.compile.interpreted import SystemReference
from strandline.errors import ReplayError
from strandline.model.path import Path
from strandline.model.system import Fairness
from strandline.properties import Formula
from strandline.properties.ltl.formula import QUANTIFIERS, Operator
from strandline.traces.lassos import Lasso, LassoReplay, ShownRun

In = TypeVar("In", contravariant=True)
NOTHING_ELSE = "all states were looked at"
MOST_NESTED = 100
TOO_DEEP = f"not shown: it is nested more than {MOST_NESTED} deep"


@dataclass(frozen=True, slots=True)
class Start:
    """The initial state in which a formula is evaluated: its index among the initial states, and its record number."""

    number: int
    record: int


class Paths(Protocol[In]):
    """The interface of a search for paths inside sets of states, which are given by their record numbers."""

    def successors(self, record: int, /) -> list[int]:
        """Return the record numbers of a state's successors, in the order of its steps."""

    def step_into(self, record: int, goal: In, /) -> Path:
        """Return a path of one step from `record` into the set `goal`."""

    def until(self, start: int, through: In, goal: In, /) -> Path:
        """Return a shortest path from `start` inside the set `through` that ends in the set `goal`."""

    def always(self, start: int, inside: In, conditions: Sequence[In] = (), /) -> Path:
        """Return a lasso inside a set that visits each of `conditions`, or a path inside it that ends in a deadlock."""


class Explaining(Generic[Set]):
    """Finds evidence for the value of one formula in the state `start`.

    `contains` tests whether a set contains a record. `paths` makes the search for paths when the first path is needed.
    """

    def __init__(
        self,
        formula: CtlFormula,
        valuation: Valuation[Set],
        contains: Callable[[Set, int], bool],
        paths: Callable[[], Paths[Set]],
        replaying: LassoReplay,
        shown: SystemReference,
        start: Start,
        fairness: Sequence[Fairness] = (),
    ) -> None:
        self._bound, self._valuation, self._contains, self._make_paths = formula, valuation, contains, paths
        self._replaying, self._shown, self._start = replaying, shown, start
        self._judge = Judge(formula, shown, self._holds, fairness)
        self._paths: Paths[Set] | None = None

    def evidence(self) -> Evidence:
        """Return the evidence for the value of the whole formula in the initial state."""
        return self._of(self._bound.formula, Path((self._start.record,), ()), 0)

    def _of(self, node: Formula, way: Path, depth: int) -> Evidence:
        """Return the evidence for a subformula in the last state of a path; `depth` formulas are around it."""
        holds = self._holds(node, way.end)
        if node.is_boolean:
            return Evidence(str(node), holds, "true here" if holds else "false here")
        if depth >= MOST_NESTED:
            return Evidence(str(node), holds, TOO_DEEP)
        if node.operator in QUANTIFIERS:
            return self._explain_quantified(node, way, holds, depth)
        parts = [self._of(one, way, depth + 1) for one in self._deciding(node, way.end, holds)]
        return parts[0] if node.operator is Operator.NOT else Evidence(str(node), holds, "", parts=tuple(parts))

    def _holds(self, node: Formula, record: int) -> bool:
        return self._contains(self._valuation.of(node), record)

    def _deciding(self, node: Formula, record: int, holds: bool) -> Sequence[Formula]:
        """Return the operands that decide the value of a formula: a single one if that suffices."""
        operands = node.operands
        if node.operator is Operator.IMPLIES and holds:
            return [operands[1] if self._holds(operands[1], record) else operands[0]]
        if node.operator is (Operator.OR if holds else Operator.AND):
            return [next(one for one in operands if self._holds(one, record) is holds)]
        return operands

    def _explain_quantified(self, node: Formula, way: Path, holds: bool, depth: int) -> Evidence:
        if holds is not (node.operator is Operator.EXISTS):
            return Evidence(str(node), holds, NOTHING_ELSE)
        found = self._valuation.witnesses(node)
        path, stays = self._path(found, way.end)
        whole = way + path
        run = self._run(whole)
        self._judge.judge(node, whole, len(way.steps), run)
        shown = [] if stays and self._all_boolean(node) else self._at_end(node, whole, path, stays)
        operands = [self._of(one, end, depth + 1) for one, end in shown]
        words = _words(run, len(way.steps))
        return Evidence(str(node), holds, words, run.trace, tuple(operands))

    @staticmethod
    def _all_boolean(node: Formula) -> bool:
        return all(one.is_boolean for one in node.operands[0].operands)

    def _at_end(self, node: Formula, whole: Path, path: Path, stays: bool) -> list[tuple[Formula, Path]]:
        """Return the operands of a quantified formula that its witness `path` leaves open, with paths.

        They are shown in the last state of the witness, or, if it `stays` inside a set for ever, in its first state.
        `whole` is the path from the initial state.
        """
        end = Path(whole.records, whole.steps)
        if stays:
            begins = len(whole.steps) - len(path.steps)
            end = Path(whole.records[: begins + 1], whole.steps[:begins])
        parts = node.operands[0].operands
        if stays or node.operands[0].operator not in (Operator.RELEASE, Operator.STRONG_RELEASE):
            parts = parts[-1:] if not stays else parts[:1]
        return [(one, end) for one in parts if not one.is_boolean]

    def _path(self, found: Witnesses[Set], record: int) -> tuple[Path, bool]:
        """Return a path that is a witness, and True if its form is one that stays inside a set for ever."""
        if self._paths is None:
            self._paths = self._make_paths()
        if found.entered is not None:
            if not self._paths.successors(record):
                return Path((record,), (), loop=0), False
            return self._paths.step_into(record, found.entered), False
        if found.goal is not None and self._contains(found.reaching, record):
            return self._paths.until(record, found.through, found.goal), False
        return self._paths.always(record, found.staying, self._valuation.conditions), True

    def _run(self, way: Path) -> ShownRun:
        """Replay a path of records as a run of the user's System."""
        loop = way.loop
        if loop is None or loop == len(way.steps):
            run = self._replaying.path(self._start.number, way.steps)
            return run if loop is None else _close_path(self._shown, run)
        return self._replaying.lasso(Lasso(self._start.number, way.steps[:loop], way.steps[loop:]))


def _close_path(reference: SystemReference, run: ShownRun) -> ShownRun:
    """Return the run of a path that ends in a state without steps: it repeats that state for ever.

    Raises `ReplayError` if the state has a step.
    """
    if reference.edges(run.states[-1]):
        raise ReplayError("the run that is evidence for the formula does not end in the claimed state")
    return replace(run, trace=replace(run.trace, loop=len(run.trace)), ended=True)


def _words(run: ShownRun, before: int) -> str:
    """Describe a run after its first `before` steps: `3 steps lead to a state that shows it`."""
    steps, loop = len(run.trace) - before, run.trace.loop
    if loop is None:
        return f"{_leading(steps)} to a state that shows it" if steps else "this state shows it"
    if run.ended:
        return f"{_leading(steps)} to where the run ends" if steps else "the run ends in this state"
    stem = f"{_count_steps(loop - before)}, then " if loop > before else ""
    return f"{stem}a loop of {_count_steps(len(run.trace) - loop)} shows it"


def _leading(steps: int) -> str:
    return "1 step leads" if steps == 1 else f"{steps:,} steps lead"


def _count_steps(steps: int) -> str:
    return f"{steps} step" if steps == 1 else f"{steps:,} steps"
