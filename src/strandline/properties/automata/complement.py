"""Complementation of Büchi automata, each kind by the cheapest means.

Deterministic: guess when the last accepting state has passed. Weak: the breakpoint construction (Miyano and
Hayashi 1984). Others by ranks in Schewe's form (2009): a word is refused if and only if the graph of all
runs over it can be ranked such that ranks never rise, accepting states have even ranks, and every path gets
stuck in an odd rank; it suffices to guess one tight ranking, to keep ranks as high as possible, and to
lower one even rank at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Generic, TypeVar

from strandline.errors import ResourceError
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.components import components, is_weak_component
from strandline.properties.automata.degeneralise import degeneralise
from strandline.properties.automata.guard import TRUE, Guard, disjunction, partition
from strandline.properties.automata.simulation import reduce_by_simulation

MAXIMUM_STATES = 20_000
MAXIMUM_EDGES = 200_000
"""The most edges of a complement; above it a `ResourceError` is raised."""


def complement(automaton: Automaton) -> Automaton:
    """Return an automaton that accepts exactly the words that this one rejects."""
    state_based = min(
        (reduce_by_simulation(split, keep_state_based=True) for split in degeneralise(automaton)),
        key=lambda split: (not split.is_deterministic, split.state_count),
    )
    whole = complete(state_based)
    if whole.is_deterministic:
        return _complement_deterministic(whole)
    steady = _steady_states(whole)
    if steady is not None:
        return _complement_weak(whole, steady)
    return _complement_by_ranks(whole)


def complete(automaton: Automaton) -> Automaton:
    """Return an automaton of the same language with a rejecting sink for missing letters."""
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
    """Complement a deterministic automaton.

    A rejecting run visits accepting states finitely often: guess when the last one has passed.
    """
    count = automaton.state_count
    accepting = automaton.accepting_states
    # The first copy follows all runs; the second, without accepting states, those after the guess.
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
    initial = automaton.initial + tuple(state + count for state in automaton.initial if state not in accepting)
    return Automaton(automaton.atoms, initial, before + after, 1)


def _steady_states(automaton: Automaton) -> frozenset[int] | None:
    """Return the states of accepting components of a weak automaton; None if it is not weak."""
    parts = components(automaton)
    steady: set[int] = set()
    for number, accepting in enumerate(parts.accepting(automaton)):
        if accepting:
            if not is_weak_component(automaton, parts, number):
                return None
            steady |= set(parts.members[number])
    return frozenset(steady)


Node = TypeVar("Node")


class _Numbering(Generic[Node]):
    """Numbers nodes in the order of discovery, up to a limit."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.number: dict[Node, int] = {}

    def __call__(self, node: Node) -> int:
        if node not in self.number:
            if len(self.nodes) >= MAXIMUM_STATES:
                raise ResourceError(f"the complement of the automaton has more than {MAXIMUM_STATES} states")
            self.number[node] = len(self.nodes)
            self.nodes.append(node)
        return self.number[node]


_States = frozenset[int]


def _complement_weak(automaton: Automaton, steady: _States) -> Automaton:
    """Complement a weak automaton by the breakpoint construction.

    All runs must leave for ever the steady states, those of accepting components. A state of the complement is a pair:
    the states that the runs have reached, and those whose runs have not left the steady states since the last
    breakpoint.
    """
    place = _Numbering[tuple[_States, _States]]()
    start = frozenset(automaton.initial)
    place((start, start & steady))
    edges: list[tuple[Edge, ...]] = []
    for subset, owing in place.nodes:
        outgoing = []
        for letter, move in _moves(automaton, subset):
            reached = _image(subset, move)
            # At a breakpoint every present run owes another departure from the steady states.
            still = _image(owing, move) if owing else reached
            outgoing.append(Edge(letter, place((reached, still & steady)), int(not owing)))
        edges.append(merge_parallel(outgoing))
    return Automaton(automaton.atoms, (0,), tuple(edges), 1)


_Move = dict[int, list[int]]


def _moves(automaton: Automaton, subset: _States) -> Iterator[tuple[Guard, _Move]]:
    """Yield each class of letters that allow the same edges, with the successors of every state of the subset."""
    guards = dict.fromkeys(edge.guard for state in sorted(subset) for edge in automaton.edges[state])
    for letter in partition(guards):
        yield (
            letter,
            {state: [edge.target for edge in automaton.edges[state] if letter.implies(edge.guard)] for state in subset},
        )


def _image(subset: _States, move: _Move) -> _States:
    return frozenset(target for state in subset for target in move[state])


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of the ranked run graph.

    Its states with their ranks, the even rank that is watched, and the states of that rank whose runs have not left it
    yet.
    """

    ranks: tuple[tuple[int, int], ...]
    watched: int
    owing: _States


def _complement_by_ranks(automaton: Automaton) -> Automaton:
    place = _Numbering[_States | _Level]()
    place(frozenset(automaton.initial))
    accepting = automaton.accepting_states
    edges: list[tuple[Edge, ...]] = []
    edge_count = 0
    for node in place.nodes:
        outgoing: list[Edge] = []
        if isinstance(node, _Level):
            mark = int(not node.owing)
            for letter, move in _moves(automaton, frozenset(state for state, _ in node.ranks)):
                outgoing += [Edge(letter, place(level), mark) for level in _lower_ranks(node, move, accepting)]
        else:
            for letter, move in _moves(automaton, node):
                reached = _image(node, move)
                outgoing.append(Edge(letter, place(reached), int(not node)))
                outgoing += [Edge(letter, place(level)) for level in _tight_levels(reached, accepting)]
        edge_count += len(outgoing)
        if edge_count > MAXIMUM_EDGES:
            raise ResourceError(f"the complement of the automaton has more than {MAXIMUM_EDGES} edges")
        edges.append(merge_parallel(outgoing))
    return Automaton(automaton.atoms, (0,), tuple(edges), 1)


def _tight_levels(subset: _States, accepting: _States) -> Iterator[_Level]:
    """Return the maximal tight rankings: every odd rank below the highest belongs to exactly one state."""
    free = sorted(subset - accepting)
    for count in range(len(free)):
        highest = 2 * count + 1
        for chosen in permutations(free, count):
            ranks = dict.fromkeys(free, highest) | dict.fromkeys(subset & accepting, highest - 1)
            ranks |= {state: 2 * number + 1 for number, state in enumerate(chosen)}
            yield _Level(tuple(sorted(ranks.items())), 0, frozenset())


def _lower_ranks(level: _Level, move: _Move, accepting: _States) -> Iterator[_Level]:
    """Yield the next level with maximal ranks and, if tight, the same with the watched states one rank lower."""
    limits: dict[int, int] = {}
    for state, rank in level.ranks:
        for target in move[state]:
            limits[target] = min(rank, limits.get(target, rank))
    # Along a run ranks never rise, and accepting states have even ones (Kupferman and Vardi 2001).
    ranks = {state: rank - (state in accepting and rank % 2) for state, rank in limits.items()}
    highest = max(rank for _, rank in level.ranks)
    if not _is_tight(ranks, highest):
        return
    if level.owing:
        watched = level.watched
        owing = frozenset(state for state in _image(level.owing, move) if ranks[state] == watched)
    else:
        # The even ranks are watched in turn: none may keep a run for ever.
        watched = (level.watched + 2) % (highest + 1)
        owing = frozenset(state for state, rank in ranks.items() if rank == watched)
    yield _Level(tuple(sorted(ranks.items())), watched, owing)
    if watched and owing and not owing & accepting:
        lower = ranks | {state: ranks[state] - 1 for state in owing}
        if _is_tight(lower, highest):
            yield _Level(tuple(sorted(lower.items())), watched, frozenset())


def _is_tight(ranks: dict[int, int], highest: int) -> bool:
    return max(ranks.values(), default=-1) == highest and set(range(1, highest + 1, 2)) <= set(ranks.values())
