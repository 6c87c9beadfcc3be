"""Every language parses what it renders: random expressions over real Systems come back unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import InputError, ModelError, ParseError
from strandline.languages import dve, load, lotus, process, promela, python
from strandline.model.expression import (
    ARITHMETIC,
    BINARY_OPERATORS,
    COMPARISONS,
    UNARY_OPERATORS,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
    row,
)
from strandline.model.plain import PlainScope
from strandline.model.system import Domain, System, Variable
from strandline.source import Source

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).parent / "data"

MESSAGES = """
byte a, b;
channel {byte, byte} c;
process P { byte x, y; channel {byte} own[2]; state s, t; init s; trans
  s -> t { sync c!{Q->v, Q->w}; }, t -> s { sync own!x; }; }
process Q { byte v, w; state s; init s; trans s -> s { sync c?{w, v}; }, s -> s { sync P->own?v; }; }
system async;
"""
COMPONENTS = """
const N = 2;
process Cell(n: 0..N) = up -> Cell((n + 1) % (N + 1)) | if n > 0 then down -> (gone -> STOP | back -> Cell(n));
label low = Cell[0].Cell(0) and not Cell[1].STOP;
system i: 0..1 . Cell(i);
"""
STORED = """
from strandline import Array, Bag, Enum, Fifo, Model, Optional, Process, Range, Record, Set, action

class Vote(Record):
    voter: Range[0, 2]
    says: Enum["yes", "no"]

class Everything(Model):
    count: Range[-3, 9]
    flag: bool
    mood: Enum["calm", "it's", "True"]
    maybe: Optional[Range[2, 4]]
    chosen: Optional[Enum["None", "b"]]
    last: Vote
    grid: Array[Array[Range[0, 3], 2], 2]
    flags: Array[bool, 3]
    votes: Array[Vote, 2]
    bag: Bag[Vote, 2]
    queue: Fifo[Optional[Range[0, 2]], 3]
    members: Set[Range[1, 3]]
    raw: Range[0, 1]

    class P(Process, count=2):
        pc: Enum["idle", "busy"]
        k: Range[0, 5]
        held: Optional[Vote]

        @action(at="idle", to="busy")
        def go(m, me):
            me.k = 1

    class Lone(Process):
        pc: Enum["here", "there"]
"""
EDGES = """
DEFINE mood : calm, tired, y; number : -1, 7, 3; week : 1...7; MODULE VAR mood x, y; number n; week w;
INIT x=calm, y=y, n=-1, w=1; TRANS x=calm, n=7 => w=2; w=2 => n=3, x=tired;
"""
AUTOMATON = 'des (0, 3, 3)\n(0, "PUT !1", 1)\n(1, i, 2)\n(2, "x", 0)\n'

SPIN = """
mtype = { ask, answer };
byte a, b[3]; chan c = [2] of { mtype, byte }; bool done;
active [2] proctype P() { byte x, y[2]; start: x = a; c!ask(x); again: y[1] = b[x % 3]; done = x > 1 }
active proctype Q() { byte v; do :: c?ask(v) -> a = v + 1 :: atomic { a > 3; b[1] = a } :: done -> break od }
"""

SYSTEMS = {
    "everything.dve": load(DATA / "everything.dve"),
    "messages.dve": dve.load(Source("messages.dve", MESSAGES)),
    "cells.psl": process.load(Source("cells.psl", COMPONENTS)),
    "queue.aut": process.aldebaran.load(Source("queue.aut", AUTOMATON)),
    "stored.py": python.load(Source("stored.py", STORED)),
    "crossing.pnml": load(ROOT / "examples/petri-crossing/crossing.pnml"),
    "messages.pml": promela.load(Source("messages.pml", SPIN)),
    "edges.lotus": lotus.load(Source("edges.lotus", EDGES)),
    "bakery.py": load(ROOT / "examples/python-bakery/bakery.py"),
}
_OTHERS = frozenset({"//", "mod"})
WORDS = {
    ".dve": (BINARY_OPERATORS - _OTHERS, UNARY_OPERATORS, False),
    ".psl": (COMPARISONS | {"and", "or", "+", "-", "*", "//", "mod"}, frozenset({"not", "-"}), False),
    ".py": (BINARY_OPERATORS, UNARY_OPERATORS, True),
}
WORDS[".lotus"] = (COMPARISONS | {"and", "or", "imply", "+", "-", "*", "/", "%"}, frozenset({"not", "-"}), False)
WORDS[".pml"] = (BINARY_OPERATORS, UNARY_OPERATORS, True)
WORDS[".aut"] = WORDS[".psl"]
WORDS[".pnml"] = WORDS[".py"]

NUMBERS = st.one_of(st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1))


def places(variables: tuple[Variable, ...], index: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Variables and elements of arrays."""
    scalars = [one for one in variables if one.length is None]
    arrays = [one for one in variables if one.length is not None]
    found: list[st.SearchStrategy[Expression]] = []
    if scalars:
        found.append(st.sampled_from(scalars).map(Read))
    if arrays:
        found.append(st.builds(Element, st.sampled_from(arrays), index))
    return st.one_of(*found)


def questions(variables: tuple[Variable, ...], index: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Comparisons with a number, which may have a name."""
    sign = st.sampled_from(["==", "==", "!="])
    return st.builds(Binary, sign, places(variables, index), st.integers(-1, 4).map(Const))


def expressions(system: System, suffix: str) -> st.SearchStrategy[Expression]:
    """Draw expressions that the language of a System can render."""
    binary, unary, everything = WORDS[suffix]
    # Elements of constant arrays are constants.
    index = places(tuple(one for one in system.variables if one.length is None), st.nothing())
    if everything:
        index = st.one_of(index, st.integers(-1, 5).map(Const))
    leaves = st.one_of(NUMBERS.map(Const), places(system.variables, index), questions(system.variables, index))

    def larger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        found = [
            st.builds(Unary, st.sampled_from(sorted(unary)), parts),
            st.builds(Binary, st.sampled_from(sorted(binary)), parts, parts),
            st.builds(Binary, st.sampled_from(sorted(binary & ARITHMETIC)), parts, parts),
        ]
        if everything:
            found += [st.builds(Choice, parts, parts, parts), st.sampled_from(["a fault", "it's"]).map(Undefined)]
        return st.one_of(*found)

    return st.recursive(leaves, larger, max_leaves=12)


@pytest.mark.parametrize("name", SYSTEMS)
@given(data=st.data())
def test_what_is_written_can_be_read(name: str, data: st.DataObject) -> None:
    system = SYSTEMS[name]
    expression = data.draw(expressions(system, name[name.index(".") :]))
    text = system.scope.render(expression)
    assert system.scope.parse(text) == expression, text


@given(data=st.data())
def test_variables_of_any_name_can_be_said(data: st.DataObject) -> None:
    """Also where a System came from no language."""
    odd = ["c.0", "Slave[3]", "not", "it's", 'say "hi"', "a b", "x", "P.y", "var", "imply", "für", ""]
    variables = tuple(
        Variable(one, Domain(0, 3), None if number % 2 else 4, names=("n", "m", "n")) for number, one in enumerate(odd)
    )
    scope = PlainScope(variables)
    system = System.create("odd", Source("odd", ""), variables, (), ())
    expression = data.draw(expressions(system, ".py"))
    assert scope.parse(scope.render(expression)) == expression


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_stands_in_a_model_can_be_said(name: str) -> None:
    system = SYSTEMS[name]
    stated = [one.expression for one in (*system.labels, *system.invariants, *system.assertions)]
    stated += [one.expression for one in system.measures]
    stated += [action.guard for action in system.actions if action.guard is not None]
    stated += [effect.value for action in system.actions for effect in action.effects]
    for expression in stated:
        assert system.scope.parse(system.scope.render(expression)) == expression


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("terms", [300, 1000, 5000])
def test_long_sums(name: str, terms: int) -> None:
    """As many as a process may have locations."""
    system = SYSTEMS[name]
    one = max((one for one in system.variables if one.length is None), key=lambda one: one.names is not None)
    asked = [Binary("*", Const(number), Binary("==", Read(one), Const(number % 2))) for number in range(1, terms)]
    expression = row("+", asked)
    assert system.scope.parse(system.scope.render(expression)) == expression


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("everything.dve", "Worker.idle + 2 * Worker.done"),
        ("everything.dve", "Worker.state"),
        ("everything.dve", "not (Worker.i == 1 or buffer.length > flags[total])"),
        ("everything.dve", "(not total) == 1"),
        ("everything.dve", "Worker.own.length - Worker.own.0[0]"),
        ("everything.dve", "-(5) * -5"),
        ("messages.dve", "c.message[1]"),
        ("messages.dve", "P.own.0[a]"),
        ("cells.psl", "2 * Cell[0].Cell(1) + Cell[1].STOP - (Cell[0] + 1)"),
        ("queue.aut", "LTS.1 + 2 * LTS.2"),
        ("messages.pml", "P[1]@again && !done || b[a] < 3"),
        ("messages.pml", '2 * P[0]@"end of the text" - len(c)'),
        ("messages.pml", 'var("P[1]:x") + _nr_pr'),
        ("edges.lotus", "x = calm & !(y = y) | n = -1 -> w > 3"),
        ("edges.lotus", "position(x) = position(y) + 2"),
        ("edges.lotus", "n = (2) | w > 9"),
        ("edges.lotus", "n = w + 2"),
        ("stored.py", "2 * (P_0.pc == 'busy') + (Lone.pc == 'there')"),
        ("stored.py", "P_0.k + P_1.k"),
        ("stored.py", "raw_(count + P_1.k)"),
        ("stored.py", "raw_(bag[0] + bag[1])"),
        ("stored.py", "raw_(maybe == '3')"),
        ("stored.py", "raw_(votes.says[0] == 'no')"),
        ("stored.py", "last.voter"),
    ],
)
def test_words(name: str, text: str) -> None:
    scope = SYSTEMS[name].scope
    assert scope.render(scope.parse(text)) == text


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("everything.dve", "9223372036854775808", ParseError, "does not fit 64 bits"),
        ("everything.dve", "9223372036854775809", ParseError, "the number is larger than 9223372036854775808"),
        ("everything.dve", "Worker.states", ModelError, "process 'Worker' has no state 'states'"),
        ("messages.dve", "P.own.1[0]", ModelError, "channel 'P.own' has no '1'"),
        ("messages.pml", "d + 1", ModelError, "unknown name 'd'"),
        ("messages.pml", "P[1]@agian", ModelError, "'P' has no label 'agian'"),
        ("messages.pml", 'var("P[2]:x")', ModelError, "unknown variable 'P[2]:x'; did you mean 'P[1]:x'?"),
        ("messages.pml", "a +", ParseError, "the text ends too early"),
        ("messages.pml", "a b", ParseError, "expected an operator, not 'b'"),
        ("edges.lotus", "x = clam", ModelError, "there is no value of 'x' 'clam'; did you mean 'calm'?"),
        ("edges.lotus", "n = 4", ModelError, "there is no value of 'n' '4'"),
        ("edges.lotus", "w = 8", ModelError, "there is no value of 'w' '8'"),
        ("edges.lotus", "x = 1", ModelError, "there is no value of 'x' '1'"),
        ("edges.lotus", "x = y + 2", ModelError, "the values of 'y' are words"),
        ("edges.lotus", "x < tired", ModelError, "the values of 'x' are words"),
        ("edges.lotus", "w > calm", ModelError, "there is no variable 'calm'"),
        ("edges.lotus", "v = 3", ModelError, "there is no variable 'v'"),
        ("edges.lotus", "w = 3 = 4", ParseError, "'=' cannot follow '='; write parentheses"),
        ("edges.lotus", "(w = 3", ParseError, "the parenthesis is never closed"),
        ("edges.lotus", "w = 3 4", ParseError, "unexpected '4'"),
        ("edges.lotus", "w ~ 3", ParseError, "unexpected '~'"),
        ("stored.py", "raw_(bag)", ModelError, "'bag' is an array and needs an index"),
        ("stored.py", "raw_(bags[0])", ModelError, "unknown name 'bags'; did you mean 'bag'?"),
        ("stored.py", "raw_(mood == 'clam')", ModelError, "there is no value 'clam' here; did you mean 'calm'?"),
        ("stored.py", "raw_(0 < count < 3)", ModelError, "comparisons cannot stand in a row; join them by 'and'"),
        ("stored.py", "raw_(len(bag))", ModelError, "only imply, div, rem, fault and var can be called here"),
        ("stored.py", "raw_(9223372036854775808)", ModelError, "the number does not fit 64 bits"),
        ("stored.py", "raw(bag[0])", ModelError, ""),
        ("stored.py", "raw_(1 +)", ParseError, "not an expression: invalid syntax"),
    ],
)
def test_mistakes(name: str, text: str, error: type[InputError], message: str) -> None:
    with pytest.raises(error) as caught:
        SYSTEMS[name].scope.parse(text, name="--measure")
    assert message in caught.value.message
    assert caught.value.source is not None
    assert caught.value.source.name == "--measure"


def test_a_system_alone_does_not_know_the_names_of_its_observer() -> None:
    alone = SYSTEMS["everything.dve"].alone
    assert alone.scope.parse("Worker.idle") == SYSTEMS["everything.dve"].scope.parse("Worker.idle")
    for text in ("total + Watch.q1", "total + Watch.steps"):
        with pytest.raises(ModelError, match="expression:1:9: unknown process 'Watch'"):
            alone.scope.parse(text)
