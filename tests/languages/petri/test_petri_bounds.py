"""Bounds of places: sound on random nets, exact where the argument is a short one."""

from __future__ import annotations

from hypothesis import given
from random_nets import nets, reachable, successors

from strandline.languages.petri.bounds import possible_transitions, structural_bounds
from strandline.languages.petri.lowering import ASSUMED, LARGEST, assumed_bound, known_bounds, lower
from strandline.languages.petri.net import Net, Place, Transition
from strandline.source import Source


def net(initial: list[int], *arcs: tuple[dict[int, int], dict[int, int]], limit: int | None = None) -> Net:
    places = tuple(Place(f"p{number}", tokens, limit) for number, tokens in enumerate(initial))
    return Net("n", Source("n", ""), places, tuple(Transition(f"t{i}", a, b) for i, (a, b) in enumerate(arcs)))


@given(nets())
def test_no_reachable_marking_is_beyond_a_bound(one: Net) -> None:
    bounds = structural_bounds(one)
    possible = set(possible_transitions(one))
    for marking in reachable(one, 300)[0]:
        assert all(bound is None or tokens <= bound for tokens, bound in zip(marking, bounds, strict=True))
        assert {number for number, _ in successors(one, marking)} <= possible


def test_tokens_that_only_move_are_counted() -> None:
    assert structural_bounds(net([2, 1, 0], ({0: 1}, {1: 1}), ({1: 1}, {2: 1}), ({2: 1}, {0: 1}))) == [3, 3, 3]


def test_a_place_and_its_complement_bound_each_other() -> None:
    assert structural_bounds(net([0, 5], ({1: 2}, {0: 2}), ({0: 1}, {1: 1}))) == [5, 5]


def test_weights_count() -> None:
    """One token of the first is worth three of the second."""
    assert structural_bounds(net([2, 0], ({0: 1}, {1: 3}))) == [2, 6]


def test_what_a_source_fills_has_no_bound() -> None:
    assert structural_bounds(net([0, 1], ({}, {0: 1}))) == [None, 1]


def test_what_never_fires_bounds_nothing() -> None:
    """The second transition needs two tokens where there is ever one."""
    dead = net([1, 0], ({0: 1}, {0: 1}), ({0: 2}, {1: 1, 0: 2}))
    assert possible_transitions(dead) == [0]
    assert structural_bounds(dead) == [1, 0]


def test_bounds_that_are_given_count_before_a_guess() -> None:
    source = net([0, 1], ({}, {0: 1}))
    assert known_bounds(source) == [None, 1]
    assert known_bounds(source, 7) == [7, 1]
    assert known_bounds(net([0, 1], ({}, {0: 1}), limit=1)) == [1, 1]


def test_assumed_bounds_become_wider() -> None:
    system = lower(net([0, 300, 5], ({}, {0: 1, 1: 1, 2: 1}), ({2: 1}, {})))
    found = [[variable.domain.high for variable in system.variables]]
    while system.wider is not None:
        system = system.wider()
        found.append([variable.domain.high for variable in system.variables])
    assert found == [[255, 65535, 255], [65535] * 3, [2**32 - 1] * 3, [2**63 - 1] * 3]
    assert ASSUMED[-1] == LARGEST == assumed_bound(2**40, 1)
    assert lower(net([0], ({}, {0: 1})), 7).wider is None
    assert lower(net([1, 0], ({0: 1}, {1: 1}))).wider is None
