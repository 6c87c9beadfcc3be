"""One suite for the back ends of Systems: the results of the Kernel's function, by its ABI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernels import Answer, ask, compile_host
from support.interpreted_kernel import interpret_system
from unfolding import unfold_system

from strandline.compile.interpret import Fault, Interpreter
from strandline.compile.kernel import FaultSite, Kernel
from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    OVERFLOW_FAULT,
    RANGE_FAULT,
    SHIFT_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
)
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, Move, Observer, Process, System, Variable
from strandline.model.validate import validate
from strandline.source import Source, Span

MOST, LEAST = 2**63 - 1, -(2**63)
DEADLOCK, ACCEPTING = 1 << 63, 1 << 62
Build = Callable[..., Kernel]


@pytest.fixture(params=[interpret_system, compile_host, unfold_system], ids=["interpreter", "host", "graph"])
def build(request: pytest.FixtureRequest) -> Build:
    builder: Build = request.param
    return builder


def byte(name: str, *initial: int, high: int = 255) -> Variable:
    """An unsigned variable that wraps, an array where several initial values are given."""
    length = len(initial) if len(initial) > 1 else None
    return Variable(name, Domain(0, high, wraps=True), length, initial or (0,))


def process(name: str, locations: int, committed: tuple[int, ...] = ()) -> Process:
    names = tuple(f"{name}{number}" for number in range(locations))
    location = Variable(name, Domain(0, locations - 1), None, (0,), names, owner=name)
    return Process(name, location, frozenset(committed))


def action(
    name: str, *effects: Assign, moves: tuple[Move, ...] = (), guard: Expression | None = None, committed: bool = False
) -> Action:
    return Action(name, moves, guard, effects, committed)


def put(variable: Variable, value: Expression | int, index: Expression | None = None) -> Assign:
    value = Const(value) if isinstance(value, int) else value
    target = Read(variable) if index is None else Element(variable, index, Span(1, 2))
    return Assign(target, value, Span(3, 4))


def plus(variable: Variable, amount: int) -> Expression:
    return Binary("+", Read(variable), Const(amount))


def system(variables: list[Variable], actions: list[Action], processes: tuple[Process, ...] = (), **more) -> System:  # type: ignore[no-untyped-def]
    variables = [*(one.location for one in processes), *variables]
    return validate(System.create("m", Source("m", ""), tuple(variables), processes, tuple(actions), **more))


def targets(kernel: Kernel, answer: Answer) -> list[tuple[int, ...]]:
    """The records as valuations."""
    layout = kernel.reference.layout  # type: ignore[attr-defined]
    return [layout.unpack(record[: kernel.words]) for record in answer.records]


def first(kernel: Kernel) -> tuple[int, ...]:
    return tuple(kernel.initial[0].tolist())


def test_initial_states_in_order_with_their_progress(build: Build) -> None:
    x = Variable("x", Domain(-4, 4), None, (0,))
    kernel = build(
        system([x], [], initial=((3,), (-4,), (3,))),
        measure=Measure(Binary("*", Read(x), Const(10)), Unary("-", Read(x))),
    )
    assert [kernel.reference.describe(tuple(row)) for row in kernel.initial.tolist()] == [
        {"x": 3},
        {"x": -4},
        {"x": 3},
    ]
    assert kernel.initial_progress.tolist() == [[30, -3], [-40, 4], [30, -3]]
    assert kernel.initial.dtype == np.uint64


def test_steps_come_in_canonical_order(build: Build) -> None:
    """Without a process first; then by process and source; a rendezvous after the process's own actions."""
    p, q = process("P", 2), process("Q", 2)
    x = byte("x")
    actions = [
        action("q", put(x, 4), moves=(Move(1, 0, 0),)),
        action("pq", put(x, 3), moves=(Move(0, 0, 0), Move(1, 0, 0))),
        action("p later", put(x, 9), moves=(Move(0, 1, 1),)),
        action("p", put(x, 2), moves=(Move(0, 0, 0),)),
        action("p again", put(x, 2), moves=(Move(0, 0, 0),)),
        action("none", put(x, 1)),
        action("q elsewhere", put(x, 9), moves=(Move(0, 0, 0), Move(1, 1, 1))),
    ]
    kernel = build(system([x], actions, (p, q)))
    answer = ask(kernel, first(kernel))
    assert [valuation[2] for valuation in targets(kernel, answer)] == [1, 2, 2, 3, 4]
    assert [edge.action for edge in kernel.reference.edges(first(kernel))] == ["none", "p", "p again", "pq", "q"]


@pytest.mark.parametrize("capacity", range(7))
def test_a_buffer_that_is_too_small_gets_the_first_records(build: Build, capacity: int) -> None:
    x = byte("x")
    kernel = build(
        system([x], [action(f"a{number}", put(x, number)) for number in range(5)]),
        [Read(x)],
        Measure(Const(7), Read(x)),
    )
    answer = ask(kernel, first(kernel), capacity)
    assert answer.count == 5
    assert answer.labels == 0
    assert answer.records == tuple((number, 7, number) for number in range(min(capacity, 5)))


def test_labels_of_the_source_state(build: Build) -> None:
    x = byte("x")
    halt = action("up", put(x, plus(x, 1)), guard=Binary("<", Read(x), Const(3)))
    predicates = [Binary("==", Read(x), Const(2)), Read(x), Const(1)]
    kernel = build(system([x], [halt], initial=((0,), (2,), (3,))), predicates)
    labels = [ask(kernel, tuple(row)).labels for row in kernel.initial.tolist()]
    assert labels == [0b100, 0b111, 0b110 | DEADLOCK]


def test_measured_records_carry_column_and_layer_of_the_target(build: Build) -> None:
    x = byte("x", high=9)
    kernel = build(
        system([x], [action("up", put(x, plus(x, 4)))]), measure=Measure(Read(x), Binary("-", Const(0), Read(x)))
    )
    assert kernel.stride == kernel.words + 2
    assert ask(kernel, first(kernel)).records == ((4, 4, 2**64 - 4),)


def test_effects_see_the_ones_before_and_guards_do_not(build: Build) -> None:
    x, y = byte("x"), byte("y", 5)
    swap = action("both", put(x, Read(y)), put(y, plus(x, 1)), guard=Binary("==", Read(x), Const(0)))
    kernel = build(system([x, y], [swap]))
    assert targets(kernel, ask(kernel, first(kernel))) == [(5, 6)]


@pytest.mark.parametrize(
    ("domain", "value", "stored"),
    [
        (Domain(0, 255, True), 256, 0),
        (Domain(0, 255, True), -1, 255),
        (Domain(-5, 4, True), 5, -5),
        (Domain(-5, 4, True), MOST, -3),
        (Domain(-5, 4, True), LEAST, 2),
        (Domain(3, 9, True), MOST, 7),
        (Domain(3, 9, True), LEAST, 6),
        (Domain(LEAST, 2**62, True), MOST, -(2**62) - 2),
        (Domain(-(2**62), MOST, True), LEAST, 2**62),
        (Domain(LEAST, MOST, True), MOST, MOST),
        (Domain(0, MOST), MOST, MOST),
        (Domain(LEAST, -1), LEAST, LEAST),
        (Domain(-3, 3), -3, -3),
    ],
)
def test_wrapping(build: Build, domain: Domain, value: int, stored: int) -> None:
    x = Variable("x", domain, None, (domain.high,))
    source = Variable("source", Domain(LEAST, MOST), None, (value,))
    kernel = build(system([x, source], [action("a", put(x, Read(source)))]))
    assert targets(kernel, ask(kernel, first(kernel)))[0][0] == stored


@pytest.mark.parametrize("value", [0, 1, -1, 5, MOST, LEAST])
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
def test_variables_of_all_64_bits(build: Build, operator: str, value: int) -> None:
    """The bias of such a field is added modulo 2^64."""
    x, y = (Variable(name, Domain(LEAST, MOST), None, (start,)) for name, start in (("x", 3), ("y", LEAST)))
    compare = Binary(operator, Read(x), Const(value))
    flip = action("flip", put(y, Unary("~", Read(x))), put(x, Binary("^", Read(y), Const(value))))
    kernel = build(system([x, y], [flip], initial=((3, LEAST), (LEAST, 0), (MOST, -1), (0, 1))), [compare])
    for row, (left, _) in zip(kernel.initial.tolist(), kernel.reference.system.initial, strict=True):  # type: ignore[attr-defined]
        answer = ask(kernel, tuple(row))
        truth = {"<": left < value, "<=": left <= value, ">": left > value, ">=": left >= value}
        truth |= {"==": left == value, "!=": left != value}
        assert answer.labels == truth[operator]
        assert targets(kernel, answer) == [(~left ^ value, ~left)]


OPERATORS = [
    ("/", 7, -2, -3), ("%", 7, -2, 1), ("//", 7, -2, -4), ("mod", 7, -2, -1),
    ("/", -7, 2, -3), ("%", -7, 2, -1), ("//", -7, 2, -4), ("mod", -7, 2, 1),
    ("%", LEAST, -1, 0), ("mod", LEAST, -1, 0), ("/", LEAST, 1, LEAST), ("//", LEAST, -2, 2**62),
    ("<<", -1, 63, LEAST), ("<<", 3, 61, 3 << 61), (">>", LEAST, 63, -1), (">>", 5, 63, 0),
    ("&", -4, 7, 4), ("|", -4, 3, -1), ("^", LEAST, MOST, -1),
    ("and", 2, 4, 1), ("or", 0, -1, 1), ("imply", 3, 0, 0), ("imply", 0, 0, 1),
    ("+", MOST, LEAST, -1), ("-", -1, MOST, LEAST), ("*", 2**31, -(2**32), LEAST),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "left", "right", "result"), OPERATORS)
def test_operators(build: Build, operator: str, left: int, right: int, result: int) -> None:
    x, y, z = (
        Variable(name, Domain(LEAST, MOST), None, (start,)) for name, start in zip("xyz", (left, right, 0), strict=True)
    )
    kernel = build(system([x, y, z], [action("a", put(z, Binary(operator, Read(x), Read(y))))]))
    assert targets(kernel, ask(kernel, first(kernel))) == [(left, right, result)]


READ: Any = Read
"""Stands for a reading of the variable of a test, whose value is 3."""
FAULTS: list[tuple[Expression, str]] = [
    (Binary("/", READ, Const(0), Span(5, 6)), DIVISION_FAULT),
    (Binary("mod", Const(1), Binary("-", READ, READ), Span(5, 6)), DIVISION_FAULT),
    (Binary("<<", Const(1), Const(64), Span(5, 6)), SHIFT_FAULT),
    (Binary(">>", Const(1), Unary("-", READ), Span(5, 6)), SHIFT_FAULT),
    (Binary("<<", READ, Const(62), Span(5, 6)), OVERFLOW_FAULT),
    (Binary("+", Const(MOST), READ, Span(5, 6)), OVERFLOW_FAULT),
    (Binary("-", Const(LEAST), READ, Span(5, 6)), OVERFLOW_FAULT),
    (Binary("*", Const(2**62), READ, Span(5, 6)), OVERFLOW_FAULT),
    (Binary("/", Const(LEAST), Unary("-", Binary("-", READ, Const(2))), Span(5, 6)), OVERFLOW_FAULT),
    (Binary("//", Const(LEAST), Const(-1), Span(5, 6)), OVERFLOW_FAULT),
    (Unary("-", Const(LEAST), Span(5, 6)), OVERFLOW_FAULT),
    (Undefined("a reason", Span(5, 6)), "a reason"),
    (Binary("+", READ, Undefined("a reason", Span(5, 6))), "a reason"),
    (Binary("or", Binary(">", READ, Const(3)), Undefined("a reason", Span(5, 6))), "a reason"),
]


def filled(expression, variable: Variable) -> Expression:  # type: ignore[no-untyped-def]
    """Return the expression with a reading of the variable, whose value is 3, in place of `READ`."""
    if expression is READ:
        return Read(variable)
    if isinstance(expression, Binary):
        left, right = filled(expression.left, variable), filled(expression.right, variable)
        return Binary(expression.operator, left, right, expression.span)
    if isinstance(expression, Unary):
        return Unary(expression.operator, filled(expression.operand, variable), expression.span)
    return expression


@pytest.mark.parametrize(("expression", "kind"), FAULTS)
@pytest.mark.parametrize("place", ["guard", "effect", "predicate", "layer", "column"])
def test_faults_have_a_kind_and_a_place(build: Build, expression, kind: str, place: str) -> None:  # type: ignore[no-untyped-def]
    x = Variable("x", Domain(0, 9, True), None, (0,))
    risky = filled(expression, x)
    lazy = Choice(Binary("==", Read(x), Const(3)), risky, Const(0))
    up = action("up", put(x, plus(x, 1)), guard=Binary("<", Read(x), Const(3)))
    faulty = (
        action("bad", guard=lazy)
        if place == "guard"
        else action("bad", put(x, lazy), guard=Binary("==", Read(x), Const(3)))
    )
    measure = {"layer": Measure(Const(0), lazy), "column": Measure(lazy, Const(0))}.get(place)
    actions = [up, faulty] if place in ("guard", "effect") else [up]
    kernel = build(system([x], actions), [lazy] if place == "predicate" else [], measure)
    state = first(kernel)
    for _ in range(2 if measure else 3):
        answer = ask(kernel, state)
        assert answer.count >= 1
        state = answer.records[0][: kernel.words]
    assert ask(kernel, state).fault == FaultSite(kind, Span(5, 6))


@pytest.mark.parametrize("index", [-1, 4, 5, 100, LEAST, MOST])
@pytest.mark.parametrize("use", ["read", "write", "read constant", "write constant"])
@pytest.mark.parametrize("high", [1, 255], ids=["bits", "bytes"])
def test_an_index_outside_the_array_is_a_fault(build: Build, high: int, use: str, index: int) -> None:
    a, x = byte("a", 0, 1, 1, high, high=high), byte("x")
    number = Variable("i", Domain(LEAST, MOST), None, (index,))
    place = Const(index) if "constant" in use else Read(number)
    effect = put(a, 1, place) if "write" in use else put(x, Element(a, place, Span(1, 2)))
    kernel = build(system([a, x, number], [action("a", effect)]))
    assert ask(kernel, first(kernel)).fault == FaultSite(INDEX_FAULT, Span(1, 2))


@pytest.mark.parametrize(
    ("domain", "value"), [(Domain(0, 3), 4), (Domain(0, 3), -1), (Domain(-3, -1), 0), (Domain(5, 5), 6)]
)
def test_a_value_outside_its_range_is_a_fault(build: Build, domain: Domain, value: int) -> None:
    x = Variable("x", domain, None, (domain.high,))
    kernel = build(system([x], [action("a", put(x, value))]))
    assert ask(kernel, first(kernel)).fault == FaultSite(RANGE_FAULT, Span(3, 4))


def test_what_is_not_needed_cannot_fault(build: Build) -> None:
    a, x = byte("a", 0, 0), byte("x", 7)
    outside = Binary("==", Element(a, Read(x)), Const(0))
    inside = Binary("<", Read(x), Const(2))
    guards: list[Expression] = [
        Binary("and", inside, outside),
        Binary("or", Unary("not", inside), outside),
        Binary("imply", inside, outside),
        Choice(inside, outside, Const(1)),
    ]
    kernel = build(system([a, x], [action(str(number), guard=guard) for number, guard in enumerate(guards)]), guards)
    answer = ask(kernel, first(kernel))
    assert (answer.fault, answer.count, answer.labels) == (None, 3, 0b1110)


def test_the_first_fault_wins(build: Build) -> None:
    """Predicates before steps, steps in order, the measure of a step before the next step."""
    x = byte("x")
    bad = [Binary("/", Const(1), Read(x), Span(number, number + 1)) for number in range(10, 13)]
    fine = action("fine")
    assert ask_fault(build(system([x], [action("a", guard=bad[0])]), [bad[1], bad[2]])) == Span(11, 12)
    assert ask_fault(build(system([x], [fine, action("a", guard=bad[0]), action("b", guard=bad[1])]))) == Span(10, 11)
    later = Binary("/", Const(1), Binary("-", Read(x), Const(2)), Span(12, 13))
    model = system([x], [action("two", put(x, 2)), action("b", guard=bad[1])])
    assert ask_fault(build(model, measure=Measure(Const(0), later))) == Span(12, 13)


def ask_fault(kernel: Kernel) -> Span | None:
    fault = ask(kernel, first(kernel)).fault
    assert fault is not None
    return fault.span


def at_once(first: Assign, *others: Assign) -> tuple[Assign, ...]:
    return (first, *(replace(one, together=True) for one in others))


def test_assignments_made_at_once_see_the_state_before_the_first(build: Build) -> None:
    x, y, z, a = byte("x", 1), byte("y", 2), byte("z", 3), byte("a", 5, 6, 7)
    swap = action("swap", *at_once(put(x, Read(y)), put(y, Read(x))))
    rotate = action("rotate", *at_once(put(x, Read(y)), put(y, Read(z)), put(z, Read(x))), put(x, plus(x, 10)))
    two_rows = action("rows", *at_once(put(x, Read(y)), put(y, Read(x))), *at_once(put(y, Read(z)), put(z, Read(y))))
    place = action("place", *at_once(put(x, 2), put(a, Read(z), Read(x)), put(y, Element(a, Read(x)))))
    last = action("last wins", *at_once(put(a, 8, Read(x)), put(a, 9, Binary("-", Read(y), Const(1))), put(x, 0)))
    kernel = build(system([x, y, z, a], [swap, rotate, two_rows, place, last]))
    assert targets(kernel, ask(kernel, first(kernel))) == [
        (2, 1, 3, 5, 6, 7),
        (12, 3, 1, 5, 6, 7),
        (2, 3, 1, 5, 6, 7),
        (2, 6, 3, 5, 3, 7),
        (0, 2, 3, 5, 9, 7),
    ]


def test_faults_of_assignments_made_at_once_come_in_order(build: Build) -> None:
    x, small = byte("x", 3), Variable("small", Domain(0, 3))
    divided = Binary("/", Const(1), Read(small), Span(7, 8))
    for row, fault in (
        (at_once(put(small, plus(x, 1)), put(x, divided)), FaultSite(RANGE_FAULT, Span(3, 4))),
        (at_once(put(x, divided), put(small, plus(x, 1))), FaultSite(DIVISION_FAULT, Span(7, 8))),
        (at_once(put(small, 1), put(x, divided)), FaultSite(DIVISION_FAULT, Span(7, 8))),
    ):
        kernel = build(system([x, small], [action("a", *row)]))
        assert ask(kernel, first(kernel)).fault == fault
    kernel = build(system([x, small], [action("a", put(small, 1), put(x, divided))]))
    assert targets(kernel, ask(kernel, first(kernel))) == [(1, 1)]


def test_a_certain_fault_after_other_effects_is_still_met(build: Build) -> None:
    """The first effect leaves a value that makes the second fault for certain."""
    a = Variable("a", Domain(-99, 99), 2, (0, 0))
    lower = put(a, Binary("-", Element(a, Const(0)), Const(2)), Const(0))
    kernel = build(system([a], [action("a", lower, put(a, 1, Element(a, Const(0))))]))
    assert ask(kernel, first(kernel)).fault == FaultSite(INDEX_FAULT, Span(1, 2))


def test_a_measure_that_faults_at_the_start_cannot_be_compiled(build: Build) -> None:
    x = byte("x")
    with pytest.raises(Fault, match=DIVISION_FAULT):
        build(system([x], []), measure=Measure(Const(0), Binary("/", Const(1), Read(x))))


def test_committed_locations_hold_the_others_back(build: Build) -> None:
    p, q = process("P", 3, committed=(1,)), process("Q", 2)
    actions = [
        action("enter", put(p.location, 1), moves=(Move(0, 0, 1),)),
        action("leave", put(p.location, 2), moves=(Move(0, 1, 2),), committed=True),
        action("meet", put(p.location, 0), put(q.location, 1), moves=(Move(0, 1, 0), Move(1, 0, 1)), committed=True),
        action("other", put(q.location, 1), moves=(Move(1, 0, 1),)),
        action("free"),
    ]
    kernel = build(system([], actions, (p, q)))
    start = ask(kernel, first(kernel))
    assert targets(kernel, start) == [(0, 0), (1, 0), (0, 1)]
    hurried = ask(kernel, start.records[1])
    assert targets(kernel, hurried) == [(2, 0), (0, 1)]


def observer(location: Variable, edges: list[Action], *accepting: int) -> Observer:
    return Observer("Watch", location, tuple(edges), frozenset(accepting))


def test_an_observer_steps_along_reading_the_source_and_alone_at_a_deadlock(build: Build) -> None:
    x = byte("x")
    w = process("Watch", 3).location
    edges = [
        action("stay", put(w, 0), moves=(Move(0, 0, 0),)),
        action("saw 0", put(w, 1), put(x, plus(x, 10)), moves=(Move(0, 0, 1),), guard=Binary("==", Read(x), Const(0))),
        action("end", put(w, 2), moves=(Move(0, 1, 2),)),
    ]
    up = action("up", put(x, plus(x, 1)), guard=Binary("<", Read(x), Const(1)))
    kernel = build(system([w, x], [up], observer=observer(w, edges, 1), initial=((0, 0), (1, 5), (2, 5), (2, 0))))
    answers = [ask(kernel, tuple(row)) for row in kernel.initial.tolist()]
    assert targets(kernel, answers[0]) == [(0, 1), (1, 11)]
    assert answers[0].labels == 0
    assert targets(kernel, answers[1]) == [(2, 5)]
    assert answers[1].labels == DEADLOCK | ACCEPTING, "a lonely step of the observer is a deadlock of the system"
    assert (answers[2].count, answers[2].labels) == (0, DEADLOCK)
    assert (answers[3].count, answers[3].labels) == (0, 0), "the system could step, the observer forbids it"


def test_a_lonely_observer_stops_at_its_first_fault() -> None:
    x = byte("x")
    w = process("Watch", 2).location
    bad = Binary("/", Const(1), Read(x), Span(5, 6))
    edges = [action("bad", moves=(Move(0, 0, 0),), guard=bad), action("fine", moves=(Move(0, 0, 0),))]
    steps = Interpreter(system([w, x], [], observer=observer(w, edges))).steps((0, 0))
    assert [step.fault is not None for step in steps] == [True]


def test_synchronous_systems_step_together(build: Build) -> None:
    """Guards read the source state, effects run in the order of the processes, every combination is a step."""
    p, q = process("P", 2), process("Q", 1)
    x = byte("x", 1)
    same = Binary("==", Read(x), Const(1))
    actions = [
        action("p1", put(x, Binary("*", Read(x), Const(2))), moves=(Move(0, 0, 0),)),
        action("p2", put(x, plus(x, 5)), put(p.location, 1), moves=(Move(0, 0, 1),)),
        action("q1", put(x, plus(x, 1)), moves=(Move(1, 0, 0),), guard=same),
        action("q2", put(x, Binary("*", Read(x), Const(3))), moves=(Move(1, 0, 0),)),
    ]
    kernel = build(system([x], actions, (p, q), synchronous=True))
    answer = ask(kernel, first(kernel))
    assert targets(kernel, answer) == [(0, 0, 3), (0, 0, 6), (1, 0, 7), (1, 0, 18)]
    assert [edge.action for edge in kernel.reference.edges(first(kernel))] == ["p1; q1", "p1; q2", "p2; q1", "p2; q2"]
    stuck = ask(kernel, answer.records[2])
    assert (stuck.count, stuck.labels) == (0, DEADLOCK)


@pytest.mark.parametrize("length", [20, 63, 64, 65, 130])
@pytest.mark.parametrize("high", [1, 7, 255, 2**33])
def test_arrays_over_several_words(build: Build, length: int, high: int) -> None:
    """Written and read at every index, computed at run time, beside other variables in the same words."""
    start = tuple((number * 37) % (high + 1) for number in range(length))
    a = Variable("a", Domain(0, high), length, start)
    i, x = byte("i", high=length - 1), Variable("x", Domain(0, high))
    step = action(
        "step",
        put(x, Element(a, Read(i))),
        put(a, Binary("-", Const(high), Element(a, Read(i))), Read(i)),
        put(a, Read(x), Binary("-", Const(length - 1), Read(i))),
        put(i, plus(i, 1)),
    )
    kernel = build(system([i, a, x], [step]))
    assert kernel.words >= length * high.bit_length() // 64
    values, state = list(start), first(kernel)
    for index in range(length):
        state = ask(kernel, state).records[0]
        old = values[index]
        values[index] = high - old
        values[length - 1 - index] = old
        assert kernel.reference.layout.unpack(state) == ((index + 1) % length, *values, old)  # type: ignore[attr-defined]


def test_a_python_error_in_the_interpreter_is_raised_again() -> None:
    """An exception cannot cross C: it is kept, reported as a fault, and raised by the caller."""
    kernel = interpret_system(system([byte("x")], []))
    kernel.reference.labels = lambda state: 1 // 0  # type: ignore[attr-defined, method-assign]
    with pytest.raises(ZeroDivisionError):
        ask(kernel, first(kernel))
    with pytest.raises(ZeroDivisionError):
        kernel.reraise()
