"""Complementation and comparison of arbitrary automata.

Deterministic automata are complemented directly. Others by ranks (Kupferman and Vardi 2001): a word is
refused if the graph of all runs over it can be ranked such that ranks never rise, accepting states have
even ranks, and every path gets stuck in an odd rank. The complement guesses the ranks; it is meant for
small automata and bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product as choices

from strandline.errors import ResourceError
from strandline.properties.automata.automaton import Automaton, Edge, joined_atoms, merge_parallel, with_atoms
from strandline.properties.automata.degeneralise import degeneralise
from strandline.properties.automata.guard import TRUE, Guard, disjunction, partition
from strandline.properties.automata.product import common_word
from strandline.properties.automata.simulation import reduce_by_simulation
from strandline.properties.word import LassoWord

MAXIMUM_STATES = 20_000
"""States of a complement; above it a `ResourceError` is raised."""


class Relation(Enum):
    """How two languages compare."""

    EQUAL = "equal"
    LEFT_SMALLER = "the first is strictly contained in the second"
    RIGHT_SMALLER = "the second is strictly contained in the first"
    INCOMPARABLE = "neither contains the other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of two languages, with words that show the differences."""

    relation: Relation
    only_left: LassoWord | None
    only_right: LassoWord | None


def compare(left: Automaton, right: Automaton) -> Comparison:
    """Compare the languages of two automata; raises `ResourceError` if a complement grows too large."""
    atoms = joined_atoms(left, right)
    left, right = with_atoms(left, atoms), with_atoms(right, atoms)
    only_left = common_word(left, complement(right))
    only_right = common_word(right, complement(left))
    if only_left is None:
        relation = Relation.EQUAL if only_right is None else Relation.LEFT_SMALLER
    else:
        relation = Relation.RIGHT_SMALLER if only_right is None else Relation.INCOMPARABLE
    return Comparison(relation, only_left, only_right)


def complement(automaton: Automaton) -> Automaton:
    """An automaton that accepts exactly the words that this one does not."""
    state_based = min(
        (reduce_by_simulation(split, keep_state_based=True) for split in degeneralise(automaton)),
        key=lambda split: (not split.is_deterministic, split.state_count),
    )
    if state_based.is_deterministic:
        return _complement_deterministic(completed(state_based))
    return _complement_by_ranks(completed(state_based))


def completed(automaton: Automaton) -> Automaton:
    """The same language, with a rejecting sink for the letters that a state does not read."""
    sink = automaton.state_count
    edges = []
    for outgoing in automaton.edges:
        missing = ~disjunction(edge.guard for edge in outgoing)
        marks = outgoing[0].marks if outgoing else 0
        edges.append(merge_parallel([*outgoing, Edge(missing, sink, marks)]))
    edges.append((Edge(TRUE, sink, 0),))
    initial = automaton.initial or (sink,)
    return Automaton(automaton.atoms, initial, tuple(edges), 1)


def _complement_deterministic(automaton: Automaton) -> Automaton:
    """A run that is refused sees accepting states finitely often: guess when the last one has passed."""
    count = automaton.state_count
    accepting = automaton.accepting_states
    before = tuple(
        merge_parallel(
            [replace(edge, marks=0) for edge in outgoing]
            + [Edge(edge.guard, edge.target + count) for edge in outgoing if edge.target not in accepting]
        )
        for outgoing in automaton.edges
    )
    after = tuple(
        tuple(Edge(edge.guard, edge.target + count, 1) for edge in outgoing if edge.target not in accepting)
        if state not in accepting
        else ()
        for state, outgoing in enumerate(automaton.edges)
    )
    initial = automaton.initial + tuple(
        state + count for state in automaton.initial if state not in accepting
    )
    return Automaton(automaton.atoms, initial, before + after, 1)


_Ranking = tuple[tuple[int, int], ...]
"""Pairs (state, rank), sorted: the level of the run graph."""
_Node = tuple[_Ranking, frozenset[int]]
"""A ranking and the states whose runs still have to leave an even rank."""


def _complement_by_ranks(automaton: Automaton) -> Automaton:
    accepting = automaton.accepting_states
    highest = 2 * (automaton.state_count - len(accepting))
    start: _Node = (tuple((state, highest) for state in sorted(automaton.initial)), frozenset())
    number = {start: 0}
    nodes = [start]
    edges: list[tuple[Edge, ...]] = []
    for ranking, owing in nodes:
        outgoing = []
        mark = int(not owing)
        for letter, targets in _steps(automaton, ranking):
            for node in _successors(targets, owing, ranking, automaton, letter, accepting):
                if node not in number:
                    if len(nodes) >= MAXIMUM_STATES:
                        raise ResourceError(
                            f"the complement of the automaton has more than {MAXIMUM_STATES} states"
                        )
                    number[node] = len(nodes)
                    nodes.append(node)
                outgoing.append(Edge(letter, number[node], mark))
        edges.append(merge_parallel(outgoing))
    return Automaton(automaton.atoms, (0,), tuple(edges), 1)


def _steps(automaton: Automaton, ranking: _Ranking) -> Iterator[tuple[Guard, dict[int, int]]]:
    """For each class of letters, the states reached and the highest rank each may get."""
    guards = dict.fromkeys(edge.guard for state, _ in ranking for edge in automaton.edges[state])
    for letter in partition(guards):
        limits: dict[int, int] = {}
        for state, rank in ranking:
            for edge in automaton.edges[state]:
                if letter.implies(edge.guard):
                    limits[edge.target] = min(rank, limits.get(edge.target, rank))
        yield letter, limits


def _successors(
    limits: dict[int, int],
    owing: frozenset[int],
    ranking: _Ranking,
    automaton: Automaton,
    letter: Guard,
    accepting: frozenset[int],
) -> Iterator[_Node]:
    states = sorted(limits)
    # It never helps to lower a rank by more than needed to change its parity, except to reach an odd rank.
    options = [
        [rank for rank in range(limits[state], -1, -1) if not (state in accepting and rank % 2)]
        for state in states
    ]
    owed = {
        edge.target
        for state, _ in ranking
        if state in owing
        for edge in automaton.edges[state]
        if letter.implies(edge.guard)
    }
    for ranks in choices(*options):
        chosen = tuple(zip(states, ranks, strict=True))
        even = {state for state, rank in chosen if rank % 2 == 0}
        yield chosen, frozenset(even & owed if owing else even)
