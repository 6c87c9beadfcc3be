"""The state of a search can be saved in any pause and restored into another search, which then does the same."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
from accepting import accepting_graph
from graph_kernel import graph_kernel, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from keeping import kept
from plain import compiled_engine
from running import Run, explore, smallest_arrays

from strandline.engine.saving import restore_search, save_search
from strandline.engine.search import Event
from strandline.errors import InternalError


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 60),
    st.sampled_from(("plain", "monotone", "regressing", "columns")),
    st.sampled_from(("bfs", "dfs")),
    st.sampled_from((1, 2)),
)
@settings(max_examples=60)
def test_a_search_goes_on_in_another(random: Random, nodes: int, kind: str, plain_order: str, words: int) -> None:
    graph = random_graph(random, nodes, 2 * nodes, kind=kind)
    kernel, order = graph_kernel(graph, words), plain_order if graph.progress is None else "sweep"
    usual = explore(kernel, order)
    with smallest_arrays():
        run = Run(kernel, order)
        for _ in range(4):
            run.search._budget = 1
            if all(run.search.advance(0.0) is Event.PAUSED for _ in range(random.randint(1, 20))):
                following = Run(kernel, order)
                following.outcome = run.outcome
                restore_search(following.search, kept(save_search(run.search)))
                run.search.close()
                run = following
        ended = run.advance(0.0)
    assert (ended.event, ended.links, ended.seen, ended.levels) == (Event.DONE, usual.links, usual.seen, usual.levels)
    for name in ("visited", "transitions", "deadlocks", "peak_states", "persistent", "regress_edges", "sweeps"):
        assert getattr(ended.statistics, name) == getattr(usual.statistics, name), name


@pytest.mark.parametrize("name", ["NestedSearch", "ComponentSearch", "PredecessorSearch", "LtlSweepSearch"])
def test_searches_for_cycles_too(name: str) -> None:
    further = {"online": True} if name == "LtlSweepSearch" else {}
    links: list[int] = []
    for seed in range(8):
        graph = accepting_graph(Random(seed), "regressing" if name == "LtlSweepSearch" else "plain", nodes=40)
        log = lambda more: links.extend(more.tolist())  # noqa: E731
        make = partial(getattr(compiled_engine(), name), graph_kernel(graph), accepting=1, log=log, **further)
        links.clear()
        usual = make()
        while (expected := usual.advance()) is Event.PAUSED:
            pass
        expected_links, expected_visits = links.copy(), usual.statistics().visited
        links.clear()
        search, event = make(), Event.PAUSED
        while event is Event.PAUSED:
            if search.settled:
                following = make()
                restore_search(following, kept(save_search(search)))
                search = following
            search._budget = 1
            event = search.advance(0.0)
        assert (event, links, search.statistics().visited) == (expected, expected_links, expected_visits)
        if event is Event.CYCLE:
            assert search.cycle == usual.cycle
            with pytest.raises(InternalError, match="runs another one"):
                save_search(search)


def test_what_was_saved_of_another_search_is_refused() -> None:
    kernel = graph_kernel(random_graph(Random(1), 5, 8))
    known = kept(save_search(Run(kernel, "bfs").search))
    with pytest.raises(InternalError, match="another kind of search"):
        restore_search(Run(kernel, "dfs").search, known)


def test_limits_are_not_kept() -> None:
    kernel = graph_kernel(random_graph(Random(1), 50, 90))
    run = Run(kernel, "bfs", max_states=3, engine_bytes=1 << 30)
    assert run.advance().event is Event.STATES
    other = Run(kernel, "bfs", max_states=4, engine_bytes=1 << 20)
    other.outcome = run.outcome
    restore_search(other.search, kept(save_search(run.search)))
    assert other.search.engine_bytes == 1 << 20
    assert other.advance().event is Event.STATES
    assert len(other.outcome.links) == 4
