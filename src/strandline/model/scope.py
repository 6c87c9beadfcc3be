"""The names of a model: texts to expressions over its System and back. Each language makes its own kind.

A System carries its scope, so that invariants, formulas, measures and questions can be read, and what was found can be
said, without the text of the model.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from strandline.errors import ModelError, ParseError
from strandline.model.expression import Const, Element, Expression, Read, walk
from strandline.source import Source, Span

if TYPE_CHECKING:
    from strandline.model.system import Action, Variable


class Scope(ABC):
    """Reads and writes expressions in the language of a model. `parse(render(e)) == e` for every expression that the
    language can make, and for every measure that is found."""

    @abstractmethod
    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """The expression that a text means. Raises an `InputError` that points into a source called `name`."""

    @abstractmethod
    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        """The expression as text. With `longest`, parts of one that has more nodes are left out, for people: such a
        text cannot be read back."""

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        """The variables that stand for `taken(...)` in what was parsed so far, each with its actions; see
        `strandline.model.history`."""
        return {}


def fitting(expression: Expression, source: Source) -> Expression:
    """The expression itself; raises `ParseError` where a number in it does not fit 64 bits."""
    for node in walk(expression):
        if isinstance(node, Const) and not -(1 << 63) <= node.value < 1 << 63:
            raise ParseError(f"the number {node.value} does not fit 64 bits", source, Span(0, len(source.text)))
    return expression


class Without(Scope):
    """A scope in which the names of a process mean nothing any more."""

    def __init__(self, scope: Scope, process: str, variables: Collection[Variable]) -> None:
        self.scope, self.process, self.variables = scope, process, frozenset(variables)

    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """As in the scope itself; what speaks of the process is refused."""
        expression = self.scope.parse(text, name=name)
        for node in walk(expression):
            if isinstance(node, Read | Element) and node.variable in self.variables:
                said = re.search(rf"\b{re.escape(self.process)}\b", text)
                place = Span(0, len(text)) if said is None else Span(*said.span())
                raise ModelError(f"unknown process '{self.process}'", Source(name, text), place)
        return expression

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return self.scope.render(expression, longest=longest)

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return self.scope.histories
