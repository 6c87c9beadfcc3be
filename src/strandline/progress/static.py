"""Two rankings of the nodes of a small graph, such as a process's control graph.

By SCC: the length of the longest path to a node's SCC never decreases along an edge (002 §5). By distance: the distance
from the initial location mostly increases along an edge, but may decrease.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from strandline.properties.automata.components import tarjan


def component_ranks(nodes: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Rank nodes such that no edge decreases the rank and every edge between SCCs increases it.

    The rank is the longest path to the node's SCC.
    """
    targets = _targets(nodes, edges)
    # Components are numbered in reverse topological order: successors first.
    found = tarjan(range(nodes), targets.__getitem__)
    component = {node: number for number, members in enumerate(found) for node in members}
    ranks = [0] * len(found)
    for source in sorted(range(nodes), key=lambda node: -component[node]):
        for target in targets[source]:
            if component[target] != component[source]:
                ranks[component[target]] = max(ranks[component[target]], ranks[component[source]] + 1)
    return [ranks[component[node]] for node in range(nodes)]


def distance_ranks(nodes: int, edges: Iterable[tuple[int, int]], start: int) -> list[int]:
    """Return the least number of edges from the start; 0 for unreachable nodes."""
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
