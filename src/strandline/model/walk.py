"""Passes over expressions without recursion, however deep these are.

Two kinds of passes, both with an explicit stack:

- `Fold`: the result of a node depends on the results of its parts alone. Post-order; each node once, however often it
  is shared. There is one method per class of nodes, all abstract: a new class of nodes is a new method here, and the
  type checker names every pass that does not have it.
- `walk_down`: what is done with a part depends on where it stands (the precedence around it, what is assumed there, the
  code that is emitted before it), or parts are left out. The pass is written as a recursive function would be, but as a
  generator: `yield` a call for a part, and get its result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, Generic, TypeAlias, TypeVar

from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    upwards,
)

Result = TypeVar("Result")
Walk: TypeAlias = Generator[Any, Any, Result]
"""A pass in progress: it yields further walks, gets their results, and returns its own."""


def walk_down(walk: Walk[Result]) -> Result:
    """Run a pass to its end.

    What a walk raises ends the whole pass: the walks around it cannot catch it.
    """
    stack: list[Walk[Any]] = [walk]
    result: Any = None
    while stack:
        try:
            stack.append(stack[-1].send(result))
            result = None
        except StopIteration as done:
            stack.pop()
            result = done.value
    return result  # type: ignore[no-any-return]


def immediate_walk(result: Result) -> Walk[Result]:
    """Return a walk that ends at once with this result."""
    return result
    yield


class Fold(ABC, Generic[Result]):
    """A bottom-up pass; results are cached by identity of the nodes, which are kept alive."""

    def __init__(self) -> None:
        self._results: dict[int, Result] = {}
        self._kept: list[Expression] = []

    def of(self, expression: Expression) -> Result:
        """Return the result of an expression."""
        for node in upwards(expression, self._results):
            self._results[id(node)] = self.combine(node)
            self._kept.append(node)
        return self._results[id(expression)]

    def combine(self, node: Expression) -> Result:
        """Compute the result of a node; the results of its parts are known."""
        known = self._results
        match node:
            case Const():
                return self.constant(node)
            case Read():
                return self.read(node)
            case Element(index=index):
                return self.element(node, known[id(index)])
            case Unary(operand=operand):
                return self.unary(node, known[id(operand)])
            case Binary(left=left, right=right):
                return self.binary(node, known[id(left)], known[id(right)])
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return self.choice(node, known[id(condition)], known[id(then)], known[id(otherwise)])
            case Lookup(index=index):
                return self.lookup(node, known[id(index)])
            case Undefined():
                return self.undefined(node)

    @abstractmethod
    def constant(self, node: Const) -> Result: ...

    @abstractmethod
    def read(self, node: Read) -> Result: ...

    @abstractmethod
    def element(self, node: Element, index: Result) -> Result: ...

    @abstractmethod
    def unary(self, node: Unary, operand: Result) -> Result: ...

    @abstractmethod
    def binary(self, node: Binary, left: Result, right: Result) -> Result: ...

    @abstractmethod
    def choice(self, node: Choice, condition: Result, then: Result, otherwise: Result) -> Result: ...

    @abstractmethod
    def lookup(self, node: Lookup, index: Result) -> Result: ...

    @abstractmethod
    def undefined(self, node: Undefined) -> Result: ...
