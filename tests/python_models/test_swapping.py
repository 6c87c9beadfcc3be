"""Assignments that need each other's old values: made at once, without helper variables."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest
from kernels import compare_back_ends
from programs import define
from strategies import Case
from test_three_ways import plain_steps, system_steps
from test_wrong_programs import check_message, refused

import strandline
from strandline.languages.python.loading.lowering import to_system
from strandline.model.system import rows
from strandline.report.dump import dump

MODEL = """
class Job(Record):
    a: Range[0, 3]
    b: Range[0, 3]
class Box(Record):
    job: Job
    marks: Array[Range[0, 1], 2]
def exchange(m, r):
    m.p = m.q
    return r.a
class Swaps(Model):
    x: Range[0, 3] = 1
    y: Range[0, 3] = 2
    z: Range[-1, 5] = 3
    i: Range[0, 2]
    j: Range[0, 2] = 2
    a: Array[Range[0, 3], 3] = [3, 1, 2]
    p: Job = Job(1, 2)
    q: Job = Job(3, 0)
    jobs: Array[Job, 2]
    box: Box
    b: Bag[Range[0, 3], 2] = [1, 3]
    c: Bag[Range[0, 3], 2] = [2]
    @action
    def step(m):
        {body}
    @action
    def turn(m): m.i = (m.i + 1) % 3
"""
BODIES = [
    "m.x, m.y = m.y, m.x",
    "m.x, m.y, m.z = m.y, m.z, m.x",
    "m.a[0], m.a[2] = m.a[2], m.a[0]",
    "m.a[m.i], m.a[m.j] = m.a[m.j], m.a[m.i]",
    "m.i, m.a[m.i] = m.a[m.i] % 3, m.i",
    "m.a[m.i], m.i = m.i, m.a[m.i] % 3",
    "m.p, m.q = m.q, m.p",
    "old = m.x\n        m.x = m.y\n        m.y = old",
    "old = m.x\n        m.x = m.y\n        if m.i == 1: m.y = old\n        else: m.z = old",
    "m.x, m.y = m.y, (m.x + m.a[m.i]) % 4\n        m.x, m.z = m.z % 4, m.x",
    "m.b.put(m.y); m.x, m.y = m.y, m.x",
    "m.b.take(m.x); m.c.put(m.x); m.x, m.y = m.y, m.x",
    "m.x, m.y = m.z, m.x",
    "m.b, m.c = m.c, m.b",
    "m.p.a, m.q = m.i, m.p",
    "m.q, m.p.a = m.p, m.i",
    "m.p, m.q, m.x = m.q, m.p, m.p.a",
    "old = m.p\n        m.p = m.q\n        m.q = old",
    "old = m.p\n        m.p.a = m.i\n        m.x = old.a\n        m.p = m.q\n        m.q = old",
    "old = m.p\n        m.p = m.q\n        m.p.a = m.i\n        m.x = old.a",
    "old = m.b\n        m.b = m.c\n        m.c = old",
    "m.jobs[0], m.jobs[1] = m.jobs[1], m.p",
    "old = m.jobs[0]\n        m.jobs[0] = m.p\n        m.jobs[1].a = m.i\n        m.p = old",
    "old = m.jobs[1]\n        m.jobs[0].a = m.i\n        m.jobs = (m.p, m.q)\n        m.p = old",
    "old = m.jobs\n        m.jobs[0] = m.p\n        m.p = old[0]",
    "v = m.p if m.i == 1 else m.q\n        m.x = v.a\n        m.p = m.jobs[0]\n        m.jobs[1] = v",
    "v, w = (m.x, m.y) if m.i == 1 else (m.y, m.x)\n        m.x, m.y = w, v",
    "m.x = exchange(m, m.p)",
    "old = m.p\n        m.x = exchange(m, m.q)\n        m.q = old",
    "old = m.p\n        if m.i == 1: m.p = m.q\n        m.q = old",
    "old = m.box.job\n        if m.i != 0: m.box = Box(job=m.p, marks=(1, m.i % 2))\n        m.p = old",
    "old = m.box.marks\n        m.box.marks[0] = 1\n        m.box = Box(m.p, (0, 1))\n        m.x = old[0]",
    "for k in range(2):\n            m.a[k], m.a[k + 1] = m.a[k + 1], m.a[k]",
]


@pytest.mark.parametrize("body", BODIES)
def test_three_ways_agree_in_all_states(body: str) -> None:
    model = define(MODEL.format(body=body), "Swaps")()
    system = to_system(model)
    assert [variable.name for variable in system.variables] == [
        "x", "y", "z", "i", "j", "a", "p.a", "p.b", "q.a", "q.b", "jobs.a", "jobs.b", "box.job.a", "box.job.b",
        "box.marks", "b", "c",
    ]  # fmt: skip
    structure: Any = system.scope.structure  # type: ignore[attr-defined]
    states = model.initial_states()
    waiting, known = deque(states), set(states)
    while waiting:
        state = waiting.popleft()
        expected, targets = plain_steps(model, structure, state)
        assert system_steps(system, structure.valuation(state)) == expected
        fresh = [target for target in targets if target not in known]
        known.update(fresh)
        waiting.extend(fresh)
    assert len(known) >= 3
    assert compare_back_ends(Case(system, (), None), limit=10_000) <= len(known)


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        (
            "old = m.jobs[m.i % 2]\n        m.jobs[0] = m.p\n        m.p = old",
            "'old' stands for jobs[...], which may have been in jobs[0] when that was assigned",
            "old",
        ),
        (
            "old = m.p if m.i == 1 else m.q\n        m.p.a = m.i\n        m.x = old.a",
            "'old' stands for one of several records, and 'p.a' was assigned since",
            "old",
        ),
        (
            "old = m.p if m.i == 1 else m.q\n        if m.x == 1: m.p.a = m.i\n        m.x = old.a",
            "'old' stands for one of several records, and 'p.a' was assigned since",
            "old",
        ),
        (
            "m.b = m.b if m.i == 1 else m.c",
            "Bag[Range[0, 3], 2] cannot be one of two alternatives; write the 'if' as a statement",
            "m.b if m.i == 1 else m.c",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path: Path, body: str, message: str, place: str) -> None:
    text = "from strandline import *\n" + MODEL.format(body=body)
    check_message(refused(tmp_path, text), message, place)


def test_what_is_made_at_once() -> None:
    effects = {}
    for body in (*BODIES[:3], "m.x = m.y; m.z = m.x; m.y = 1"):
        system = to_system(define(MODEL.format(body=body), "Swaps"))
        effects[body] = [len(row) for row in rows(system.actions[0].effects)]
    assert list(effects.values()) == [[2], [3], [2], [1, 1, 1]]
    assert "    x = y; y = x (at once)\n" in dump(to_system(define(MODEL.format(body=BODIES[0]), "Swaps")))


def test_traces_show_the_variables_of_the_model_only() -> None:
    verdict = strandline.check(define(MODEL.format(body=BODIES[0]), "Swaps"), reach="x == 2")
    assert verdict.trace is not None
    assert [change.name for change in verdict.trace.steps[0].changes] == ["x", "y"]
    assert not any("copy" in name for name in verdict.trace.final)
