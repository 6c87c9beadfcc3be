"""Scopes: the names of a model, for parsing and rendering expressions. Each language has its own class.

A System carries its scope, so that invariants, formulas, measures and queries can be parsed, and results rendered,
without the text of the model.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, ParseError
from strandline.model.expression import COMPARISONS, LOGICAL, Binary, Const, Element, Expression, Read, Unary, walk
from strandline.source import Source, Span

if TYPE_CHECKING:
    from strandline.model.system import Action, Variable


Evaluate = Callable[[Expression], int]
"""A function that evaluates an expression in one state; it raises `Fault` if the expression has no value."""


@dataclass(frozen=True, slots=True)
class View:
    """A variable of the model that is not simply one System variable.

    The System's `variables` represent it, and `value` computes its value in a state (see `model.values`).
    """

    name: str
    variables: tuple[Variable, ...]
    value: Callable[[Evaluate], Any]
    coded: bool = True
    """True if the System's variables hold codes, which are not shown, under names of their own."""
    declared: str | None = None
    """Its type in the model, if the System's variables do not simply hold numbers of that type."""


class Scope(ABC):
    """Parses and renders expressions in the language of a model.

    `parse(render(e)) == e` for every expression that the language can express, and for every measure that is found.
    """

    equality = "=="
    """The sign for equality inside temporal formulas, whose atoms are passed to `parse`."""

    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """Parse an expression. Raises an `InputError` that points into a source called `name`."""
        return fitting(self.read(text, name), Source(name, text))

    def condition(self, text: str, *, name: str = "expression") -> Expression:
        """Parse a condition; a language in which a number is no condition refuses one."""
        return fitting(self.read_condition(text, name), Source(name, text))

    @abstractmethod
    def read(self, text: str, name: str) -> Expression:
        """Parse an expression. Implemented by each language; `parse` then checks that its numbers fit 64 bits."""

    def read_condition(self, text: str, name: str) -> Expression:
        """Parse a condition. Overridden by languages in which a number is no condition; see `condition`."""
        return self.read(text, name)

    @abstractmethod
    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        """Render an expression. With `longest`, parts of a larger one are left out, for people."""

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        """The variables that stand for `taken(...)` in texts parsed so far, each with its actions.

        See `strandline.transform.history`.
        """
        return {}

    @property
    def cycle_formulas(self) -> Mapping[str, str]:
        """The formulas that options name, by the option, where the language has labels for them."""
        return {}

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Return a function that evaluates a text in a state: an expression, or a whole variable of the model.

        Raises as `parse` does.
        """
        expression = self.parse(text, name=name)
        return lambda evaluate: present_value(expression, evaluate(expression))

    def views(self) -> tuple[View, ...]:
        """Return the variables of the model that are not single variables of the System with plain values."""
        return ()

    def step_name(self, action: str, evaluate: Evaluate) -> str:
        """Return the name of an action in a state, with the values of its parameters."""
        return action

    def arguments(self, action: str) -> Mapping[str, Callable[[Evaluate], Any]]:
        """Return the arguments of an action by name, each as a function of the state in which it is taken.

        Fields of arguments may be there, too, as in `msg.kind`.
        """
        return constant_arguments(action)


_ARGUMENT = re.compile(r"(\w+)=([^,()]*)")


def constant_arguments(action: str) -> dict[str, Callable[[Evaluate], Any]]:
    """Return the arguments that stand in the name of an action, as in `Client_0.ask(to=2)`."""
    return {name: partial(_constant, value) for name, value in _ARGUMENT.findall(action.partition("(")[2])}


def _constant(value: str, evaluate: Evaluate) -> str:
    return value


def present_value(expression: Expression, value: int) -> Any:
    """Convert a value for people: a named value to its name, a truth value to a bool."""
    match expression:
        case Read(variable=variable) | Element(variable=variable):
            return variable.value(value)
        case Unary(operator="not"):
            return bool(value)
        case Binary(operator=operator) if operator in COMPARISONS | LOGICAL:
            return bool(value)
    return value


def fitting(expression: Expression, source: Source) -> Expression:
    """Return the expression unchanged. Raises `ParseError` if a number in it does not fit 64 bits."""
    for node in walk(expression):
        if isinstance(node, Const) and not -(1 << 63) <= node.value < 1 << 63:
            raise ParseError("the number does not fit 64 bits", source, Span(0, len(source.text)))
    return expression


class Without(Scope):
    """A scope that refuses the names of one process."""

    def __init__(self, scope: Scope, process: str, variables: Collection[Variable]) -> None:
        self.scope, self.process, self.variables = scope, process, frozenset(variables)
        self.equality = scope.equality

    def read(self, text: str, name: str) -> Expression:
        """Parse as the scope itself does; refuse names of the process."""
        return self._visible(self.scope.read(text, name), text, name)

    def read_condition(self, text: str, name: str) -> Expression:
        return self._visible(self.scope.read_condition(text, name), text, name)

    def _visible(self, expression: Expression, text: str, name: str) -> Expression:
        for node in walk(expression):
            if isinstance(node, Read | Element) and node.variable in self.variables:
                said = re.search(rf"\b{re.escape(self.process)}\b", text)
                place = Span(0, len(text)) if said is None else Span(*said.span())
                raise ModelError(f"unknown process '{self.process}'", Source(name, text), place)
        return expression

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Evaluate as the scope itself does; refuse names of the process when evaluated."""
        asked = self.scope.question(text, name=name)
        return lambda evaluate: asked(lambda expression: evaluate(self._visible(expression, text, name)))

    def views(self) -> tuple[View, ...]:
        return self.scope.views()

    def step_name(self, action: str, evaluate: Evaluate) -> str:
        return self.scope.step_name(action, evaluate)

    def arguments(self, action: str) -> Mapping[str, Callable[[Evaluate], Any]]:
        return self.scope.arguments(action)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return self.scope.render(expression, longest=longest)

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return self.scope.histories

    @property
    def cycle_formulas(self) -> Mapping[str, str]:
        return self.scope.cycle_formulas
