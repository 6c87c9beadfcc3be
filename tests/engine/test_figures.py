"""The figures of the papers, rebuilt from their text, and swept as it describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graph_kernel import Graph, graph_kernel, graph_reference
from partial_orders import Composed
from running import Run
from storing import step_by_step, stored_states

from strandline.compile.kernel import Kernel
from strandline.engine.search import Event


def visits(run: Run) -> list[int]:
    """The nodes in the order in which they were expanded."""
    return [graph_reference(run.kernel).nodes[state] for state in run.outcome.seen]


def swept(kernel: Kernel) -> Run:
    run = Run(kernel, "sweep")
    assert run.advance().event is Event.DONE
    return run


def in_memory(search: Any, *, persistent: bool | None = None) -> set[int]:
    """The nodes that are stored, all of them or only those that are persistent or not."""
    nodes = graph_reference(search.kernel).nodes
    return {nodes[one.state] for one in stored_states(search) if persistent in (None, one.persistent)}


def snapshots(kernel: Kernel, *, persistent: bool | None = None) -> Iterator[tuple[tuple[int, ...], set[int]]]:
    """After every expansion the visits so far and what is stored. The line leaves a layer just before the next
    expansion."""
    for run in step_by_step(kernel):
        yield tuple(visits(run)), in_memory(run.search, persistent=persistent)


def counts(run: Run) -> tuple[int, int, int]:
    """Persistent states, regress edges, sweeps."""
    figures = run.outcome.statistics
    return figures.persistent, figures.regress_edges, figures.sweeps


# 000, Figure 2.1: state 1 in the first layer; 2, 3 and 4 in the second; 5 in the third, with the regress edge 5 -> 1.
THREE_LAYERS = Graph(
    edges=((), (2,), (3, 4), (5,), (5,), (1,)),
    initial=(1,),
    progress=((0, 9), (0, 1), (0, 2), (0, 2), (0, 2), (0, 3)),
)


def test_000_figure_2_1() -> None:
    """In the second round state 1 is kept, so that 5 leads to a known state and the search ends."""
    run = swept(graph_kernel(THREE_LAYERS))
    assert visits(run) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
    assert counts(run) == (1, 2, 2)


def test_000_figure_2_1_what_is_deleted_when() -> None:
    """2 is in another layer than 1, "which leads to the deletion of state 1"; when 5 is processed, 2, 3 and 4 go."""
    stored = dict(snapshots(graph_kernel(THREE_LAYERS)))
    assert stored[(1,)] == {1, 2}
    assert stored[(1, 2)] == {2, 3, 4}
    assert stored[(1, 2, 3, 4)] == {2, 3, 4, 5}
    assert stored[(1, 2, 3, 4, 5)] == {5, 1}
    assert stored[(1, 2, 3, 4, 5, 1, 2)] == {1, 2, 3, 4}, "in the second round 1 stays"


def test_000_figure_2_2() -> None:
    """Whether the target of a regress edge was visited before cannot be told: in (a) 4 is found after 2, in (b) only by
    the regress edge from 5. When 5 is done, both searches have the same states in memory."""
    progress = ((0, 9), (0, 1), (0, 2), (0, 2), (0, 2), (0, 3))
    before = Graph(((), (2,), (3, 4), (5,), (), (4,)), (1,), progress)
    never = Graph(((), (2,), (3,), (5,), (), (4,)), (1,), progress)
    runs = [swept(graph_kernel(graph)) for graph in (before, never)]
    assert [visits(run) for run in runs] == [[1, 2, 3, 4, 5, 4], [1, 2, 3, 5, 4]]
    assert [counts(run) for run in runs] == [(1, 1, 2)] * 2
    for graph in (before, never):
        assert [nodes for done, nodes in snapshots(graph_kernel(graph)) if done[-1] == 5] == [{5, 4}]


# 001, Figure 1. 0 and 1 lead to each other and to 2, 3 and 4; 8 -> 6 and 8 -> 9 are regress edges, and 9, which only 8
# leads to, leads to 10; 8 -> 6 -> 4 -> 7 -> 8 is a cycle.
SNAPSHOT = Graph(
    edges=((1, 2), (0, 3, 4), (5,), (6,), (7,), (), (4,), (8,), (6, 9), (10,), (7,)),
    progress=tuple((0, layer) for layer in (0, 0, 1, 1, 2, 2, 2, 4, 4, 1, 3)),
)


def test_001_figure_1() -> None:
    run = swept(graph_kernel(SNAPSHOT))
    assert visits(run) == [*range(9), 9, 6, 4, 10, 7, 8], "the second sweep is 9, 6, 4, 10, 7, 8"
    assert counts(run) == (2, 4, 2)


def test_001_figure_1_stages() -> None:
    stored = dict(snapshots(graph_kernel(SNAPSHOT)))
    assert stored[(0, 1)] == {0, 1, 2, 3, 4}
    assert stored[(0, 1, 2)] == {2, 3, 4, 5}, "stage 1: 0 and 1 are deleted when the line moves on"
    assert stored[tuple(range(9))] == {7, 8, 6, 9}, "stage 2: 6 and 9 are persistent, 0 to 5 were deleted"
    assert stored[(*range(9), 9, 6, 4)] == {9, 6, 4, 10, 7}, "stage 3: 9 and 6 are not deleted"


def test_002_figure_1() -> None:
    """Snapshots (a) to (c): the initial state 0 leads to 1, of the same progress, to 2 and 3; 1 leads to 4."""
    graph = Graph(((1, 2, 3), (4,), (), (), ()), progress=tuple((0, layer) for layer in (0, 0, 1, 1, 2)))
    stored = dict(snapshots(graph_kernel(graph)))
    assert stored[(0,)] == {0, 1, 2, 3}, "1 has minimal progress among the unprocessed ones and is next"
    assert stored[(0, 1)] == {0, 1, 2, 3, 4}
    assert stored[(0, 1, 2)] == {2, 3, 4}
    assert visits(swept(graph_kernel(graph))) == [0, 1, 2, 3, 4]


# 002, Figures 3 and 4: the initial state in square (1, 1), s1 to s3 in (1, 2), s6 in (2, 1), s5 in (2, 3), with
# s6 -> s5 and the regress edge s5 -> s6; s4 -> s7 goes down in y. (2, 2), (1, 3) and (4, 1) have a state each, too.
NAMES = ("initial", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "in (1, 3)", "in (2, 2)", "in (4, 1)")
SQUARES = ((1, 1), (1, 2), (1, 2), (1, 2), (3, 3), (2, 3), (2, 1), (4, 1), (1, 3), (2, 2), (4, 1))
EDGES = {
    "initial": ("s1", "s2", "s3", "s6"),
    "s1": ("in (1, 3)",),
    "s2": ("in (2, 2)",),
    "s4": ("s7",),
    "s5": ("s6", "s4"),
    "s6": ("s5", "in (4, 1)"),
    "in (2, 2)": ("s5",),
}


def _grid(*, monotone: bool) -> Composed:
    """Progress (x, y), of which x is a column where its monotonicity is made use of."""
    edges = tuple(tuple(NAMES.index(target) for target in EDGES.get(name, ())) for name in NAMES)
    if monotone:
        return Composed(edges, tuple((x,) for x, _ in SQUARES), tuple((y,) for _, y in SQUARES))
    return Composed(edges, ((),) * len(NAMES), SQUARES)


def _named(nodes: Sequence[int]) -> list[str]:
    return [NAMES[node] for node in nodes]


def test_002_figure_3() -> None:
    """One sweep finds s6 and s7 by the regress edges from s5 and s4; they are the roots of the next, which explores
    all states reachable from s6 again, and then all is done."""
    run = swept(_grid(monotone=False).kernel())
    order = _named(visits(run))
    assert order[:9] == ["initial", "s1", "s2", "s3", "in (1, 3)", "s6", "in (2, 2)", "s5", "s4"]
    assert order[9:] == ["in (4, 1)", "s6", "s5", "s4", "s7", "in (4, 1)"]
    assert counts(run) == (2, 4, 2)


def test_002_figure_3_what_is_persistent() -> None:
    found: dict[int, int] = {}
    for done, nodes in snapshots(_grid(monotone=False).kernel(), persistent=True):
        for node in nodes:
            found.setdefault(node, done[-1])
    assert {NAMES[node]: NAMES[source] for node, source in found.items()} == {"s6": "s5", "s7": "s4"}


def test_002_figure_4() -> None:
    """By columns "only the states s5 and s6 will be revisited", and s6 is deleted before the next column."""
    kernel = _grid(monotone=True).kernel()
    run = swept(kernel)
    order = _named(visits(run))
    assert order == [
        *("initial", "s1", "s2", "s3", "in (1, 3)"),
        *("s6", "in (2, 2)", "s5"),
        *("s6", "s5"),
        "s4",
        *("in (4, 1)", "s7"),
    ]
    assert counts(run) == (1, 2, 2)
    s4 = NAMES.index("s4")
    assert all(NAMES.index("s6") not in nodes for done, nodes in snapshots(kernel) if s4 in done), (
        "the persistent state went with its column"
    )
