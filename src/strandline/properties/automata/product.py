"""Products, emptiness, and words that witness non-emptiness."""

from __future__ import annotations

from collections import deque

from strandline.properties.automata.automaton import (
    Automaton,
    Edge,
    joined_atoms,
    with_atoms,
)
from strandline.properties.automata.components import Components, components
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import FALSE, Guard
from strandline.properties.word import LassoWord, Letter


def product(left: Automaton, right: Automaton) -> Automaton:
    """Return the reachable part of the synchronous product, which accepts the intersection.

    The acceptance sets of `left` keep their numbers, those of `right` follow.
    """
    atoms = joined_atoms(left, right)
    left, right = with_atoms(left, atoms), with_atoms(right, atoms)
    number: dict[tuple[int, int], int] = {}
    pairs: list[tuple[int, int]] = []

    def place(pair: tuple[int, int]) -> int:
        if pair not in number:
            number[pair] = len(pairs)
            pairs.append(pair)
        return number[pair]

    initial = tuple(place((a, b)) for a in left.initial for b in right.initial)
    edges: list[tuple[Edge, ...]] = []
    shift = left.acceptance_sets
    for a, b in pairs:
        outgoing = []
        for first in left.edges[a]:
            for second in right.edges[b]:
                guard = first.guard & second.guard
                if guard is not FALSE:
                    target = place((first.target, second.target))
                    outgoing.append(Edge(guard, target, first.marks | second.marks << shift))
        edges.append(tuple(outgoing))
    return Automaton(atoms, initial, tuple(edges), shift + right.acceptance_sets)


def is_empty(automaton: Automaton) -> bool:
    """Return True if the automaton accepts no word."""
    return not any(components(automaton).accepting(automaton))


def accepted_word(automaton: Automaton) -> LassoWord | None:
    """Return an accepted word with a shortest path to an accepting component; None if there is none."""
    parts = components(automaton)
    accepting = parts.accepting(automaton)
    goals = {state for state, number in enumerate(parts.of) if number >= 0 and accepting[number]}
    return _lasso(automaton, parts, goals) if goals else None


def lasso_through(automaton: Automaton, parts: Components, number: int) -> LassoWord:
    """Return a word whose run ends in a cycle of the component that takes all of its marks."""
    return _lasso(automaton, parts, set(parts.members[number]))


def _lasso(automaton: Automaton, parts: Components, goals: set[int]) -> LassoWord:
    prefix, entry = _path(automaton, parts, None, set(automaton.initial), goals)
    loop = _loop(automaton, parts, entry)
    return LassoWord(_letters(automaton, prefix), _letters(automaton, loop)).reduce()


def common_word(left: Automaton, right: Automaton) -> LassoWord | None:
    """Return some word that both accept; None if there is none."""
    return accepted_word(product(left, right))


def word_automaton(word: LassoWord, atoms: tuple[str, ...]) -> Automaton:
    """Return the automaton that accepts exactly this word, restricted to the given propositions."""
    from strandline.properties.automata.guard import conjunction, literal

    edges = tuple(
        (
            Edge(
                conjunction(literal(place, name in letter) for place, name in enumerate(atoms)),
                word.successor(position),
            ),
        )
        for position, letter in enumerate(word.letters)
    )
    return Automaton(atoms, (0,), edges)


def accepts(automaton: Automaton, word: LassoWord) -> bool:
    """Return True if the automaton accepts the word."""
    return intersects(automaton, word_automaton(word, automaton.atoms))


def _loop(automaton: Automaton, parts: Components, entry: int) -> list[Guard]:
    """Return a cycle through `entry` inside its component that takes all marks of the component."""
    number = parts.of[entry]
    state, missing, guards = entry, parts.marks[number], []
    while missing:
        sources = {
            source
            for source in parts.members[number]
            for edge in automaton.edges[source]
            if edge.marks & missing and parts.of[edge.target] == number
        }
        steps, state = _path(automaton, parts, number, {state}, sources)
        edge = next(edge for edge in automaton.edges[state] if edge.marks & missing and parts.of[edge.target] == number)
        guards += [*steps, edge.guard]
        missing &= ~edge.marks
        state = edge.target
    if not guards or state != entry:
        steps, state = _closing_path(automaton, parts, number, state, entry)
        guards += steps
    return guards


def _closing_path(
    automaton: Automaton, parts: Components, number: int, state: int, entry: int
) -> tuple[list[Guard], int]:
    """Return a path of at least one edge from `state` to `entry` inside the component."""
    for edge in automaton.edges[state]:
        if parts.of[edge.target] == number:
            steps, end = _path(automaton, parts, number, {edge.target}, {entry})
            return [edge.guard, *steps], end
    raise ValueError("the component has no inner edge")


def _path(
    automaton: Automaton, parts: Components, number: int | None, starts: set[int], goals: set[int]
) -> tuple[list[Guard], int]:
    """Return a shortest path from a start to a goal, as its guards and its end.

    With `number`, only inside that component.
    """
    queue = deque(sorted(starts))
    reached: dict[int, tuple[int, Guard] | None] = dict.fromkeys(queue)
    while queue:
        state = queue.popleft()
        if state in goals:
            return _trace_back(reached, state), state
        for edge in automaton.edges[state]:
            if edge.target not in reached and (number is None or parts.of[edge.target] == number):
                reached[edge.target] = (state, edge.guard)
                queue.append(edge.target)
    raise ValueError("no path leads to a goal")


def _trace_back(reached: dict[int, tuple[int, Guard] | None], state: int) -> list[Guard]:
    guards = []
    step = reached[state]
    while step is not None:
        state, guard = step
        guards.append(guard)
        step = reached[state]
    return guards[::-1]


def _letters(automaton: Automaton, guards: list[Guard]) -> tuple[Letter, ...]:
    letters = []
    for guard in guards:
        letter = guard.letter()
        letters.append(frozenset(name for place, name in enumerate(automaton.atoms) if letter >> place & 1))
    return tuple(letters)
