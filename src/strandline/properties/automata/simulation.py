"""Reduction by direct and by reverse simulation, and by bisimulation (transition-based acceptance).

State t simulates s if every edge of s is matched, letter by letter, by edges of t with at least its marks
whose targets simulate its target. States that simulate each other are merged; of two edges that leave one
state, the one that leads to the simulated target with no more marks is dropped for the letters they share.
Reverse simulation is the same with edges turned around; it also looks at initial states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strandline.properties.automata.automaton import (
    Automaton,
    Edge,
    merge_parallel,
    reachable_states,
    restrict,
)
from strandline.properties.automata.components import components
from strandline.properties.automata.guard import FALSE, Guard
from strandline.properties.automata.trimming import trim
from strandline.properties.effort import check_limits, spend

MAXIMUM_WORK = 20_000_000
"""Most pairs of edges for which simulation is computed; larger automata are reduced by bisimulation alone."""


@dataclass(frozen=True, slots=True)
class _Link:
    """An edge seen from one of its ends: `other` is the state at the far end."""

    guard: Guard
    other: int
    marks: int


def reduce_by_simulation(automaton: Automaton, *, keep_state_based: bool = False) -> Automaton:
    """Reduce an automaton by bisimulation, direct and reverse simulation in turn, until nothing changes.

    With `keep_state_based`, a state-based automaton stays one.
    """
    automaton = trim(automaton)
    while True:
        before = (automaton.state_count, automaton.edge_count)
        for generous in (False, True):
            automaton = reduce_by_bisimulation(with_transient_marks(automaton, generous, keep_state_based))
            if automaton.edge_count**2 <= MAXIMUM_WORK:
                automaton = trim(_reduce_directly(automaton))
        if automaton.edge_count**2 <= MAXIMUM_WORK:
            automaton = trim(_reduce_in_reverse(automaton, keep_state_based))
        if (automaton.state_count, automaton.edge_count) == before:
            return automaton


def with_transient_marks(automaton: Automaton, generous: bool, by_state: bool) -> Automaton:
    """Give all marks (generous) or none to edges that lie on no cycle: they never decide acceptance.

    With `by_state` this is done for whole states that lie on no cycle.
    """
    parts = components(automaton)
    marks = automaton.all_marks if generous else 0
    edges = []
    for state, outgoing in enumerate(automaton.edges):
        number = parts.of[state]
        edges.append(
            tuple(
                replace(edge, marks=marks)
                if (not parts.has_edge[number] if by_state else parts.of[edge.target] != number)
                else edge
                for edge in outgoing
            )
        )
    return replace(automaton, edges=tuple(edges))


def reduce_by_bisimulation(automaton: Automaton) -> Automaton:
    """Merge states with equal behaviour, by refining a partition with signatures."""
    block = [0] * automaton.state_count
    count = 1
    while True:
        signatures: dict[tuple[int, frozenset[tuple[int, int, Guard]]], int] = {}
        refined = []
        for state, outgoing in enumerate(automaton.edges):
            check_limits(1 + len(outgoing))
            united = merge_parallel(Edge(edge.guard, block[edge.target], edge.marks) for edge in outgoing)
            signature = (block[state], frozenset((edge.target, edge.marks, edge.guard) for edge in united))
            refined.append(signatures.setdefault(signature, len(signatures)))
        block = refined
        if len(signatures) == count:
            break
        count = len(signatures)
    representative: dict[int, int] = {}
    for state, number in enumerate(block):
        representative.setdefault(number, state)
    return quotient(automaton, [representative[number] for number in block])


def quotient(automaton: Automaton, representative: Sequence[int]) -> Automaton:
    """Replace every state by its representative, keeping only the edges of representatives."""
    edges = tuple(
        merge_parallel(replace(edge, target=representative[edge.target]) for edge in outgoing)
        if representative[state] == state
        else ()
        for state, outgoing in enumerate(automaton.edges)
    )
    initial = tuple(dict.fromkeys(representative[state] for state in automaton.initial))
    merged = replace(automaton, initial=initial, edges=edges)
    return restrict(merged, reachable_states(merged))


def greatest_simulation(links: Sequence[Sequence[_Link]], start: list[set[int]]) -> list[set[int]]:
    """Return the greatest simulation inside the relation `start`: element s is the set of states that simulate s.

    A pair is compared again only if a pair to which their edges lead has been removed.
    """
    above = start
    sources: list[set[int]] = [set() for _ in links]
    for state, own in enumerate(links):
        for link in own:
            sources[link.other].add(state)
    waiting: dict[int, set[int] | None] = dict.fromkeys(range(len(links)))
    while waiting:
        state = next(iter(waiting))
        others = waiting.pop(state)
        own = links[state]
        for other in list(above[state] if others is None else others & above[state]):
            spend(1 + len(own))
            if other != state and not _matches(own, links[other], above):
                above[state].discard(other)
                _compare_again(waiting, sources[state], sources[other])
    return above


def _compare_again(waiting: dict[int, set[int] | None], states: set[int], others: set[int]) -> None:
    """Add pairs of states to those that wait to be compared; None stands for all others."""
    for state in states:
        known = waiting.setdefault(state, set())
        if known is not None:
            known |= others


def _matches(own: Sequence[_Link], offered: Sequence[_Link], above: list[set[int]]) -> bool:
    for link in own:
        missing = link.guard
        allowed = above[link.other]
        for offer in offered:
            if offer.other in allowed and link.marks & ~offer.marks == 0:
                missing = missing & ~offer.guard
                if missing is FALSE:
                    break
        if missing is not FALSE:
            return False
    return True


def direct_simulators(automaton: Automaton) -> list[set[int]]:
    """Return, for every state, the states that simulate it."""
    links = [[_Link(edge.guard, edge.target, edge.marks) for edge in edges] for edges in automaton.edges]
    everything = range(automaton.state_count)
    return greatest_simulation(links, [set(everything) for _ in everything])


def _representatives(above: list[set[int]]) -> list[int]:
    return [min(other for other in above[state] if state in above[other]) for state in range(len(above))]


def _reduce_directly(automaton: Automaton) -> Automaton:
    above = direct_simulators(automaton)
    representative = _representatives(above)
    edges = tuple(
        _without_dominated(outgoing, above, representative) if representative[state] == state else ()
        for state, outgoing in enumerate(automaton.edges)
    )
    merged = quotient(replace(automaton, edges=edges), representative)
    if len(merged.initial) < 2:
        return merged
    return _without_dominated_initial(merged)


def _without_dominated(edges: Sequence[Edge], above: list[set[int]], representative: list[int]) -> tuple[Edge, ...]:
    kept: list[Edge] = []
    redirected = merge_parallel(replace(edge, target=representative[edge.target]) for edge in edges)
    for place, edge in enumerate(redirected):
        guard = edge.guard
        for other_place, other in enumerate(redirected):
            if other_place == place or other.target not in above[edge.target] or edge.marks & ~other.marks:
                continue
            equal = other.marks == edge.marks and edge.target in above[other.target]
            if not equal or other_place < place:
                guard = guard & ~other.guard
        if guard is not FALSE:
            kept.append(replace(edge, guard=guard))
    return tuple(kept)


def _without_dominated_initial(automaton: Automaton) -> Automaton:
    above = direct_simulators(automaton)
    initial = tuple(
        state
        for state in automaton.initial
        if not any(
            other in above[state] and (state not in above[other] or other < state)
            for other in automaton.initial
            if other != state
        )
    )
    return replace(automaton, initial=initial)


def _reduce_in_reverse(automaton: Automaton, keep_state_based: bool) -> Automaton:
    incoming: list[list[_Link]] = [[] for _ in automaton.edges]
    for state, outgoing in enumerate(automaton.edges):
        for edge in outgoing:
            incoming[edge.target].append(_Link(edge.guard, state, edge.marks))
    initial = set(automaton.initial)
    own_marks = [edges[0].marks if edges else 0 for edges in automaton.edges]
    states = range(automaton.state_count)
    start = [
        {
            other
            for other in states
            # Runs begin in initial states, so only these simulate one in reverse.
            if (state not in initial or other in initial)
            and (not keep_state_based or own_marks[state] & ~own_marks[other] == 0)
        }
        for state in states
    ]
    above = greatest_simulation(incoming, start)
    representative = _representatives(above)
    edges: list[list[Edge]] = [[] for _ in states]
    for target in states:
        for link in _undominated_sources(incoming[target], above):
            edges[representative[link.other]].append(Edge(link.guard, representative[target], link.marks))
    merged = replace(
        automaton,
        initial=tuple(dict.fromkeys(representative[state] for state in automaton.initial)),
        edges=tuple(merge_parallel(outgoing) for outgoing in edges),
    )
    return restrict(merged, reachable_states(merged))


def _undominated_sources(incoming: list[_Link], above: list[set[int]]) -> list[_Link]:
    kept = []
    for place, link in enumerate(incoming):
        guard = link.guard
        for other_place, other in enumerate(incoming):
            if other_place == place or other.other not in above[link.other] or link.marks & ~other.marks:
                continue
            equal = other.marks == link.marks and link.other in above[other.other]
            if not equal or other_place < place:
                guard = guard & ~other.guard
        if guard is not FALSE:
            kept.append(replace(link, guard=guard))
    return kept
