"""What Python would take without a word and a model would mean otherwise: each is refused, exactly so."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline import Model, Range, Record
from strandline.errors import InputError, UsageError

HEAD = """import functools
from strandline import *
def plain(m): m.x = 1
def calm(claim): return lambda m: True
class M(Model):
    x: Range[0, 3]
    @action
    def step(m): m.x = 0
"""
PROCESS = '    class P(Process, count=2):\n        pc: Enum["here", "there"]\n'
CASES = {
    "a domain in the place of the process": (
        PROCESS + "        @action\n        def move(m, d: Range[0, 3]): m.x = d\n",
        "model.py:12:21: 'move' takes (m, me, ...): 'd' stands where the process comes in",
        "d: Range[0, 3]",
    ),
    "another name in the place of the process": (
        PROCESS + "        @action\n        def move(m, d): m.x = d\n",
        "model.py:12:21: 'move' takes (m, me, ...): 'd' stands where the process comes in",
        "d",
    ),
    "a domain for the process": (
        PROCESS + "        @action\n        def move(m, me: Range[0, 3]): m.x = me\n",
        "model.py:12:21: 'move' takes (m, me, ...): 'me' stands where the process comes in",
        "me: Range[0, 3]",
    ),
    "model and process exchanged": (
        PROCESS + "        @invariant\n        def fine(me, m): return me.x < 2\n",
        "model.py:12:18: 'fine' takes (m, me): 'me' stands where the model comes in",
        "me",
    ),
    "a domain in the place of the model": (
        "    @action\n    def jump(d: Range[0, 3]): pass\n",
        "model.py:10:14: 'jump' takes (m, ...): 'd' stands where the model comes in",
        "d: Range[0, 3]",
    ),
    "two actions": (
        "    @action\n    def step(m): m.x = 2\n",
        "model.py:10:5: 'step' is defined twice in the model 'M': the first, in line 8, would be forgotten",
        "def step",
    ),
    "two invariants": (
        "    @invariant\n    def low(m): return m.x < 1\n    @invariant\n    def low(m): return m.x < 9\n",
        "model.py:12:5: 'low' is defined twice in the model 'M': the first, in line 10, would be forgotten",
        "def low",
    ),
    "two processes": (
        PROCESS + PROCESS,
        "model.py:11:5: 'P' is defined twice in the model 'M': the first, in line 9, would be forgotten",
        "class P",
    ),
    "two actions of a process": (
        PROCESS + "        @action\n        def go(m, me): pass\n        @action\n        def go(m, me): m.x = 1\n",
        "model.py:14:9: 'go' is defined twice in the process 'P': the first, in line 12, would be forgotten",
        "def go",
    ),
    "two variables": (
        "    x: Range[0, 5]\n",
        "model.py:9:5: 'x' is defined twice in the model 'M': the first, in line 6, would be forgotten",
        "x: Range[0, 5]",
    ),
    "a variable and an action": (
        "    @action\n    def x(m): pass\n",
        "model.py:10:5: 'x' is defined twice in the model 'M': the first, in line 6, would be forgotten",
        "def x",
    ),
    "two models": (
        "class M(Model):\n    x: Range[0, 1]\n    @action\n    def step(m): m.x = 1\n",
        "model.py:9:1: the model 'M' is defined twice: the first, in line 5, would be forgotten",
        "class M",
    ),
    "a process in a process": (
        PROCESS + '        class Q(Process):\n            pc: Enum["a"]\n',
        "model.py:11:9: a process cannot stand inside the process 'P'; write it beside it, in the model",
        "class Q",
    ),
    "a model in a model": (
        "    class Q(Model):\n        y: bool\n",
        "model.py:9:5: a model cannot stand inside the model 'M'; derive a Process or a Record",
        "class Q",
    ),
    **{
        f"a variable called {name}": (
            f"    {name}: bool\n",
            f"model.py:9:5: '{name}' is what every model has: m.{name}(...); choose another name",
            f"{name}: bool",
        )
        for name in ("state", "steps", "take", "restore", "initial_states")
    },
    "an action called take": (
        "    @action\n    def take(m): m.x = 1\n",
        "model.py:10:5: 'take' is what every model has: m.take(...); choose another name",
        "def take",
    ),
    "an enumeration of nothing": (
        "    e: Enum[()]\n",
        'model.py:9:5: M.e: Enum needs different names, as in Enum["idle", "busy"]',
        "e: Enum[()]",
    ),
    "an async action": (
        "    @action\n    async def late(m): m.x = 1\n",
        "model.py:10:5: 'late' is one atomic step: nothing can be awaited in it; write 'def'",
        "async def late",
    ),
    "a lambda": (
        "    jump = action(lambda m: None)\n",
        "model.py:9:5: 'jump' is made of a lambda; write the action as a function: @action def jump",
        "jump = action(lambda m: None)",
    ),
    "a function of another name": (
        "    jump = action(plain)\n",
        "model.py:9:5: 'jump' is made of 'plain'; write the action as a function: @action def jump",
        "jump = action(plain)",
    ),
    "a decorator below": (
        "    @action\n    @functools.cache\n    def late(m): m.x = 1\n",
        "model.py:10:6: @action must be the only decorator of 'late': what another makes of it is not compiled",
        "functools.cache",
    ),
    "a decorator above, which hides the claim": (
        "    @calm\n    @invariant\n    def low(m): return m.x < 1\n",
        "model.py:9:6: @invariant must be the only decorator of 'low': what another makes of it is not compiled",
        "calm",
    ),
    "a default": (
        "    @action\n    def jump(m, d: Range[0, 3] = 1): m.x = d\n",
        "model.py:10:34: a parameter of 'jump' has all values of its domain: a default would say nothing",
        "1",
    ),
    "parameters by position only": (
        "    @action\n    def jump(m, d: Range[0, 3], /): m.x = d\n",
        "model.py:10:14: 'jump' takes (m, ...): plain parameters, without '*' or '/'",
        "m",
    ),
    "any parameters": (
        "    @action\n    def jump(m, **d): m.x = 1\n",
        "model.py:10:19: 'jump' takes (m, ...): plain parameters, without '*' or '/'",
        "d",
    ),
    "a guard that is returned": (
        "    @action\n    def jump(m):\n        m.x = 1\n        return m.x == 0\n",
        "model.py:12:9: what 'jump' returns would be forgotten; write require(...) for a condition of the step",
        "return m.x == 0",
    ),
    "initial states in a process": (
        PROCESS + "        @initial\n        def start(m, me): m.x = 1\n",
        "model.py:12:9: @initial belongs into the model: it sets up the whole state",
        "def start",
    ),
    "a property, which would be that of the initial state": (
        "    @property\n    def low(m): return m.x < 1\n    @invariant\n    def fine(m): return m.low\n",
        "model.py:12:25: 'low' is a property, which cannot be compiled; write a function and call it: low()",
        "m.low",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_with_file_line_and_caret(tmp_path: Path, name: str) -> None:
    part, message, place = CASES[name]
    file = tmp_path / "model.py"
    file.write_text(HEAD + part)
    with pytest.raises(InputError) as caught:
        strandline.load(file)
    head, line, caret = str(caught.value).splitlines()[:3]
    assert head == f"{tmp_path}/{message}"
    start = caret.index("^")
    assert line[start : start + caret.count("^")] == place


def test_what_derives_from_a_class_may_replace_what_that_has(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    more = "class N(M):\n    @action\n    def step(m): m.x = 2\n    @action\n    def _unused(_m): pass\n"
    file.write_text(HEAD + more)
    assert strandline.explore(f"{file}:N").statistics.states == 2


def test_a_value_may_follow_its_declaration(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(HEAD + "    y: Range[0, 3]\n    y = 2\n")
    assert strandline.load(file).initial == ((0, 2),)


PAIR = (
    "('busy', 4) may be a state, or a step called 'busy' with a state: say which, for all that 'successors' gives, "
    "with named=False or named=True"
)


@pytest.mark.parametrize("start", [("idle", 3), "start"], ids=["states that are pairs", "states of two types"])
def test_callables_whose_states_look_like_named_steps(start: object) -> None:
    def successors(state: object) -> list[object]:
        return [("busy", 4)] if state == start else []

    with pytest.raises(UsageError) as caught:
        strandline.explore(strandline.from_callables([start], successors))
    assert str(caught.value) == PAIR
    for named, last in ((True, 4), (False, ("busy", 4))):
        model = strandline.from_callables([start], successors, named=named)
        verdict = strandline.check(model, deadlock=True)
        assert verdict.trace is not None
        assert verdict.trace.final == {"state": last}


def test_callables_whose_steps_are_all_named() -> None:
    model = strandline.from_callables([("idle", 0)], lambda state: [("go", ("idle", (state[1] + 1) % 5))])
    assert strandline.explore(model).statistics.states == 5
    wrong = strandline.from_callables([0], lambda state: [1], named=True)
    with pytest.raises(UsageError, match=r"^named=True: a step is a pair \(name, state\), not 1$"):
        strandline.explore(wrong)


def test_a_default_of_a_record_is_refused() -> None:
    """Plain Python would read the default whatever the record was made with."""

    class Post(Model):
        class Letter(Record):
            stamp: Range[0, 5] = 2

        box: Letter

    with pytest.raises(InputError, match="field 'stamp' of the record 'Letter' has a default, which records do not"):
        strandline.explore(Post())
