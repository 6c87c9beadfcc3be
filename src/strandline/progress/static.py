"""Ranks of the nodes of a small graph, such as a process's control graph.

The strongly connected components, numbered along the longest path, never decrease (002 §5); the distance from the
initial location usually increases, but may fall back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


def component_ranks(nodes: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """For every node a number that no edge decreases and every edge between components increases: the longest path
    to its component."""
    targets = _targets(nodes, edges)
    component, count = _components(targets)
    ranks = [0] * count
    # Components are numbered in the order in which the search leaves them: what one leads to comes before it.
    for source in sorted(range(nodes), key=lambda node: -component[node]):
        for target in targets[source]:
            if component[target] != component[source]:
                ranks[component[target]] = max(ranks[component[target]], ranks[component[source]] + 1)
    return [ranks[component[node]] for node in range(nodes)]


def distance_ranks(nodes: int, edges: Iterable[tuple[int, int]], start: int) -> list[int]:
    """The least number of edges from the start; 0 for nodes that cannot be reached."""
    targets = _targets(nodes, edges)
    ranks = [0] * nodes
    seen, queue = {start}, deque([start])
    while queue:
        here = queue.popleft()
        for target in targets[here]:
            if target not in seen:
                seen.add(target)
                ranks[target] = ranks[here] + 1
                queue.append(target)
    return ranks


def _targets(nodes: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    targets: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in sorted(edges):
        targets[source].append(target)
    return targets


def _components(targets: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Tarjan's strongly connected components: the number of each node's, and how many there are."""
    count = len(targets)
    component, low, order = [-1] * count, [0] * count, [-1] * count
    found, clock = 0, 0
    stack: list[int] = []
    for root in range(count):
        path = [(root, 0)] if order[root] < 0 else []
        while path:
            node, place = path.pop()
            if place == 0:
                order[node] = low[node] = clock
                clock += 1
                stack.append(node)
            for number in range(place, len(targets[node])):
                target = targets[node][number]
                if order[target] < 0:
                    path += [(node, number + 1), (target, 0)]
                    break
                if component[target] < 0:
                    low[node] = min(low[node], order[target])
            else:
                if low[node] == order[node]:
                    while component[node] < 0:
                        component[stack.pop()] = found
                    found += 1
                elif path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
    return component, found
