"""Fairness declared by a Python model: its meaning for the System, and messages for wrong declarations."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_wrong_programs import check_message, refused

import strandline
from strandline.model.system import System
from strandline.report.dump import dump
from strandline.report.facts import facts_data, facts_text
from strandline.report.style import Style

MODEL = """from strandline import *
class Lift(Model):
    floor: Range[0, 3]
    never: bool
    class Rider(Process, count=2, fair=True):
        pc: Enum["out", "in"]
        @action(at="out", to="in")
        def enter(m, me, at: Range[0, 1]): require(m.floor == at)
        @action(at=("in", "out"), to="out", fair=True)
        def leave(m, me): require(m.floor != 0)
        @fairness
        def waits(m, me): return me.pc == "out"
    class Motor(Process):
        @action(fair=True)
        def move(m, me, to: Range[0, 3]): m.floor = to
        @action
        def idle(m, me): pass
    @action(fair=True)
    def impossible(m): require(m.floor > 5)
    @action(fair=True)
    def reset(m): m.floor = 0
    @fairness
    def grounded(m): return m.floor == 0
"""


@pytest.fixture
def system(tmp_path: Path) -> System:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    return strandline.load(file)


def test_what_is_declared(system: System) -> None:
    weak = {one.name: [action.name for action in one.actions] for one in system.fairness if one.condition is None}
    assert weak == {
        "Rider_0": [f"Rider_0.{step}" for step in ("enter(at=0)", "enter(at=1)", "leave", "leave")],
        "Rider_1": [f"Rider_1.{step}" for step in ("enter(at=0)", "enter(at=1)", "leave", "leave")],
        "Rider_0.leave": ["Rider_0.leave", "Rider_0.leave"],
        "Rider_1.leave": ["Rider_1.leave", "Rider_1.leave"],
        "Motor.move": [f"Motor.move(to={floor})" for floor in range(4)],
        "impossible": ["impossible"],
        "reset": ["reset"],
    }
    own = set(map(id, system.actions))
    assert all(id(action) in own for one in system.fairness for action in one.actions)
    conditions = {one.name: system.scope.render(one.condition) for one in system.fairness if one.condition is not None}
    waits = {f"Rider_{number}.waits": f"Rider_{number}.pc == 'out'" for number in range(2)}
    assert conditions == {"grounded": "floor == 0", **waits}


def test_places_are_those_of_the_declarations(system: System) -> None:
    shown = {one.name: system.source.caret(one.span).splitlines() for one in system.fairness if one.span is not None}
    assert len(shown) == len(system.fairness)
    for name, text in (("Rider_1", "fair=True"), ("Motor.move", "def move"), ("grounded", "def grounded(m)")):
        line, caret = shown[name]
        assert line[caret.index("^") :].startswith(text)


def test_what_can_never_happen_is_no_fairness(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL.replace("require(m.floor > 5)", "require(False)"))
    assert "impossible" not in {one.name for one in strandline.load(file).fairness}


def test_it_is_shown(system: System) -> None:
    text = facts_text(system, Style(False))
    assert "  fairness  Rider_1, weak\n" in text
    assert "  fairness  grounded, infinitely often\n" in text
    assert {"name": "reset", "kind": "weak"} in facts_data(system)["fairness"]
    assert {"name": "grounded", "kind": "condition"} in facts_data(system)["fairness"]
    listed = dump(system)
    number = next(n for n, action in enumerate(system.actions) if action.name == "reset")
    assert f"fairness reset\n    weak, of action {number}\n" in listed
    numbers = [n for n, action in enumerate(system.actions) if action.name.startswith("Rider_0.")]
    assert f"fairness Rider_0\n    weak, of actions {', '.join(map(str, numbers))}\n" in listed
    assert "fairness grounded\n    infinitely often floor == 0\n" in listed


def test_a_condition_runs_as_plain_python(tmp_path: Path) -> None:
    file = tmp_path / "lift.py"
    file.write_text(MODEL + "m = Lift()\nm.move(2)\nassert (m.grounded(), m.Rider[0].waits()) == (False, True)\n")
    assert strandline.load(file).name == "Lift"


WRONG = [
    ("    @fairness\n    def claim(m): return m.x\n", "a number is no condition; write '!= 0'", "return m.x"),
    ("    @fairness\n    def claim(m): m.x = 1\n", "only an action can change the state", "m.x = 1"),
    ("    @fairness\n    def claim(m): pass\n", "'claim' returns nothing", "def claim(m): pass"),
    ("    @fairness\n    def claim(m, d): return d\n", "this takes (m) and nothing else", "def claim(m, d): return d"),
    ("    @fairness\n    def claim(m): return False\n", "no run at all is fair", "return False"),
    ("    @fairness\n    @action\n    def claim(m): pass\n", "decorated twice, as action and as fairness", "@fairness"),
    (
        "    @action(fair=1)\n    def claim(m): pass\n",
        "fair is True or 'weak', 'strong' or False, not 1",
        "@action(fair=1)",
    ),
    (
        "    class Q(Process, fair=2):\n        k: bool\n",
        "a condition is written with @fairness",
        "class Q(Process, fair=2):",
    ),
    (
        "    class Q(Process, fair=True):\n        k: bool\n",
        "process 'Q' has no action of its own",
        "fair=True",
    ),
    ("class Other(M, fair=True):\n    pass\n", "'count' and 'fair' belong to a process", "class Other(M, fair=True):"),
    ("    @invariant(fair=True)\n    def claim(m): return m.f\n", "unexpected keyword", "@invariant(fair=True)"),
]


@pytest.mark.parametrize(("part", "message", "place"), WRONG, ids=[one[1] for one in WRONG])
def test_wrong_declarations(tmp_path: Path, part: str, message: str, place: str) -> None:
    text = "from strandline import *\nclass M(Model):\n    x: Range[0, 3]\n    f: bool\n"
    text += "    @action\n    def step(m): m.x = 0\n" + part
    check_message(refused(tmp_path, text), message, place)


@pytest.mark.parametrize("fields", ["", 'pc: Enum["s"]', "z: bool"])
def test_a_process_is_one_whatever_it_has(fields: str, tmp_path: Path) -> None:
    """A process that does nothing for ever moves: weak fairness of processes does not make it work."""
    model = tmp_path / "model.py"
    model.write_text(
        "from strandline import *\n"
        "class A(Model):\n"
        "    done: bool\n"
        "    class Worker(Process, count=2):\n"
        f"        {fields}\n"
        "        @action\n"
        "        def idle(m, me): pass\n"
        "        @action\n"
        "        def work(m, me): require(not m.done); m.done = True\n"
    )
    for asked in ({"ltl": "F done"}, {"ctl": "AF done"}):
        verdict = strandline.check(model, fair=True, **asked)  # type: ignore[arg-type]
        assert verdict.answer is strandline.Answer.VIOLATED
