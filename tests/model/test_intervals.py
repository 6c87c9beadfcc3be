"""A box holds every value: intervals of random expressions against their values."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Generator

from strandline.compile.interpret import Fault, evaluate
from strandline.compile.llvm.faults import may_fault
from strandline.model.expression import Binary, Const, Element, Expression, Read, variables_read
from strandline.model.intervals import Contradiction, Environment, Interval
from strandline.model.system import Assign, Domain, Variable

Situation = tuple[Expression, Expression, dict[Variable, Interval], list[tuple[int, ...]], dict[Variable, int]]


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Two expressions, a box for each variable, and valuations inside the boxes."""
    random: Random = draw(st.randoms(use_true_random=False))
    generator = Generator(random, wild=draw(st.sampled_from((0.1, 0.5, 1.0))))
    generator.globals = [generator.variable(name) for name in "xyz"]
    boxes, offsets, position = {}, {}, 0
    for variable in generator.globals:
        ends = sorted(generator.value(variable.domain) for _ in range(2))
        boxes[variable] = (ends[0], ends[1])
        offsets[variable] = position
        position += variable.slots
    valuations = [
        tuple(
            generator.pick((low, high, random.randint(low, high)))
            for variable, (low, high) in boxes.items()
            for _ in range(variable.slots)
        )
        for _ in range(5)
    ]
    return generator.expression(3), generator.expression(3), boxes, valuations, offsets


def value_or_none(expression: Expression, valuation: tuple[int, ...], offsets: dict[Variable, int]) -> int | None:
    try:
        return evaluate(expression, valuation, offsets)
    except Fault:
        return None


@given(situations())
@settings(max_examples=250)
def test_values_lie_in_the_interval(situation: Situation) -> None:
    expression, _, boxes, valuations, offsets = situation
    environment = Environment(boxes)
    low, high = environment.interval(expression)
    truth = environment.truth(expression)
    for valuation in valuations:
        value = value_or_none(expression, valuation, offsets)
        if value is None:
            assert may_fault(expression, environment)
        else:
            assert low <= value <= high
            assert truth is None or truth is bool(value)


@given(situations(), st.booleans())
@settings(max_examples=250)
def test_what_is_learnt_from_a_condition_is_true(situation: Situation, truth: bool) -> None:
    condition, other, boxes, valuations, offsets = situation
    fitting = [
        valuation
        for valuation in valuations
        if (value := value_or_none(condition, valuation, offsets)) is not None and bool(value) is truth
    ]
    environment = Environment(boxes)
    try:
        environment.assume(condition, truth)
    except Contradiction:
        assert not fitting
        return
    assume(fitting)
    for expression in (condition, other):
        low, high = environment.interval(expression)
        for valuation in fitting:
            value = value_or_none(expression, valuation, offsets)
            assert value is None or low <= value <= high
            assert value is not None or may_fault(expression, environment)


@given(situations())
def test_a_copy_learns_for_itself(situation: Situation) -> None:
    condition, other, boxes, _, _ = situation
    environment = Environment(boxes)
    before = environment.interval(other)
    with contextlib.suppress(Contradiction):
        environment.copy().assume(condition)
    assert environment.interval(other) == before
    assert variables_read(other) <= set(boxes)


def test_what_cannot_be_has_no_box_turned_round() -> None:
    """A certain fault leaves nothing to go on with; boxes never have their ends exchanged."""
    x, y = Variable("x", Domain(0, 3)), Variable("y", Domain(-(2**63), 2**63 - 1))
    environment = Environment({x: (0, 3), y: (2**63 - 1, 2**63 - 1)})
    with pytest.raises(Contradiction):
        environment.assign(Assign(Read(x), Const(7)))
    with pytest.raises(Contradiction):
        environment.assign_row((Assign(Read(y), Read(x)), Assign(Read(x), Const(-1), together=True)))
    assert environment.assign(Assign(Read(x), Binary("+", Read(x), Const(2)))) == (2, 3)
    beyond = Binary("+", Read(y), Const(5))
    assert environment.interval(beyond) == (2**63 + 4, 2**63 + 4)
    assert environment.checked_interval(beyond) == (2**63 - 1, 2**63 - 1)
    assert environment.checked_interval(Binary("*", beyond, Const(-3))) == (-(2**63), -(2**63))


def test_assignments_made_at_once_are_read_before_they_are_written() -> None:
    x, y, a = Variable("x", Domain(0, 9)), Variable("y", Domain(0, 9)), Variable("a", Domain(0, 9), 3, (0, 0, 0))
    environment = Environment({x: (1, 2), y: (5, 6), a: (0, 9)})
    swap = (Assign(Read(x), Read(y)), Assign(Read(y), Read(x), together=True))
    assert environment.assign_row(swap) == [(5, 6), (1, 2)]
    assert (environment.interval(Read(x)), environment.interval(Read(y))) == ((5, 6), (1, 2))
    place = Element(a, Read(y))
    environment.assign_row((Assign(place, Const(4)), Assign(Read(y), Const(0), together=True)))
    assert environment.interval(place) == (0, 9), "the index names another place now"
    environment.assign_row((Assign(place, Const(4)), Assign(Read(x), Const(0), together=True)))
    assert environment.interval(place) == (4, 4)
