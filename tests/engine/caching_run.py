"""Running a search with a cache, and the method written down plainly."""

from __future__ import annotations

from typing import Any

from graph_kernel import Graph
from plain import Engine
from running import Outcome, Run

from strandline.compile.kernel import Kernel

RULES = ("random", "oldest", "newest", "deepest", "collision")


class CachingRun(Run):
    """A CachedSearch with sinks that keep everything."""

    def __init__(self, kernel: Kernel, states: int, rule: str, *, engine: Engine | None = None, **options: Any) -> None:
        super().__init__(kernel, rule, engine=engine, states=states, **options)

    def new_search(self, order: str, **options: Any) -> Any:
        return self.engine.CachedSearch(self.kernel, rule=self.engine.CacheRule(order), **options)


def cached(kernel: Kernel, states: int, rule: str, **options: Any) -> Outcome:
    """A whole search."""
    run = CachingRun(kernel, states, rule, **options)
    outcome = run.advance()
    run.search.close()
    return outcome


class PlainCaching:
    """Depth-first search by recursion with a cache, for the rules that no hash decides: `visits` in their order."""

    def __init__(self, graph: Graph, states: int, rule: str) -> None:
        self.graph, self.states, self.rule = graph, states, rule
        self.path: list[int] = []
        self.cache: list[tuple[int, int]] = []
        """Nodes and the length of the path to them, in the order in which they left the path."""
        self.visits: list[int] = []
        self.replaced = 0
        self.peak = 0
        for node in graph.initial:
            self._visit(node)

    def _visit(self, node: int) -> None:
        if node in self.path or node in (one for one, _ in self.cache):
            return
        self.visits.append(node)
        self.path.append(node)
        self.peak = max(self.peak, len(self.path) + len(self.cache))
        for target in self.graph.edges[node]:
            self._visit(target)
        self.path.pop()
        if len(self.cache) == self.states:
            self.replaced += 1
            if self.states == 0:
                return
            self.cache.remove(self._victim())
        self.cache.append((node, len(self.path)))

    def _victim(self) -> tuple[int, int]:
        if self.rule == "oldest":
            return self.cache[0]
        if self.rule == "newest":
            return self.cache[-1]
        assert self.rule == "deepest"
        depth = max(depth for _, depth in self.cache)
        return next(entry for entry in reversed(self.cache) if entry[1] == depth)
