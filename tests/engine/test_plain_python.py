"""The kernels run as plain Python too, and do the same: their own references."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from graph_kernel import Graph, graph_kernel, random_graph
from plain import plain_engine
from running import Run, explore, smallest_arrays
from test_resuming import same

SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize("words", [1, 2, 3, 12])
@pytest.mark.parametrize("kind", ["bfs", "dfs", "monotone", "regressing", "columns", "extreme"])
def test_plain_search_is_the_compiled_search(kind: str, words: int) -> None:
    order = kind if kind in ("bfs", "dfs") else "sweep"
    plain_search = plain_engine()
    for seed in range(6):
        graph = random_graph(Random(seed), 35, 70, kind="plain" if kind == order else kind)
        kernel = graph_kernel(graph, words)
        with np.errstate(over="ignore"):
            plain = explore(kernel, order, engine=plain_search)
        same(plain, explore(kernel, order))


@pytest.mark.parametrize("kind", ["bfs", "dfs", "regressing", "columns"])
def test_plain_search_with_tiny_arrays(kind: str) -> None:
    """Array accesses are checked in plain Python: growing and flushing at every point stays inside the arrays."""
    order = kind if kind in ("bfs", "dfs") else "sweep"
    plain_search = plain_engine()
    for words in (1, 2, 9):
        graph = random_graph(Random(words), 50, 100, kind="plain" if kind == order else kind)
        kernel = graph_kernel(graph, words)
        with smallest_arrays(plain_search), np.errstate(over="ignore"):
            plain = explore(kernel, order, engine=plain_search)
        same(plain, explore(kernel, order))


@pytest.mark.parametrize("order", ["bfs", "dfs", "sweep"])
def test_plain_search_stops_at_labels_and_faults(order: str) -> None:
    progress = ((0, 0), (0, 1), (0, 2)) if order == "sweep" else None
    kernel = graph_kernel(Graph(((1,), (2, 2), ()), progress=progress, labels={1: 2}, faults={2}))
    engine = plain_engine()
    with np.errstate(over="ignore"):
        run = Run(kernel, order, engine=engine, stop_mask=2)
        assert run.advance().event is engine.Event.FOUND
        run.search.stop_less(2)
        assert run.advance().event is engine.Event.FAULT
    assert kernel.fault_sites[run.search.fault_number].kind == "fault of 2"


def test_without_compiler_in_a_process_of_its_own() -> None:
    """`NUMBA_DISABLE_JIT=1` switches the compiler off from outside."""
    program = (
        "from strandline.engine.orders.breadth_first_kernel import breadth_first\n"
        "import types; assert isinstance(breadth_first, types.FunctionType)\n"
        "from random import Random\n"
        "from graph_kernel import graph_kernel, random_graph\n"
        "from running import explore\n"
        "graph = random_graph(Random(3), 30, 60)\n"
        "for order in ('bfs', 'dfs'):\n"
        "    outcome = explore(graph_kernel(graph, 2), order)\n"
        "    print(len(outcome.seen) == len(graph.reachable()), outcome.event.name)\n"
    )
    paths = os.pathsep.join([str(SOURCE), str(Path(__file__).parent), str(Path(__file__).parents[1])])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["True", "DONE"] * 2, done.stderr
