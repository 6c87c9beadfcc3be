"""Declared scalarsets: exact counts, the same answers, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_names import check_orbits

import strandline
from strandline.analysis.symmetry.detection import find_scalarsets
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import InputError, UsageError
from strandline.model.system import System
from strandline.report.style import Style
from strandline.report.text import verdict_text

QUEUE = """
from strandline import Array, Fifo, Model, Optional, Scalar, Set, action, invariant, param, reachable, require
N = param(3)
class Pipeline(Model):
    class Item(Scalar, count=N): ...
    queue: Fifo[Item, 2]
    sent: Set[Item]
    last: Optional[Item]
    before: Array[Optional[Item], N]
    @action
    def send(m, item: Item):
        require(item not in m.sent)
        m.sent.add(item)
        m.queue.put(item)
    @action
    def receive(m):
        item = m.queue.get()
        m.before[item] = m.last
        m.last = item
    @invariant
    def only_what_was_sent(m): return m.last is None or m.last in m.sent
    @invariant
    def not_all(m): return len(m.sent) < m.N or not m.queue.empty
"""
MEMORY = """
from strandline import Array, Enum, Model, Optional, Process, Scalar, action, param, require
clients = param(2)
class Memory(Model):
    class Address(Scalar, count=2): ...
    class Value(Scalar, count=2): ...
    cell: Array[Value, 2]
    locked: Array[bool, 2]
    class Client(Process, count=clients):
        pc: Enum["idle", "loaded"]
        at: Optional[Address]
        has: Optional[Value]
        @action(at="idle", to="loaded")
        def load(m, me, address: Address):
            require(not m.locked[address])
            m.locked[address] = True
            me.at = address
            me.has = m.cell[address]
        @action(at="loaded", to="idle")
        def store(m, me, value: Value):
            require(me.at is not None and value != me.has)
            m.cell[me.at] = value
            m.locked[me.at] = False
            me.at = None
            me.has = None
"""


def loaded(folder: Path, text: str, **parameters: int) -> System:
    file = folder / "model.py"
    file.write_text(text)
    return strandline.load(file, **parameters)


@pytest.mark.parametrize(("count", "figures"), [(2, (11, 6)), (3, (43, 9))])
def test_items_that_go_through_a_queue(tmp_path: Path, count: int, figures: tuple[int, int]) -> None:
    system = loaded(tmp_path, QUEUE, N=count)
    assert check_orbits(system) == (*figures, figures[1])
    verdict = strandline.check(system, symmetry=True, deadlock=False)
    assert verdict.statistics.symmetric_groups == ("the values of Item",)
    assert verdict.statistics.symmetry_variables == ("queue, last, before",)
    assert [one.answer for one in verdict.properties] == [Answer.HOLDS, Answer.VIOLATED]
    assert verdict.trace is not None
    assert len(verdict.trace) == 2 * count


def test_two_sets_and_processes(tmp_path: Path) -> None:
    system = loaded(tmp_path, MEMORY)
    found = find_scalarsets(system, [])
    held = {one.names: one.referenced_by for one in found.scalarsets}
    assert held == {
        "the values of Value": "cell, Client_0.has, Client_1.has",
        "the values of Address": "Client_0.at, Client_1.at",
        "Client_0, Client_1": "",
    }
    assert check_orbits(system) == (28, 6, 6)


ONE = """
from strandline import Model, Optional, Scalar, action, invariant, require
class One(Model):
    class Item(Scalar, count=3): ...
    x: Item
    y: Optional[Item]
    @action
    def any_of_them(m, item: Item): m.x = item
    @action
    def step(m):
        {}
"""


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("m.x = m.x + 1", (11, 15, "m.x + 1")),
        ("require(m.x < 2)", (11, 17, "m.x < 2")),
        ("require(m.y is not None and m.y >= m.x)", (11, 37, "m.y >= m.x")),
        ("m.x = -m.x", (11, 15, "-m.x")),
        ("m.x += 1", (11, 9, "m.x += 1")),
        ("m.x = (m.x if m.y is None else m.y) * 2", (11, 15, "(m.x if m.y is None else m.y) * 2")),
    ],
)
def test_names_are_no_numbers(tmp_path: Path, body: str, place: tuple[int, int, str]) -> None:
    with pytest.raises(InputError) as refused:
        loaded(tmp_path, ONE.format(body))
    line, column, marked = place
    first, text, caret = str(refused.value).splitlines()
    assert first.endswith(
        f"model.py:{line}:{column}: a value of 'Item' is no number: it can be assigned, compared by == and !=, chosen "
        "and used as an index; use a Range for numbers"
    )
    assert text[caret.index("^") :][: caret.count("^")] == marked


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("m.x = 0", "no action corresponds to 'step'"),
        ("m.x = min(m.x, 1)", "x holds them, and they are compared by order"),
        ("require(m.x == 1)", "no action corresponds to 'step'"),
    ],
)
def test_what_tells_values_apart_is_named(tmp_path: Path, body: str, reason: str) -> None:
    system = loaded(tmp_path, ONE.format(body))
    assert strandline.explore(system).complete
    with pytest.raises(UsageError) as refused:
        strandline.explore(system, symmetry=True)
    assert f"the values of Item are not symmetric: {reason}" in str(refused.value)


def test_a_property_tells_values_apart(tmp_path: Path) -> None:
    system = loaded(tmp_path, ONE.format("m.y = m.x"))
    assert strandline.check(system, invariants="y is None or x == y", symmetry=True).answer is Answer.VIOLATED
    with pytest.raises(UsageError, match="'x == 1' distinguishes them"):
        strandline.check(system, invariants="x == 1", symmetry=True)


def test_what_is_told_apart_beside_others_is_said(tmp_path: Path) -> None:
    system = loaded(tmp_path, MEMORY)
    verdict = strandline.check(system, invariants="cell[0] == 0", symmetry=True)
    assert verdict.statistics.symmetric_groups == ("Client_0, Client_1",)
    why = "the values of Value are not symmetric: 'cell[0] == 0' distinguishes them"
    assert verdict.statistics.not_symmetric[0] == why
    assert f"not symmetric  {why}" in verdict_text(verdict, Style())


def test_how_many_there_are_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"how many are there of 'Item'\? Write class Item\(Scalar, count=3\): \.\.\."):
        loaded(tmp_path, ONE.format("m.y = m.x").replace(", count=3", ""))


def test_caches_over_a_memory() -> None:
    """Its invariant looks up what it knows to be there: in which order it asks the clients makes no difference."""
    file = Path(__file__).resolve().parents[2] / "examples" / "python-caches" / "caches.py"
    assert check_orbits(strandline.load(file)) == (36, 8, 8)
    verdict = strandline.check(file, property="coherent", symmetry=True)
    assert verdict.statistics.symmetric_groups == ("the values of Value", "the values of Address", "Client_0, Client_1")
    assert (verdict.answer, verdict.statistics.states) == (Answer.HOLDS, 8)
