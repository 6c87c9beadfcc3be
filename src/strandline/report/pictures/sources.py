"""Make graphs to be drawn from models and automata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from strandline.analysis.control import control_edges
from strandline.checker.graphs import StateGraph
from strandline.model.system import Observer, Process, System
from strandline.model.values import show
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.automaton import Edge as AutomatonEdge
from strandline.properties.automata.components import tarjan
from strandline.properties.automata.guard import guard_text
from strandline.report.pictures.graphs import Edge, Graph, Node

_LINE = 44
"""Most characters of a state in one line."""
_MOST_MEMBERS = 3
"""Most actions that are named on an edge of a picture."""


def state_lines(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the values of a state as lines of at most `_LINE` characters, if no single value is longer."""
    lines, line = [], ""
    for name, value in state.items():
        text = f"{name}={show(value)}"
        if line and len(line) + len(text) + 1 > _LINE:
            lines.append(line)
            line = ""
        line = f"{line} {text}".strip()
    return (*lines, line)


def states_picture(graph: StateGraph) -> Graph:
    """Return the graph of reachable states; the last line of a state names the propositions that hold there.

    States without steps are marked.
    """
    initial = frozenset(graph.initial)
    nodes = []
    for node, state in zip(graph.nodes, graph.states, strict=True):
        truths = [name for name, truth in zip(graph.propositions, node.truths, strict=True) if truth]
        lines = (*state_lines(state), *([", ".join(truths)] if truths else []))
        nodes.append(Node(lines, node.number in initial, not node.edges))
    edges = [Edge(node.number, target, (action,)) for node in graph.nodes for action, target in node.edges]
    return Graph(f"{graph.system.title}: states", tuple(nodes), tuple(edges))


def components_picture(graph: StateGraph) -> Graph:
    """Return the graph of the SCCs, which has no cycles. Terminal SCCs are marked."""
    component_of, members = _components([[target for _, target in node.edges] for node in graph.nodes])
    labels: dict[tuple[int, int], list[str]] = {}
    for node in graph.nodes:
        for action, target in node.edges:
            ends = component_of[node.number], component_of[target]
            if ends[0] != ends[1]:
                names = labels.setdefault(ends, [])
                if action not in names:
                    names.append(action)
    left = {source for source, _ in labels}
    initial = {component_of[one] for one in graph.initial}
    nodes = []
    for number, inside in enumerate(members):
        first = state_lines(graph.states[inside[0]])
        size = f"{len(inside):,} states, e.g." if len(inside) > 1 else "1 state"
        nodes.append(Node((size, *first), number in initial, number not in left))
    edges = [Edge(*ends, _some(names)) for ends, names in labels.items()]
    return Graph(f"{graph.system.title}: strongly connected components", tuple(nodes), tuple(edges))


def _some(names: Sequence[str]) -> tuple[str, ...]:
    rest = len(names) - _MOST_MEMBERS
    return (*names[:_MOST_MEMBERS], *([f"and {rest:,} more"] if rest > 0 else []))


def _components(following: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Return the SCC number of every node, and the members of each SCC, in topological order."""
    found = [sorted(one) for one in tarjan(range(len(following)), lambda node: list(following[node]))]
    members_of = found[::-1]
    component_of = [0] * len(following)
    for number, members in enumerate(members_of):
        for one in members:
            component_of[one] = number
    return component_of, members_of


def control_picture(system: System) -> Graph:
    """Return the control graphs of all processes, and of the property process, side by side.

    Committed locations, and the accepting ones of the property process, are marked.
    """
    located: list[Process | Observer] = [*system.processes, *([] if system.observer is None else [system.observer])]
    nodes: list[Node] = []
    edges: list[Edge] = []
    for process in located:
        first = len(nodes)
        names = process.location.names or ()
        offset = system.offsets[process.location]
        begins = {state[offset] for state in system.initial}
        marked = process.committed if isinstance(process, Process) else process.accepting
        nodes += [
            Node((f"{process.name}.{name}",), place in begins, place in marked) for place, name in enumerate(names)
        ]
        moves = _moves(system, process)
        edges += [Edge(first + source, first + target, _some(moves.get((source, target), [])))
                  for source, target in sorted(control_edges(system, process))]  # fmt: skip
    return Graph(f"{system.title}: control", tuple(nodes), tuple(edges))


def _moves(system: System, process: Process | Observer) -> dict[tuple[int, int], list[str]]:
    """Return the names of the actions by the move (source, target) of a process that they make.

    Parts of a name that only repeat the process and the move are removed.
    """
    found: dict[tuple[int, int], list[str]] = {}
    if isinstance(process, Observer):
        return found
    number = system.processes.index(process)
    for action in system.actions:
        for move in action.moves:
            if move.process != number:
                continue
            names = found.setdefault((move.source, move.target), [])
            plain = f"{process.name}: {process.locations[move.source]} -> {process.locations[move.target]}"
            name = action.name.replace(plain, "").strip(" ;,").removeprefix(f"{process.name}.")
            if name and name not in names:
                names.append(name)
    return {move: names for move, names in found.items() if names}


def automaton_picture(automaton: Automaton, title: str = "automaton") -> Graph:
    """Return the graph of an automaton. Accepting states are marked; acceptance on edges is in their labels."""
    accepting = automaton.accepting_states if automaton.is_state_based else frozenset()
    names = automaton.state_names or ("",) * automaton.state_count
    nodes = tuple(
        Node((str(state),), state in automaton.initial, state in accepting, name) for state, name in enumerate(names)
    )
    edges = tuple(
        Edge(state, edge.target, (edge_label(automaton, edge),))
        for state, leaving in enumerate(automaton.edges)
        for edge in leaving
    )
    return Graph(title, nodes, edges, round_nodes=True)


def edge_label(automaton: Automaton, edge: AutomatonEdge) -> str:
    """Return the guard of an edge and, if acceptance is on edges, its acceptance sets in braces."""
    text = guard_text(edge.guard, lambda place: automaton.atoms[place])
    if automaton.is_state_based or not edge.marks:
        return text
    sets = ",".join(str(place) for place in range(automaton.acceptance_sets) if edge.marks >> place & 1)
    return f"{text} {{{sets}}}"
