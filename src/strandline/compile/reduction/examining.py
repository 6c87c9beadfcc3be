"""Whether what a reduction takes for granted holds in some states of a model: the first, and those of random walks.

The relations between actions are worked out from the text of the model. Here they are tried on what its actions do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from strandline.compile.interpret import Interpreter, Step, Valuation
from strandline.compile.reduction.choosing import Reduction, bits
from strandline.errors import InternalError
from strandline.model.expression import Expression
from strandline.model.system import System

_DEPTH = 200
"""Steps of a walk."""


@dataclass(frozen=True, slots=True)
class Examined:
    """How much was looked at, and found to be as the reduction takes it to be."""

    states: int
    pairs: int
    """Of actions that are enabled together and taken to accord."""
    conditions: int
    """False conditions, and propositions, with an action that is taken to leave them as they are."""


def sampled(system: System, most: int) -> list[Valuation]:
    """Up to so many states of a System without an observer, half of them the first ones."""
    interpreter, random = Interpreter(system), Random(0)
    found: dict[Valuation, None] = dict.fromkeys(system.initial)
    waiting = deque(found)
    while waiting and len(found) < most // 2:
        targets = [step.target for step in interpreter.steps(waiting.popleft()) if step.target is not None]
        waiting.extend(target for target in dict.fromkeys(targets) if target not in found)
        found.update(dict.fromkeys(targets))
    if not waiting:
        return list(found)
    for _ in range(most):
        state = random.choice(system.initial)
        for _ in range(_DEPTH):
            targets = [step.target for step in interpreter.steps(state) if step.target is not None]
            if not targets or len(found) >= most:
                break
            state = random.choice(targets)
            found[state] = None
        if len(found) >= most:
            break
    return list(found)


def examine(system: System, reduction: Reduction, seen: Sequence[Expression], most: int = 2_000) -> Examined:
    """Try in some states what the reduction takes for granted: that actions which accord can be taken in any order and
    lead to the same state, that a false condition stays false but for what could make it true, and that what is not
    visible changes no proposition. Raises `InternalError` where that is not so."""
    look = _Look(system, reduction)
    states = sampled(system, most)
    pairs = conditions = 0
    for state in states:
        enabled = look.enabled(state)
        if enabled:
            pairs += look.pairs(state, enabled)
            conditions += look.conditions(state, enabled) + look.propositions(state, enabled, seen)
    return Examined(len(states), pairs, conditions)


class _Look:
    """Looks at states of a System by its interpreter."""

    def __init__(self, system: System, reduction: Reduction) -> None:
        self.system, self.reduction = system, reduction
        self.interpreter = Interpreter(system)
        self._numbers = {id(action): number for number, action in enumerate(system.actions)}

    def enabled(self, state: Valuation) -> dict[int, Valuation] | None:
        """By action, where it leads; None where one of them faults: the whole state is expanded then."""
        steps: list[Step] = self.interpreter.steps(state)
        if any(step.fault is not None for step in steps):
            return None
        return {self._numbers[id(step.actions[0])]: step.target for step in steps if step.target is not None}

    def _truth(self, state: Valuation) -> int:
        return sum(
            1 << number
            for number, condition in enumerate(self.reduction.facts.conditions)
            if self.interpreter.evaluate(condition, state)
        )

    def pairs(self, state: Valuation, enabled: dict[int, Valuation]) -> int:
        looked_at = 0
        for first, after_first in enabled.items():
            according = [one for one in enabled if one > first and not self.reduction.facts.conflicts[first] >> one & 1]
            for second in according:
                one, other = self.enabled(after_first), self.enabled(enabled[second])
                if one is None or other is None:
                    continue
                looked_at += 1
                if one.get(second) is None or one.get(second) != other.get(first):
                    raise self._refuted(state, f"'{self._name(first)}' and '{self._name(second)}' do not commute")
        return looked_at

    def conditions(self, state: Valuation, enabled: dict[int, Valuation]) -> int:
        looked_at, facts = 0, self.reduction.facts
        false = ~self._truth(state) & ((1 << len(facts.conditions)) - 1)
        for condition in bits(false):
            for number, target in enabled.items():
                if not facts.enabling[condition] >> number & 1:
                    looked_at += 1
                    if self.interpreter.evaluate(facts.conditions[condition], target):
                        told = self.system.scope.render(facts.conditions[condition])
                        raise self._refuted(state, f"'{self._name(number)}' makes {told} true")
        return looked_at

    def propositions(self, state: Valuation, enabled: dict[int, Valuation], seen: Sequence[Expression]) -> int:
        looked_at = 0
        for number, target in enabled.items():
            if not self.reduction.visible >> number & 1:
                for one in seen:
                    looked_at += 1
                    if bool(self.interpreter.evaluate(one, state)) != bool(self.interpreter.evaluate(one, target)):
                        told = self.system.scope.render(one)
                        raise self._refuted(state, f"'{self._name(number)}' changes {told}")
        return looked_at

    def _name(self, number: int) -> str:
        return self.system.actions[number].name

    def _refuted(self, state: Valuation, what: str) -> InternalError:
        return InternalError(f"partial-order reduction is wrong about this model: {what} in the state {state}")
