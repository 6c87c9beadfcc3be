"""Judge evidence for CTL: evaluate the temporal operator on the word of the run, and compare with the claimed value.

Propositional operands are evaluated again in every state by the interpreter; the values of other operands are taken as
claimed, because each has a run of its own. A path that does not loop must decide the formula however it continues. A
contradiction is a `ReplayError`: a bug of ours, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.compile.interpreted import SystemReference
from strandline.errors import ReplayError
from strandline.model.expression import Expression
from strandline.model.path import Path
from strandline.model.system import Fairness
from strandline.properties import Formula, LassoWord, holds
from strandline.properties.ltl.formula import Operator, atom, make
from strandline.properties.ltl.normal_form import DUAL
from strandline.traces.lassos import ShownRun, unmet_fairness
from strandline.traces.replay import State

_OPERANDS = ("first", "second")
Claimed = Callable[[Formula, int], bool]
"""A function that returns the computed value of a subformula at a record number."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the runs that are evidence for the subformulas of one formula."""

    formula: CtlFormula
    shown: SystemReference
    claimed: Claimed
    fairness: Sequence[Fairness]

    def judge(self, node: Formula, way: Path, begins: int, run: ShownRun) -> None:
        """Raise `ReplayError` unless the run, from index `begins` on, shows the value of the subformula `node`."""
        positive, path = node.operator is Operator.EXISTS, node.operands[0]
        operator = path.operator if positive else DUAL[path.operator]
        named = dict(zip(_OPERANDS, path.operands, strict=False))
        # Made once: a formula may be long, and so may the run.
        stated = {part: self.formula.expression(part) for part in path.operands if part.is_boolean}
        letters = tuple(
            frozenset(
                name
                for name, part in named.items()
                if self._value(part, stated.get(part), way.records[place], run, place) is positive
            )
            for place in range(begins, len(way.records))
        )
        if not holds(make(operator, *map(atom, named)), _word(letters, way, begins)):
            raise ReplayError(f"the run that is evidence for '{node}' does not show it")
        unmet = None if way.loop is None else unmet_fairness(self.shown, run, self.fairness)
        if unmet is not None:
            raise ReplayError(f"the run that is evidence for '{node}' is not fair: {unmet.name}")

    def _value(self, part: Formula, stated: Expression | None, record: int, run: ShownRun, place: int) -> bool:
        if stated is None:
            return self.claimed(part, record)
        valuation = self.shown.layout.unpack(_state_at(run, place))
        return bool(self.shown.interpreter.evaluate(stated, valuation))


def _state_at(run: ShownRun, place: int) -> State:
    """Return the state at an index of a run; indices beyond its end continue in its loop."""
    if place < len(run.states) or run.trace.loop is None:
        return run.states[place]
    return run.loop_states[(place - run.trace.loop) % len(run.loop_states)]


def _word(letters: tuple[frozenset[str], ...], way: Path, begins: int) -> LassoWord:
    """Return the word of a run from index `begins` on.

    After the end of a path without a loop, no proposition holds.
    """
    if way.loop is None:
        return LassoWord(letters, (frozenset(),))
    turn = way.loop - begins
    return LassoWord(letters[:turn], letters[turn:-1] or letters[-1:])
