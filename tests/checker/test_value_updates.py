"""The thesis's algorithm for cycles over several layers, plain: found exactly where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from strandline.checker.ltl.value_updates import value_updates


def reached(successors: dict[int, list[int]], start: int) -> set[int]:
    """By at least one step."""
    found: set[int] = set()
    waiting = list(successors[start])
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += successors[node]
    return found


def told(
    successors: dict[int, list[int]], progress: dict[int, int], accepting: frozenset[int]
) -> tuple[list[tuple[int, int]], bool]:
    """The updates, and whether a cycle was found."""
    found = False

    def run() -> Iterator[tuple[int, int]]:
        nonlocal found
        found = yield from value_updates(successors, progress, accepting)

    return list(run()), found


def test_a_cycle_is_found_exactly_where_there_is_one() -> None:
    met = 0
    for seed in range(600):
        random = Random(seed)
        size = random.randint(2, 9)
        successors = {node: random.choices(range(size), k=random.randint(0, 2)) for node in range(size)}
        progress = {node: random.randint(0, 3) for node in range(size)}
        accepting = frozenset(node for node in range(size) if random.random() < 0.3)
        after = {node: reached(successors, node) for node in range(size)}
        persistent = {end for node, ends in successors.items() for end in ends if progress[end] < progress[node]}
        expected = any(one in after[state] and state in after[one] for state in persistent for one in accepting)
        pairs, found = told(successors, progress, accepting)
        assert found is expected, seed
        assert all(updated in successors[source] for updated, source in pairs)
        met += expected
    assert 100 < met < 500


def test_the_hidden_cycle_of_figure_3_6() -> None:
    """State 1 is greater than state 2 and hides its cycle in the first round; the second finds it."""
    successors = {1: [2], 2: [3], 3: [4], 4: [2]}
    progress = {1: 1, 2: 1, 3: 2, 4: 3}
    # The figure is a fragment: state 1 is persistent because something else leads back to it.
    successors[5], progress[5] = [1], 9
    pairs, found = told(successors, progress, frozenset({3}))
    assert found
    assert pairs[-1] == (2, 4)
    assert pairs.count((4, 3)) > 1, "a second round was needed"
