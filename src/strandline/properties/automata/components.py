"""Strongly connected components of automata (Tarjan, without recursion), and acceptance inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from strandline.properties.automata.automaton import Automaton, Edge


@dataclass(frozen=True, slots=True)
class Components:
    """Components in reverse topological order: a component's successors stand before it.

    `of[q]` is the number of q's component, -1 for unreachable states.
    """

    of: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    has_edge: tuple[bool, ...]
    """True for components with an inner edge; others are single states without a self-loop."""
    marks: tuple[int, ...]
    """The union of the marks of inner edges: a component that has some is accepting if these are all marks."""

    def accepting(self, automaton: Automaton) -> list[bool]:
        """Return, for each component, True if some run inside it is accepting."""
        full = automaton.all_marks
        return [has_edge and marks == full for has_edge, marks in zip(self.has_edge, self.marks, strict=True)]


def components(automaton: Automaton) -> Components:
    """Return the components that the initial states reach."""
    order = tarjan(automaton.initial, lambda state: [edge.target for edge in automaton.edges[state]])
    of = [-1] * automaton.state_count
    for number, members in enumerate(order):
        for state in members:
            of[state] = number
    has_edge, marks = [False] * len(order), [0] * len(order)
    for number, members in enumerate(order):
        for state in members:
            for edge in automaton.edges[state]:
                if of[edge.target] == number:
                    has_edge[number] = True
                    marks[number] |= edge.marks
    return Components(tuple(of), tuple(map(tuple, order)), tuple(has_edge), tuple(marks))


def tarjan(roots: Iterable[int], successors: Callable[[int], list[int]]) -> list[list[int]]:
    """Return the strongly connected components of a graph over integers, successors first."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    found: list[list[int]] = []
    for root in roots:
        if root in index:
            continue
        work = [(root, iter(successors(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, pending = work[-1]
            for successor in pending:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(successors(successor))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_pop_component(stack, on_stack, node))
    return found


def _pop_component(stack: list[int], on_stack: set[int], root: int) -> list[int]:
    members = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        members.append(node)
        if node == root:
            return sorted(members)


def inner_edges(automaton: Automaton, parts: Components, number: int) -> list[tuple[int, Edge]]:
    """Return the edges, with their sources, that stay inside one component."""
    return [
        (state, edge)
        for state in parts.members[number]
        for edge in automaton.edges[state]
        if parts.of[edge.target] == number
    ]


def is_weak_component(automaton: Automaton, parts: Components, number: int) -> bool:
    """Return True if *every* run that stays inside the component is accepting.

    This holds unless, for some acceptance set, a cycle avoids the set.
    """
    edges = inner_edges(automaton, parts, number)
    for place in range(automaton.acceptance_sets):
        graph: dict[int, list[int]] = {state: [] for state in parts.members[number]}
        for state, edge in edges:
            if not edge.marks >> place & 1:
                graph[state].append(edge.target)
        if _has_cycle(graph):
            return False
    return True


def _has_cycle(graph: dict[int, list[int]]) -> bool:
    parts = tarjan(graph, graph.__getitem__)
    return any(len(members) > 1 or members[0] in graph[members[0]] for members in parts)
