"""Straight-line code for tangled expressions: the same values and the same faults as the interpreter's."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from kernels import ask, compare_back_ends
from strategies import Case, cases

from strandline.compile.host import compile_system
from strandline.compile.kernel import FaultSite
from strandline.compile.llvm import expressions
from strandline.compile.llvm.speculation import is_tangled
from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Undefined,
    size,
)
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.validate import validate
from strandline.source import Source, Span


@given(cases(at_once=0.3))
@settings(max_examples=150)
def test_all_expressions_speculated(case: Case) -> None:
    with patch.object(expressions, "is_tangled", lambda expression: True):
        compare_back_ends(case, limit=30)


def tangled(start: Expression, rounds: int, step) -> Expression:  # type: ignore[no-untyped-def]
    """An expression that doubles, as a tree, with every round."""
    for number in range(rounds):
        start = step(start, number)
    return start


def test_a_tree_is_not_tangled() -> None:
    x = Variable("x", Domain(0, 3))
    chain = tangled(Read(x), 5000, lambda inner, number: Binary("+", inner, Const(number)))
    assert size(chain) == 10001
    assert not is_tangled(chain)
    assert is_tangled(tangled(Read(x), 12, lambda inner, number: Binary("+", inner, inner)))


@pytest.mark.parametrize(
    ("risk", "kind"),
    [("none", None), ("index", INDEX_FAULT), ("division", DIVISION_FAULT), ("undefined", "nothing")],
)
def test_what_no_tree_could_hold(risk: str, kind: str | None) -> None:
    """Ninety rounds: 2^90 nodes as a tree."""
    a = Variable("a", Domain(0, 7), 8, (3, 1, 4, 1, 5, 2, 6, 5))
    x, y = Variable("x", Domain(0, 7), None, (2,)), Variable("y", Domain(0, 7), None, (0,))
    starts: dict[str, Expression] = {
        "none": Read(x),
        "index": Element(a, Binary("-", Read(x), Const(1)), Span(1, 2)),
        "division": Binary("//", Const(6), Read(x), Span(1, 2)),
        "undefined": Choice(Binary(">", Read(x), Const(0)), Read(x), Undefined("nothing", Span(1, 2))),
    }
    start = starts[risk]

    def step(inner: Expression, number: int) -> Expression:
        balanced = Binary("==", Binary("mod", inner, Const(2)), Const(0))
        grown = Binary("mod", Binary("+", inner, Const(number + 3)), Const(8))
        return Choice(balanced, grown, Binary("mod", Binary("*", inner, Const(3)), Const(8)))

    value = tangled(start, 90, step)
    actions = (
        Action("set", (), Binary("<=", value, Const(7)), (Assign(Read(y), value),)),
        Action("down", (), Binary(">", Read(x), Const(0)), (Assign(Read(x), Binary("-", Read(x), Const(1))),)),
    )
    system = validate(System.create("tangled", Source("t", ""), (a, x, y), (), actions))
    compare_back_ends(Case(system, (value,), None), limit=100)
    kernel = compile_system(system)
    state = tuple(kernel.initial[0].tolist())
    for _ in range(2):
        state = ask(kernel, state).records[-1]
    assert ask(kernel, state).fault == (None if kind is None else FaultSite(kind, Span(1, 2)))
