"""Minimal weak deterministic automata, for the languages that have one: the obligation properties.

Determinise by the subset construction; decide for each component, by one word whose run stays in it, whether it is
accepting; colour the components (Löding 2001) and minimise like a finite automaton. The result is right exactly if the
language is an obligation; `is_exact` decides that with an automaton for the complement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.components import components
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import Guard, partition
from strandline.properties.automata.product import lasso_through
from strandline.properties.automata.simulation import reduce_by_bisimulation
from strandline.properties.word import LassoWord

MAXIMUM_SUBSETS = 400


def weak_deterministic(automaton: Automaton, accepts: Callable[[LassoWord], bool]) -> Automaton | None:
    """Return the minimal complete weak deterministic automaton; None if it grows too large.

    `accepts` decides whether a word is in the language. If the language is no obligation the result is wrong: check it
    with `is_exact`.
    """
    determinised = determinise(automaton)
    if determinised is None:
        return None
    subsets = determinised[0]
    parts = components(subsets)
    colour: list[int] = []
    for number, members in enumerate(parts.members):
        successors = {parts.of[edge.target] for state in members for edge in subsets.edges[state]} - {number}
        highest = max((colour[other] for other in successors), default=None)
        # No run stays in a component without edges: any colour is right, and the lowest merges most states.
        if not parts.has_edge[number]:
            colour.append(0 if highest is None else highest)
            continue
        wanted = int(not accepts(lasso_through(subsets, parts, number)))
        # The least colour of the right parity that is no lower than the successors' (Löding 2001).
        if highest is None:
            colour.append(wanted)
        else:
            colour.append(highest if highest % 2 == wanted else highest + 1)
    marked = tuple(
        tuple(replace(edge, marks=1 - colour[parts.of[state]] % 2) for edge in edges)
        for state, edges in enumerate(subsets.edges)
    )
    return reduce_by_bisimulation(replace(subsets, edges=marked, acceptance_sets=1))


def determinise(automaton: Automaton) -> tuple[Automaton, list[frozenset[int]]] | None:
    """Return the complete subset automaton, without acceptance, and its subsets; None if it is too large."""
    start = frozenset(automaton.initial)
    number = {start: 0}
    subsets = [start]
    edges: list[tuple[Edge, ...]] = []
    for subset in subsets:
        outgoing = []
        for guard, targets in _letters_and_targets(automaton, subset):
            if targets not in number:
                if len(subsets) >= MAXIMUM_SUBSETS:
                    return None
                number[targets] = len(subsets)
                subsets.append(targets)
            outgoing.append(Edge(guard, number[targets]))
        edges.append(merge_parallel(outgoing))
    return Automaton(automaton.atoms, (0,), tuple(edges)), subsets


def _letters_and_targets(automaton: Automaton, subset: frozenset[int]) -> list[tuple[Guard, frozenset[int]]]:
    edges = [edge for state in sorted(subset) for edge in automaton.edges[state]]
    return [
        (part, frozenset(edge.target for edge in edges if part.implies(edge.guard)))
        for part in partition(dict.fromkeys(edge.guard for edge in edges))
    ]


def complement_weak(automaton: Automaton) -> Automaton:
    """Return the complement of a complete weak deterministic automaton."""
    edges = tuple(tuple(replace(edge, marks=1 - edge.marks) for edge in edges) for edges in automaton.edges)
    return replace(automaton, edges=edges)


def is_exact(weak: Automaton, automaton: Automaton, complement: Automaton) -> bool:
    """Return True if `weak` accepts the same words as `automaton`, whose complement is given."""
    return not intersects(weak, complement) and not intersects(complement_weak(weak), automaton)
