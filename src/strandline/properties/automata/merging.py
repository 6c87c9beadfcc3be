"""Merging states as long as the language stays the same, judged by an automaton for the complement.

Uniting two states can only add words. So the union is right if and only if the smaller automaton has no
word in common with the complement: an emptiness check, which for small automata costs little, and which
finds merges that no simulation justifies.
"""

from __future__ import annotations

from dataclasses import replace

from strandline.properties.automata.automaton import Automaton, Edge, restrict
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.trimming import trim

MAXIMUM_WORK = 40_000
"""Bound on states² x states of the complement, an estimate of the cost; above it nothing is merged."""


def merge_states(automaton: Automaton, complement: Automaton) -> Automaton:
    """Return a state-based automaton with the same language and possibly fewer states, using its complement.

    One pass over all pairs is enough: a pair whose union is wrong stays wrong after other unions, which only add words.
    """
    if automaton.state_count**2 * complement.state_count > MAXIMUM_WORK:
        return automaton
    second = 1
    while second < automaton.state_count:
        for first in range(second):
            candidate = _unite(automaton, first, second)
            if not intersects(candidate, complement):
                automaton = _without_state(candidate, second)
                break
        else:
            second += 1
    return trim(automaton)


def _unite(automaton: Automaton, first: int, second: int) -> Automaton:
    """Merge two states into the first, accepting if one of them is; the second remains as an unreachable state."""
    both = [*automaton.edges[first], *automaton.edges[second]]
    marks = 0
    for edge in both:
        marks |= edge.marks
    edges = [
        tuple(_redirect(edge, second, first) for edge in outgoing)
        if any(edge.target == second for edge in outgoing)
        else outgoing
        for outgoing in automaton.edges
    ]
    edges[first] = tuple(_redirect(replace(edge, marks=marks), second, first) for edge in both)
    initial = tuple(dict.fromkeys(first if state == second else state for state in automaton.initial))
    return replace(automaton, initial=initial, edges=tuple(edges))


def _without_state(automaton: Automaton, unreachable: int) -> Automaton:
    return restrict(automaton, [state for state in range(automaton.state_count) if state != unreachable])


def _redirect(edge: Edge, old: int, new: int) -> Edge:
    return replace(edge, target=new) if edge.target == old else edge
