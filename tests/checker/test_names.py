"""Variables that hold the names of processes: one state of each orbit, the same answers, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernels import ask_all
from named_processes import named_processes, orbit_of, reachable

import strandline
from strandline.analysis.symmetry.detection import find_scalarsets
from strandline.analysis.symmetry.permutation import families, permute
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.host import compile_system
from strandline.compile.interpret import Interpreter
from strandline.compile.kernel import Kernel
from strandline.compile.specification import KernelSpecification
from strandline.errors import UsageError
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PREDICATES = ["x < 2", "owner == other", "not (P0.b and P1.b)", "flag[0] + flag[1] != 1", "P0.own == P1.own or x == 0"]


def stored(kernel: Kernel) -> set[tuple[int, ...]]:
    """Return the states that the machine code reaches, each of whose results equals the definition's."""
    assert kernel.canonical is not None
    seen = {tuple(map(int, state)) for state in kernel.initial}
    waiting = list(seen)
    while waiting:
        state = waiting.pop()
        targets = [edge.target for edge in kernel.reference.edges(state)]
        if None not in targets:
            found = [tuple(map(int, record[: kernel.words])) for record in ask_all(kernel, state).records]
            assert found == [kernel.canonical(target) for target in targets if target is not None]
            waiting += set(found) - seen
            seen |= set(found)
    return seen


def check_orbits(system: System, whole: Sequence[tuple[int, ...]] | None = None) -> tuple[int, int, int]:
    """How many states there are, how many orbits, and how many states of these are stored."""
    found = find_scalarsets(system, [])
    assert not found.asymmetric
    whole = reachable(system, 2000) if whole is None else whole
    assert len(whole) < 2000
    kernel = compile_system(system, KernelSpecification(scalarsets=found.scalarsets))
    states = stored(kernel)
    layout = kernel.reference.layout  # type: ignore[attr-defined]
    orbits = {orbit_of(one, system, found.scalarsets) for one in whole}
    assert {orbit_of(layout.unpack(one), system, found.scalarsets) for one in states} == orbits
    return len(whole), len(orbits), len(states)


@settings(max_examples=12)
@given(named_processes(3))
def test_every_orbit_is_stored(system: System) -> None:
    reached = reachable(system, 250)
    assume(len(reached) < 250)
    whole, orbits, states = check_orbits(system, reached)
    assert orbits <= states <= whole
    explored = strandline.explore(system, symmetry=True)
    if explored.complete:
        assert explored.statistics.states == states


@settings(max_examples=5)
@given(named_processes(2))
def test_the_same_answers_and_traces_that_replay(system: System) -> None:
    for predicate in PREDICATES:
        if find_scalarsets(system, [system.scope.parse(predicate)]).asymmetric:
            continue
        reduced = strandline.check(system, invariants=predicate, symmetry=True)
        plain = strandline.check(system, invariants=predicate)
        assert [one.answer for one in plain.properties] == [one.answer for one in reduced.properties], predicate
        assert (plain.trace is None) == (reduced.trace is None)
        if plain.trace is not None and reduced.trace is not None:
            assert len(plain.trace) == len(reduced.trace)


@settings(max_examples=20)
@given(named_processes(2, flawed=True), st.randoms(use_true_random=False))
def test_what_is_proved_is_true(system: System, random: Random) -> None:
    """Of any state at all, reachable or not: with names exchanged it has the same steps, with these exchanged."""
    interpreter = Interpreter(system)
    exchanges = find_scalarsets(system, []).scalarsets
    moved, swapped = families(exchanges), [[1, 0]] * len(exchanges)

    def exchanged(valuation: tuple[int, ...]) -> tuple[int, ...]:
        return permute(valuation, system.offsets, moved, swapped)

    def reached(valuation: tuple[int, ...]) -> tuple[list[tuple[int, ...]], bool]:
        steps = list(interpreter.steps(valuation))
        return [step.target for step in steps if step.target is not None], any(step.fault for step in steps)

    for _ in range(20 if exchanges else 0):
        state = tuple(
            random.randint(0, len(variable.names) - 1 if variable.names else 2)
            for variable in system.variables
            for _ in range(variable.slots)
        )
        (targets, fault), (others, other_fault) = reached(state), reached(exchanged(state))
        assert fault == other_fault
        assert fault or sorted(map(exchanged, targets)) == sorted(others)


def lock(count: int) -> System:
    """A lock with an owner: processes remember the last owner, and look up its state."""
    text = f"byte owner = {count}; byte tickets[{count}]; byte last = {count};\n"
    for number in range(count):
        text += f"""process P{number} {{ byte seen = {count}; state idle, want, cs; init idle; trans
            idle -> want {{ guard tickets[{number}] < 1;
                effect tickets[{number}] = tickets[{number}] + 1, seen = last; }},
            want -> cs {{ guard owner == {count} and seen != {number}; effect owner = {number}; }},
            want -> idle {{ guard owner != {count} and tickets[owner] == 1 and seen == {number}; }},
            cs -> idle {{ effect last = owner, owner = {count}, tickets[{number}] = 0; }}; }}\n"""
    return dve.load(Source("lock", text + "system async;"))


def pointers(count: int) -> System:
    """Every process points to one process, and the pointers move: all graphs with one edge from each node."""
    text = "byte held = 0;\n"
    for number in range(count):
        picks = ", ".join(f"start -> done {{ effect next = {other}; }}" for other in range(count))
        follows = f"done -> done {{ guard held == {number}; effect held = next; }}"
        steps = f"state start, done; init start; trans {picks}, {follows};"
        text += f"process P{number} {{ byte next = {count}; {steps} }}\n"
    return dve.load(Source("pointers", text + "system async;"))


@pytest.mark.parametrize(("count", "figures"), [(2, (54, 28)), (3, (1181, 207))])
def test_a_lock_with_an_owner(count: int, figures: tuple[int, int]) -> None:
    system = lock(count)
    assert check_orbits(system) == (*figures, figures[1])
    explored = strandline.explore(system, symmetry=True)
    names = ", ".join(f"P{number}" for number in range(count))
    seen = ", ".join(f"P{number}.seen" for number in range(count))
    assert (explored.statistics.symmetric_groups, explored.statistics.symmetry_variables) == (
        (names,),
        (f"owner, last, {seen}",),
    )


def test_by_every_order() -> None:
    tickets = "tickets[0] + tickets[1] + tickets[2]"
    for options in ({"order": "dfs"}, {"threads": 2}, {"store": "tree"}, {"measure": tickets, "count_distinct": True}):
        assert strandline.explore(lock(3), symmetry=True, **options).statistics.states == 207  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the measure distinguishes the processes"):
        strandline.explore(lock(3), symmetry=True, measure="owner")


def test_orbits_of_graphs() -> None:
    assert check_orbits(pointers(2)) == (12, 9, 9)
    assert check_orbits(pointers(3)) == (104, 36, 36)
    assert [strandline.explore(pointers(4), symmetry=given).statistics.states for given in (False, True)] == [1180, 130]


@pytest.mark.parametrize(
    ("guard", "reason"),
    [
        ("owner < @", "'owner' may say which one it is, but they are compared by order"),
        ("(owner + @) % 2 == 0", "'owner' may say which one it is, but '(owner + 0) % 2' uses it as a number"),
        ("owner == @ or x[owner] == 1", "'owner' says which one it is, but x has no element for each"),
        ("owner == 1", "no action corresponds to 'P0: a -> a'"),
    ],
)
def test_what_is_no_name_is_told(guard: str, reason: str) -> None:
    process = f"{{ state a; init a; trans a -> a {{ guard {guard}; effect owner = @; }}; }}"
    text = "byte owner; byte x[2];" + "".join(f"process P{one} {process.replace('@', str(one))}" for one in range(3))
    with pytest.raises(UsageError) as refused:
        strandline.explore(dve.load(Source("no-names", text + "system async;")), symmetry=True)
    assert reason in str(refused.value)


def test_a_number_may_stand_for_the_name_before_it() -> None:
    """0 is nobody, and k + 1 number k; an index is one less."""
    text = "byte owner; byte had[3];"
    for number in range(3):
        take = f"a -> b {{ guard owner == 0 and had[{number}] == 0; effect owner = {number} + 1; }}"
        give = f"b -> a {{ guard owner == {number} + 1; effect had[owner - 1] = 1, owner = 0; }}"
        text += f"process P{number} {{ state a, b; init a; trans {take}, {give}; }}"
    system = dve.load(Source("one-based", text + "system async;"))
    assert check_orbits(system) == (20, 7, 7)
    verdict = strandline.check(system, reach="had[0] + had[1] + had[2] == 3", symmetry=True)
    assert verdict.answer is Answer.HOLDS
    assert verdict.trace is not None
    assert len(verdict.trace) == 6


LEASE = """
from strandline import Enum, Fifo, Model, Optional, Process, Range, Set, action, any_of, invariant, require
class Lease(Model):
    owner: Optional[Range[0, 1]]
    waiting: Fifo[Range[0, 1], 2]
    class Node(Process, count=2):
        pc: Enum["idle", "waits", "holds"]
        asked: Optional[Range[0, 1]]
        friends: Set[Range[0, 1]]
        @action(at="idle", to="waits")
        def ask(m, me):
            m.waiting.put(me)
            me.asked = m.owner
        @action(at="holds", to="idle")
        def release(m, me):
            require(m.owner == me)
            m.owner = None
        @action
        def befriend(m, me, other=any_of("Node")):
            require(other != me and m.Node[other].pc == "holds")
            me.friends.add(other)
    @action
    def grant(m):
        require(m.owner is None)
        who = m.waiting.get()
        m.owner = who
        m.Node[who].pc = "holds"
    @action
    def expire(m):
        require(m.owner is not None and m.Node[m.owner].asked is None)
        m.Node[m.owner].pc = "idle"
        m.owner = None
    @invariant
    def owns(m): return m.owner is None or m.Node[m.owner].pc == "holds"
"""


def test_processes_that_a_variable_chooses(tmp_path: Path) -> None:
    """`m.Node[m.owner].pc` is a choice by what the owner is, and a process has a set of processes of its own."""
    file = tmp_path / "lease.py"
    file.write_text(LEASE)
    system = strandline.load(file)
    assert check_orbits(system) == (128, 66, 66)
    verdict = strandline.check(system, symmetry=True)
    assert verdict.statistics.symmetry_variables == ("owner, waiting, Node_0.asked, Node_1.asked",)


INBOXES = """
from strandline import Array, Enum, Fifo, Model, Optional, Process, Range, action, any_of, require
class Mail(Model):
    inbox: Array[Fifo[Range[0, 1], 2], 2]
    leader: Optional[Range[0, 1]]
    class Node(Process, count=2):
        pc: Enum["idle", "asked"]
        marks: Array[bool, 2]
        @action(at="idle", to="asked")
        def ask(m, me, other=any_of("Node")):
            require(other != me)
            m.inbox[other].put(me)
            me.marks[0] = not me.marks[0]
        @action
        def read(m, me):
            sender = m.inbox[me].get()
            m.leader = sender
            me.marks[1] = True
            m.inbox[sender].clear()
        @action(at="asked", to="idle")
        def rest(m, me): require(m.leader != me)
"""


def test_rows_of_elements_go_with_a_process(tmp_path: Path) -> None:
    """A queue for each process is a row of its array; one of a variable's process is found by a product."""
    file = tmp_path / "mail.py"
    file.write_text(INBOXES)
    system = strandline.load(file)
    assert check_orbits(system) == (457, 231, 231)
    assert strandline.explore(system, symmetry=True).statistics.symmetry_variables == ("inbox, leader",)


@pytest.mark.parametrize(
    ("model", "given", "figures"),
    [
        ("peterson/peterson.dve", {"invariants": "not (P.critical and Q.critical)"}, (20, 10)),
        ("python-mutex/mutex.py", {"property": "exclusion"}, (10, 5)),
        ("python-lock-free-queue/lock_free_queue.py", {"deadlock": True}, (187, 96)),
    ],
)
def test_examples_whose_processes_are_named(model: str, given: dict[str, Any], figures: tuple[int, int]) -> None:
    plain, reduced = (strandline.check(EXAMPLES / model, symmetry=one, **given) for one in (False, True))
    assert (plain.statistics.states, reduced.statistics.states) == figures
    assert [one.answer for one in plain.properties] == [one.answer for one in reduced.properties]
    assert (plain.trace is None) == (reduced.trace is None)
    if plain.trace is not None and reduced.trace is not None:
        assert len(plain.trace) == len(reduced.trace)
