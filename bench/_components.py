"""Progress of a system from the progress of its components, as measures for ``--measure`` (002 §5).

Components whose names are among the monotone ones go by their strongly connected components, the others by a spanning
tree of their control graph.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from strandline.analysis.control import control_edges
from strandline.model.system import System
from strandline.progress.static import component_ranks


def component_of(name: str) -> str:
    """`Slave` of `Slave[3]`."""
    return name.partition("[")[0]


def ranked(system: System, number: int, ranks: Sequence[int]) -> str:
    """The rank of a component's state, as an expression of the model: its number where that is the rank, else a sum of
    which one term is not zero. The remainder changes nothing but shows how large it can be."""
    process = system.processes[number]
    if list(ranks) == list(range(len(ranks))):
        return process.name
    terms = [
        f"{rank} * {process.name}.{location}" for location, rank in zip(process.locations, ranks, strict=True) if rank
    ]
    return f"({' + '.join(terms)}) % {max(ranks) + 1}" if terms else "0"


def columns(system: System, monotone: Set[str]) -> list[str]:
    """The monotone part: the sum of the ranks of strongly connected components."""
    parts = []
    for number, process in enumerate(system.processes):
        if component_of(process.name) in monotone:
            ranks = component_ranks(len(process.locations), control_edges(system, process))
            parts.append(ranked(system, number, ranks))
    return [f"mono({' + '.join(parts)})"] if parts else []


def falling(system: System, monotone: Set[str]) -> list[int]:
    """The components with spanning trees."""
    return [number for number, process in enumerate(system.processes) if component_of(process.name) not in monotone]


def summed(system: System, monotone: Set[str]) -> list[str]:
    """Layers by the sum of the numbers of states, which extend the order of a breadth-first spanning tree."""
    names = [system.processes[number].name for number in falling(system, monotone)]
    return [*columns(system, monotone), *([" + ".join(names)] if names else [])]


def literal(system: System, monotone: Set[str]) -> list[str]:
    """One measure for each linear order of which the tree's partial order is the intersection: for a tree, one node is
    below another if it comes first in depth-first order both from left to right and from right to left."""
    found = columns(system, monotone)
    for number in falling(system, monotone):
        process = system.processes[number]
        start = system.initial[0][system.offsets[process.location]]
        tree = spanning_tree(len(process.locations), sorted(control_edges(system, process)), start)
        orders = {tuple(depth_first(tree, start, backwards)) for backwards in (False, True)}
        found += [ranked(system, number, order) for order in sorted(orders)]
    return found


def spanning_tree(count: int, edges: Sequence[tuple[int, int]], start: int) -> list[list[int]]:
    """The children of every node in a depth-first spanning tree."""
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        targets[source].append(target)
    children: list[list[int]] = [[] for _ in range(count)]
    seen, path = {start}, [(start, iter(targets[start]))]
    while path:
        node, rest = path[-1]
        child = next((one for one in rest if one not in seen), None)
        if child is None:
            path.pop()
        else:
            seen.add(child)
            children[node].append(child)
            path.append((child, iter(targets[child])))
    return children


def depth_first(children: Sequence[Sequence[int]], start: int, backwards: bool) -> list[int]:
    """The place of every node in depth-first order."""
    places, waiting, found = [0] * len(children), [start], 0
    while waiting:
        node = waiting.pop()
        places[node] = found
        found += 1
        waiting += children[node] if backwards else reversed(children[node])
    return places
