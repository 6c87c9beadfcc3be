"""Evaluate expressions in the states of a trace or a walk, and render the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strandline.compile.interpret import Fault, Interpreter, Valuation
from strandline.compile.interpreted import SystemReference
from strandline.model.expression import Expression, variables_read
from strandline.model.system import Predicate
from strandline.model.values import show
from strandline.traces.replay import State


class Evaluator:
    """Evaluates expressions over a System in packed states of its reference."""

    def __init__(self, reference: SystemReference) -> None:
        self.system = reference.system
        self._layout = reference.layout
        self._interpreter = Interpreter(reference.system)

    def value(self, expression: Expression, state: State) -> int:
        """Return the expression's value. Raises `Fault` if it has none."""
        return self._evaluate(expression, self._layout.unpack(state))

    def _evaluate(self, expression: Expression, valuation: Valuation) -> int:
        if any(variable.hidden and variable not in self.system.offsets for variable in variables_read(expression)):
            raise Fault("a single state does not contain its last step", None)
        return self._interpreter.evaluate(expression, valuation)

    def answer(self, question: Callable[[Callable[[Expression], int]], Any], state: State) -> Any:
        """Evaluate a question of the System's scope in a state; return `fault: ...` if that faults."""
        valuation = self._layout.unpack(state)
        try:
            return question(lambda expression: self._evaluate(expression, valuation))
        except Fault as fault:
            return f"fault: {fault.kind}"

    def violations(self, state: State) -> list[str]:
        """Return the names of the violated assertions and invariants, with the reason if they fault."""
        return [
            f"{kind} {one.name}: {found}"
            for kind, claims in (("assertion", self.system.assertions), ("invariant", self.system.invariants))
            for one in claims
            if (found := self._verdict(one, state)) is not None
        ]

    def labels(self, state: State) -> list[str]:
        """Return the names of the model's labels that are true in a state."""
        return [one.name for one in self.system.labels if self._verdict(one, state) is None]

    def _verdict(self, one: Predicate, state: State) -> str | None:
        """Return the reason why a predicate does not hold in a state; None if it is true."""
        try:
            return None if self.value(one.expression, state) else "violated"
        except Fault as fault:
            return f"cannot be evaluated, {fault.kind}"


def render_answer(value: Any) -> str:
    """Render an answer: `true` and `false` for truth values."""
    return str(value).lower() if isinstance(value, bool) else show(value)
