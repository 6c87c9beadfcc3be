"""Constant tables: machine code agrees with the interpreter, also for indices out of range."""

from __future__ import annotations

import pytest

from strandline.compile.host import compile_system
from strandline.compile.interpret import Interpreter
from strandline.compile.kernel import Kernel
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.search import Event
from strandline.model.expression import Binary, Const, Lookup, Read, Table
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.validate import validate
from strandline.source import Source


def explored(kernel: Kernel, told: list[int]) -> set[tuple[int, ...]]:
    """Compare all states of one word with the reference; add their labels to `told` in the order of expansion."""
    states: set[tuple[int, ...]] = set()

    class SearchObserver:
        layers = False
        held_words = 0

        def expanded(self, rows: object) -> None:
            for word, labels, degree in rows.tolist():  # type: ignore[attr-defined]
                assert degree == len(kernel.reference.edges((word,)))
                assert labels == kernel.reference.labels((word,))
                states.add((word,))
                told.append(labels)

        def layer_finished(self, column: int, layer: int) -> None:
            return None

    search = BreadthFirstSearch(kernel, log=lambda links: None, observer=SearchObserver())
    while (event := search.advance(0.0)) is Event.PAUSED:
        pass
    assert event is Event.DONE
    return states


def test_guards_effects_and_predicates_look_numbers_up() -> None:
    x = Variable("x", Domain(-3, 20), None, (0,))
    table = Table([4, 7, -2, 9, 0, 11, 5])
    here = Lookup(table, Read(x))
    beyond = Lookup(table, Binary("+", Read(x), Const(3)))
    actions = (
        Action("jump", (), Binary("!=", here, Const(0)), (Assign(Read(x), here),)),
        Action("far", (), Binary(">", beyond, Const(-5)), (Assign(Read(x), beyond),)),
    )
    system = validate(System.create("tables", Source("tables", ""), (x,), (), actions))
    kernel = compile_system(system, KernelSpecification([Binary("<", here, Const(5))]))
    states = explored(kernel, [])
    interpreter, seen, waiting = Interpreter(system), set(), list(system.initial)
    while waiting:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting += [step.target for step in interpreter.steps(state) if step.target is not None]
    assert states == {kernel.reference.layout.pack(state) for state in seen}  # type: ignore[attr-defined]
    assert {state[0] for state in seen} == {0, 4, 9}, "from 4 and 9 on, places outside of the table are looked up"


@pytest.mark.parametrize("largest", [1, 127, 128, 2**15 - 1, 2**15, 2**31 - 1, 2**31, 2**62])
@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_of_every_width_are_looked_up(largest: int, sign: int) -> None:
    """Tables are as wide as their numbers ask for."""
    x = Variable("x", Domain(0, 4), None, (0,))
    values = [sign * largest, 0, sign * (largest - 1), 1]
    lookup = Lookup(Table(values), Read(x))
    onwards = Action("on", (), Binary("<", Read(x), Const(4)), (Assign(Read(x), Binary("+", Read(x), Const(1))),))
    system = validate(System.create("widths", Source("widths", ""), (x,), (), (onwards,)))
    told = [Binary("==", lookup, Const(value)) for value in [*values, 0]]
    kernel = compile_system(system, KernelSpecification(told))
    met: list[int] = []
    explored(kernel, met)
    expected = [sum(1 << place for place, one in enumerate([*values, 0]) if one == value) for value in [*values, 0]]
    assert [labels & 31 for labels in met] == expected
