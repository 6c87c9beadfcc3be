"""The interface of a reader of expressions, used by statements, calls and generators.

Implemented by `evaluate.Evaluator`. Expressions contain calls, calls run statements, statements contain expressions:
this interface breaks the import cycle, so that the files import one way (`sequences`, `execute`, `functions`, `calls`,
`evaluate`).
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
    """Evaluates the expressions of one function on a machine.

    Errors are raised with their source position in `text`, or as `Refused` where only the caller knows the position.
    """

    text: Text
    machine: Machine
    structure: Structure
    depth: int
    """The number of inlined calls around the function."""

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression; a variable is returned as its `Place`."""

    def load(self, node: ast.expr) -> Any:
        """Return the value of an expression; for a scalar variable, its current value."""

    def truth(self, node: ast.expr) -> Expression:
        """Return an expression as a condition."""

    def in_order(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """Evaluate the expressions from left to right.

        A requirement in one, by a call of `require`, counts only where the earlier values are computed without a fault.
        """

    def under(self, condition: Expression, read: Callable[[ast.expr], Any], node: ast.expr) -> Any:
        """Evaluate by `read` an expression that Python evaluates only where the condition holds."""

    def record_risks(self, value: Any) -> None:
        """Record all expressions in a value that may fault: they fault the step even if the value is not used."""

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        """Return the value of `owner.name`."""

    def subscript(self, owner: Any, index: ast.expr, node: ast.AST) -> Any:
        """Return the value of `owner[index]`."""

    def arithmetic(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        """Apply a binary operator to two values."""

    def for_function(self, text: Text, names: Callable[[str], Any]) -> Reader:
        """Return a reader for a called function; `names` finds its non-local names."""
