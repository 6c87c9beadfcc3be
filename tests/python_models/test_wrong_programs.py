"""Wrong programs and the messages that a user can act on: each with its line, and a caret under the place."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError

HEAD = """from strandline import *
class Pair(Record):
    a: Range[0, 2]
    b: bool
LIMITS = {"x": 3}
HALF = 0.5
def endless(m, n): return endless(m, n + 1)
def partial(m):
    if m.f:
        return 1
class M(Model):
    N = param(2)
    x: Range[0, 3]
    f: bool
    e: Enum["on", "off"]
    o: Optional[Range[0, 2]]
    a: Array[Range[0, 3], N]
    q: Fifo[Range[0, 2], 2]
    s: Set[Range[0, 3]]
    r: Pair
    class P(Process, count=N):
        pc: Enum["here", "there"]
        k: Range[0, 1]
"""
BODIES = [
    ("while m.x < 3: m.x += 1", "a while loop has no bound", "while"),
    ("m.x = m.x / 2", "write '//' for whole numbers", "m.x / 2"),
    ("m.y = 1", "the model has no 'y'", "m.y = 1"),
    ("m.x = x + 1", "'x' belongs to the model; write 'm.x'", "x"),
    ("m.x = m.xx", "did you mean 'x'?", "m.xx"),
    ("if m.x: m.f = True", "a number is no condition; write '!= 0'", "m.x"),
    ("m.f = m.x", "a bool cannot hold", "m.f = m.x"),
    ('m.e = "of"', "'of' is not one of on, off", 'm.e = "of"'),
    ('require(m.e == "of")', "did you mean 'off'?", 'm.e == "of"'),
    ("m.x = m.e", "an enumeration value cannot be used as a number", "m.x = m.e"),
    ("m.a.append(1)", "has no part 'append'", "m.a.append"),
    ("m.q.push(1)", "it has put, get, count, clear", "m.q.push(1)"),
    ("for v in m.x: m.x = v", "a loop needs range(...), processes, an Array, a container or a tuple", "m.x"),
    ("for i in range(m.x): m.f = True", "the bounds of a loop must be known beforehand", "m.x"),
    ("try: m.x = 1\n        except ValueError: pass", "exceptions cannot be caught", "try: "),
    ("assert m.x == 1", "write require(...)", "assert m.x == 1"),
    ("m.x = [1, 2][m.x - 1]", "the index of a tuple must never be negative", "[1, 2][m.x - 1]"),
    ("m.x = None", "declare it as Optional[Range[0, 3]]", "m.x = None"),
    ("m.q.put(None)", "declare it as Optional[Range[0, 2]]", "m.q.put(None)"),
    ("m.x = m.o or 0", "'v if v is not None else ...'", "m.o"),
    ("t = Pair(1, True)\n        t.a = 2", "assign another: Pair(...)", "t.a = 2"),
    ("w = m.a\n        m.a = [1, 2]\n        w[0] = 3", "assign to an Array of the model", "w[0] = 3"),
    ("m.a = [v for v in m.a if v > 1]", "Array[Range[0, 3], 2] needs 2 values", "m.a = [v for v in m.a if v > 1]"),
    ("for i, v in enumerate(m.s): m.x = i", "enumerate cannot number the values of a Set", "enumerate(m.s)"),
    ("for u, v in zip(m.q, (1,), strict=True): pass", "a container has none", "zip(m.q, (1,), strict=True)"),
    ("u, v = m.q", "2 values are needed here", "u, v = m.q"),
    ("m.x = max(v for v in m.a if v > 1)", "give it one for that case: default=...", "max(v for v in m.a if v > 1)"),
    ("m.x = max(m.a, key=abs)", "max cannot take 'key' here", "max(m.a, key=abs)"),
    ("z = zip(m.a, m.a)", "write enumerate, zip and reversed in the loop itself", "z = zip(m.a, m.a)"),
    (
        "for u, v in zip(m.a, (1,), strict=True): pass",
        "zip(..., strict=True) needs equal lengths, and these have 1 and 2",
        "zip(m.a, (1,), strict=True)",
    ),
    (
        "for v in m.a:\n            if m.f: m.a = [1, v]\n            m.x = v",
        "is assigned as a whole on one way only",
        "v",
    ),
    ("for u, v in m.a: m.x = v", "2 values are needed here", "u, v"),
    ("u, *v = m.a", "'*' cannot be used here", "u, *v = m.a"),
    ("if m.x in {1, 2}: m.x = 0", "'x in (1, 2)'", "{1, 2}"),
    ("m.f = (m.x, 1) == (1, m.x)", "cannot be compared as a whole", "(m.x, 1) == (1, m.x)"),
    ("m.x = m.x ** m.x", "a product for a power", "m.x ** m.x"),
    ("m.x == 2", "this has no effect; did you mean require(...)", "m.x == 2"),
    ("print(m.x)", "an action cannot print", "print(m.x)"),
    ("m.x = sorted((2, 1))[0]", "'sorted' cannot be compiled", "sorted((2, 1))"),
    ("f = lambda v: v\n        m.x = f(1)", "write a function with 'def'", "lambda v: v"),
    ("m.x = LIMITS['x']", "'LIMITS' is a dict", "LIMITS"),
    ("m.x = HALF", "there are no fractions", "HALF"),
    ("m.x = 1.5", "1.5 cannot be used in a model", "1.5"),
    ("m.x = endless(m, 0)", "recursion cannot be inlined", "endless(m, n + 1)"),
    ("m.x = partial(m)", "a function must return a value on every path", "m.f"),
    ("if m.f: v = 1\n        m.x = v", "is set on one path here only", "v"),
    ("m.r = Pair(1)", "Pair needs exactly the fields a, b", "Pair(1)"),
    ("m.r.c = 1", "Pair has no field 'c'", "m.r.c = 1"),
    ("if m.o: m.x = 1", "write 'is not None'", "m.o"),
    ("if m.q: m.x = 1", "write 'len(...) > 0'", "m.q"),
    ("m.P.k = 1", "choose one: m.P[index].k", "m.P.k = 1"),
    ("m.x = m.a[0:1]", "a slice cannot be compiled", "m.a[0:1]"),
    ("global N", "declare one in the model", "global N"),
    ("m.step2()", "an action cannot call another action", "m.step2()"),
    ("m.N = 3", "cannot be assigned to", "m.N = 3"),
]
WHOLE = [
    ("    @action\n    def claim(m, d): pass\n", "'d' needs a domain", "d"),
    (
        '    @action\n    def claim(m, d: any_of("x")): pass\n',
        "any_of needs the name of a Bag, Fifo or Set",
        'd: any_of("x")',
    ),
    ("    @action\n    def claim(): pass\n", "an action takes (m, ...)", "def claim(): pass"),
    ("    @invariant\n    def claim(m): m.x = 1\n", "only an action can change the state", "m.x = 1"),
    ("    @invariant\n    def claim(m): m.x == 1\n", "this has no effect", "m.x == 1"),
    ("    @invariant\n    def claim(m): return m.x\n", "a number is no condition", "return m.x"),
    ("    @measure\n    def claim(m): return m.e\n", "an enumeration value cannot be used as a number", "return m.e"),
    ("    @action\n    def claim(m: bad\n", "not Python", None),
    ("    z: Range[0, UNKNOWN]\n", "NameError: name 'UNKNOWN' is not defined", "z: Range[0, UNKNOWN]"),
    ("    z: int\n", "write Range[low, high]", "z: int"),
    ("    z: Range[3, 1]\n", "Range[3, 1] is empty", "z: Range[3, 1]"),
    ("    z: Bag[Array[bool, 2], 2]\n", "Bag cannot hold Array[bool, 2]", "z: Bag[Array[bool, 2], 2]"),
    ("    z: Range[0, 2] = 5\n", "the initial value does not fit", "z: Range[0, 2] = 5"),
    (
        '    @action(at="idle")\n    def claim(m): pass\n',
        "'at' and 'to' need a field 'pc: Enum[...]' in the process",
        "def claim(m): pass",
    ),
    ("    z: Range[0, 6 // (N - 2)]\n", "its type cannot be computed", "z: Range[0, 6 // (N - 2)]"),
    ("    z: Range[0, 6] = 6 // (N - 2)\n", "the initial value does not fit", "z: Range[0, 6] = 6 // (N - 2)"),
    *(
        (f"    @initial\n    def start(m, v: Range[0, 5]):\n        {body}\n", message, body)
        for body, message in (
            ("m.x = v", "OutOfRange: x = 4 is outside 0..3"),
            ("m.x = 1 // v", "ZeroDivisionError"),
            ("m.a[v] = 1", "IndexError"),
            ("m.zz = 3", "AttributeError"),
            ('m.x = "a"', "TypeError"),
        )
    ),
    (
        '    class Q(Process):\n        pc: Enum["u"]\n        @action(at="v")\n        def claim(m, me): pass\n',
        "'v' is not a value of pc; it is one of 'u'",
        '"v"',
    ),
]


def refused(tmp_path: Path, text: str) -> str:
    file = tmp_path / "model.py"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        strandline.load(file)
    return str(caught.value)


@pytest.mark.parametrize(("body", "message", "place"), BODIES, ids=[one[0].split("\n")[0] for one in BODIES])
def test_wrong_actions(tmp_path: Path, body: str, message: str, place: str) -> None:
    text = HEAD + "    @action\n    def step2(m): m.x = 0\n    @action\n    def step(m):\n        " + body + "\n"
    check_message(refused(tmp_path, text), message, place)


@pytest.mark.parametrize(("part", "message", "place"), WHOLE, ids=[one[1] for one in WHOLE])
def test_wrong_declarations(tmp_path: Path, part: str, message: str, place: str | None) -> None:
    text = HEAD + "    @action\n    def step(m): m.x = 0\n" + part
    check_message(refused(tmp_path, text), message, place)


def check_message(shown: str, message: str, place: str | None) -> None:
    lines = shown.splitlines()
    assert message in lines[0]
    if place is not None:
        assert "model.py:" in lines[0]
        start, width = lines[2].index("^"), lines[2].count("^")
        assert lines[1][start : start + width].startswith(place.split("\n")[0][:width]), shown
        assert place.startswith(lines[1][start : start + width]), shown


def test_there_are_at_least_thirty() -> None:
    assert len(BODIES) + len(WHOLE) >= 30
