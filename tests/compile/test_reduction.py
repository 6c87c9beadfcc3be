"""Partial-order reduction: what it preserves, how much it omits, and machine code compared with the definition."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from ample_sets import AmpleSets
from forgetful_sweeps import OrderProviso, StoreProviso, unknown_to_the_first_phase
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import ask_all
from loose_systems import Loose
from reduced import compare, space
from strategies import Case, cases

from strandline.analysis.ranges import analyse_ranges
from strandline.checker.reductions.partial_order import reduction_of
from strandline.compile.interpret import Valuation
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.compile.make import make_kernel
from strandline.compile.reduction.facts import actions_changing, make_facts
from strandline.compile.reduction.order import order_actions
from strandline.compile.specification import KernelSpecification
from strandline.languages import dve
from strandline.model.expression import Const
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.source import Source

SEEDS = st.integers(0, 10**6)


def model(text: str) -> System:
    return dve.load(Source("model", text))


def walkers(count: int, steps: int = 2) -> System:
    """Processes that know nothing of each other."""
    places = ", ".join(f"at{place}" for place in range(steps + 1))
    moves = ", ".join(f"at{place} -> at{place + 1} {{}}" for place in range(steps))
    process = f"{{ state {places}; init at0; trans {moves}; }}"
    return model("".join(f"process W{number} {process}\n" for number in range(count)) + "system async;")


def check_choice(kernel: Kernel, most: int) -> None:
    """The records of every state are the steps that the definition chooses."""
    assert kernel.selected_steps is not None
    for state in space(kernel, most).states:
        answer = ask_all(kernel, state)
        if answer.fault is None:
            edges = kernel.reference.edges(state)
            chosen = [edges[number].target for number in kernel.selected_steps(state)]
            assert [record[: kernel.words] for record in answer.records] == chosen


@settings(max_examples=60)
@given(SEEDS)
def test_machine_code_chooses_as_the_definition_says(seed: int) -> None:
    loose = Loose(Random(seed))
    system = loose.system()
    measure = Measure(Const(0), Const(1)) if seed % 2 else None
    check_choice(make_kernel(system, KernelSpecification((), measure, reduction_of(system, loose.predicates()))), 300)


@settings(max_examples=40)
@given(cases())
def test_machine_code_chooses_as_the_definition_says_of_anything(case: Case) -> None:
    if not case.system.synchronous:
        check_choice(
            make_kernel(case.system, KernelSpecification((), None, reduction_of(case.system, case.predicates))), 100
        )


@settings(max_examples=50)
@given(SEEDS)
def test_no_deadlock_no_fault_and_no_combination_of_truths_is_lost(seed: int) -> None:
    loose = Loose(Random(seed))
    compare(loose.system(), loose.predicates(), 2000)


@settings(max_examples=60)
@given(cases(at_once=0.2))
def test_the_same_of_anything(case: Case) -> None:
    if not case.system.synchronous and case.system.observer is None:
        compare(case.system, case.predicates, 500)


@pytest.mark.parametrize("count", [5, 40])
def test_independent_processes_walk_one_after_the_other(count: int) -> None:
    """Forty of them have eighty actions: sets of two words."""
    system = walkers(count)
    kernel = make_kernel(system, KernelSpecification((), None, reduction_of(system, ())))
    found = space(kernel, 1000)
    assert (len(found.states), len(found.deadlocks)) == (2 * count + 1, 1)
    check_choice(kernel, 1000)


def test_what_is_seen_is_not_left_out() -> None:
    system = walkers(3)
    seen = [system.scope.parse("W0.at1"), system.scope.parse("W1.at1")]
    assert compare(system, seen, 100) == (27, 11, 7)


def test_who_adds_to_a_counter_gets_along_with_who_takes_from_it() -> None:
    system = model(
        """byte tokens = 2;
        process Give { state a, b; init a; trans a -> b { effect tokens = tokens + 1; }; }
        process Take { state a, b; init a; trans a -> b { guard tokens > 0; effect tokens = tokens - 1; }; }
        process Also { state a, b; init a; trans a -> b { guard tokens > 0; effect tokens = tokens - 1; }; }
        process Look { byte seen; state a, b; init a; trans a -> b { effect seen = tokens; }; }
        system async;"""
    )
    give, take, also, look = (1 << number for number in range(4))
    assert make_facts(system).conflicts == (look, also | look, take | look, give | take | also)


def test_only_what_can_make_a_condition_true_enables_it() -> None:
    system = model(
        """byte x = 1;
        process Up { state a; init a; trans a -> a { guard x < 5; effect x = x + 1; }; }
        process Down { state a; init a; trans a -> a { guard x > 0; effect x = x - 1; }; }
        process Reset { state a; init a; trans a -> a { effect x = 0; }; }
        process Wait { state a, b; init a; trans a -> b { guard x > 3; }; }
        system async;"""
    )
    facts = make_facts(system)
    enabling = {system.scope.render(one): facts.enabling[n] for n, one in enumerate(facts.conditions)}
    assert enabling["x > 3"] == 0b0001
    assert enabling["x > 0"] == 0b0001
    assert enabling["x < 5"] == 0b0110
    assert actions_changing(system, [system.scope.parse("x == 0")]) == 0b0111


def test_a_counter_and_the_way_through_a_loop_lead_up() -> None:
    system = model(
        """byte done; byte other;
        process P { state a, b, c; init a;
          trans a -> b {}, b -> c {}, c -> a { effect done = done + 1; }, c -> b {}; }
        process Q { state a, b; init a; trans a -> b { guard done < 9; }, b -> a { effect other = 1 - other; }; }
        system async;"""
    )
    order = order_actions(system, make_facts(system))
    names = [system.actions[number].moves for number in range(5)]
    assert [(moves[0].process, moves[0].source, moves[0].target) for moves in names] == [
        (0, 0, 1), (0, 1, 2), (0, 2, 0), (0, 2, 1), (1, 0, 1),
    ]  # fmt: skip
    # `done` is a byte that wraps around: nothing bounds it, so it is no counter.
    assert order.always | order.never == 0b111111
    assert order.always & order.never == 0


LATER = """byte x; byte bad;
process Writes { state a, b; init a; trans a -> b { effect x = 1; }; }
process Reads { state a, b, c; init a; trans a -> b {}, b -> c { guard x == 0; effect bad = 1; }; }
system async;"""
"""What `Reads` does later depends on what `Writes` does now."""


def bad_states(system: System, states: Iterable[Valuation]) -> int:
    place = system.offsets[system.by_name["bad"]]
    return sum(state[place] for state in states)


def test_c3_as_003_prints_it_loses_a_state() -> None:
    system = model(LATER)
    visible = {action.name for action in system.actions if len(action.effects) == 2 and action.moves[0].source == 1}
    printed = AmpleSets(system, visible, as_printed=True).reachable()
    corrected = AmpleSets(system, visible, as_printed=False).reachable()
    assert (bad_states(system, printed), bad_states(system, corrected)) == (0, 2)
    assert compare(system, [system.scope.parse("bad == 1")], 100) == (6, 5, 5)


@settings(max_examples=60)
@given(SEEDS)
def test_ample_sets_corrected_lose_no_deadlock_and_stubborn_sets_neither(seed: int) -> None:
    system = Loose(Random(seed), moving=(1,)).system()
    if system.has_committed:
        return
    whole = space(make_kernel(system), 500)
    if whole.whole and not whole.faults:
        layout = make_layout(system, analyse_ranges(system).variables)
        ample = {layout.pack(one) for one in AmpleSets(system, set(), as_printed=False).reachable()}
        assert whole.deadlocks <= ample <= whole.states


ROUND = """byte x;
process Once { state a, b; init a; trans a -> b {}; }
process Round { state a; init a; trans a -> a { effect x = (x + 1) % 3; }, a -> a {}; }
system async;"""


def test_a_proviso_by_what_is_stored_chooses_otherwise_in_the_next_phase() -> None:
    """The second phase has the persistent states of the first stored from the beginning, chooses other steps because of
    them, and comes back to a state that the first has not kept. By the order of states both choose alike."""
    system = model(ROUND)
    kernel = make_kernel(system)
    x = system.scope.parse("x")

    def layer(state: tuple[int, ...]) -> int:
        return int(kernel.reference.values(state, [x])[0])

    reduction = reduction_of(system, ())
    assert isinstance(kernel.reference, SystemReference)
    assert unknown_to_the_first_phase(StoreProviso(kernel.reference, reduction), layer)
    assert not unknown_to_the_first_phase(OrderProviso(kernel.reference, reduction), layer)


@settings(max_examples=15)
@given(SEEDS)
def test_the_order_of_states_has_the_same_choice_in_every_phase(seed: int) -> None:
    system = Loose(Random(seed), moving=(1,)).system()
    kernel = make_kernel(system)
    whole = space(kernel, 100)
    if whole.whole and not whole.faults:
        assert isinstance(kernel.reference, SystemReference)
        chooser = OrderProviso(kernel.reference, reduction_of(system, ()))
        assert not unknown_to_the_first_phase(chooser, lambda state: sum(state) * 40503 % 4)
