"""Faults of a Python model by their kinds and places: the same in the interpreter and in machine code, and an exception
in plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import ask
from programs import define

import strandline
from strandline.compile.host import compile_system
from strandline.compile.interpret import Interpreter
from strandline.compile.kernel import FaultSite
from strandline.languages.python.loading.lowering import to_system
from strandline.languages.python.runtime.faults import FIELD_FAULT, MEMBER_FAULT, NONE_FAULT, PROCESS_FAULT, VALUE_FAULT
from strandline.model.expression import DIVISION_FAULT, INDEX_FAULT, RANGE_FAULT

MODEL = """
class Pair(Record):
    a: Range[0, 2]
    b: bool

def twice(v): return v + v

class Faulty(Model):
    x: Range[0, 3]
    y: Range[0, 3] = 2
    f: bool
    o: Optional[Range[1, 2]]
    r: Optional[Pair]
    n: Optional[Enum["u", "v"]]
    e: Enum["u", "v"]
    p: Pair
    a: Array[Range[0, 3], 2]
    grid: Array[Array[bool, 2], 2]
    s: Set[Range[0, 3]]
    b: Bag[Range[0, 3], 2]
    class P(Process, count=2):
        k: Range[0, 1]
        @action
        def nothing(m, me): pass
    @action
    def step(m):
        {body}
"""
CASES: list[tuple[str, str, str, type[Exception]]] = [
    ("m.x = m.o + 1", NONE_FAULT, "m.o + 1", TypeError),
    ("m.x = m.o", NONE_FAULT, "m.x = m.o", TypeError),
    ("v = m.o\n        m.x = 1 - v", NONE_FAULT, "1 - v", TypeError),
    ("require(m.o < 2)", NONE_FAULT, "m.o < 2", TypeError),
    ("m.x = -m.o", NONE_FAULT, "-m.o", TypeError),
    ("m.x = m.a[m.o]", NONE_FAULT, "m.o", IndexError),
    ("m.x = m.P[m.o].k", NONE_FAULT, "m.o", IndexError),
    ("m.x = max(m.o, 1)", NONE_FAULT, "max(m.o, 1)", TypeError),
    ("m.x = sum(v for v in (m.o, 1))", NONE_FAULT, "sum(v for v in (m.o, 1))", TypeError),
    ("m.x = abs(m.o)", NONE_FAULT, "abs(m.o)", TypeError),
    ("m.x = twice(m.o)", NONE_FAULT, "v + v", TypeError),
    ("m.x = m.y if m.f else m.o + 1", NONE_FAULT, "m.o + 1", TypeError),
    ("m.x = m.r.a", FIELD_FAULT, "m.r.a", AttributeError),
    ("m.p = m.r", FIELD_FAULT, "m.p = m.r", TypeError),
    ("m.e = m.n", VALUE_FAULT, "m.e = m.n", TypeError),
    ("v = m.y if m.f else None\n        m.x = v + 1", NONE_FAULT, "v + 1", TypeError),
    ("v = m.p if m.f else None\n        m.x = v.a", FIELD_FAULT, "v.a", AttributeError),
    ("m.b.put(m.o)", NONE_FAULT, "m.b.put(m.o)", TypeError),
    ("m.r = Pair(m.y + 1, True)\n        m.r = None", RANGE_FAULT, "m.r = Pair(m.y + 1, True)", strandline.OutOfRange),
    ("m.x = (1, 2)[m.y]", INDEX_FAULT, "(1, 2)[m.y]", IndexError),
    ("m.x = m.P[m.y].k", PROCESS_FAULT, "m.P[m.y]", IndexError),
    ("m.P[m.y + 1].k = 1", PROCESS_FAULT, "m.P[m.y + 1]", IndexError),
    ("m.x = m.P[m.x - 1].k", PROCESS_FAULT, "m.P[m.x - 1]", IndexError),
    ("m.s.add(m.y + 3)", MEMBER_FAULT, "m.s.add(m.y + 3)", IndexError),
    ("m.s.discard(4)", MEMBER_FAULT, "m.s.discard(4)", IndexError),
    ("m.x = 7; m.x = 1", RANGE_FAULT, "m.x = 7", strandline.OutOfRange),
    ("m.x = m.y + 2\n        m.x -= 2", RANGE_FAULT, "m.x = m.y + 2", strandline.OutOfRange),
    ("m.x = m.y * 2", RANGE_FAULT, "m.x = m.y * 2", strandline.OutOfRange),
    ("m.b.put(m.y * 2)", RANGE_FAULT, "m.b.put(m.y * 2)", strandline.OutOfRange),
    ("m.x = m.a[m.y]", INDEX_FAULT, "m.a[m.y]", IndexError),
    ("m.grid[m.y][0] = True", INDEX_FAULT, "m.grid[m.y][0] = True", IndexError),
    ("m.x = m.y // m.x", DIVISION_FAULT, "m.y // m.x", ZeroDivisionError),
]


@pytest.mark.parametrize(("body", "kind", "place", "exception"), CASES, ids=[case[0] for case in CASES])
def test_kind_and_place(body: str, kind: str, place: str, exception: type[Exception]) -> None:
    text = MODEL.format(body=body)
    model = define(text, "Faulty")()
    system = to_system(model)
    faults = [step.fault for step in Interpreter(system).steps(system.initial[0]) if step.fault is not None]
    assert [fault.kind for fault in faults] == [kind]
    span = faults[0].span
    assert span is not None
    assert text[span.start : span.end] == place
    kernel = compile_system(system)
    assert ask(kernel, tuple(kernel.initial[0].tolist())).fault == FaultSite(kind, span)
    with pytest.raises(exception):
        model.step()


def test_a_step_that_is_not_enabled_is_no_fault() -> None:
    """An overwritten value out of range counts only where the step is taken; None at once."""
    system = to_system(define(MODEL.format(body="m.x = 7; m.x = 1; require(m.f)"), "Faulty"))
    steps = Interpreter(system).steps(system.initial[0])
    assert [step.fault for step in steps] == [None, None]


def test_the_verdict_names_it(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text("from strandline import *\n" + MODEL.format(body="m.x = m.o + 1"))
    verdict = strandline.check(file)
    assert verdict.answer.value == "VIOLATED"
    reason = verdict.properties[-1].reason
    assert reason == f"{NONE_FAULT} at {file}:28:15"
