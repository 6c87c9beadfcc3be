"""Expressions in the states of a trace or a walk, and their values as people read them."""

from __future__ import annotations

from strandline.compile.interpret import Fault, Interpreter
from strandline.compile.interpreted import SystemTwin
from strandline.model.expression import COMPARISONS, LOGICAL, Binary, Const, Element, Expression, Read, Unary
from strandline.model.system import Predicate
from strandline.traces.replay import State


class Evaluator:
    """Evaluates expressions over a System in packed states of its twin."""

    def __init__(self, twin: SystemTwin) -> None:
        self.system = twin.system
        self._layout = twin.layout
        self._interpreter = Interpreter(twin.system)

    def value(self, expression: Expression, state: State) -> int:
        """The expression's value; raises `Fault` where it has none."""
        return self._interpreter.evaluate(expression, self._layout.unpack(state))

    def text(self, expression: Expression, state: State) -> str:
        """The value for people: names of values where a variable has them, `true` and `false` for claims;
        `fault: ...` where there is none."""
        try:
            return shown(expression, self.value(expression, state))
        except Fault as fault:
            return f"fault: {fault.kind}"

    def violated(self, state: State) -> list[str]:
        """The names of the model's assertions and invariants that are not true in a state, with the reason
        where they cannot be evaluated."""
        return [
            f"{kind} {one.name}: {found}"
            for kind, claims in (("assertion", self.system.assertions), ("invariant", self.system.invariants))
            for one in claims
            if (found := self._verdict(one, state)) is not None
        ]

    def labels(self, state: State) -> list[str]:
        """The names of the model's labels that are true in a state."""
        return [one.name for one in self.system.labels if self._verdict(one, state) is None]

    def _verdict(self, one: Predicate, state: State) -> str | None:
        """What is wrong with a predicate in a state; None where it is true."""
        try:
            return None if self.value(one.expression, state) else "violated"
        except Fault as fault:
            return f"cannot be evaluated, {fault.kind}"


def shown(expression: Expression, value: int) -> str:
    """A value of the expression as the model's author would write it."""
    match expression:
        case Read(variable=variable) | Element(variable=variable):
            return variable.show(value)
        case Unary(operator="not"):
            return _truth(value)
        case Binary(operator=operator) if operator in COMPARISONS | LOGICAL:
            return _truth(value)
        case Const() | _:
            return str(value)


def _truth(value: int) -> str:
    return "true" if value else "false"
