"""Test the static relations of a reduction on sampled states: the first ones and those of random walks.

The relations are computed from the text of the model; here they are compared with what its actions do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from strandline.compile.interpret import Interpreter, Step, Valuation
from strandline.compile.reduction.selection import Reduction, bits
from strandline.errors import InternalError
from strandline.model.expression import Expression
from strandline.model.system import System

_DEPTH = 200
"""Steps of a random walk."""


@dataclass(frozen=True, slots=True)
class CheckedFacts:
    """Numbers of facts that were checked and hold."""

    states: int
    pairs: int
    """Pairs of enabled actions that accord."""
    conditions: int
    """False conditions and propositions, each with an action that does not affect them."""


def sample_states(system: System, most: int) -> list[Valuation]:
    """Return up to `most` states of a System without a property process, half of them the first ones."""
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


def check_facts(system: System, reduction: Reduction, seen: Sequence[Expression], most: int = 2_000) -> CheckedFacts:
    """Check the assumptions of a reduction in sampled states.

    Actions that accord must commute, a false condition must only become true by its enabling set, and invisible actions
    must not change a proposition. Raises `InternalError` otherwise.
    """
    checker = _Checker(system, reduction)
    states = sample_states(system, most)
    pairs = conditions = 0
    for state in states:
        enabled = checker.enabled_targets(state)
        if enabled:
            pairs += checker.pairs(state, enabled)
            conditions += checker.conditions(state, enabled) + checker.propositions(state, enabled, seen)
    return CheckedFacts(len(states), pairs, conditions)


class _Checker:
    """Checks the assumptions in single states by the interpreter."""

    def __init__(self, system: System, reduction: Reduction) -> None:
        self.system, self.reduction = system, reduction
        self.interpreter = Interpreter(system)
        self._numbers = {id(action): number for number, action in enumerate(system.actions)}

    def enabled_targets(self, state: Valuation) -> dict[int, Valuation] | None:
        """Return the target of every enabled action; None if one faults, since such a state is fully expanded."""
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
        visited = 0
        for first, after_first in enabled.items():
            according = [one for one in enabled if one > first and not self.reduction.facts.conflicts[first] >> one & 1]
            for second in according:
                one, other = self.enabled_targets(after_first), self.enabled_targets(enabled[second])
                if one is None or other is None:
                    continue
                visited += 1
                if one.get(second) is None or one.get(second) != other.get(first):
                    raise self._error(state, f"'{self._name(first)}' and '{self._name(second)}' do not commute")
        return visited

    def conditions(self, state: Valuation, enabled: dict[int, Valuation]) -> int:
        visited, facts = 0, self.reduction.facts
        false = ~self._truth(state) & ((1 << len(facts.conditions)) - 1)
        for condition in bits(false):
            for number, target in enabled.items():
                if not facts.enabling[condition] >> number & 1:
                    visited += 1
                    if self.interpreter.evaluate(facts.conditions[condition], target):
                        text = self.system.scope.render(facts.conditions[condition])
                        raise self._error(state, f"'{self._name(number)}' makes {text} true")
        return visited

    def propositions(self, state: Valuation, enabled: dict[int, Valuation], seen: Sequence[Expression]) -> int:
        visited = 0
        for number, target in enabled.items():
            if not self.reduction.visible >> number & 1:
                for one in seen:
                    visited += 1
                    if bool(self.interpreter.evaluate(one, state)) != bool(self.interpreter.evaluate(one, target)):
                        text = self.system.scope.render(one)
                        raise self._error(state, f"'{self._name(number)}' changes {text}")
        return visited

    def _name(self, number: int) -> str:
        return self.system.actions[number].name

    def _error(self, state: Valuation, what: str) -> InternalError:
        return InternalError(f"partial-order reduction is wrong about this model: {what} in the state {state}")
