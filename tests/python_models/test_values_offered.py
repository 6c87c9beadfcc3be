"""Parameters above the models of a file, and `any_of` in place of a default: they mean what the other spellings do."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError, UsageError
from strandline.languages.python.loading.files import load_model
from strandline.source import Source

HEAD = "from strandline import *\n"
ABOVE = """N = param(2)
room = param(N * 2)
LAST = N - 1
class Office(Model):
"""
INSIDE = """class Office(Model):
    N = param(2)
    room = param(4)
    LAST = N - 1
"""
BODY = """    class Letter(Record):
        kind: Enum["bill", "thanks"]
        to: Range[0, LAST]
    post: Bag[Letter, room]
    class Clerk(Process, count=N):
        paid: Range[0, N]
        @action
        def write(m, me, kind: Enum["bill", "thanks"], to: Range[0, LAST]):
            m.post.put(m.Letter(kind=kind, to=to))
        @action
        def open(m, me, letter: any_of("post")):
            require(letter.to == me and me.paid < m.N)
            m.post.take(letter)
            me.paid += letter.kind == "bill"
    @initial
    def start(m, paid: Range[0, 1]): m.Clerk[0].paid = paid
"""
OFFERED = (
    BODY.replace("to: Range[0, LAST]):", "to=any_of(Range[0, LAST])):")
    .replace('letter: any_of("post")', 'letter: Record = any_of("post")')
    .replace("paid: Range[0, 1])", "paid=any_of(Range[0, 1]))")
)
OTHER = """class Other(Model):
    x: Range[0, N]
    @action
    def up(m):
        require(m.x < m.N)
        m.x += 1
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "model.py"
    file.write_text(HEAD + text)
    return file


@pytest.mark.parametrize(("given", "states"), [("", 70 * 9), ("(N=1, room=3)", 10 * 2), ("(room=1)", 5 * 9)])
def test_all_spellings_are_one_model(tmp_path: Path, given: str, states: int) -> None:
    for text in (INSIDE + BODY, INSIDE + OFFERED, ABOVE + BODY, ABOVE + OFFERED):
        counts = strandline.explore(f"{written(tmp_path, text)}:Office{given}").statistics
        assert counts.states == states


def test_steps_are_named_by_what_they_take(tmp_path: Path) -> None:
    trace = strandline.check(written(tmp_path, ABOVE + OFFERED), reach="Clerk[1].paid == 1").trace
    assert trace is not None
    assert [step.action for step in trace] == [
        "Clerk_0.write(kind=bill, to=1)",
        "Clerk_1.open(letter=Letter(kind=bill, to=1))",
    ]


def test_every_model_of_the_file_has_it(tmp_path: Path) -> None:
    file = written(tmp_path, ABOVE + OFFERED + OTHER)
    assert strandline.explore(f"{file}:Other(N=5)").statistics.states == 6
    assert strandline.explore(f"{file}:Other").statistics.states == 3
    with pytest.raises(UsageError, match="model 'Other' has no parameter 'M'"):
        strandline.explore(f"{file}:Other(M=5)")


def test_as_plain_python(tmp_path: Path) -> None:
    text = HEAD + ABOVE + OFFERED
    cls = load_model(Source("model.py", text))
    m = cls(N=1)  # type: ignore[operator]
    assert (m.N, m.room, repr(m)) == (1, 2, "Office(N=1, room=2)")
    m.write(0, "bill", 0)
    assert [(step.action, step.arguments) for step in m.steps()][-1] == ("open", (m.Letter("bill", 0),))
    m.open(0, m.Letter("bill", 0))
    assert m.Clerk[0].paid == 1


@pytest.mark.parametrize("value", ["[money] * N", "[money, money]", "[money] * 2", "(money, 1 + money - 1)"])
def test_first_values_of_elements_depend_on_parameters(tmp_path: Path, value: str) -> None:
    text = f"N = param(2)\nmoney = param(3)\nclass M(Model):\n    a: Array[Range[0, 9], N] = {value}\n"
    body = "    @action\n    def up(m): require(m.a[0] > m.money)\n"
    file = written(tmp_path, text + body)
    assert strandline.load(file).initial == ((3, 3),)
    assert strandline.load(f"{file}:M(money=5)").initial == ((5, 5),)


WRONG = {
    "its name alone in a function": (
        ABOVE + "    x: Range[0, 3]\n    @action\n    def up(m): m.x = N\n",
        "model.py:8:22: 'N' belongs to the model; write 'm.N'",
    ),
    "what is made of it, in a function": (
        ABOVE + "    x: Range[0, 3]\n    @action\n    def up(m): m.x = LAST\n",
        "model.py:8:22: 'LAST' belongs to the model; write 'm.LAST'",
    ),
    "another of its name in the model": (
        ABOVE + "    N = param(3)\n    @action\n    def up(m): pass\n",
        "model.py:6:5: 'N' is a parameter that stands above the models of this file; choose another name",
    ),
    "a default beside it": (
        ABOVE + '    b: Bag[bool, 1]\n    @action\n    def up(m, x=any_of("b"), y=1): pass\n',
        "model.py:8:32: a parameter of 'up' has all values of its domain: a default would say nothing",
    ),
    "in the place of the process": (
        ABOVE + '    class P(Process):\n        @action\n        def up(m, me=any_of("P")): pass\n',
        "model.py:8:19: 'up' takes (m, me, ...): 'me' stands where the process comes in",
    ),
    "a container that is not there": (
        ABOVE + '    @action\n    def up(m, x=any_of("b")): pass\n',
        "the model has no 'b'",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_misunderstood_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as told:
        strandline.explore(written(tmp_path, text))
    assert message in str(told.value).splitlines()[0]


def test_comparing_a_parameter_before_it_has_a_value(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no value in the class body, only in an instance"):
        strandline.explore(written(tmp_path, "N = param(2)\nif N == 2: pass\n" + OTHER))
