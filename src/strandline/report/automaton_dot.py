"""Automata as text in DOT, the language of Graphviz."""

from __future__ import annotations

from strandline.properties.automata.automaton import Automaton, Edge
from strandline.properties.automata.guard import guard_text


def automaton_dot(automaton: Automaton, *, title: str = "") -> str:
    """Return an automaton as a directed graph in DOT.

    Accepting states are double circles; the acceptance sets of an edge are in braces behind its guard.
    """
    by_state = automaton.is_state_based
    lines = ["digraph automaton {", "    rankdir=LR;", "    node [shape=circle];"]
    if title:
        lines.append(f"    label={_quote(title)}; labelloc=t;")
    for place, state in enumerate(automaton.initial):
        lines.append(f'    start{place} [shape=point, label=""];')
        lines.append(f"    start{place} -> {state};")
    accepting = automaton.accepting_states if by_state else frozenset()
    for state in range(automaton.state_count):
        attributes = [f"label={_quote(str(state))}"]
        if state in accepting:
            attributes.append("shape=doublecircle")
        if automaton.state_names is not None:
            attributes.append(f"tooltip={_quote(automaton.state_names[state])}")
        lines.append(f"    {state} [{', '.join(attributes)}];")
    for state, edges in enumerate(automaton.edges):
        lines += [f"    {state} -> {edge.target} [label={_quote(edge_label(automaton, edge))}];" for edge in edges]
    return "\n".join([*lines, "}"]) + "\n"


def edge_label(automaton: Automaton, edge: Edge) -> str:
    """Return the guard of an edge and, if acceptance is on edges, its acceptance sets in braces."""
    text = guard_text(edge.guard, lambda place: automaton.atoms[place])
    if automaton.is_state_based or not edge.marks:
        return text
    sets = ",".join(str(place) for place in range(automaton.acceptance_sets) if edge.marks >> place & 1)
    return f"{text} {{{sets}}}"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
