"""Loops, comprehensions and questions over containers: plain Python, the interpreter and machine code agree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import strandline
from strandline.compile.interpret import Interpreter
from strandline.errors import InputError
from strandline.model.system import System

sys.path.insert(0, str(Path(__file__).parent))
from programs import define
from test_three_ways import compare_everywhere, evaluated

FRAME = """
class Msg(Record):
    kind: Enum["ask", "yes", "no"]
    of: Range[0, 1]

class M(Model):
    net: Bag[Msg, 3]
    q: Fifo[Range[0, 2], 3]
    s: Set[Range[0, 2]]
    o: Optional[Range[0, 2]]
    x: Range[0, 9]
    f: bool
    boxes: Array[Bag[Range[0, 2], 2], 2]
    a: Array[Range[0, 2], 2]
    past: Set[Msg]

    @action
    def send(m, k: Enum["ask", "yes", "no"], i: Range[0, 1]):
        m.net.put(Msg(kind=k, of=i))
        m.past.add(Msg(kind=k, of=i))
    @action
    def push(m, v: Range[0, 2]):
        require(len(m.net) < 2)
        m.q.put(v)
        m.boxes[v % 2].put(v)
    @action
    def join(m, v: Range[0, 2]):
        require(m.net.empty)
        if v in m.s: m.s.remove(v)
        else: m.s.add(v)
{body}
"""
EXPRESSIONS = [
    'any(x.kind == "yes" for x in m.net)',
    'all(x.kind == "yes" for x in m.net if x.of == 1)',
    'count(x.kind != "no" for x in m.net) >= len(m.q)',
    "sum(x.of + 1 for x in m.net) > 2",
    "sum(m.q) == sum(v * v for v in m.s)",
    "max(m.q, default=0) > min(m.s, default=2)",
    "max((v for v in m.q if v in m.s), default=-1) > 0",
    'len([x for x in m.net if x.kind == "ask"]) == 1',
    "len({x.of for x in m.net}) == 2",
    "len({v % 2 for v in m.q} ) < len([v for v in m.q])",
    "any(x.kind == y.kind and x.of != y.of for x in m.net for y in m.net)",
    "any(v == w for v in m.q for w in m.s)",
    "next((v for v in m.q if v > 0), 7) == 2",
    "1 in [v + 1 for v in m.q]",
    "m.x in [v for v in m.q if v != 1]",
    "all(i <= v for i, v in enumerate(m.q))",
    "any(v == w for v, w in zip(m.q, m.boxes[0]))",
    "sum(10 * i + v for i, v in enumerate(reversed([3, 4]))) + sum(v for v in reversed(m.q)) > 16",
    "any(2 in box for box in m.boxes)",
    "sum(len(box) for box in m.boxes) == sum(1 for box in m.boxes for v in box)",
    "any(v // (v - 1) > 1 for v in m.q)",
    'len({x.of for x in m.past if x.kind != "ask"}) == 2 and all(x in m.past for x in m.net)',
]
BODIES = [
    # Rounds that change what is looped over: a loop runs over what was there when it began.
    'for x in m.net:\n    if x.kind == "ask": m.net.take(x)',
    "for v in m.q:\n    m.q.get()\n    if v < 2: m.q.put(v + 1)",
    "for v in m.s: m.s.discard(2 - v)",
    # Leaving loops.
    "for v in m.q:\n    if v == 1: break\n    m.x = (m.x + v) % 9\nelse:\n    m.f = not m.f",
    'for x in m.net:\n    if x.of == 0: continue\n    m.x = m.x + 1 if m.x < 8 else 0\n    if x.kind == "no": break',
    "m.x = found(m, 1)",
    "m.o = smallest(m)",
    "m.x = pairs(m)",
    "for v in m.s:\n    for w in m.q:\n        if v == w: break\n    else:\n        m.x = (m.x + 1) % 9",
    "for v in m.q:\n    for i in range(2):\n        if i == v: return\n        m.x = (m.x + 1) % 9\nm.f = True",
    # Lists of unknown length.
    'm.net = [x for x in m.net if x.kind != "no"]',
    "late = [v for v in m.q if v > 0]\nm.q = []\nfor v in late: m.q.put(v - 1)\nm.x = len(late)",
    "m.s = [v for v in m.q]",
    "m.q = list(m.s)",
    "old = m.q\nm.q = [0]\nm.x = sum(old)\nm.f = 2 in [v for v in old]",
    "m.boxes[m.x % 2] = [v for v in m.q if v != 1]",
    'require(any(x.kind == "yes" for x in m.net))\nm.x = count(x.of == 1 for x in m.net)',
    "for v in m.boxes[m.x % 3]: m.x = v",
    "for v in m.q: m.x = 6 // v",
    "for v in m.q: m.x += 5 * v",
    # Found by the differential campaign: a slot that is known to be free has no value, not even where nothing happens.
    "for v in m.q:\n    m.q.clear()\n    m.s = [w for w in m.q]",
]
HELPERS = """
def found(m, wanted):
    for i, v in enumerate(m.q):
        if v == wanted: return i
    return 7

def smallest(m):
    for v in m.s:
        if v > 0: return v
    return None

def pairs(m):
    n = 0
    for x in m.net:
        for y in m.net:
            if x.of != y.of:
                n += 1
                if n > 2: return n
    return n + 1
"""


def model(*lines: str) -> object:
    text = "\n".join(f"    {line}" for line in lines)
    return define(HELPERS + FRAME.format(body=text), "M")()


@pytest.mark.parametrize("part", range(3))
def test_conditions(part: int) -> None:
    claims = EXPRESSIONS[part::3]
    lines = [f"@invariant\n    def claim{i}(m): return {text}" for i, text in enumerate(claims)]
    instance = model(*lines)

    def claimed(system: System, valuation: tuple[int, ...]) -> None:
        for number, text in enumerate(claims):
            expected = evaluated(lambda: int(getattr(instance, f"claim{number}")()))  # noqa: B023
            told = evaluated(Interpreter(system).evaluate, system.invariants[number].expression, valuation)
            assert told == expected, text

    system, _ = compare_everywhere(instance, 150, claimed)
    asked = [system.scope.parse(text.replace("m.", "")) for text in claims]
    assert asked == [claim.expression for claim in system.invariants]


@pytest.mark.parametrize("part", range(5))
def test_statements(part: int) -> None:
    bodies = [body.replace("\n", "\n        ") for body in BODIES[part::5]]
    actions = (f"@action\n    def act{number}(m):\n        {body}" for number, body in enumerate(bodies))
    compare_everywhere(model(*actions), 60)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("from strandline import *\n" + HELPERS + FRAME.format(body=""))
    verdict = strandline.check(file, invariants='not any(x.kind == "no" and x.of == 1 for x in net)', deadlock=False)
    assert verdict.trace is not None
    assert len(verdict.trace) == 1
    with pytest.raises(InputError) as caught:
        strandline.check(file, invariants='any(x.sort == "no" for x in net)')
    assert str(caught.value).splitlines()[0] == "invariant:1:5: Msg has no field 'sort'"


def test_a_loop_with_many_ways_out_stays_small(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("""from strandline import *
class M(Model):
    s: Set[Range[0, 15]]
    b: Bag[Range[0, 15], 8]
    x: Range[0, 16]
    @action
    def grow(m, v: Range[0, 15]):
        for w in m.s:
            if w == v: return
            if w > v: break
        m.x = 16
        for w in m.b:
            if w == v: return
            if w < v: m.x = w
        m.b.put(v)
""")
    system = strandline.load(file)
    assert len(system.actions) == 16


def test_an_array_beside_a_container_cannot_be_assigned_as_a_whole_in_the_loop() -> None:
    """Found by the differential campaign, where it was an internal error."""
    compare_everywhere(model("@action\n    def act(m):\n        for v, w in zip(m.q, m.a): m.a[1] = (v + w) % 3"), 40)
    body = "for v, w in zip(m.q, m.a): m.a = [v, w]"
    with pytest.raises(InputError, match="assigned as a whole on one way only"):
        compare_everywhere(model(f"@action\n    def act(m):\n        {body}"), 1)
