"""A trace holds Python values under the model's own names and indices, and tells what messages say."""

from __future__ import annotations

import doctest
import json
import pickle
from pathlib import Path

import pytest
from support.trace_texts import itf_text

import strandline
from strandline.cli.main import main
from strandline.model.values import Multiset, Queue, RecordValue, differences, parts, show
from strandline.source import Source
from strandline.traces.trace import Trace

MODEL = """
from strandline import *

class Msg(Record):
    kind: Enum["ask", "grant"]
    of: Range[0, 1]

class Directory(Model):
    net: Bag[Msg, 3]
    to_dir: Array[Fifo[Range[0, 5], 2], 2]
    last: Msg
    owner: Optional[Range[0, 1]]
    seen: Set[Range[0, 2]]
    grid: Array[Array[bool, 2], 2]
    bad: bool

    class Cache(Process, count=2):
        pc: Enum["idle", "busy"]
        copy: Optional[Msg]

        @action(at="idle", to="busy")
        def ask(m, me):
            m.net.put(Msg(kind="ask", of=me))
            m.grid[me][0] = True

    @action
    def queue(m, msg: any_of("net")):
        require(len(m.net) == 2)
        m.net.take(msg)
        m.to_dir[msg.of].put(msg.of + 4)
        m.last = msg

    @action
    def grant(m):
        who = m.to_dir[1].get() - 4
        m.owner = who
        m.seen.add(who)
        m.net.put(Msg(kind="grant", of=who))
        m.Cache[1].copy = m.last
        m.bad = True
"""
ASK = [RecordValue("Msg", {"kind": "ask", "of": index}) for index in range(2)]
GRANT = RecordValue("Msg", {"kind": "grant", "of": 1})
TEXT = """\
initial state
    net={} to_dir=[[], []] last=Msg(kind=ask, of=0) owner=None seen={}
    grid=[[False, False], [False, False]] bad=False Cache_0.pc=idle Cache_0.copy=None
    Cache_1.pc=idle Cache_1.copy=None
1  Cache_0.ask
     net: + Msg(kind=ask, of=0)   grid[0][0]: False → True   Cache_0.pc: idle → busy
2  Cache_1.ask
     net: + Msg(kind=ask, of=1)   grid[1][0]: False → True   Cache_1.pc: idle → busy
3  queue(msg=Msg(kind=ask, of=1))
     net: - Msg(kind=ask, of=1)   to_dir[1]: [] → [5]   last.of: 0 → 1
4  grant
     net: + Msg(kind=grant, of=1)   to_dir[1]: [5] → []   owner: None → 1   seen: + 1
     bad: False → True   Cache_1.copy: None → Msg(kind=ask, of=1)"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "directory.py"
    path.write_text(MODEL)
    return path


@pytest.fixture(scope="module")
def trace(file: Path) -> Trace:
    found = strandline.check(file, invariants="not bad", deadlock=False).trace
    assert found is not None
    return found


def test_values_are_python_values(trace: Trace) -> None:
    assert trace.final == {
        "net": [GRANT, ASK[0]],
        "to_dir": (Queue(), Queue()),
        "last": ASK[1],
        "owner": 1,
        "seen": {1},
        "grid": ((True, False), (True, False)),
        "bad": True,
        "Cache_0.pc": "busy",
        "Cache_0.copy": None,
        "Cache_1.pc": "busy",
        "Cache_1.copy": ASK[1],
    }
    assert trace[2].state["to_dir"][1] == (5,)
    assert trace.final["last"].kind == "ask"
    assert dict(trace.final["last"]) == {"kind": "ask", "of": 1}


def test_a_trace_is_a_sequence_of_steps(trace: Trace) -> None:
    assert len(trace) == len(list(trace)) == 4
    assert [step.action for step in trace] == ["Cache_0.ask", "Cache_1.ask", "queue(msg=Msg(kind=ask, of=1))", "grant"]
    assert trace[-1].state == trace.final
    assert trace[1:3] == trace.steps[1:3]
    assert [state["owner"] for state in trace.states()] == [None, None, None, None, 1]


def test_what_came_and_what_went(trace: Trace) -> None:
    net = trace[2].changes[0]
    assert (net.name, net.added, net.removed) == ("net", [], [ASK[1]])
    assert [change.name for change in trace[2].changes] == ["net", "to_dir[1]", "last.of"]


def test_print(trace: Trace) -> None:
    assert str(trace) == TEXT
    assert str(trace[2]) == (
        "queue(msg=Msg(kind=ask, of=1))\n  net: - Msg(kind=ask, of=1)   to_dir[1]: [] → [5]   last.of: 0 → 1"
    )


def test_itf_has_records(trace: Trace) -> None:
    last = json.loads(itf_text(trace, Source("m", "")))["states"][-1]
    assert last == {
        "#meta": {"index": 4, "action": "grant"},
        "net": [{"kind": "grant", "of": 1}, {"kind": "ask", "of": 0}],
        "to_dir": [[], []],
        "last": {"kind": "ask", "of": 1},
        "owner": 1,
        "seen": {"#set": [1]},
        "grid": [[True, False], [True, False]],
        "bad": True,
        "Cache_0.pc": "busy",
        "Cache_0.copy": "None",
        "Cache_1.pc": "busy",
        "Cache_1.copy": {"kind": "ask", "of": 1},
    }


@pytest.mark.parametrize("name", ["t.json", "t.itf.json"])
def test_files_are_replayed_and_whole_values_asked_for(
    file: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [str(file), "--invariant", "not bad", "--no-deadlock"]
    assert main(["check", *arguments, "--trace", name]) == 12
    questions = {
        "Cache[0].pc": "busy",
        "owner": 1,
        "last": {"kind": "ask", "of": 1},
        "Cache_1.copy": {"kind": "ask", "of": 1},
        "net": [{"kind": "grant", "of": 1}, {"kind": "ask", "of": 0}],
        "[x.of for x in net]": [1, 0],
        "seen": [1],
        "to_dir": [[], []],
        "Cache[0]": {"pc": "busy", "copy": None},
        "(owner, len(net))": [1, 2],
        "any(x.of == 0 for x in net)": True,
    }
    capsys.readouterr()
    options = [part for one in questions for part in ("--eval", one)]
    assert main(["trace", name, "--model", str(file), *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["trace"]["steps"][2] == {
        "action": "queue(msg=Msg(kind=ask, of=1))",
        "changes": {
            "net": [[{"kind": "ask", "of": 1}, {"kind": "ask", "of": 0}], [{"kind": "ask", "of": 0}]],
            "to_dir[1]": [[], [5]],
            "last.of": [0, 1],
        },
    }
    assert {one["expression"]: one["values"][-1] for one in told["evaluations"]} == questions


def test_the_page_about_verdicts_is_a_session_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    assert doctest.testfile(str(root / "docs/verdicts.md"), module_relative=False) == (0, 9)


def test_what_has_no_value(file: Path) -> None:
    with pytest.raises(strandline.InputError) as caught:
        strandline.load(file).scope.question("net.count")
    assert str(caught.value).splitlines()[0] == "expression:1:1: the method 'count' has no value to show"


def test_records_and_multisets() -> None:
    assert Multiset((1, 2, 2)) == [2, 1, 2]
    assert Multiset((1, 2)) != (1, 2, 2)
    assert hash(Multiset((1, 2))) == hash(Multiset((2, 1)))
    assert Multiset((1, 2, 2)).without((2,)) == (1, 2)
    assert pickle.loads(pickle.dumps(GRANT)) == GRANT
    assert ASK[1] != GRANT
    with pytest.raises(AttributeError, match="Msg has no field 'sort'; it has kind, of"):
        _ = GRANT.sort
    with pytest.raises(AttributeError, match="cannot be changed"):
        GRANT.of = 2
    assert show((None, True, frozenset({2, 10, 1}))) == "[None, True, {1, 2, 10}]"
    assert list(parts((1, GRANT))) == [("[0]", 1), ("[1].kind", "grant"), ("[1].of", 1)]
    assert list(differences((1, GRANT), (1, ASK[1]))) == [("[1].kind", "grant", "ask")]
