"""Expressions of many thousand nodes, and small graphs that are vast as trees. Whatever walked them as trees, or once
more on every level, would not come to an end here."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Generator

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpret import Fault, evaluate
from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
    children,
    depth,
    rebuild,
    size,
    upwards,
    variables_read,
    walk,
)
from strandline.model.intervals import Contradiction, Environment
from strandline.model.notation import LONGEST
from strandline.model.plain import PlainScope
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.validate import validate
from strandline.source import Source, Span

X = Variable("x", Domain(0, 9))
A = Variable("a", Domain(0, 9), 400, tuple(number % 10 for number in range(400)))
OFFSETS = {X: 0, A: 1}
STATE = (7, *A.initial)


def chain(length: int) -> Expression:
    """x + 1 + 1 + ..., grouped to the left."""
    total: Expression = Read(X)
    for _ in range(length):
        total = Binary("+", total, Const(1))
    return total


def maximum(length: int) -> Expression:
    """The largest element, as a loop with an `if` computes it: 2^length nodes as a tree."""
    best: Expression = Element(A, Const(0))
    for number in range(1, length):
        other = Element(A, Const(number))
        best = Choice(Binary(">", other, best), other, best)
    return best


def conditions(length: int) -> Expression:
    """Choices in the conditions of choices."""
    inner: Expression = Read(X)
    for number in range(length):
        test = Binary("and", Binary("<", Read(X), Const(9)), Binary("==", inner, Const(number % 2)))
        inner = Choice(test, Const(1), Const(0))
    return inner


def test_equality_looks_at_graphs_not_at_trees() -> None:
    first, second = maximum(400), maximum(400)
    assert size(first) > 2**399
    assert first == second
    assert hash(first) == hash(second)
    assert first != maximum(399)
    assert len({first, second, chain(4000), chain(4000), chain(4001)}) == 3
    assert chain(4000) == chain(4000)
    assert sum(1 for _ in walk(first)) == 400 + 400 + 399 + 399, "elements, indices, comparisons, choices"


def test_places_do_not_matter_and_kinds_do() -> None:
    assert Read(X, Span(1, 2)) == Read(X)
    assert Undefined("a", Span(1, 2)) == Undefined("a")
    different = [
        Const(0), Read(X), Read(A), Element(A, Const(0)), Element(A, Const(1)), Unary("-", Read(X)),
        Unary("~", Read(X)), Binary("-", Read(X), Const(0)), Binary("+", Read(X), Const(0)),
        Binary("-", Const(0), Read(X)), Choice(Read(X), Const(0), Const(1)), Undefined("a"), Undefined("b"),
    ]  # fmt: skip
    assert len(set(different)) == len(different)
    assert all((one == other) is (one is other) for one in different for other in different)
    assert Const(1) != 1


def test_extents() -> None:
    assert (size(chain(5000)), depth(chain(5000))) == (10001, 5001)
    assert (size(Const(1)), depth(Const(1))) == (1, 1)
    assert depth(maximum(400)) == 2 * 399 + 2


def test_upwards_brings_children_first_and_each_part_once() -> None:
    seen: set[int] = set()
    whole = maximum(300)
    for node in upwards(whole, seen):
        assert id(node) not in seen
        assert all(id(child) in seen for child in children(node))
        seen.add(id(node))
    assert seen == {id(node) for node in walk(whole)}


def test_rebuilding_keeps_what_is_the_same() -> None:
    whole = maximum(3)
    assert rebuild(whole, children(whole)) is whole
    for node in (whole, chain(1), Unary("-", Read(X), Span(1, 2)), Element(A, Read(X), Span(1, 2))):
        copied = rebuild(node, [Binary("+", child, Const(0)) for child in children(node)])
        assert type(copied) is type(node)
        assert getattr(copied, "span", None) == getattr(node, "span", None)
        assert [child.left for child in children(copied)] == list(children(node))  # type: ignore[union-attr]


def test_values() -> None:
    assert evaluate(chain(4900), STATE, OFFSETS) == 4907
    assert evaluate(maximum(400), STATE, OFFSETS) == 9
    inner = 7
    for number in range(2000):
        inner = int(inner == number % 2)
    assert evaluate(conditions(2000), STATE, OFFSETS) == inner
    with pytest.raises(Fault, match="deep down"):
        evaluate(Binary("+", chain(3000), Undefined("deep down")), STATE, OFFSETS)


def test_boxes() -> None:
    environment = Environment({X: (0, 9), A: (2, 8)})
    assert environment.interval(chain(20_000)) == (20_000, 20_009)
    assert environment.interval(maximum(400)) == (2, 8)
    assert environment.interval(conditions(3000)) == (0, 1)
    environment.assume(Binary("<", maximum(400), Const(5)))
    environment.assume(Binary("<", Read(X), Const(3)))
    assert environment.interval(chain(20_000)) == (20_000, 20_002)


def test_a_condition_narrows_small_branches_still() -> None:
    x = Read(X)
    inside = Choice(Binary("<", x, Const(3)), x, Undefined("too large"))
    assert Environment({X: (0, 9)}).interval(inside) == (0, 2)
    assert Environment({X: (0, 9)}).interval(Choice(Binary("<", x, Const(3)), x, Const(4))) == (0, 4)
    assert Environment({X: (5, 9)}).interval(Choice(Binary("<", x, Const(3)), x, Const(4))) == (4, 4)


def test_ranges_and_names() -> None:
    """Many conditions, each a part of what follows."""
    guard: Expression = Binary(">=", maximum(300), Const(0))
    for number in range(2000):
        guard = Binary("and", guard, Binary("!=", Binary("+", Read(X), Const(number)), Const(-1)))
    step = Action("step", (), guard, (Assign(Read(X), Binary("mod", maximum(300), Const(4))),))
    system = validate(System.create("large", Source("large", ""), (X, A), (), (step,)))
    assert analyse_ranges(system).variables[X] == (0, 3)
    assert variables_read(guard) == {X, A}


def test_texts() -> None:
    scope = PlainScope((X, A))
    assert scope.render(chain(3)) == "x + 1 + 1 + 1"
    assert scope.render(chain(4000)).count("+ 1") == 4000
    text = scope.render(maximum(400), longest=LONGEST)
    assert "..." in text
    assert len(text) < 1_000_000


@given(st.randoms(use_true_random=False), st.sampled_from((0.1, 0.5, 1.0)))
def test_what_was_asked_before_changes_no_answer(random: Random, wild: float) -> None:
    """Boxes are remembered; they must be forgotten when something is learnt or assigned."""
    generator = Generator(random, wild=wild)
    generator.globals = [generator.variable(name) for name in "xyz"]
    boxes = {variable: (variable.domain.low, variable.domain.high) for variable in generator.globals}
    asked, fresh = Environment(boxes), Environment(boxes)
    questions = [generator.expression(4) for _ in range(3)]
    for _ in range(4):
        for question in questions:
            asked.interval(question)
            asked.copy().interval(question)
        copy = asked.copy()
        change = generator.effect() if generator.chance(0.5) else generator.expression(3)
        answers = [_changed(one, change) for one in (copy, fresh)]
        assert answers[0] == answers[1]
        if answers[0] is None:
            return
        asked = copy
        for question in questions:
            assert asked.interval(question) == fresh.copy().interval(question)


def _changed(environment: Environment, change: Assign | Expression) -> object:
    try:
        if isinstance(change, Assign):
            return environment.assign(change)
        environment.assume(change)
    except Contradiction:
        return None
    return True
