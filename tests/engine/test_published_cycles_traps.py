"""Where the printed algorithms go wrong: one graph each, on which the printed version fails and ours does not."""

from __future__ import annotations

import pytest
from graph_kernel import Graph
from published_twins import DoesNotEnd, LtlSweep, cycle_by_pointers
from test_published_cycles import SWEEPS, answer


def layered(edges: tuple[tuple[int, ...], ...], layers: tuple[int, ...], accepting: int | None = None) -> Graph:
    """A graph in one column; at most one state accepts."""
    labels = {} if accepting is None else {accepting: 1}
    return Graph(edges, progress=tuple((0, layer) for layer in layers), labels=labels)


QUEUED = Graph(((2, 1), (2,), (3,), (2,)), progress=((0, 0), (0, 1), (0, 1), (0, 1)), labels={1: 1, 3: 1})
"""1 and 2 wait in the same layer. The red search from 1 goes through 2 and 3 before the blue one has been there."""

STALE = layered(((2, 1), (3,), (4,), (5,), (7,), (6,), (1,), (5,)), (4, 0, 0, 3, 3, 1, 2, 1), accepting=6)
"""The cycle 5, 6, 1, 3 has a root of the second sweep, 1, and one of the third, 5. In the first round 7 hides 5 and
leaves its value in 1; in the second round that value stops the one of 5."""

UNBOUND = layered(((1,), (2,), (3,), (4,), (5,), (4,)), (3, 0, 2, 0, 1, 0))
"""After the second sweep 3 is persistent and nobody has searched from it: 5, in a cycle with 4, is not persistent yet,
and both are forgotten and met again for ever."""

DROPPED = layered(((3, 2, 1), (3,), (4,), (5,), (1,), (3,)), (2, 0, 0, 0, 1, 1), accepting=4)
"""After the first round 1 is the only candidate, and 3 lies on a cycle without one."""

POINTERS = layered(((2, 3), (3,), (1,), (0,)), (0, 1, 3, 3), accepting=2)
"""In the search that comes from 1, the line turns back from 3 to 0 and forgets 3; 0 reaches it again with the same
value, and from then on 3 seems to have got it from 0, on a cycle that does not accept."""


@pytest.mark.parametrize("method", SWEEPS)
def test_queued_states_are_entered_by_the_blue_search(method: str) -> None:
    """001, Algorithm 2, line 28 skips them."""
    assert LtlSweep(QUEUED, 1, **SWEEPS[method], enter_queued=False).run().kind == ""
    result = answer(method, QUEUED)
    assert (result.figures.kind, result.stem, set(result.loop)) == ("S", [0, 2, 3], {2, 3})


@pytest.mark.parametrize("method", SWEEPS)
def test_stale_values_are_reset(method: str) -> None:
    """001, Algorithm 3, line 20 sets the values of candidates alone: harmless off-line, wrong on-line."""
    online = SWEEPS[method]["online"]
    assert LtlSweep(STALE, 1, **SWEEPS[method], reset=False).run().kind == ("" if online else "M")
    result = answer(method, STALE)
    assert (result.figures.kind, set(result.loop)) == ("M", {5, 6, 1, 3})
    assert not online or result.figures.rounds == 3, "one after the second sweep, two after the third"


@pytest.mark.parametrize("method", ["on", "on-true"])
def test_on_line_bound(method: str) -> None:
    """001, Algorithm 3 with the candidates of §5.1 alone, entering what the last sweep has discovered."""
    with pytest.raises(DoesNotEnd):
        LtlSweep(UNBOUND, 1, **SWEEPS[method], bound=False).run()
    assert not answer(method, UNBOUND).found


@pytest.mark.parametrize("method", SWEEPS)
def test_persistent_states_stay_when_they_are_no_candidates(method: str) -> None:
    """000, Algorithm 4 collects what is not in the shrinking set of candidates."""
    with pytest.raises(DoesNotEnd):
        LtlSweep(DROPPED, 1, **SWEEPS[method], keep_dropped=False).run()
    assert not answer(method, DROPPED).found


@pytest.mark.parametrize("method", SWEEPS)
def test_overwritten_pointers(method: str) -> None:
    """000, Theorem 6.1: the last update of each state leads round a cycle, but not round an accepting one."""
    printed = LtlSweep(POINTERS, 1, **SWEEPS[method])
    assert printed.run().kind == "M"
    assert set(cycle_by_pointers(printed)) == {0, 3}, "2, the accepting state, is not on it"
    result = answer(method, POINTERS)
    assert (result.figures.kind, set(result.loop)) == ("M", {0, 1, 2, 3})


@pytest.mark.parametrize("method", SWEEPS)
def test_overwritten_pointers_as_the_random_search_found_them(method: str) -> None:
    graph = layered(((0, 3, 1), (0,), (1,), (3, 2)), (3, 4, 0, 3), accepting=2)
    result = answer(method, graph)
    assert (result.figures.kind, set(result.loop)) == ("M", {0, 1, 2, 3})
