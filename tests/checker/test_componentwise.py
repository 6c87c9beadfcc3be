"""`--componentwise`: which edges regress, by both back ends, and the meaning of several measures."""

from __future__ import annotations

import pytest
from kernels import ask_all, compile_host
from support.interpreted_kernel import interpret_system

import strandline
from strandline.checker.measures.notation import parse_measures
from strandline.compile.callback import from_callables
from strandline.compile.kernel import Kernel
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.languages import dve
from strandline.model.expression import Binary, Const, Read
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.source import Source

TRADE = """\
byte x = 0; byte y = 3; byte phase = 0;
process Trader {
  state s; init s;
  trans
    s -> s { guard y > 0; effect x = x + 1, y = y - 1; },
    s -> s { guard x == 3; effect x = 0, y = 3, phase = 1; };
}
process Clock { state t; init t; trans t -> t { guard phase == 0 and x > 1; effect phase = 0; }; }
system async;
"""
"""Every step of the trader but one takes x up and y down."""


@pytest.fixture(scope="module")
def trade() -> System:
    return dve.load(Source("trade.dve", TRADE))


def _falls(kernel: Kernel) -> dict[tuple[str, str], int]:
    """For every reachable step, named by x and y before and after, the last word of its record."""
    waiting, found = list(kernel.reference.initial()), {}
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        for record in ask_all(kernel, state).records:
            assert len(record) == kernel.stride == kernel.words + 3
            target = record[: kernel.words]
            before, after = ("{x} {y} {phase}".format(**kernel.reference.describe(one)) for one in (state, target))
            found[before, after] = record[-1]
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return found


def test_both_back_ends_tell_which_steps_decrease_a_component(trade: System) -> None:
    measure = parse_measures(["x", "y"], trade, componentwise=True)
    compiled, interpreted = (build(trade, (), measure) for build in (compile_host, interpret_system))
    falls = _falls(compiled)
    assert falls == _falls(interpreted)
    assert falls[("0 3 0", "1 2 0")] == 1, "y decreases, though x, which counts more, grows"
    assert falls[("2 1 0", "2 1 0")] == 0
    assert falls[("3 0 0", "0 3 1")] == 1
    assert compiled.componentwise
    assert interpreted.componentwise


def test_callables_tell_it_too() -> None:
    system = from_callables([(0, 3)], lambda s: [(s[0] + 1, s[1] - 1)] if s[1] else [], progress=lambda s: s[0])
    progress = Read(system.by_name["progress"])
    measure = Measure(Const(0), progress, (progress, Binary("-", Const(0), progress)))
    kernel = make_kernel(system, KernelSpecification((), measure))
    assert kernel.componentwise
    records = ask_all(kernel, kernel.reference.initial()[0]).records
    assert [record[1:] for record in records] == [(0, 1, 1)], "one component grows, the other falls"


def test_componentwise_more_edges_regress(trade: System) -> None:
    """By x first and y then, only the two ways back regress; componentwise the six trades do, too."""
    linear = strandline.explore(trade, measure=["x", "y"]).statistics
    literal = strandline.explore(trade, measure=["x", "y"], componentwise=True).statistics
    assert (linear.regress_edges, linear.persistent, linear.sweeps) == (2, 1, 2)
    assert (literal.regress_edges, literal.persistent, literal.sweeps) == (8, 7, 8)
    assert linear.visited == literal.visited == 8


def test_monotone_components_are_not_compared(trade: System) -> None:
    """The step to the next phase is no regress edge. In that phase the first state is forgotten when the step back
    to it is met: it becomes persistent, and its trade is met twice."""
    statistics = strandline.explore(trade, measure=["mono(phase)", "x", "y"], componentwise=True).statistics
    assert (statistics.regress_edges, statistics.persistent, statistics.visited) == (8, 7, 9)


def test_a_single_component_is_a_total_order(trade: System) -> None:
    measure = parse_measures(["mono(phase)", "x"], trade, componentwise=True)
    assert measure.compared == ()


def test_a_property_is_decided_with_a_trace(trade: System) -> None:
    verdict = strandline.check(trade, reach="phase == 1 and x == 2", measure=["x", "y"], componentwise=True)
    assert verdict
    assert verdict.trace is not None
    assert len(verdict.trace) == 6
