"""Actions whose expressions have many thousand nodes, or would as trees: compiled in a moment, and right."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from kernels import compare_back_ends
from programs import define
from strategies import Case
from test_wrong_programs import check_message, refused

from strandline.analysis.dependencies import expressions
from strandline.compile.interpret import Interpreter
from strandline.languages.python.loading.lowering import to_system
from strandline.languages.symbolic_execution.execution import TOO_DEEP, TOO_INVOLVED
from strandline.model.expression import size, walk
from strandline.model.system import System

MODEL = """
class Large(Model):
    N = param(40)
    a: Array[Range[0, 7], N]
    i: Range[0, N - 1]
    best: Range[0, N + 7]
    total: Range[0, 9]
    @action
    def largest(m): m.best = max(m.a)
    @action
    def scan(m):
        v, w = 0, m.i
        for k in range(m.N):
            if m.a[k] > v:
                v = m.a[k]
                w = k
            elif m.a[k] == v and m.a[w] < 3:
                v = v - m.a[w] // (m.a[k] - 7)
        m.best, m.total = v + w, (v + w) % 10
    @action
    def count_pairs(m):
        require(any(m.a[j] != m.a[k] for j in range(m.N) for k in range(m.N)))
        m.total = count(m.a[j] < m.a[k] for j in range(m.N) for k in range(m.N)) % 10
    @action
    def sort(m):
        for j in range(6):
            for k in range(5 - j):
                if m.a[k] > m.a[k + 1]:
                    m.a[k], m.a[k + 1] = m.a[k + 1], m.a[k]
"""


def nodes(system: System) -> int:
    return max(sum(1 for _ in walk(part)) for action in system.actions for part in expressions(action))


def test_plain_python_interpreter_and_machine_code_agree() -> None:
    model = define(MODEL, "Large")()
    system = to_system(model)
    structure: Any = system.scope.structure  # type: ignore[attr-defined]
    assert nodes(system) > 5000
    assert max(size(part) for action in system.actions for part in expressions(action)) > 2**40
    random = Random(1)
    start = model.state()
    states = []
    for _ in range(12):
        model.restore(start)
        for k in range(model.N):
            model.a[k] = random.randint(0, 7)
        model.i = random.randint(0, model.N - 1)
        states.append(model.state())
    interpreter = Interpreter(system)
    for state in states:
        for action in system.actions:
            model.restore(state)
            try:
                getattr(model, action.name)()
            except ZeroDivisionError:
                expected: Any = "division by zero"
            else:
                expected = structure.valuation(model.state())
            step = interpreter._attempt(action, *[structure.valuation(state)] * 2)
            assert step is not None
            assert (step.target if step.fault is None else step.fault.kind) == expected
    valuations = tuple(structure.valuation(state) for state in states)
    many = System.create("many", system.source, system.variables, (), system.actions, initial=valuations)
    assert compare_back_ends(Case(many, (), None), limit=40) >= 12


def test_limits(tmp_path: Path) -> None:
    deep = "for k in range(4000): v = (v * 3 + m.x) % 7\n"
    wide = "v = count(m.x * j + k * m.x > 3 for j in range(100) for k in range(100))\n"
    for body, message in ((deep, TOO_DEEP), (wide, TOO_INVOLVED)):
        text = "from strandline import *\nclass M(Model):\n    x: Range[0, 3]\n    @action\n    def step(m):\n"
        text += f"        v = 1\n        {body}        m.x = v % 4\n"
        check_message(refused(tmp_path, text), message, "m.x = v % 4")


@pytest.mark.parametrize("claim", ["sum(m.a[k] for k in range(3000)) >= 0", "max(m.a) <= 7", "9 not in m.a"])
def test_claims_may_be_large(claim: str) -> None:
    text = f"class Large(Model):\n    a: Array[Range[0, 7], 3000]\n    @invariant\n    def claim(m): return {claim}\n"
    text += "    @action\n    def step(m): m.a[0] = 1 - m.a[0] % 2\n"
    system = to_system(define(text, "Large"))
    assert sum(1 for _ in walk(system.invariants[0].expression)) > 5000
    assert Interpreter(system).evaluate(system.invariants[0].expression, system.initial[0]) == 1
