"""What decides whether there is a step at all: values that are out of range in between, and what is evaluated first."""

from __future__ import annotations

import pytest
from programs import define
from test_three_ways import compare_everywhere

MODEL = """
class Job(Record):
    a: Range[0, 2]
    b: bool
class Tried(Model):
    x: Range[0, 3] = 1
    y: Range[0, 3]
    o: Optional[Range[0, 2]]
    p: Job
    b: Bag[Job, 2] = [Job(1, True)]
    c: Bag[Range[0, 3], 2] = [1, 2]
    s: Set[Range[0, 3]] = [1]
    t: Set[Job]
    a: Array[Range[0, 3], 2]
    @action
    def turn(m): m.y = (m.y + 1) % 4
    @action
    def step(m):
        {body}
"""
BODIES = [
    "m.p.a = m.x - 2\n        m.b.take(m.p)",
    "m.p = Job(m.y - 1, True)\n        require(m.p in m.b)\n        m.p.a = 0",
    "m.p.a = m.x - 2\n        require(m.b.count(m.p) == 1)",
    "m.p.a = m.y - 2\n        require(m.o == m.p.a)\n        m.p.a = 1",
    "m.x = m.y * 3\n        require(m.x in m.s)",
    "m.x = m.y - 2\n        m.c.take(m.x)\n        m.x = 2",
    "m.x = m.y * 2\n        require(m.c.count(m.x) < 1)\n        m.x = 0",
    "m.p.a = m.y - 1\n        m.p.b = True\n        m.t.add(m.p)\n        require(m.x == 9)",
    "m.x = m.y * 2\n        m.s.add(m.x)\n        require(m.x == 9)",
    "m.x = 7\n        if m.x in m.a: m.y = 1\n        m.x = 1",
    "m.x = m.y * 2\n        v = m.x\n        m.x = 0\n        require(v < 4)",
    "require(m.p == Job(m.y, m.a[m.y] == 0))",
    "require(Job(m.x // m.y, True) == Job(1, m.a[m.y] == 0))",
    "require(m.p == Job(1, m.a[m.y] == 0) and m.x == 9)",
    "for k in range(2):\n            if m.a[k] != m.y: continue\n            m.a[k] = m.x\n        m.x = 0",
    "for k in range(2):\n            if m.a[k] == m.y: break\n            m.a[m.x % 2] = m.y\n        m.x = 2",
    "for k in range(2):\n            if m.a[k] == 1: continue\n            if m.y == 2: break\n            m.a[k] = 1",
    (
        "for k in range(2):\n            for l in range(2):\n                if m.a[l] == k: continue\n"
        "                m.a[l] = m.y\n            if m.a[k] == 3: break\n            m.x = k"
    ),
    (
        "for k in range(2):\n            if m.a[k] == m.y: continue\n            if m.y == 3: return\n"
        "            m.a[k] = m.y\n        m.x = 3"
    ),
]


@pytest.mark.parametrize("body", BODIES)
def test_three_ways_agree_in_all_states(body: str) -> None:
    compare_everywhere(define(MODEL.format(body=body), "Tried")())
