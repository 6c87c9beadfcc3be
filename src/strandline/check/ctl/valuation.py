"""Which records of a graph satisfy a formula of CTL: one set of bits for every part of it, the inner ones first.

Every operator is EX, EU or EG of something (Clarke, Emerson, Sistla 1986); what is said of all paths is denied of some.
With fairness, and where runs that end do not count, paths that count are those that can go on as such: only states from
which one does can be the end of what EX and EU ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from strandline.engine.graph.fixpoints import Fixpoints
from strandline.engine.graph.log import Bits, GraphLog
from strandline.properties import Formula
from strandline.properties.ltl.formula import QUANTIFIERS, Operator
from strandline.properties.ltl.normal_form import DUAL


def _nobody() -> Bits:
    return np.zeros(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The records from which some path satisfies a path formula, by the ways in which it may: a step into `entered`;
    from `reaching`, a path through `through` to `goal`; one that stays in `staying` for ever. Where `entered` or `goal`
    is None there is no such way; other sets are then empty."""

    satisfied: Bits
    entered: Bits | None = None
    through: Bits = field(default_factory=_nobody)
    goal: Bits | None = None
    reaching: Bits = field(default_factory=_nobody)
    staying: Bits = field(default_factory=_nobody)


class Valuation:
    """Values of formulas, each worked out once. `labelled` are the records of propositional parts, `conditions` what
    fair paths meet infinitely often; `infinite`: only paths that do not end count."""

    def __init__(
        self,
        graph: GraphLog,
        fixpoints: Fixpoints,
        labelled: Mapping[Formula, Bits],
        conditions: Sequence[Bits],
        *,
        infinite: bool,
    ) -> None:
        self._graph, self._fixpoints = graph, fixpoints
        self._full = graph.full()
        self.conditions = tuple(conditions)
        self._values: dict[Formula, Bits] = dict(labelled)
        self._witnesses: dict[Formula, Witnesses] = {}
        restricted = infinite or self.conditions
        self._fair = fixpoints.fair_always(self._full, self.conditions) if restricted else self._full

    def of(self, formula: Formula) -> Bits:
        """The records that satisfy a formula."""
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

    def witnesses(self, node: Formula) -> Witnesses:
        """Of a quantified formula: from where paths show that it holds, if it says that some do, or else that it does
        not hold."""
        return self._witnesses[node]

    def _value(self, node: Formula) -> Bits:
        if node.operator in QUANTIFIERS:
            return self._quantified(node)
        operands = [self._values[one] for one in node.operands]
        match node.operator:
            case Operator.TRUE:
                return self._full
            case Operator.FALSE:
                return self._graph.empty()
            case Operator.NOT:
                return self._denied(operands[0])
            case Operator.IMPLIES:
                return self._denied(operands[0]) | operands[1]
            case Operator.EQUIVALENT:
                return self._denied(operands[0] ^ operands[1])
            case Operator.EXCLUSIVE_OR:
                return operands[0] ^ operands[1]
        joined = operands[0]
        for one in operands[1:]:
            joined = joined & one if node.operator is Operator.AND else joined | one
        return joined

    def _denied(self, bits: Bits) -> Bits:
        return self._full & ~bits

    def _quantified(self, node: Formula) -> Bits:
        path = node.operands[0]
        operands = [self._values[one] for one in path.operands]
        if node.operator is Operator.EXISTS:
            found = self._exists(path.operator, operands)
        else:
            # A path that violates the operator satisfies its dual, with denied operands.
            found = self._exists(DUAL[path.operator], [self._denied(one) for one in operands])
        self._witnesses[node] = found
        return found.satisfied if node.operator is Operator.EXISTS else self._denied(found.satisfied)

    def _exists(self, operator: Operator, operands: Sequence[Bits]) -> Witnesses:
        first, last = operands[0], operands[-1]
        match operator:
            case Operator.NEXT:
                entered = first & self._fair
                return Witnesses(self._fixpoints.next(entered), entered=entered)
            case Operator.EVENTUALLY:
                return self._reaching(self._full, first)
            case Operator.UNTIL:
                return self._reaching(first, last)
            case Operator.STRONG_RELEASE:
                return self._reaching(last, first & last)
            case Operator.ALWAYS:
                staying = self._staying(first)
                return Witnesses(staying, staying=staying)
        kept = last if operator is Operator.RELEASE else first
        goal = first & last if operator is Operator.RELEASE else last
        found, staying = self._reaching(kept, goal), self._staying(kept)
        return Witnesses(
            found.satisfied | staying,
            through=found.through,
            goal=found.goal,
            reaching=found.reaching,
            staying=staying,
        )

    def _reaching(self, through: Bits, goal: Bits) -> Witnesses:
        goal = goal & self._fair
        reaching = self._fixpoints.until(through, goal)
        return Witnesses(reaching, through=through, goal=goal, reaching=reaching)

    def _staying(self, kept: Bits) -> Bits:
        return self._fixpoints.fair_always(kept, self.conditions)
