"""Passes over expressions that are nested very deeply, or that share so much that they are vast as trees."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from strandline.compile.interpret import evaluate
from strandline.compile.llvm.faults import FaultTable, may_fault
from strandline.compile.module import emit
from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Table,
    Unary,
    Undefined,
    row,
    size,
)
from strandline.model.intervals import DeclaredRanges, Environment
from strandline.model.plain import PlainScope
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.walk import Fold, Walk, immediate_walk, walk_down
from strandline.progress.evaluation import values
from strandline.source import Source
from strandline.symbolic.encoding import Encoding
from strandline.symbolic.space import Space

X, B, A = Variable("x", Domain(0, 9)), Variable("b", Domain(0, 1)), Variable("a", Domain(0, 9), 10, tuple(range(10)))
STATE, OFFSETS = (7, 1, *A.initial), {X: 0, B: 1, A: 2}
VERY_DEEP, DEEP = 100_000, 5_000
"""Levels; Python allows a thousand."""


def nested(expression: Expression, around: Callable[[Expression, int], Expression], levels: int = DEEP) -> Expression:
    for level in range(levels):
        expression = around(expression, level)
    return expression


def sums(part: Expression, level: int) -> Expression:
    return Binary("-" if level % 2 else "+", part, Const(1))


def negations(part: Expression, level: int) -> Expression:
    return Unary("not", part)


def conditions(part: Expression, level: int) -> Expression:
    return Binary("or" if level % 2 else "and", Binary("<", Read(X), Const(level % 20)), part)


def choices(part: Expression, level: int) -> Expression:
    return Choice(Binary("==", Read(X), Const(10 + level % 7)), Const(level % 9), part)


def elements(part: Expression, level: int) -> Expression:
    return Element(A, part)


def lookups(part: Expression, level: int) -> Expression:
    return Lookup(TABLE, part)


TABLE = Table(range(10))
SHAPES = (sums, negations, choices, elements, lookups)
VALUES: dict[Any, int] = {sums: 7, negations: 1, choices: 7, elements: 7, lookups: 7}


@pytest.fixture(autouse=True)
def little_recursion() -> object:
    """No pass raises the limit of recursion on its own."""
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("around", SHAPES)
def test_deep_expressions(around: Callable[[Expression, int], Expression]) -> None:
    """`x` is 7 in the state, and `not`, an even number of times, makes 1 of it."""
    deep, expected = nested(Read(X), around, VERY_DEEP if around is sums else 2 * DEEP), VALUES[around]
    assert evaluate(deep, STATE, OFFSETS) == expected
    assert not may_fault(deep, Environment(DeclaredRanges()))
    assert FaultTable(DeclaredRanges()).cannot_fault(deep)
    assert (
        values(deep, lambda variable, index: np.full(3, STATE[OFFSETS[variable] + index]), 3).tolist() == [expected] * 3
    )


def test_deep_conditions() -> None:
    """Both operators take turns, and what is decided is not evaluated further down."""
    deep = nested(Read(B), conditions)
    assert evaluate(deep, STATE, OFFSETS) == 1
    assert FaultTable(DeclaredRanges()).cannot_fault(deep)
    assert evaluate(nested(Undefined("never"), lambda part, _: Binary("imply", Const(0), part)), STATE, OFFSETS) == 1


def test_what_is_left_out_does_not_fault() -> None:
    faulty = Binary("/", Const(1), Const(0))
    deep = nested(Read(X), lambda part, _: Choice(Read(B), part, faulty), 1000)
    assert evaluate(deep, STATE, OFFSETS) == 7


def test_a_deep_text() -> None:
    scope = PlainScope((X, B, A))
    assert scope.render(nested(Read(X), elements, DEEP)) == "a[" * DEEP + "x" + "]" * DEEP
    assert scope.render(nested(Read(X), negations, DEEP)) == "not " * DEEP + "x"


@pytest.mark.parametrize("around", [sums, negations, conditions, choices])
def test_deep_machine_code(around: Callable[[Expression, int], Expression]) -> None:
    guard = Binary("==", nested(Read(X), around, DEEP), Const(3))
    action = Action("go", (), guard, (Assign(Read(B), Const(0)),))
    assert emit(System.create("deep", Source("", ""), (X, B, A), (), (action,))).functions


def test_deep_sets() -> None:
    action = Action("go", (), nested(Read(B), negations, DEEP + 1), (Assign(Read(B), Const(1)),))
    space = Space(System.create("deep", Source("", ""), (B,), (), (action,)))
    assert isinstance(space.encoding, Encoding)
    assert space.steps


def test_shared_parts_are_looked_at_once() -> None:
    """A small graph that is a tree of more nodes than any number of steps could visit."""
    vast = nested(Read(X), lambda part, _: Binary("%", Binary("+", part, part), Const(10)), 2000)
    assert size(vast) > 2**2000
    assert evaluate(vast, STATE, OFFSETS) in range(10)
    assert FaultTable(DeclaredRanges()).cannot_fault(vast)


def test_wide_expressions() -> None:
    wide = row("+", [Binary("*", Element(A, Const(number % 10)), Const(1)) for number in range(VERY_DEEP // 10)])
    assert evaluate(wide, STATE, OFFSETS) == 45 * VERY_DEEP // 100


class _Count(Fold[int]):
    """Counts nodes as a tree, and calls."""

    calls = 0

    def _one(self, *parts: int) -> int:
        self.calls += 1
        return 1 + sum(parts)

    def constant(self, node: Const) -> int:
        return self._one()

    def read(self, node: Read) -> int:
        return self._one()

    def element(self, node: Element, index: int) -> int:
        return self._one(index)

    def unary(self, node: Unary, operand: int) -> int:
        return self._one(operand)

    def binary(self, node: Binary, left: int, right: int) -> int:
        return self._one(left, right)

    def choice(self, node: Choice, condition: int, then: int, otherwise: int) -> int:
        return self._one(condition, then, otherwise)

    def lookup(self, node: Lookup, index: int) -> int:
        return self._one(index)

    def undefined(self, node: Undefined) -> int:
        return self._one()


def test_a_fold_visits_each_node_once() -> None:
    counting = _Count()
    vast = nested(Read(X), lambda part, _: Binary("+", part, part), 500)
    assert counting.of(vast) == size(vast) == 2**501 - 1
    assert counting.calls == 501
    assert counting.of(Unary("-", vast)) == 2**501
    assert counting.calls == 502, "results are kept"


def test_a_fold_knows_all_nodes() -> None:
    for around in (*SHAPES, conditions):
        one = nested(Undefined("no value"), around, 3)
        assert _Count().of(one) == size(one)


def test_a_fold_without_a_node_cannot_be_made() -> None:
    class Incomplete(_Count):
        pass

    Incomplete.__abstractmethods__ = frozenset({"lookup"})  # type: ignore[misc]
    with pytest.raises(TypeError, match="lookup"):
        Incomplete()


def test_walks_are_run_in_their_order() -> None:
    visited = []

    def visit(level: int) -> Walk[int]:
        visited.append(level)
        if level == 3:
            return 1
        first = yield visit(level + 1)
        second = yield immediate_walk(10)
        visited.append(-level)
        return first + second  # type: ignore[no-any-return]

    assert walk_down(visit(0)) == 31
    assert visited == [0, 1, 2, 3, -2, -1, 0]


def test_an_exception_ends_a_walk() -> None:
    def fail(level: int) -> Walk[int]:
        if level == 0:
            raise ZeroDivisionError
        return (yield fail(level - 1))  # type: ignore[no-any-return]

    with pytest.raises(ZeroDivisionError):
        walk_down(fail(VERY_DEEP))
