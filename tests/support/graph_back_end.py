"""An explicit graph as a Kernel: its arrays are looked up by machine code.

The code (`graph_lookup.py`) is the same for all graphs and is compiled once. The function of a Kernel is told nothing
but the state: each Kernel has one of its own out of a block of them, with a slot that says which graph it is.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from strandline.compile.jit import MachineCode, machine_code
from strandline.compile.kernel import DEADLOCK_BIT, Edge, FaultSite, Kernel, initial_arrays
from strandline.errors import UsageError
from strandline.model.expression import Expression
from support.explicit_graph import Graph
from support.graph_lookup import lookup_text

State = tuple[int, ...]

_BLOCK = 64
"""How many functions are compiled at a time."""
_UNKNOWN = FaultSite("this state is not in the graph", None)


class GraphReference:
    """The plain version of a graph's Kernel."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sites = {node: FaultSite(*fault) for node, fault in graph.faults.items()}

    @cached_property
    def states(self) -> list[State]:
        """The state of each node."""
        if self.graph.states is None:
            return [(node,) for node in range(len(self.graph))]
        return [tuple(row) for row in self.graph.states.tolist()]

    @cached_property
    def nodes(self) -> dict[State, int]:
        """The node of each state."""
        return {state: node for node, state in enumerate(self.states)}

    def initial(self) -> Sequence[State]:
        return [self.states[node] for node in self.graph.initial.tolist()]

    def edges(self, state: State) -> Sequence[Edge]:
        graph, node = self.graph, self.nodes[state]
        if node in self.sites:
            return [Edge("fault", None, self.sites[node])]
        return [Edge(graph.action(edge), self.states[graph.targets[edge]]) for edge in graph.edges(node)]

    def labels(self, state: State) -> int:
        node = self.nodes[state]
        stuck = not self.graph.edges(node) if self.graph.stuck is None else bool(self.graph.stuck[node])
        return int(self.graph.labels[node]) | stuck << DEADLOCK_BIT

    def progress(self, state: State) -> tuple[int, int]:
        if self.graph.progress is None:
            return 0, 0
        column, layer = self.graph.progress[self.nodes[state]].tolist()
        return column, layer

    def values(self, state: State, expressions: Sequence[Expression]) -> tuple[int, ...]:
        """A graph has no variables."""
        if expressions:
            raise UsageError("a graph has no variables: expressions over it have no value")
        return ()

    def describe(self, state: State) -> dict[str, Any]:
        return {"node": self.nodes[state]}


def graph_kernel(graph: Graph) -> Kernel:
    """The Kernel of a graph. A state that is not in it is a fault, the last of the sites."""
    started = time.perf_counter()
    reference = GraphReference(graph)
    sites = [*dict.fromkeys(reference.sites.values()), _UNKNOWN]
    tables = _Tables(graph, reference, sites)
    slot = _claim(tables)
    initial, progress = initial_arrays(reference, graph.words)
    return Kernel(
        words=graph.words,
        measured=graph.progress is not None,
        componentwise=graph.falls is not None,
        successors=slot.address,
        initial=initial,
        initial_progress=progress,
        fault_sites=sites,
        reference=reference,
        compile_seconds=time.perf_counter() - started,
        keep_alive=tables,
    )


class _Tables:
    """A graph as machine code reads it: `fields` are the numbers and addresses that `graph_lookup.py` lists."""

    def __init__(self, graph: Graph, reference: GraphReference, sites: Sequence[FaultSite]) -> None:
        rows = np.arange(len(graph), dtype=np.uint64)[:, None] if graph.states is None else graph.states
        self._kept: list[npt.NDArray[np.generic]] = []
        order = None if graph.states is None else _sorted(graph.states)
        if graph.progress is not None:
            rows = np.hstack([rows, graph.progress.astype(np.int64).view(np.uint64)])
        stuck = np.diff(graph.offsets) == 0 if graph.stuck is None else graph.stuck
        faults = np.zeros(len(graph), dtype=np.int64)
        for node, site in reference.sites.items():
            faults[node] = -1 - sites.index(site)
        self.fields = np.array(
            [
                len(graph),
                graph.words,
                rows.shape[1],
                rows.shape[1] + (graph.falls is not None),
                -len(sites),
                self._address(rows, np.uint64),
                self._address(graph.offsets, np.int64),
                self._address(graph.targets, np.int64),
                self._address(graph.labels | stuck.astype(np.uint64) << np.uint64(DEADLOCK_BIT), np.uint64),
                self._address(faults, np.int64) if reference.sites else 0,
                0 if graph.falls is None else self._address(graph.falls, np.uint8),
                0 if order is None else self._address(order, np.int64),
            ],
            dtype=np.int64,
        )

    def _address(self, array: npt.NDArray[np.generic], kind: type[np.generic]) -> int:
        """Where an array lies; it stays there as long as this object lives."""
        self._kept.append(np.ascontiguousarray(array, dtype=kind))
        return self._kept[-1].ctypes.data


def _sorted(states: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The nodes in the order of their states' words, the first counting most."""
    order = np.lexsort(states.T[::-1])
    rows = states[order]
    if bool((rows[1:] == rows[:-1]).all(axis=1).any()):
        raise UsageError("this is no graph: two nodes have the same state")
    return order.astype(np.int64)


class _Slot:
    """One of the compiled functions, and the place at which it finds its graph."""

    def __init__(self, code: MachineCode, number: int) -> None:
        self._code = code
        self.address = code.function(f"successors{number}")
        self._place = ctypes.c_void_p.from_address(code.variable("slots") + 8 * number)

    def hold(self, tables: _Tables) -> None:
        self._place.value = tables.fields.ctypes.data

    def release(self) -> None:
        self._place.value = None
        _FREE.append(self)


_FREE: list[_Slot] = []
"""Functions that no living Kernel uses."""


def _claim(tables: _Tables) -> _Slot:
    """A function for the tables, until they are gone."""
    if not _FREE:
        code = machine_code(lookup_text(_BLOCK))
        _FREE.extend(_Slot(code, number) for number in range(_BLOCK))
    slot = _FREE.pop()
    slot.hold(tables)
    weakref.finalize(tables, slot.release).atexit = False
    return slot
