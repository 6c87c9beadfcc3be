"""Removal of useless parts: unreachable states, states without accepting future, redundant marks."""

from __future__ import annotations

from strandline.properties.automata.automaton import (
    Automaton,
    Edge,
    empty_automaton,
    reachable_states,
    restrict,
)
from strandline.properties.automata.components import Components, components, inner_edges, is_weak_component


def trim(automaton: Automaton) -> Automaton:
    """Return the automaton without states that are unreachable or cannot reach an accepting cycle.

    If none is left, one state without edges stays.
    """
    parts = components(automaton)
    accepting = parts.accepting(automaton)
    useful = list(accepting)
    for number, members in enumerate(parts.members):
        # Successors come first, so their values are final here.
        useful[number] = useful[number] or any(
            useful[parts.of[edge.target]] for state in members for edge in automaton.edges[state]
        )
    keep = [state for state in reachable_states(automaton) if useful[parts.of[state]]]
    if not keep:
        return empty_automaton(automaton.atoms)
    if len(keep) == automaton.state_count:
        return automaton
    return restrict(automaton, keep)


def simplify_acceptance(automaton: Automaton) -> Automaton:
    """Reduce the number of acceptance sets, for each component separately.

    Inside an accepting component a set counts only if some cycle avoids it, and not if it contains another set that
    counts. The sets that count are renumbered from 0; the numbers behind them, up to the new count of sets, are given
    to every edge. In a rejecting component no edge gets a mark that could complete a cycle: set 0 is withheld.
    """
    parts = components(automaton)
    accepting = parts.accepting(automaton)
    kept = [_needed_sets(automaton, parts, number) if accepting[number] else [] for number in range(len(parts.members))]
    count = max((len(sets) for sets in kept), default=0)
    if not all(accepting[n] or not parts.has_edge[n] for n in range(len(parts.members))):
        count = max(count, 1)
    full = (1 << count) - 1
    edges: list[tuple[Edge, ...]] = []
    for state, outgoing in enumerate(automaton.edges):
        number = parts.of[state]
        edges.append(
            tuple(
                Edge(edge.guard, edge.target, _new_marks(edge, kept[number], full))
                if parts.of[edge.target] == number and accepting[number]
                else Edge(edge.guard, edge.target, 0)
                for edge in outgoing
            )
        )
    return Automaton(automaton.atoms, automaton.initial, tuple(edges), count, automaton.state_names)


def _new_marks(edge: Edge, sets: list[int], full: int) -> int:
    marks = full & ~((1 << len(sets)) - 1)
    for place, number in enumerate(sets):
        marks |= (edge.marks >> number & 1) << place
    return marks


def _needed_sets(automaton: Automaton, parts: Components, number: int) -> list[int]:
    """Return the acceptance sets of a component that some cycle avoids and no smaller set implies."""
    if is_weak_component(automaton, parts, number):
        return []
    edges = [edge for _, edge in inner_edges(automaton, parts, number)]
    members = [
        frozenset(place for place, edge in enumerate(edges) if edge.marks >> bit & 1)
        for bit in range(automaton.acceptance_sets)
    ]
    needed: list[int] = []
    for bit, own in enumerate(members):
        # Every cycle meets a set that has all edges.
        if len(own) == len(edges):
            continue
        # A cycle that meets a smaller set meets this one; of equal sets the first one stays.
        implied = any(
            other < own or (other == own and earlier < bit) for earlier, other in enumerate(members) if earlier != bit
        )
        if not implied:
            needed.append(bit)
    return needed
