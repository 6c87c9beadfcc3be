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
INSIDE = "; it takes at, to and fair, and a condition is written inside: require(...)"
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
        "model.py:10:5: 'step' is defined twice in the model 'M': the first, in line 8, would be overwritten",
        "def step",
    ),
    "two invariants": (
        "    @invariant\n    def low(m): return m.x < 1\n    @invariant\n    def low(m): return m.x < 9\n",
        "model.py:12:5: 'low' is defined twice in the model 'M': the first, in line 10, would be overwritten",
        "def low",
    ),
    "two processes": (
        PROCESS + PROCESS,
        "model.py:11:5: 'P' is defined twice in the model 'M': the first, in line 9, would be overwritten",
        "class P",
    ),
    "two actions of a process": (
        PROCESS + "        @action\n        def go(m, me): pass\n        @action\n        def go(m, me): m.x = 1\n",
        "model.py:14:9: 'go' is defined twice in the process 'P': the first, in line 12, would be overwritten",
        "def go",
    ),
    "two variables": (
        "    x: Range[0, 5]\n",
        "model.py:9:5: 'x' is defined twice in the model 'M': the first, in line 6, would be overwritten",
        "x: Range[0, 5]",
    ),
    "a variable and an action": (
        "    @action\n    def x(m): pass\n",
        "model.py:10:5: 'x' is defined twice in the model 'M': the first, in line 6, would be overwritten",
        "def x",
    ),
    "two models": (
        "class M(Model):\n    x: Range[0, 1]\n    @action\n    def step(m): m.x = 1\n",
        "model.py:9:1: the model 'M' is defined twice: the first, in line 5, would be overwritten",
        "class M",
    ),
    "a process in a process": (
        PROCESS + '        class Q(Process):\n            pc: Enum["a"]\n',
        "model.py:11:9: a process cannot be declared inside the process 'P'; write it beside it, in the model",
        "class Q",
    ),
    "a model in a model": (
        "    class Q(Model):\n        y: bool\n",
        "model.py:9:5: a model cannot be declared inside the model 'M'; derive a Process or a Record",
        "class Q",
    ),
    **{
        f"a variable called {name}": (
            f"    {name}: bool\n",
            f"model.py:9:5: '{name}' is a method of every model: m.{name}(...); choose another name",
            f"{name}: bool",
        )
        for name in ("state", "steps", "take", "restore", "initial_states")
    },
    "an action called take": (
        "    @action\n    def take(m): m.x = 1\n",
        "model.py:10:5: 'take' is a method of every model: m.take(...); choose another name",
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
        "model.py:12:9: the value that 'jump' returns would be ignored; write require(...) for a condition of the step",
        "return m.x == 0",
    ),
    "initial states in a process": (
        PROCESS + "        @initial\n        def start(m, me): m.x = 1\n",
        "model.py:12:9: @initial belongs into the model: it sets up the whole state",
        "def start",
    ),
    "a variable of the model without its m": (
        "    @action\n    def jump(m):\n        x = 1\n",
        "model.py:11:9: this 'x' is forgotten at the end of 'jump'; write 'm.x' for the variable",
        "x = 1",
    ),
    "a variable of the process without its me": (
        PROCESS + "        k: bool\n        @action\n        def jump(m, me):\n            k = True\n",
        "model.py:14:13: this 'k' is forgotten at the end of 'jump'; write 'me.k' for the variable",
        "k = True",
    ),
    "a variable without its m in a function that is called": (
        "    def jump(m):\n        m.x = 1\n        x: int = 2\n    @action\n    def leap(m): m.jump()\n",
        "model.py:11:9: this 'x' is forgotten at the end of 'jump'; write 'm.x' for the variable",
        "x: int = 2",
    ),
    "a location beside the one that the action goes to": (
        PROCESS + '        @action(at="here", to="there")\n        def go(m, me):\n            me.pc = "here"\n',
        "model.py:13:13: the action ends with to='there', which overwrites me.pc; remove one of them",
        'me.pc = "here"',
    ),
    "such a location in a function that is called": (
        PROCESS
        + '        def back(m, me): me.pc = "here"\n        @action(to="there")\n        def go(m, me): me.back()\n',
        "model.py:11:26: the action ends with to='there', which overwrites me.pc; remove one of them",
        'me.pc = "here"',
    ),
    "a location with a mistake in it": (
        PROCESS + '        @action(at="heer", to="there")\n        def go(m, me): pass\n',
        "model.py:11:20: P.go: 'heer' is not a value of pc; did you mean 'here'?",
        '"heer"',
    ),
    "a location that is none, among several": (
        PROCESS + '        @action(at=("here", "away"))\n        def go(m, me): pass\n',
        "model.py:11:29: P.go: 'away' is not a value of pc; it is one of 'here', 'there'",
        '"away"',
    ),
    "a number without a type": (
        "    y = 0\n    @action\n    def jump(m): m.y += 1\n",
        "model.py:11:18: 'y' has no type, so it is a constant; declare it as a variable: y: Range[low, high] = 0",
        "m.y += 1",
    ),
    "a truth without a type": (
        PROCESS + "        y = False\n        @action\n        def jump(m, me): me.y = True\n",
        "model.py:13:26: 'y' has no type, so it is a constant; declare it as a variable: y: bool = False",
        "me.y = True",
    ),
    "no process at all": (
        "    class P(Process, count=0):\n        pc: Enum['a']\n        @action\n        def go(m, me): pass\n",
        "model.py:9:22: P: count must be 1 or more, not 0",
        "count=0",
    ),
    "a formula as a decorator": (
        "    @ltl\n    def low(m): return m.x < 1\n",
        "model.py:9:5: TypeError: ltl is no decorator; it takes a formula as text: name = ltl('G F x == 0')",
        "@ltl",
    ),
    "a type with parentheses": (
        "    y: Range(0, 3)\n",
        "model.py:9:5: TypeError: Range is written with brackets: Range[0, 3]",
        "y: Range(0, 3)",
    ),
    "names without quotes": (
        "    e: Enum[idle, busy]\n",
        "model.py:9:5: NameError: name 'idle' is not defined; the names of an Enum stand in quotes: 'idle'",
        "e: Enum[idle, busy]",
    ),
    "a condition of an action beside it": (
        "    @action(when=True)\n    def jump(m): m.x = 1\n",
        "model.py:9:5: TypeError: action() got an unexpected keyword argument 'when'" + INSIDE,
        "@action(when=True)",
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
    "('busy', 4) may be a state, or a step named 'busy' with its target: say which, for all items of 'successors', by "
    "named=False or named=True"
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


def notes(tmp_path: Path, part: str) -> list[str]:
    file = tmp_path / "model.py"
    file.write_text(HEAD + part)
    return [one.removeprefix(f"warning: {tmp_path}/") for one in strandline.load(file).notes]


@pytest.mark.parametrize(
    "body", ["m.x += 1", "m.x = 1", "require(m.x > 1)", "m.q.put(1)", "m.a[0] = 1", "if m.x: m.P[0].k = 1"]
)
def test_what_may_be_an_action_without_its_decorator(tmp_path: Path, body: str) -> None:
    told = "'jump' does what an action does, but nothing calls it; is it one without its @action?"
    assert notes(tmp_path, f"    def jump(m, d):\n        {body}\n") == [f"model.py:9:5: {told}"]
    inside = f"{PROCESS}        def jump(m, me):\n            {body}\n"
    assert notes(tmp_path, inside) == [f"model.py:11:9: {told}"]


@pytest.mark.parametrize(
    "part",
    [
        "    def jump(m): m.x += 1\n    @action\n    def leap(m): m.jump()\n",
        "    def double(m): return m.x * 2\n",
        "    def jump(other): other.x = 1\n",
        "    @action\n    def jump(m):\n        x = 1\n        m.x = x\n",
        "    @action\n    def jump(m):\n        x, y = 1, 2\n        m.x = y\n",
        PROCESS + '        @action(to="there")\n        def go(m, me):\n            for p in m.P: p.pc = "here"\n',
    ],
    ids=["called", "no action", "takes something else", "read", "taken apart", "everybody's location"],
)
def test_what_is_nothing_of_the_kind(tmp_path: Path, part: str) -> None:
    assert notes(tmp_path, part) == []


def test_decorators_with_and_without_parentheses(tmp_path: Path) -> None:
    kinds = ("invariant", "reachable", "label", "fairness", "valid_end")
    part = "".join(f"    @{kind}()\n    def {kind[0]}1(m): return m.x == 0\n" for kind in kinds)
    file = tmp_path / "model.py"
    file.write_text(HEAD + part + "    @initial()\n    def start(m): m.x = 2\n")
    system = strandline.load(file)
    assert ([one.name for one in system.invariants], system.initial) == (["i1"], ((2,),))
    assert [one.name for one in (*system.goals, *system.labels, *system.fairness)] == ["r1", "l1", "f1"]
    assert system.ends is not None


def test_a_truth_may_be_given_as_a_number(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(HEAD.replace("class M(Model):", "class M(Model):\n    safe = param(True)"))
    for given in (0, False):
        assert strandline.load(file, safe=given).title == "M(safe=False)"
    with pytest.raises(UsageError) as caught:
        strandline.load(file, safe=2)
    assert str(caught.value) == "M: parameter 'safe' is True or False, True where nothing is given, not 2"


def test_a_model_without_an_action_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("from strandline import *\nclass M(Model):\n    x: Range[0, 3]\n")
    assert strandline.load(file).notes == ("warning: the model 'M' has no action: nothing ever happens in it",)
