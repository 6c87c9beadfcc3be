"""The set of states of each subformula of a CTL formula, innermost first.

The representation of sets, bits of records or BDDs, is a parameter. Every operator is reduced to EX, EU and EG (Clarke,
Emerson, Sistla 1986); a claim about all paths is the negation of one about some. With fairness, or where finite runs do
not count, EX and EU are restricted to goals from which a path that counts continues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Generic, Protocol, TypeVar

from strandline.properties import Formula
from strandline.properties.ltl.formula import QUANTIFIERS, Operator
from strandline.properties.ltl.normal_form import DUAL

Set = TypeVar("Set")


class Sets(Protocol[Set]):
    """The interface of sets of states: set operations and the three temporal operators to which others are reduced."""

    def full(self) -> Set: ...

    def empty(self) -> Set: ...

    def and_(self, one: Set, other: Set, /) -> Set: ...

    def or_(self, one: Set, other: Set, /) -> Set: ...

    def xor(self, one: Set, other: Set, /) -> Set: ...

    def not_(self, one: Set, /) -> Set: ...

    def next(self, states: Set, /) -> Set:
        """Compute EX `states`: the states with a successor in the set."""

    def until(self, through: Set, goal: Set, /) -> Set:
        """Compute E [`through` U `goal`]."""

    def fair_always(self, states: Set, conditions: Sequence[Set], /) -> Set:
        """Compute EG `states` on paths that visit each of `conditions` infinitely often."""


@dataclass(frozen=True, slots=True)
class Witnesses(Generic[Set]):
    """The states from which some path satisfies a path formula, by the form of that path.

    The path is a step into `entered`; or, from `reaching`, a path through `through` to `goal`; or one that stays in
    `staying` for ever. If `entered` or `goal` is None, no path has that form, and the other sets for it are empty.
    `satisfied` is the union of all forms.
    """

    satisfied: Set
    through: Set
    reaching: Set
    staying: Set
    entered: Set | None = None
    goal: Set | None = None


class Valuation(Generic[Set]):
    """The sets of states that satisfy CTL formulas, each computed once.

    `labelled` are the states of propositional subformulas, `conditions` the sets that fair paths visit infinitely
    often. With `infinite`, only infinite paths count.
    """

    def __init__(
        self, sets: Sets[Set], labelled: Mapping[Formula, Set], conditions: Sequence[Set], *, infinite: bool
    ) -> None:
        self._sets = sets
        self.conditions = tuple(conditions)
        self._values: dict[Formula, Set] = dict(labelled)
        self._witnesses: dict[Formula, Witnesses[Set]] = {}
        restricted = infinite or self.conditions
        self.counting = sets.fair_always(sets.full(), self.conditions) if restricted else None
        """The states in which some path begins that counts; None if all paths count."""
        self._fair = sets.full() if self.counting is None else self.counting

    def of(self, formula: Formula) -> Set:
        """Return the states that satisfy a formula."""
        waiting = [formula]
        while waiting:
            node = waiting[-1]
            parts = node.operands[0].operands if node.operator in QUANTIFIERS else node.operands
            missing = [one for one in parts if one not in self._values] if node not in self._values else []
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            if node not in self._values:
                self._values[node] = self._value(node)
        return self._values[formula]

    def witnesses(self, node: Formula) -> Witnesses[Set]:
        """Return the states from which paths show the value of a quantified formula that was evaluated by `of`.

        The paths show that it holds if it is about some path, and that it does not if it is about all paths.
        """
        return self._witnesses[node]

    def _value(self, node: Formula) -> Set:
        if node.operator in QUANTIFIERS:
            return self._evaluate_quantified(node)
        sets, operands = self._sets, [self._values[one] for one in node.operands]
        match node.operator:
            case Operator.TRUE:
                return sets.full()
            case Operator.FALSE:
                return sets.empty()
            case Operator.NOT:
                return sets.not_(operands[0])
            case Operator.IMPLIES:
                return sets.or_(sets.not_(operands[0]), operands[1])
            case Operator.EQUIVALENT:
                return sets.not_(sets.xor(operands[0], operands[1]))
            case Operator.EXCLUSIVE_OR:
                return sets.xor(operands[0], operands[1])
        join = sets.and_ if node.operator is Operator.AND else sets.or_
        return reduce(join, operands)

    def _evaluate_quantified(self, node: Formula) -> Set:
        path = node.operands[0]
        operands = [self._values[one] for one in path.operands]
        if node.operator is Operator.EXISTS:
            found = self._exists(path.operator, operands)
        else:
            # A path that violates the operator satisfies its dual, with denied operands.
            found = self._exists(DUAL[path.operator], [self._sets.not_(one) for one in operands])
        self._witnesses[node] = found
        return found.satisfied if node.operator is Operator.EXISTS else self._sets.not_(found.satisfied)

    def _exists(self, operator: Operator, operands: Sequence[Set]) -> Witnesses[Set]:
        first, last, both = operands[0], operands[-1], self._sets.and_
        match operator:
            case Operator.NEXT:
                entered, empty = both(first, self._fair), self._sets.empty()
                return Witnesses(self._sets.next(entered), empty, empty, empty, entered=entered)
            case Operator.EVENTUALLY:
                return self._reaching(self._sets.full(), first)
            case Operator.UNTIL:
                return self._reaching(first, last)
            case Operator.STRONG_RELEASE:
                return self._reaching(last, both(first, last))
            case Operator.ALWAYS:
                staying, empty = self._staying(first), self._sets.empty()
                return Witnesses(staying, empty, empty, staying)
        # Release and weak until: one operand is kept until the goal is reached, or for ever.
        kept = last if operator is Operator.RELEASE else first
        goal = both(first, last) if operator is Operator.RELEASE else last
        found, staying = self._reaching(kept, goal), self._staying(kept)
        return replace(found, satisfied=self._sets.or_(found.satisfied, staying), staying=staying)

    def _reaching(self, through: Set, goal: Set) -> Witnesses[Set]:
        goal = self._sets.and_(goal, self._fair)
        reaching = self._sets.until(through, goal)
        return Witnesses(reaching, through, reaching, self._sets.empty(), goal=goal)

    def _staying(self, kept: Set) -> Set:
        return self._sets.fair_always(kept, self.conditions)
