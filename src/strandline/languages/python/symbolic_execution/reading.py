"""What statements, calls and generators ask of whoever reads the expressions of a function.

`evaluate.Evaluator` is the one that does. Expressions contain calls, calls run statements, statements contain
expressions: this interface is where the circle is cut, so that the files import one way (`sequences`, `execute`,
`functions`, `calls`, `evaluate`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from strandline.languages.python.runtime.text import Text
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.structure import Structure
from strandline.model.expression import Expression


class Reader(Protocol):
    """Reads the expressions of one function, on a machine. Whatever cannot be read fails with its place in `text`,
    or is `Refused` where only the caller knows the place."""

    text: Text
    machine: Machine
    structure: Structure
    depth: int
    """How many calls deep the function is."""

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for; a variable stands for its place."""

    def loaded(self, node: ast.expr) -> Any:
        """What an expression stands for, a scalar variable for what it holds."""

    def truth(self, node: ast.expr) -> Expression:
        """An expression as a condition."""

    def in_order(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """Values from left to right; what one requires matters only where those before it are without fault."""

    def under(self, condition: Expression, read: Callable[[ast.expr], Any], node: ast.expr) -> Any:
        """Evaluate where only a condition makes Python evaluate."""

    def computed(self, value: Any) -> None:
        """All of a value is computed here, whatever becomes of it."""

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        """`owner.name`."""

    def subscript(self, owner: Any, index: ast.expr, node: ast.AST) -> Any:
        """`owner[index]`."""

    def arithmetic(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        """A binary operator on two values."""

    def of_called(self, text: Text, names: Callable[[str], Any]) -> Reader:
        """A reader of a function that this one calls; `names` finds what is not local in it."""
