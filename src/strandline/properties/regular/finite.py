"""Automata on finite words, used for the bad prefixes of safety properties.

A word is bad as soon as a run over one of its prefixes reaches a final state. As in `Automaton`, the letter
read on an edge is the labelling of the system state that the step leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.guard import TRUE
from strandline.properties.automata.obligation import determinise
from strandline.properties.word import Letter


@dataclass(frozen=True, slots=True)
class FiniteAutomaton:
    """A nondeterministic automaton on finite words; edges carry no marks."""

    atoms: tuple[str, ...]
    initial: tuple[int, ...]
    edges: tuple[tuple[Edge, ...], ...]
    final: frozenset[int]

    @property
    def state_count(self) -> int:
        return len(self.edges)

    @property
    def edge_count(self) -> int:
        return sum(len(edges) for edges in self.edges)

    def without_marks(self) -> FiniteAutomaton:
        """Return the automaton with the marks of all edges removed."""
        edges = tuple(merge_parallel(replace(edge, marks=0) for edge in outgoing) for outgoing in self.edges)
        return replace(self, edges=edges)


def accepts_prefix(automaton: FiniteAutomaton, word: Sequence[Letter], loop: Sequence[Letter] = ()) -> bool:
    """Return True if a run over some prefix of `word`, then `loop` for ever, ends in a final state."""
    current = frozenset(automaton.initial)
    seen: set[tuple[int, frozenset[int]]] = set()
    letters, place = [*word, *loop], 0
    while current.isdisjoint(automaton.final):
        if place == len(letters):
            place = len(word)
        if place == len(letters) or (place, current) in seen:
            return False
        seen.add((place, current))
        current = _after(automaton, current, letters[place])
        place += 1
    return True


def _after(automaton: FiniteAutomaton, current: frozenset[int], letter: Letter) -> frozenset[int]:
    bits = sum(1 << place for place, name in enumerate(automaton.atoms) if name in letter)
    return frozenset(edge.target for state in current for edge in automaton.edges[state] if edge.guard.holds(bits))


def absorbing(automaton: FiniteAutomaton) -> FiniteAutomaton:
    """Return the automaton with absorbing final states: it accepts a word as soon as *some* prefix is accepted."""
    edges = tuple(
        (Edge(TRUE, state),) if state in automaton.final else outgoing for state, outgoing in enumerate(automaton.edges)
    )
    return replace(automaton, edges=edges)


def as_buchi(automaton: FiniteAutomaton) -> Automaton:
    """Return a state-based Büchi automaton for the infinite words with an accepted prefix."""
    closed = absorbing(automaton)
    edges = tuple(
        tuple(replace(edge, marks=int(state in closed.final)) for edge in outgoing)
        for state, outgoing in enumerate(closed.edges)
    )
    return Automaton(closed.atoms, closed.initial, edges, 1)


def minimal_deterministic(automaton: FiniteAutomaton) -> FiniteAutomaton | None:
    """Return the minimal deterministic automaton, trimmed; None if there are too many subsets.

    The result is not complete: it rejects a word where no edge is enabled.
    """
    determinised = determinise(Automaton(automaton.atoms, automaton.initial, automaton.edges))
    if determinised is None:
        return None
    graph, subsets = determinised
    final = frozenset(place for place, subset in enumerate(subsets) if not subset.isdisjoint(automaton.final))
    return trim(_merge(FiniteAutomaton(graph.atoms, graph.initial, graph.edges, final)))


def _merge(automaton: FiniteAutomaton) -> FiniteAutomaton:
    """Merge states with equal futures (Moore's refinement by signatures)."""
    block = [int(state in automaton.final) for state in range(automaton.state_count)]
    while True:
        numbers: dict[tuple[int, tuple[Edge, ...]], int] = {}
        refined = [
            numbers.setdefault(
                (block[state], merge_parallel(replace(edge, target=block[edge.target]) for edge in outgoing)),
                len(numbers),
            )
            for state, outgoing in enumerate(automaton.edges)
        ]
        if len(numbers) == len(set(block)):
            break
        block = refined
    first = {number: block.index(number) for number in dict.fromkeys(block)}
    place = {number: index for index, number in enumerate(first)}
    edges = tuple(
        merge_parallel(replace(edge, target=place[block[edge.target]]) for edge in automaton.edges[state])
        for state in first.values()
    )
    initial = tuple(dict.fromkeys(place[block[state]] for state in automaton.initial))
    return FiniteAutomaton(automaton.atoms, initial, edges, frozenset(place[block[state]] for state in automaton.final))


def trim(automaton: FiniteAutomaton) -> FiniteAutomaton:
    """Remove states that are unreachable or cannot reach a final state; initial states stay."""
    reached = _closure(
        set(automaton.initial),
        [[edge.target for edge in outgoing] for outgoing in automaton.edges],
    )
    backwards: list[list[int]] = [[] for _ in automaton.edges]
    for state, outgoing in enumerate(automaton.edges):
        for edge in outgoing:
            backwards[edge.target].append(state)
    useful = (reached & _closure(set(automaton.final), backwards)) | set(automaton.initial)
    keep = sorted(useful)
    place = {state: number for number, state in enumerate(keep)}
    edges = tuple(
        merge_parallel(
            replace(edge, target=place[edge.target]) for edge in automaton.edges[state] if edge.target in place
        )
        for state in keep
    )
    return FiniteAutomaton(
        automaton.atoms,
        tuple(place[state] for state in automaton.initial),
        edges,
        frozenset(place[state] for state in automaton.final if state in place),
    )


def _closure(start: set[int], successors: list[list[int]]) -> set[int]:
    reached = set(start)
    work = list(start)
    while work:
        for target in successors[work.pop()]:
            if target not in reached:
                reached.add(target)
                work.append(target)
    return reached
