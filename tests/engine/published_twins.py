"""MAP and LTL-Sweep written down plainly over an explicit graph (001 §3, §5.1): judges of the engine's figures.

`LtlSweep` has a switch for every place where the printed text goes wrong. Switched off, it is the printed version.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from graph_kernel import Graph


class DoesNotEnd(Exception):
    """More expansions than a graph of this size can need."""


@dataclass(slots=True)
class Figures:
    """What a search has counted. `kind` is "S", "M" or empty; `cycle` a node on the cycle that was found."""

    kind: str = ""
    cycle: int | None = None
    visited: int = 0
    red_visits: int = 0
    value_visits: int = 0
    persistent: int = 0
    peak: int = 0
    sweeps: int = 1
    rounds: int = 0


def maximal_accepting_predecessors(graph: Graph, accepting: int, *, subgraphs: bool = False) -> Figures:
    """MAP; `kind` is "S" where a cycle was found. With `subgraphs` values stay where the former values are equal."""
    figures = Figures()
    records = {node: record for record, node in enumerate(dict.fromkeys(graph.initial))}
    roots = tuple(records)
    counted: set[int] = set()
    known: set[int] = set()
    values: dict[int, int] = {}
    while True:
        figures.rounds += 1
        former, values = values, dict.fromkeys(roots, -1)
        queue = deque(roots)
        while queue:
            node = queue.popleft()
            figures.visited += 1
            if node not in known and graph.labels.get(node, 0) & accepting == accepting:
                counted.add(node)
            known.add(node)
            best = max(values[node], records[node] if node in counted else -1)
            for target in graph.edges[node]:
                carried = -1 if subgraphs and former.get(node) != former.get(target) else best
                if carried >= 0 and records.get(target) == carried:
                    figures.kind, figures.cycle = "S", target
                    return figures
                records.setdefault(target, len(records))
                if target not in values or carried > values[target]:
                    values[target] = carried
                    if target not in queue:
                        queue.append(target)
        numbers = set(values.values())
        deleted = {node for node in counted if records[node] in numbers}
        counted -= deleted
        if not deleted or not counted:
            return figures


class LtlSweep:
    """Off-line or on-line, with the line that moves back or with true sweeps.

    `enter_queued`: the blue search enters states of its layer that are stored because they wait. `reset`: every round
    begins without values. `bound`: persistent states discovered by the last sweep are not entered. `keep_dropped`:
    persistent states stay stored when they are no candidates any more. `pointers` are the pairs of a state and who
    updated its value, with the value, of the last round (000 §6.2)."""

    def __init__(
        self,
        graph: Graph,
        accepting: int,
        *,
        online: bool,
        true_sweeps: bool = False,
        enter_queued: bool = True,
        reset: bool = True,
        bound: bool = True,
        keep_dropped: bool = True,
        limit: int = 100_000,
    ) -> None:
        assert graph.progress is not None
        self.graph, self.progress = graph, graph.progress
        self.accepts = {node for node in range(len(graph.edges)) if graph.labels.get(node, 0) & accepting == accepting}
        self.online, self.true_sweeps = online, true_sweeps
        self.enter_queued, self.reset, self.bound, self.keep_dropped = enter_queued, reset, bound, keep_dropped
        self.limit = limit
        self.figures = Figures()
        self.records = 0
        self.stored = 0
        self.waiting: dict[tuple[int, int], list[int]] = {}
        self.roots: dict[int, list[int]] = {}
        self.kept: dict[int, int] = {}
        self.live: set[int] = set()
        self.blue: set[int] = set()
        self.red: set[int] = set()
        self.values: dict[int, int] = {}
        self.pointers: list[tuple[int, int, int]] = []

    def run(self) -> Figures:
        for node in reversed(self.graph.initial):
            self._place(None, node)
        while self.waiting:
            self._column(min(self.waiting)[0])
            if self.figures.kind:
                break
        return self.figures

    def _visit(self) -> None:
        self.figures.visited += 1
        if self.figures.visited > self.limit:
            raise DoesNotEnd

    def _store(self) -> None:
        self.stored += 1
        self.figures.peak = max(self.figures.peak, self.stored)

    def _column(self, column: int) -> None:
        """Sweep a column until it has no roots left, and look for cycles over several layers."""
        self.kept, self.values = {}, {}
        this_sweep = self.records
        while True:
            previous, this_sweep = this_sweep, self.records
            roots, self.roots = self.roots, {}
            while layers := {*roots, *(layer for where, layer in self.waiting if where == column)}:
                layer = min(layers)
                if self._layer(roots.pop(layer, []) + self.waiting.pop((column, layer), []), (column, layer)):
                    return
            new = {node for node, record in self.kept.items() if record >= this_sweep}
            if self.online:
                self._multiple({node for node, record in self.kept.items() if previous <= record < this_sweep}, new)
            elif not self.roots:
                self._multiple(set(self.kept), set())
            if self.figures.kind:
                return
            if not self.roots:
                self.stored -= len(self.kept)
                return
            self.figures.sweeps += 1

    def _layer(self, queue: list[int], here: tuple[int, int]) -> bool:
        """Nested searches from everything that waits in a layer."""
        for node in queue:
            if node not in self.blue and self._blue(node, here):
                return True
        gone = {node for node in self.live if self.progress[node] == here}
        self.stored -= len(gone)
        self.live -= gone
        self.blue -= gone
        self.red -= gone
        return False

    def _blue(self, node: int, here: tuple[int, int]) -> bool:
        self._visit()
        self.blue.add(node)
        targets = self.graph.edges[node]
        for target in reversed(targets):
            if self.progress[target] != here:
                self._place(here, target)
        for target in targets:
            if self.progress[target] != here:
                continue
            new = target not in self.live and target not in self.kept
            if new:
                self.live.add(target)
                self.records += 1
                self._store()
            if (new or (self.enter_queued and target not in self.blue)) and self._blue(target, here):
                return True
        if node in self.accepts and self._red(node, node, here):
            self.figures.kind, self.figures.cycle = "S", node
            return True
        return False

    def _red(self, node: int, seed: int, here: tuple[int, int]) -> bool:
        self._visit()
        self.figures.red_visits += 1
        self.red.add(node)
        for target in self.graph.edges[node]:
            if self.progress[target] != here:
                continue
            if target == seed:
                return True
            stored = not self.enter_queued or target in self.live or target in self.kept
            if stored and target not in self.red and self._red(target, seed, here):
                return True
        return False

    def _place(self, here: tuple[int, int] | None, target: int) -> None:
        """Store a state of another layer, to wait for the line or, behind it, for the next sweep."""
        if target in self.live or target in self.kept:
            return
        column, layer = self.progress[target]
        if here is not None and (column, layer) < here:
            assert column == here[0], "the measure lies"
            self.kept[target] = self.records
            self.blue.discard(target)
            self.red.discard(target)
            self.figures.persistent += 1
            self.roots.setdefault(layer, []).append(target)
        else:
            self.live.add(target)
            self.waiting.setdefault((column, layer), []).append(target)
        self.records += 1
        self._store()

    def _multiple(self, candidates: set[int], new: set[int]) -> None:
        """Rounds of propagation until no candidate is left."""
        while candidates and not self.figures.kind:
            self.figures.rounds += 1
            self.pointers.clear()
            if self.reset:
                self.values.clear()
            for node in candidates:
                self.values[node] = (self.kept[node] + 1) << 1
            self._propagate(candidates, new if self.bound else set())
            values = {node: self.values.get(node, 0) for node in candidates}
            candidates = {node for node in candidates if values[node] >> 1 > self.kept[node] + 1 and values[node] & 1}

    def _propagate(self, candidates: set[int], closed: set[int]) -> None:
        """One round. `queue` holds what waits in this pass of the line, `later` what waits for the next."""
        persistent = set(self.kept) if self.keep_dropped else candidates
        later = [node for node in self.kept if node in candidates]
        stored, visited = set(persistent), set[int]()
        while later:
            queue: dict[int, list[int]] = {}
            for node in later:
                queue.setdefault(self.progress[node][1], []).append(node)
            later = []
            line = min(queue)
            while queue:
                if min(queue) != line:
                    self._forget(visited, stored)
                    line = min(queue)
                node = queue[line].pop(0)
                if not queue[line]:
                    del queue[line]
                self._visit()
                self.figures.value_visits += 1
                if node not in persistent:
                    visited.add(node)
                carried = self.values[node] | (node in self.accepts)
                for target in self.graph.edges[node]:
                    column, layer = self.progress[target]
                    if column != self.progress[node][0] or target in closed:
                        continue
                    if target in self.kept and carried == (self.kept[target] + 1) << 1 | 1:
                        self.pointers.append((target, node, carried))
                        self.figures.kind, self.figures.cycle = "M", target
                        return
                    if target not in stored:
                        stored.add(target)
                        self.values.pop(target, None)
                        self._store()
                    if carried > self.values.get(target, 0):
                        self.values[target] = carried
                        self.pointers.append((target, node, carried))
                        visited.discard(target)
                        if self.true_sweeps and layer < line:
                            later += [] if target in later else [target]
                        elif target not in queue.setdefault(layer, []):
                            queue[layer].append(target)
            self._forget(visited, stored)

    def _forget(self, visited: set[int], stored: set[int]) -> None:
        """The line leaves a layer: what was visited there and does not wait again is collected."""
        stored -= visited
        self.stored -= len(visited)
        visited.clear()


def cycle_by_pointers(search: LtlSweep) -> list[int]:
    """The cycle of 000, Theorem 6.1: from the candidate back along who updated a state last."""
    assert search.figures.cycle is not None
    candidate = search.pointers[-1][2] >> 1
    last = {state: source for state, source, value in search.pointers if value >> 1 == candidate}
    path = [search.figures.cycle]
    while last[path[-1]] not in path:
        path.append(last[path[-1]])
    return path[path.index(last[path[-1]]) :]
