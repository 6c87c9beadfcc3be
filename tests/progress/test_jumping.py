"""Processes whose location is assigned in any form: their control graphs, and progress measures made of them."""

from __future__ import annotations

import pytest

import strandline
from strandline.analysis.control import control_edges
from strandline.languages import python
from strandline.model.system import System
from strandline.progress.changes import Changes
from strandline.source import Source

HEAD = "from strandline import *\n\n\nclass M(Model):\n    x: Range[0, 3]\n\n    class P(Process, count=2):\n"
HEAD += '        pc: Enum["a", "b", "c", "d"]\n\n'
A, B, C, D = range(4)

FORMS = {
    "guard and effect": (
        """
        @action
        def go(m, me):
            require(me.pc == "a")
            me.pc = "b"
""",
        {(A, B)},
    ),
    "several sources": (
        """
        @action
        def go(m, me):
            require(me.pc == "a" or me.pc == "c")
            me.pc = "d"
""",
        {(A, D), (C, D)},
    ),
    "a source that is left out": (
        """
        @action
        def go(m, me):
            require(me.pc != "d")
            me.pc = "d"
""",
        {(A, D), (B, D), (C, D)},
    ),
    "a decorator and an effect": (
        """
        @action(at=("a", "b"))
        def go(m, me):
            if m.x < 3:
                m.x += 1
                me.pc = "c"
            else:
                me.pc = "d"
""",
        {(A, C), (A, D), (B, C), (B, D)},
    ),
    "step by step": (
        """
        @action
        def go(m, me):
            if me.pc == "a":
                me.pc = "b"
            elif me.pc == "b":
                me.pc = "c"
            else:
                require(False)
""",
        {(A, B), (B, C)},
    ),
    "some by a decorator": (
        """
        @action(at="a", to="b")
        def on(m, me):
            m.x = 0

        @action(to="c")
        def out(m, me):
            require(me.pc == "b")

        @action(at="c")
        def back(m, me):
            me.pc = "a"
""",
        {(A, B), (B, C), (C, A)},
    ),
    "by another": (
        """
        @action(at="a")
        def push(m, me):
            require(m.P[1 - me].pc == "b")
            m.P[1 - me].pc = "c"
            me.pc = "b"

        @action(at="a", to="b")
        def begin(m, me):
            m.x = 0
""",
        {(A, B), (B, C)},
    ),
}


def system(form: str) -> System:
    return python.load(Source(f"{form.replace(' ', '_')}.py", HEAD + FORMS[form][0]))


@pytest.mark.parametrize("form", FORMS)
def test_control_graphs(form: str) -> None:
    found = system(form)
    assert [(one.name, one.locations, one.jumps) for one in found.processes] == [
        (f"P_{number}", ("a", "b", "c", "d"), True) for number in range(2)
    ]
    for process in found.processes:
        assert control_edges(found, process) == FORMS[form][1]


@pytest.mark.parametrize("form", FORMS)
def test_a_sweep_loses_nothing(form: str) -> None:
    found = system(form)
    plain = strandline.explore(found).statistics
    swept = strandline.explore(found, measure="auto", count_distinct=True).statistics
    assert (swept.states, swept.transitions, swept.deadlocks) == (plain.states, plain.transitions, plain.deadlocks)


def test_a_way_without_return_is_proved_to_be_monotone() -> None:
    found = system("step by step")
    phases = found.scope.parse("(P_0.pc == 'b') + 2 * (P_0.pc == 'c')")
    assert (Changes(found).least(phases) >= 0).all()
    assert not (Changes(found).least(found.scope.parse("2 * (P_0.pc == 'b') + (P_0.pc == 'c')")) >= 0).all()


def test_a_location_that_comes_from_anywhere() -> None:
    """What an action assigns from a variable may be any location that the variable can mean."""
    text = HEAD.replace("x: Range[0, 3]", 'x: Range[0, 3]\n    y: Enum["a", "b", "c", "d"]')
    text += "        @action\n        def go(m, me):\n            me.pc = m.y\n"
    found = python.load(Source("anywhere.py", text))
    assert control_edges(found, found.processes[0]) == {(A, A)}, "y is always a"
    text += '            m.y = "c"\n'
    found = python.load(Source("anywhere.py", text))
    edges = control_edges(found, found.processes[0])
    assert edges == {(source, target) for source in (A, B, C) for target in (A, B, C)}, "a box around a and c"
