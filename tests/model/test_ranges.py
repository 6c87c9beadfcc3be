"""The range analysis leaves out no value that is reached, and finds the boxes it promises to find."""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import systems

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpret import Interpreter
from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.layout import make_layout
from strandline.model.system import Action, Assign, Domain, Move, Process, System, Variable
from strandline.model.validate import validate
from strandline.source import Source

BYTE = Domain(0, 255, wraps=True)


def reached(system: System, limit: int) -> list[tuple[int, ...]]:
    """Reachable valuations in breadth-first order, at most about `limit`, by the interpreter on tuples: no packing
    takes part."""
    interpreter = Interpreter(system)
    known = dict.fromkeys(system.initial)
    waiting = deque(known)
    while waiting and len(known) < limit:
        for step in interpreter.steps(waiting.popleft()):
            if step.target is not None and step.target not in known:
                known[step.target] = None
                waiting.append(step.target)
    return list(known)


@given(st.one_of(systems(), systems(at_once=0.6)))
@settings(max_examples=200)
def test_every_reachable_value_lies_in_its_box(system: System) -> None:
    boxes = analyse_ranges(system).variables
    layout = make_layout(system, boxes)
    for valuation in reached(system, 200):
        for variable, offset in system.offsets.items():
            low, high = boxes[variable]
            for value in valuation[offset : offset + variable.slots]:
                assert low <= value <= high, f"{variable.name} = {value} outside {low}..{high}"
        assert layout.unpack(layout.pack(valuation)) == valuation


@given(systems())
@settings(max_examples=100)
def test_boxes_stay_in_their_domains(system: System) -> None:
    for variable, (low, high) in analyse_ranges(system).variables.items():
        assert variable.domain.low <= low <= high <= variable.domain.high


@given(st.one_of(systems(), systems(at_once=0.6)))
@settings(max_examples=150)
def test_what_an_action_may_assume_is_true_where_it_is_enabled(system: System) -> None:
    """The knowledge at an action's source locations holds in every reachable state with these locations."""
    ranges = analyse_ranges(system)
    interpreter = Interpreter(system)
    if system.synchronous:
        return
    states = reached(system, 100)
    offsets = system.offsets
    for action in system.actions:
        places = [(offsets[system.processes[move.process].location], move.source) for move in action.moves]
        standing = [state for state in states if all(state[slot] == source for slot, source in places)]
        if not standing:
            continue
        environment = ranges.environment(action)
        for variable in system.variables:
            cells = (
                [Read(variable)]
                if variable.length is None
                else [Element(variable, Const(index)) for index in range(variable.length)]
            )
            for cell in cells:
                low, high = environment.interval(cell)
                assert all(low <= interpreter.evaluate(cell, state) <= high for state in standing)


def process(name: str, locations: int) -> Process:
    names = tuple(f"{name}{number}" for number in range(locations))
    return Process(name, Variable(name, Domain(0, locations - 1), None, (0,), names, name))


def move(processes: tuple[Process, ...], number: int, source: int, target: int, *effects: Assign, guard=None) -> Action:  # type: ignore[no-untyped-def]
    arrive = Assign(Read(processes[number].location), Const(target))
    return Action(f"{number}:{source}", (Move(number, source, target),), guard, (*effects, arrive))


def plus(variable: Variable, amount: int) -> Assign:
    return Assign(Read(variable), Binary("+", Read(variable), Const(amount)))


def below(variable: Variable, bound: int) -> Expression:
    return Binary("<", Read(variable), Const(bound))


def boxes(
    variables: list[Variable], processes: tuple[Process, ...], actions: list[Action]
) -> dict[str, tuple[int, int]]:
    everything = (*(one.location for one in processes), *variables)
    system = validate(System.create("m", Source("m", ""), everything, processes, tuple(actions)))
    return {variable.name: box for variable, box in analyse_ranges(system).variables.items()}


def test_a_guarded_counter_is_bounded_by_its_guard() -> None:
    x, p = Variable("x", BYTE), (process("P", 1),)
    assert boxes([x], p, [move(p, 0, 0, 0, plus(x, 1), guard=below(x, 100))])["x"] == (0, 100)


def test_a_test_in_an_earlier_location_bounds_a_counter() -> None:
    x, p = Variable("x", BYTE), (process("P", 2),)
    actions = [move(p, 0, 0, 1, guard=below(x, 3)), move(p, 0, 1, 0, plus(x, 1))]
    assert boxes([x], p, actions)["x"] == (0, 3)


def test_another_process_that_interferes_widens_the_box() -> None:
    x = Variable("x", BYTE)
    p = (process("P", 2), process("Q", 1))
    actions = [
        move(p, 0, 0, 1, guard=below(x, 3)),
        move(p, 0, 1, 0, plus(x, 1)),
        move(p, 1, 0, 0, Assign(Read(x), Const(9))),
    ]
    assert boxes([x], p, actions)["x"] == (0, 10)


def test_a_guard_on_another_process_location_is_looked_at_again_when_that_process_moves() -> None:
    x, p = Variable("x", Domain(0, 100)), (process("P", 6), process("Q", 3))
    at_two = Binary("==", Read(p[1].location), Const(2))
    actions = [move(p, 0, place, place + 1, plus(x, 7), guard=at_two if place == 0 else None) for place in range(5)]
    actions += [move(p, 1, place, place + 1) for place in range(2)]
    found = boxes([x], p, actions)
    assert found["P"] == (0, 5)
    assert found["x"][1] >= 35


def test_constant_indices_outside_the_array_are_no_business_of_the_analysis() -> None:
    a, p = Variable("a", BYTE, 3, (0, 0, 0)), (process("P", 2),)
    for index in (3, 9, -1, 2**62):
        guard = Binary("==", Element(a, Const(index)), Const(1))
        assert boxes([a], p, [move(p, 0, 0, 1, guard=guard)])["a"] == (0, 0)


def test_huge_shifts_are_not_computed() -> None:
    x, p = Variable("x", Domain(0, 9), None, (1,)), (process("P", 1),)
    shift = Assign(Read(x), Binary("<<", Read(x), Const(2**62)))
    assert boxes([x], p, [move(p, 0, 0, 0, shift)])["x"][0] <= 1


def test_effects_before_a_certain_fault_are_kept() -> None:
    """Compiled code writes them before it meets the fault."""
    a = Variable("a", Domain(-99, 99), 2, (0, 0))
    lower = Assign(Element(a, Const(0)), Binary("-", Element(a, Const(0)), Const(2)))
    fault = Assign(Element(a, Element(a, Const(0))), Const(1))
    assert boxes([a], (), [Action("a", (), None, (lower, fault))])["a"][0] <= -2
