"""Load the engine's machine code for graphs, on a graph of three states, before the clock of the search starts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from strandline.engine.graph.fixpoints import DeadEnds, Fixpoints
from strandline.engine.graph.log import GraphLog
from strandline.engine.graph.paths import Paths
from strandline.engine.graph.terminal import TerminalComponents


@cache
def load_graph() -> None:
    """Load the machine code that writes, labels and searches a graph."""
    with TemporaryDirectory() as folder:
        graph = GraphLog(Path(folder) / "graph", 1, 1, 1)
        _notify(graph)
        graph.finish()
        fixpoints, everything = Fixpoints(graph, DeadEnds(), lambda: None), graph.labelled(0)
        fixpoints.next(everything)
        fixpoints.until(everything, everything)
        fixpoints.always(everything)
        Paths(graph).always(0, everything)
        graph.close()


@cache
def load_components() -> None:
    """Load the machine code that finds terminal SCCs."""
    components = TerminalComponents(1, 1)
    _notify(components)
    components.finish()


def _notify(observer: GraphLog | TerminalComponents) -> None:
    """Notify an observer with arrays of every type that the compiler distinguishes in a search.

    First comes the record number of the initial state; then states with their labels and an edge to themselves, one
    state alone and two at once.
    """
    observer.expanded(np.array([[0, 1, 1]], dtype=np.uint64))
    observer.edges(np.zeros(1, dtype=np.uint64), np.zeros(2, dtype=np.uint64))
    observer.expanded(np.array([[1, 1, 1], [2, 1, 1]], dtype=np.uint64))
    observer.edges(np.array([1, 2], dtype=np.uint64), np.array([1, 2], dtype=np.uint64))
