"""Simultaneous updates equal the sequential effects, and fault in the same states and ways."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Generator

from strandline.compile.interpret import Fault, Interpreter
from strandline.errors import ResourceError
from strandline.model.expression import Binary, Const, Element, Read
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.source import Source
from strandline.transform.simultaneous import Slot, simultaneous


def outcome(interpreter: Interpreter, action: Action, state: tuple[int, ...]) -> object:
    """The next state, or how the action faults, by effects at once."""
    found = simultaneous(action.effects)
    try:
        for expression in found.evaluated:
            interpreter.evaluate(expression, state)
        values = list(state)
        for slot, value in found.updates.items():
            values[interpreter.system.offsets[slot.variable] + slot.place] = interpreter.evaluate(value, state)
    except Fault as fault:
        return fault.kind, fault.span
    return tuple(values)


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.3)))
def test_at_once_is_as_in_sequence(random: Random, at_once: float) -> None:
    generator = Generator(random, wild=0.3, at_once=at_once)
    system = generator.system()
    interpreter = Interpreter(system)
    states = list(system.initial) + [
        tuple(generator.value(one.domain) for one in system.variables for _ in range(one.slots)) for _ in range(3)
    ]
    for action in system.actions:
        for state in states:
            try:
                made = outcome(interpreter, action, state)
            except ResourceError:
                continue
            try:
                expected: object = interpreter._apply(action.effects, state)
            except Fault as fault:
                expected = (fault.kind, fault.span)
            assert made == expected


def test_an_element_is_read_where_it_was_written() -> None:
    array, index = Variable("a", Domain(0, 9), 3, (1, 2, 3)), Variable("i", Domain(0, 2))
    effects = (
        Assign(Element(array, Read(index)), Const(7)),
        Assign(Read(index), Element(array, Const(1))),
        Assign(Element(array, Const(0)), Binary("+", Element(array, Const(0)), Const(1))),
    )
    system = System.create("s", Source("s", ""), (array, index), (), (Action("a", (), None, effects),))
    interpreter = Interpreter(system)
    assert outcome(interpreter, system.actions[0], (1, 2, 3, 0)) == (8, 2, 3, 2)
    assert outcome(interpreter, system.actions[0], (1, 2, 3, 2)) == (2, 2, 7, 2)
    assert outcome(interpreter, system.actions[0], (1, 2, 3, 1)) == ("value outside the variable's range", None)
    assert set(simultaneous(effects).updates) == {*(Slot(array, place) for place in range(3)), Slot(index)}
