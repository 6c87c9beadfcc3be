"""The names of a model: texts to expressions over its System and back. Each language makes its own kind.

A System carries its scope, so that invariants, formulas, measures and questions can be read, and what was found can be
said, without the text of the model.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, ParseError
from strandline.model.expression import COMPARISONS, LOGICAL, Binary, Const, Element, Expression, Read, Unary, walk
from strandline.source import Source, Span

if TYPE_CHECKING:
    from strandline.model.system import Action, Variable


Evaluate = Callable[[Expression], int]
"""Gives an expression its value in one state; raises where it has none."""


@dataclass(frozen=True, slots=True)
class View:
    """A variable of the model: the System's variables that hold it, and its value (see `model.values`) in a state."""

    name: str
    variables: tuple[Variable, ...]
    value: Callable[[Evaluate], Any]
    coded: bool = True
    """The System's variables have names of their own and hold codes, of which people do not know."""
    declared: str | None = None
    """Its type as the model has it, where what the System's variables hold are not just numbers of that type."""


class Scope(ABC):
    """Reads and writes expressions in the language of a model. `parse(render(e)) == e` for every expression that the
    language can make, and for every measure that is found."""

    equality = "=="
    """How formulas of temporal logic spell that two values are the same; the sign that `parse` then gets."""

    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """The expression that a text means. Raises an `InputError` that points into a source called `name`."""
        return fitting(self.read(text, name), Source(name, text))

    def condition(self, text: str, *, name: str = "expression") -> Expression:
        """The same of a text that says what is true or false; a language in which a number is no condition refuses
        one."""
        return fitting(self.read_condition(text, name), Source(name, text))

    @abstractmethod
    def read(self, text: str, name: str) -> Expression:
        """Read an expression for `parse`, which looks whether its numbers fit 64 bits."""

    def read_condition(self, text: str, name: str) -> Expression:
        """Read an expression for `condition`."""
        return self.read(text, name)

    @abstractmethod
    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        """The expression as text. With `longest`, parts of one that has more nodes are left out, for people: such a
        text cannot be read back."""

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        """The variables that stand for `taken(...)` in what was parsed so far, each with its actions; see
        `strandline.transform.history`."""
        return {}

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """What tells the value of a text in a state: that of an expression, or of a whole variable, however it is
        kept. Raises as `parse` does."""
        expression = self.parse(text, name=name)
        return lambda evaluate: spoken(expression, evaluate(expression))

    def views(self) -> tuple[View, ...]:
        """The variables of the model that are not just single variables of the System, or whose values are not just
        numbers and names."""
        return ()

    def step_name(self, action: str, evaluate: Evaluate) -> str:
        """An action of the System as it is called in a state: with what it takes there, not with where that lies."""
        return action


def spoken(expression: Expression, value: int) -> Any:
    """A value of an expression: a name where a variable has names for its values, a truth where it is one."""
    match expression:
        case Read(variable=variable) | Element(variable=variable):
            return variable.value(value)
        case Unary(operator="not"):
            return bool(value)
        case Binary(operator=operator) if operator in COMPARISONS | LOGICAL:
            return bool(value)
    return value


def fitting(expression: Expression, source: Source) -> Expression:
    """The expression itself; raises `ParseError` where a number in it does not fit 64 bits."""
    for node in walk(expression):
        if isinstance(node, Const) and not -(1 << 63) <= node.value < 1 << 63:
            raise ParseError("the number does not fit 64 bits", source, Span(0, len(source.text)))
    return expression


class Without(Scope):
    """A scope in which the names of a process mean nothing any more."""

    def __init__(self, scope: Scope, process: str, variables: Collection[Variable]) -> None:
        self.scope, self.process, self.variables = scope, process, frozenset(variables)
        self.equality = scope.equality

    def read(self, text: str, name: str) -> Expression:
        """As in the scope itself; what speaks of the process is refused."""
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
        """As in the scope itself; what speaks of the process is refused when it is asked for."""
        asked = self.scope.question(text, name=name)
        return lambda evaluate: asked(lambda expression: evaluate(self._visible(expression, text, name)))

    def views(self) -> tuple[View, ...]:
        return self.scope.views()

    def step_name(self, action: str, evaluate: Evaluate) -> str:
        return self.scope.step_name(action, evaluate)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return self.scope.render(expression, longest=longest)

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return self.scope.histories
