"""Ranks of small graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from strandline.progress.static import component_ranks, distance_ranks


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_ranks_of_components_never_decrease(edges: set[tuple[int, int]]) -> None:
    ranks = component_ranks(7, edges)
    reach = {(a, b) for a in range(7) for b in range(7) if a == b}
    while True:
        further = reach | {(a, d) for a, b in reach for c, d in edges if b == c}
        if further == reach:
            break
        reach = further
    for source, target in edges:
        if (target, source) in reach:
            assert ranks[source] == ranks[target]
        else:
            assert ranks[source] < ranks[target]


def test_ranks_are_longest_paths() -> None:
    assert component_ranks(6, {(0, 1), (1, 2), (0, 2), (2, 3), (3, 2), (4, 3)}) == [0, 1, 2, 2, 0, 0]


def test_a_long_chain_needs_no_recursion() -> None:
    assert component_ranks(5000, {(n, n + 1) for n in range(4999)}) == list(range(5000))


def test_distances_count_edges() -> None:
    assert distance_ranks(5, {(0, 1), (1, 2), (0, 2), (2, 0), (3, 4)}, 0) == [0, 1, 1, 0, 0]
