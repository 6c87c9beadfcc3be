"""Symbolic execution without a language: guard and effects have the meaning of the program."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.compile.interpret import Fault, Interpreter
from strandline.languages.symbolic_execution.building import add, equal
from strandline.languages.symbolic_execution.execution import TOO_DEEP, Execution, Refused
from strandline.model.expression import RANGE_FAULT, Const, Element, Expression, Read
from strandline.model.system import Action, Domain, System, Variable
from strandline.source import Source

X, Y = Variable("x", Domain(0, 3)), Variable("y", Domain(0, 3))
ROW = Variable("row", Domain(0, 3), 4)
PLACES: tuple[tuple[str, int | str], ...] = (("x", 0), ("y", 0), ("row", 1), ("row", 2), ("row", "x"))
VARIABLES = {"x": X, "y": Y, "row": ROW}

operands = st.one_of(st.integers(0, 3), st.sampled_from(PLACES))
"""A number, or a place: a variable and an index, which may be the value of another."""
conditions = st.tuples(operands, operands)
"""Whether two operands are equal."""
assignments = st.tuples(st.just("assign"), st.sampled_from(PLACES), operands, st.integers(0, 1))
requirements = st.tuples(st.just("require"), conditions)


def blocks(depth: int) -> st.SearchStrategy[list[Any]]:
    statements: list[st.SearchStrategy[Any]] = [assignments, assignments, requirements]
    if depth:
        statements.append(st.tuples(st.just("if"), conditions, blocks(depth - 1), blocks(depth - 1)))
    return st.lists(st.one_of(statements), max_size=4)


class NotEnabled(Exception):
    """The program requires something that does not hold."""


def run(program: list[Any], state: dict[str, list[int]]) -> bool:
    """Run plainly. Whether everything that was assigned fits; what does not is kept as it is until the end."""
    fits = True

    def value(operand: Any) -> int:
        if isinstance(operand, int):
            return operand
        name, index = operand
        return state[name][state["x"][0] if index == "x" else index]

    for statement in program:
        match statement:
            case ("assign", (name, index), operand, amount):
                if index == "x" and state["x"][0] > 3:
                    return False
                result = value(operand) + amount
                state[name][state["x"][0] if index == "x" else index] = result
                fits &= result <= 3
            case ("require", (left, right)):
                if value(left) != value(right):
                    raise NotEnabled
            case ("if", (left, right), then, otherwise):
                fits &= run(then if value(left) == value(right) else otherwise, state)
    return fits


def execute(program: list[Any], execution: Execution) -> None:
    """The same, symbolically."""

    def place(name: str, index: Any) -> tuple[Variable, Expression]:
        return VARIABLES[name], execution.store.read(X) if index == "x" else Const(index)

    def value(operand: Any) -> Expression:
        return Const(operand) if isinstance(operand, int) else execution.store.read(*place(*operand))

    for statement in program:
        match statement:
            case ("assign", target, operand, amount):
                execution.write(*place(*target), add(value(operand), amount), None)
            case ("require", (left, right)):
                execution.require(equal(value(left), value(right)))
            case ("if", (left, right), then, otherwise):
                condition = equal(value(left), value(right))
                if isinstance(condition, Const):
                    execute(then if condition.value else otherwise, execution)
                else:
                    branches = [lambda part=part: execute(part, execution) for part in (then, otherwise)]
                    execution.branch(condition, branches[0], branches[1])


def system_of(execution: Execution) -> System:
    guard = execution.finish()
    action = Action("step", (), guard, tuple(execution.store.effects))
    return System.create("program", Source("program", ""), tuple(VARIABLES.values()), (), (action,))


def stays_inside(program: list[Any]) -> bool:
    """No index that was assigned out of its range is used: whether that is seen before or after the range is a
    question of the language."""
    for statement in program:
        match statement:
            case ("assign", ("x", 0), operand, amount) if amount or not isinstance(operand, int):
                return False
            case ("if", _, then, otherwise) if not (stays_inside(then) and stays_inside(otherwise)):
                return False
    return True


@given(blocks(2), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_a_step_means_what_its_program_does(program: list[Any], start: list[int]) -> None:
    if not stays_inside(program):
        return
    execution = Execution()
    execute(program, execution)
    steps = list(Interpreter(system_of(execution)).steps(tuple(start)))
    state = {"x": start[:1], "y": start[1:2], "row": start[2:]}
    try:
        fits = run(program, state)
    except NotEnabled:
        assert steps == []
        return
    (step,) = steps
    if fits:
        assert step.target == (*state["x"], *state["y"], *state["row"])
    else:
        assert isinstance(step.fault, Fault)
        assert step.fault.kind == RANGE_FAULT


def test_what_was_read_before_a_write_keeps_its_meaning() -> None:
    execution = Execution()
    old = execution.store.read(X)
    execution.write(X, Const(0), execution.store.read(Y), None)
    execution.write(Y, Const(0), old, None)
    (step,) = Interpreter(system_of(execution)).steps((1, 2, 0, 0, 0, 0))
    assert step.target == (2, 1, 0, 0, 0, 0)


def test_a_value_that_does_not_fit_is_a_fault_even_where_it_is_overwritten() -> None:
    execution = Execution()
    execution.write(X, Const(0), add(Read(Y), 1), None)
    execution.write(X, Const(0), Const(0), None)
    (step,) = Interpreter(system_of(execution)).steps((1, 3, 0, 0, 0, 0))
    assert isinstance(step.fault, Fault)
    assert step.fault.kind == RANGE_FAULT


def test_writes_stand_between_statements_where_nothing_remembers_older_values() -> None:
    execution = Execution()
    execution.write(X, Const(0), Const(1), None)
    execution.settle([X])
    assert execution.store.effects == []
    execution.settle([Y])
    assert [effect.target for effect in execution.store.effects] == [Read(X)]
    assert execution.store.read(X) == Read(X)


def test_a_property_faults_where_something_before_it_does() -> None:
    execution = Execution()
    execution.note(Element(ROW, add(Read(X), 1)))
    checked = execution.with_earlier_faults(equal(Read(Y), Const(0)))
    system = system_of(Execution())
    assert Interpreter(system).evaluate(checked, (1, 0, 0, 0, 0, 0)) == 1
    with pytest.raises(Fault):
        Interpreter(system).evaluate(checked, (3, 0, 0, 0, 0, 0))


def test_a_value_computed_from_itself_too_often_is_refused() -> None:
    execution = Execution()

    def again_and_again() -> None:
        for _ in range(100_000):
            execution.write(X, Const(0), Element(ROW, execution.store.read(X)), None)

    with pytest.raises(Refused, match=TOO_DEEP):
        again_and_again()
