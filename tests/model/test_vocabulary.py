"""Domains, canonical order, walking and showing expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import systems

from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    conjunction,
    variables_read,
    walk,
)
from strandline.model.plain import PlainScope
from strandline.model.system import Action, Domain, Move, System, Variable
from strandline.source import Source, Span

X, Y = Variable("x", Domain(0, 9)), Variable("y", Domain(0, 9))
A = Variable("a", Domain(0, 9), 3, (0, 0, 0))
P = Variable("P", Domain(0, 1), None, (0,), ("idle", "busy"), "P")
x, y = Read(X), Read(Y)


@given(st.integers(-50, 50), st.integers(0, 30), st.integers(-(10**6), 10**6))
def test_wrapping_is_congruent_and_inside(low: int, span: int, value: int) -> None:
    domain = Domain(low, low + span, wraps=True)
    wrapped = domain.wrap(value)
    assert wrapped in domain
    assert (wrapped - value) % domain.size == 0


def test_actions_are_sorted_by_moves_and_otherwise_as_declared() -> None:
    moves = [
        (Move(1, 0, 0),),
        (Move(0, 1, 0),),
        (Move(0, 0, 0), Move(1, 1, 0)),
        (Move(0, 0, 0), Move(1, 0, 1)),
        (),
        (Move(0, 0, 1),),
        (),
    ]
    actions = tuple(Action(str(number), parts, None, ()) for number, parts in enumerate(moves))
    system = System.create("m", Source("m", ""), (X,), (), actions)
    assert [action.name for action in system.actions] == ["4", "6", "5", "3", "2", "1", "0"]


def test_the_initial_valuation_is_that_of_the_variables() -> None:
    system = System.create("m", Source("m", ""), (X, A, Y), (), ())
    assert system.initial == ((0, 0, 0, 0, 0),)
    assert system.offsets == {X: 0, A: 1, Y: 4}
    assert system.by_name["a"] is A


def test_equality_does_not_look_at_places_in_the_text() -> None:
    assert Read(X, Span(1, 2)) == Read(X, Span(3, 4))
    assert hash(Binary("+", x, y, Span(1, 2))) == hash(Binary("+", x, y))
    assert Read(X) != Read(Variable("x", Domain(0, 9))), "variables are compared by identity"


def test_walking_is_left_to_right_and_deep() -> None:
    tree = Choice(x, Unary("-", y), Element(A, Const(2)))
    assert list(walk(tree)) == [tree, x, Unary("-", y), y, Element(A, Const(2)), Const(2)]
    assert variables_read(tree) == {X, Y, A}
    deep: Expression = x
    for _ in range(50_000):
        deep = Unary("not", deep)
    assert sum(1 for _ in walk(deep)) == 50_001


def test_conjunction() -> None:
    assert conjunction() is None
    assert conjunction(None, x, None) == x
    assert conjunction(x, None, y, x) == Binary("and", Binary("and", x, y), x)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Binary("*", Binary("+", x, y), Const(2)), "(x + y) * 2"),
        (Binary("+", Binary("*", x, y), Const(2)), "x * y + 2"),
        (Binary("-", x, Binary("-", y, Const(1))), "x - (y - 1)"),
        (Binary("-", Binary("-", x, y), Const(1)), "x - y - 1"),
        (Unary("not", Binary("and", x, y)), "not (x and y)"),
        (Unary("-", Unary("-", x)), "- -x"),
        (Unary("-", Const(-3)), "-(-3)"),
        (Element(A, Binary("+", x, Const(1))), "a[x + 1]"),
        (Binary("==", Read(P), Const(1)), "P == 'busy'"),
        (Binary("==", Read(P), Const(7)), "P == 7"),
        (Binary("and", Binary("==", Read(P), Const(0)), Binary("!=", x, y)), "P == 'idle' and x != y"),
        (Binary("or", Binary("and", x, y), x), "x and y or x"),
        (Binary("and", Binary("or", x, y), x), "(x or y) and x"),
        (Choice(x, y, Const(0)), "y if x else 0"),
        (Binary("+", Choice(x, y, Const(0)), x), "(y if x else 0) + x"),
        (Binary("imply", x, Binary("/", y, Const(2))), "imply(x, div(y, 2))"),
    ],
)
def test_rendering(expression: Expression, text: str) -> None:
    scope = PlainScope((X, Y, A, P))
    assert scope.render(expression) == text
    assert scope.parse(text) == expression


@given(systems())
def test_every_expression_can_be_shown_and_read(system: System) -> None:
    for action in system.actions:
        if action.guard is not None:
            text = system.scope.render(action.guard)
            assert system.scope.parse(text) == action.guard
