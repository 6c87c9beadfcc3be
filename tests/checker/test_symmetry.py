"""Symmetric processes: the same answers from fewer states, traces that are runs, and reasons for asymmetry."""

from __future__ import annotations

from itertools import permutations
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest
from like_processes import like_processes

import strandline
from strandline.analysis.symmetry.detection import find_scalarsets
from strandline.checker.verdicts.verdict import Answer
from strandline.compile.host import compile_system
from strandline.errors import UsageError
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def orbits(system: System, scalarsets: Any) -> tuple[int, int]:
    """How many states there are, and how many are left where blocks of processes may be permuted: by brute force."""
    kernel = compile_system(system)
    reference, offsets = kernel.reference, system.offsets
    layout = reference.layout  # type: ignore[attr-defined]
    seen = set(reference.initial())
    waiting = list(seen)
    while waiting:
        for edge in reference.edges(waiting.pop()):
            if edge.target is not None and edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    least = set()
    for state in seen:
        values = list(layout.unpack(state))
        forms = [values]
        for one in scalarsets:
            blocks = [[offsets[variable] + index for variable, index in block] for block in one.blocks]
            forms = [moved(form, blocks, order) for form in forms for order in permutations(range(len(blocks)))]
        least.add(min(tuple(form) for form in forms))
    return len(seen), len(least)


def moved(values: list[int], blocks: list[list[int]], order: tuple[int, ...]) -> list[int]:
    made = list(values)
    for block, other in zip(blocks, order, strict=True):
        for place, source in zip(block, blocks[other], strict=True):
            made[place] = values[source]
    return made


PREDICATES = ["x < 2", "P0.own + P1.own < 3", "not (P0.s1 and P1.s1)", "flag[0] + flag[1] != 1", "P1.own == P0.own"]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_answers_from_one_state_of_each_orbit(seed: int) -> None:
    random = Random(seed)
    system = like_processes(random, 2)
    found = find_scalarsets(system, [])
    assert not found.asymmetric
    explored = strandline.explore(system, symmetry=True)
    everything, least = orbits(system, found.scalarsets)
    assert explored.statistics.states == least
    assert strandline.explore(system).statistics.states == everything
    for predicate in PREDICATES:
        plain, reduced = (strandline.check(system, invariants=predicate, symmetry=given) for given in (False, True))
        assert [one.answer for one in plain.properties] == [one.answer for one in reduced.properties], predicate
        assert (plain.trace is None) == (reduced.trace is None)
        if plain.trace is not None and reduced.trace is not None:
            assert len(plain.trace) == len(reduced.trace)
    swept = strandline.explore(system, symmetry=True, measure="x", count_distinct=True)
    assert swept.statistics.states == least


def test_three_processes_by_every_order() -> None:
    for seed in range(12):
        system = like_processes(Random(seed), 3)
        found = find_scalarsets(system, [])
        if "flag[0] + flag[1]" in system.source.text:
            assert not found.scalarsets, "the third process is told apart"
            continue
        _, least = orbits(system, found.scalarsets)
        for given in ({}, {"order": "dfs"}, {"threads": 2}, {"measure": "x + y", "count_distinct": True}):
            assert strandline.explore(system, symmetry=True, **given).statistics.states == least  # type: ignore[arg-type]


def counters(count: int, most: int) -> System:
    process = f"{{ byte x; state a; init a; trans a -> a {{ guard x < {most}; effect x = x + 1; }}; }}"
    text = "".join(f"process C{number} {process}\n" for number in range(count)) + "system async;"
    return dve.load(Source("counters", text))


def test_nearly_a_factorial_is_saved() -> None:
    explored = strandline.explore(counters(5, 19), symmetry=True)
    assert explored.statistics.states == comb(19 + 5, 5)
    assert explored.statistics.symmetric_groups == ("C0, C1, C2, C3, C4",)


def test_what_goes_with_a_process_may_be_wide() -> None:
    """More bits than a machine word has."""
    own = ", ".join(f"v{number}" for number in range(9))
    steps = ", ".join(f"a -> a {{ guard v{number} == 0; effect v{number} = 200; }}" for number in range(9))
    process = f"{{ byte {own}; state a; init a; trans {steps}; }}"
    system = dve.load(Source("wide", f"process A {process} process B {process} system async;"))
    explored = strandline.explore(system, symmetry=True)
    assert explored.statistics.states == comb(512 + 1, 2)


def test_a_fault_of_one_of_them() -> None:
    process = "{ byte x; state a; init a; trans a -> a { effect x = x + 1, t[x] = 1; }; }"
    system = dve.load(Source("faulty", f"byte t[3]; process A {process} process B {process} system async;"))
    verdict = strandline.check(system, symmetry=True)
    assert verdict.answer is Answer.VIOLATED
    assert verdict.trace is not None
    assert verdict.trace.fault is not None
    assert len(verdict.trace) == 2


def test_the_first_fault_may_be_of_another_kind() -> None:
    """In the stored state processes may be exchanged, and with them which fault comes first."""
    steps = """state a, b, c; init a; trans a -> c { effect y = y + 1; }, a -> b { effect x = x + 1; },
        b -> b { guard x == 1 and y == 1; effect t[x + 4] = 1; },
        c -> c { guard x == 1 and y == 1; effect z = 1 / (x - y); };"""
    text = f"byte x; byte y; byte z; byte t[3]; process A {{ {steps} }} process B {{ {steps} }} system async;"
    verdict = strandline.check(dve.load(Source("two", text)), invariants="x < 9", deadlock=False, symmetry=True)
    assert verdict.answer is Answer.VIOLATED
    assert verdict.trace is not None
    assert verdict.trace.fault is not None
    assert (len(verdict.trace), verdict.trace.fault.kind) == (2, "division by zero")


def test_initial_states_that_differ() -> None:
    """A stored state may be one in which names were exchanged, which the model itself never reaches."""
    steps = "state a, c; init a; trans a -> c { effect own = 1 - own; }, c -> c { guard own == 1; effect x = 1; };"
    text = f"byte x; process A {{ byte own = 0; {steps} }} process B {{ byte own = 1; {steps} }} system async;"
    verdict = strandline.check(dve.load(Source("uneven", text)), reach="x == 1", symmetry=True)
    assert verdict.answer is Answer.HOLDS
    assert verdict.statistics.symmetric_groups == ("A, B",)
    assert verdict.trace is not None
    assert len(verdict.trace) == 2


@pytest.mark.parametrize(
    ("model", "given", "reason"),
    [
        ("philosophers/philosophers.dve", {}, "corresponds to 'Phil_0: hungry -> eats'"),
        ("peterson/peterson.dve", {}, "P, Q are not symmetric: 'not P.critical or flag[0] == 1' distinguishes them"),
        ("naive-mutex/naive-mutex.dve", {"invariants": "not P.critical"}, "'not P.critical' distinguishes them"),
        ("naive-mutex/naive-mutex.dve", {"ltl": "G F P.critical"}, "it is for properties of states"),
        ("naive-mutex/naive-mutex.dve", {"ctl": "AG EF true"}, "it is for properties of states"),
        ("ltl-rounds/rounds.dve", {}, "no two processes with locations are alike"),
    ],
)
def test_what_tells_processes_apart_is_named(model: str, given: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        strandline.check(EXAMPLES / model, symmetry=True, **given)
    assert reason in str(refused.value)


def test_not_together_with_other_reductions() -> None:
    with pytest.raises(UsageError, match="por=True and symmetry=True are not used together"):
        strandline.explore(counters(2, 2), symmetry=True, por=True)
    with pytest.raises(UsageError, match="the measure distinguishes the processes; use a sum over all of them"):
        strandline.explore(counters(2, 2), symmetry=True, measure="C0.x")
    swept = strandline.explore(counters(2, 2), symmetry=True, measure="mono(C0.x + C1.x)")
    assert (swept.statistics.states, swept.statistics.layers) == (6, 5)
