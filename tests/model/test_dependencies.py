"""The matrices of dependencies: what an action does depends on the slots in its row alone, and changes no others."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Generator

from strandline.analysis.dependencies import dependencies_of, members
from strandline.compile.interpret import Fault, Interpreter, Valuation
from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.system import Action, Assign, Domain, Process, System, Variable
from strandline.source import Source

X = Variable("x", Domain(0, 9))
A = Variable("a", Domain(0, 9), 3, (0, 0, 0))
Y = Variable("y", Domain(0, 9))
"""Slots: x 0, a 1 2 3, y 4."""


def element(index: Expression) -> Element:
    return Element(A, index)


def row(*effects: Assign, guard: Expression | None = None) -> tuple[set[int], ...]:
    """What an action tests, evaluates, needs for its effects, writes and adds to."""
    action = Action("step", (), guard, effects)
    found = dependencies_of(System.create("", Source("", ""), (X, A, Y), (), (action,))).accesses[0]
    return tuple(set(members(one)) for one in (found.tests, found.evaluated, found.inputs, found.writes, found.adds))


def plus(place: Read | Element, amount: Expression) -> Assign:
    return Assign(place, Binary("+", place, amount))


def test_scalars_and_elements() -> None:
    guard = Binary("<", Read(Y), Const(3))
    assert row(Assign(element(Const(1)), Read(X)), guard=guard) == ({4}, {0, 4}, {0}, {2}, set())
    assert row(Assign(element(Read(Y)), Const(1))) == (set(), {4}, {4}, {1, 2, 3}, set())
    assert row(Assign(Read(X), element(Read(Y)))) == (set(), {1, 2, 3, 4}, {1, 2, 3, 4}, {0}, set())


def test_an_index_outside_the_array_is_any() -> None:
    assert row(Assign(element(Const(7)), Const(1)))[3] == {1, 2, 3}


def test_a_constant_is_added() -> None:
    assert row(plus(Read(X), Const(1))) == (set(), {0}, set(), {0}, {0})
    assert row(plus(element(Const(2)), Const(1)))[4] == {3}
    assert row(plus(Read(X), Read(Y)))[4] == set()
    assert row(plus(Read(X), Const(1)), plus(Read(X), Const(1)))[4] == set(), "twice"
    assert row(plus(Read(X), Const(1)), Assign(Read(Y), Read(X)))[4] == set(), "and read"
    assert row(plus(element(Const(2)), Const(1)), Assign(element(Read(X)), Const(0)))[4] == set(), "perhaps written"


def test_two_that_add_do_not_disturb_each_other() -> None:
    actions = [Action(str(number), (), None, (plus(Read(X), Const(number)),)) for number in (1, 2)]
    actions.append(Action("double", (), None, (Assign(Read(X), Binary("*", Read(X), Const(2))),)))
    rows = dependencies_of(System.create("", Source("", ""), (X,), (), tuple(actions))).accesses
    assert [one.disturb(other) for one in rows for other in rows] == [False, False, True, False, False, *[True] * 4]


def test_columns_are_the_transposed_rows() -> None:
    for seed in range(30):
        system = Generator(Random(seed)).system()
        found = dependencies_of(system)
        for slot in range(sum(one.slots for one in system.variables)):
            written = [number for number, one in enumerate(found.accesses) if one.writes >> slot & 1]
            used = [number for number, one in enumerate(found.accesses) if one.all >> slot & 1]
            assert (list(members(found.writers[slot])), list(members(found.users[slot]))) == (written, used)


def effect(interpreter: Interpreter, action: Action, state: Valuation) -> object:
    """The next state, or the kind of fault."""
    try:
        return interpreter._apply(action.effects, state)
    except Fault as fault:
        return fault.kind


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_rows_are_all_that_matters(random: Random) -> None:
    generator = Generator(random)
    system = generator.system()
    interpreter, found = Interpreter(system), dependencies_of(system)
    slots = [variable for variable in system.variables for _ in range(variable.slots)]
    for action, accesses in zip(system.actions, found.accesses, strict=True):
        state = tuple(map(generator.value, (variable.domain for variable in slots)))
        result = effect(interpreter, action, state)
        if isinstance(result, tuple):
            changed = {slot for slot, value in enumerate(result) if value != state[slot]}
            assert changed <= set(members(accesses.writes))
        # Slots that it does not access may have any value.
        for slot in set(range(len(slots))) - set(members(accesses.all)):
            other = list(state)
            other[slot] = generator.value(slots[slot].domain)
            after = effect(interpreter, action, tuple(other))
            expected = result
            if isinstance(result, tuple):
                expected = (*result[:slot], other[slot], *result[slot + 1 :])
            assert after == expected


def test_committed_locations_are_tested() -> None:
    places = [Variable(name, Domain(0, 1), names=("out", "in")) for name in "pq"]
    processes = (Process("P", places[0], frozenset({1})), Process("Q", places[1]))
    plain, urgent = Action("plain", (), None, ()), Action("urgent", (), None, (), committed=True)
    found = dependencies_of(System.create("", Source("", ""), tuple(places), processes, (plain, urgent)))
    assert [one.tests for one in found.accesses] == [1, 0]
