"""The one data structure for automata on infinite words: transition-based generalised Büchi.

A run starts in an initial state and reads one letter per edge; the letter read on an edge is the labelling of
the system state that the step *leaves* (source convention). A run is accepting if, for every acceptance set,
it takes an edge of that set infinitely often. With no acceptance set every infinite run is accepting.
A state-based Büchi automaton is the special case of at most one set in which the edges that leave a state are
all in the set or all out of it; then the state is said to be accepting or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from strandline.properties.automata.guard import FALSE, TRUE, Guard, disjunction
from strandline.rich_display import Shown


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge, enabled for every letter that satisfies the guard; bit *i* of `marks` puts it in acceptance set *i*."""

    guard: Guard
    target: int
    marks: int = 0


@dataclass(frozen=True, slots=True)
class Automaton(Shown):
    """An automaton; states are the numbers from 0, `edges[q]` are the edges that leave state `q`."""

    atoms: tuple[str, ...]
    initial: tuple[int, ...]
    edges: tuple[tuple[Edge, ...], ...]
    acceptance_sets: int = 0
    state_names: tuple[str, ...] | None = None

    @property
    def state_count(self) -> int:
        return len(self.edges)

    @property
    def edge_count(self) -> int:
        return sum(len(edges) for edges in self.edges)

    @property
    def all_marks(self) -> int:
        """The marks of an edge that is in every acceptance set."""
        return (1 << self.acceptance_sets) - 1

    @property
    def is_state_based(self) -> bool:
        """True for a Büchi automaton with accepting states (see the module's docstring)."""
        return self.acceptance_sets <= 1 and all(len({edge.marks for edge in edges}) <= 1 for edges in self.edges)

    @property
    def accepting_states(self) -> frozenset[int]:
        """The accepting states of a state-based automaton; a state without edges never counts."""
        return frozenset(state for state, edges in enumerate(self.edges) if edges and edges[0].marks == self.all_marks)

    @property
    def is_deterministic(self) -> bool:
        """True if there is at most one initial state and no letter allows two edges."""
        return len(self.initial) <= 1 and all(_disjoint(edges) for edges in self.edges)

    @property
    def is_complete(self) -> bool:
        """True if there is an initial state and every state has an edge for every letter."""
        return bool(self.initial) and all(disjunction(edge.guard for edge in edges) is TRUE for edges in self.edges)


def _disjoint(edges: Sequence[Edge]) -> bool:
    covered = FALSE
    for edge in edges:
        if covered.meets(edge.guard):
            return False
        covered = covered | edge.guard
    return True


def merge_parallel(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Merge edges with equal target and marks, uniting their guards; return them in a fixed order."""
    by_target: dict[int, dict[int, Guard]] = {}
    for edge in edges:
        united = by_target.setdefault(edge.target, {})
        united[edge.marks] = united[edge.marks] | edge.guard if edge.marks in united else edge.guard
    return tuple(
        Edge(guard, target, marks)
        for target in sorted(by_target)
        for marks, guard in sorted(_without_weaker(by_target[target]).items())
        if guard is not FALSE
    )


def _without_weaker(guards: dict[int, Guard]) -> dict[int, Guard]:
    """Return the given map from marks to guards, each guard without the letters of guards with more marks."""
    if len(guards) == 1:
        return guards
    result = {}
    for marks, guard in guards.items():
        for more, better in guards.items():
            if more != marks and more & marks == marks:
                guard = guard & ~better
        result[marks] = guard
    return result


def restrict(automaton: Automaton, keep: Sequence[int]) -> Automaton:
    """Return the automaton on the given states, renumbered in the given order, without edges to others."""
    place = {state: number for number, state in enumerate(keep)}
    edges = tuple(
        merge_parallel(
            Edge(edge.guard, place[edge.target], edge.marks) for edge in automaton.edges[state] if edge.target in place
        )
        for state in keep
    )
    names = automaton.state_names
    return Automaton(
        automaton.atoms,
        tuple(place[state] for state in automaton.initial if state in place),
        edges,
        automaton.acceptance_sets,
        None if names is None else tuple(names[state] for state in keep),
    )


def reachable_states(automaton: Automaton) -> list[int]:
    """Return the states reachable from the initial ones, in breadth-first order."""
    order = list(dict.fromkeys(automaton.initial))
    seen = set(order)
    for state in order:
        for edge in automaton.edges[state]:
            if edge.target not in seen:
                seen.add(edge.target)
                order.append(edge.target)
    return order


def with_atoms(automaton: Automaton, atoms: tuple[str, ...]) -> Automaton:
    """Return the same automaton over a larger (or reordered) tuple of atomic propositions."""
    if atoms == automaton.atoms:
        return automaton
    places = {number: atoms.index(name) for number, name in enumerate(automaton.atoms)}
    edges = tuple(
        tuple(Edge(edge.guard.renumber(places), edge.target, edge.marks) for edge in edges) for edges in automaton.edges
    )
    return Automaton(atoms, automaton.initial, edges, automaton.acceptance_sets, automaton.state_names)


def joined_atoms(left: Automaton, right: Automaton) -> tuple[str, ...]:
    """Return the atomic propositions of both, those of `left` first."""
    return tuple(dict.fromkeys((*left.atoms, *right.atoms)))


EMPTY_EDGES: tuple[Edge, ...] = ()


def empty_automaton(atoms: tuple[str, ...]) -> Automaton:
    """Return an automaton with one state that accepts no word."""
    return Automaton(atoms, (0,), (EMPTY_EDGES,), 1)
