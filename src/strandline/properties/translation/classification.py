"""Exact classification of a formula, by automata for it and for its negation.

Safety: a word is in the language if each of its prefixes is a prefix of some word in the language. Persistence: Boker
and Kupferman (2009) turn a Büchi automaton into a co-Büchi automaton that accepts at least the same words, and only
these exactly if the language is a persistence property. It is weak, because its acceptance is that of whole components
of the product with the subset automaton; so comparing it with the negation is one emptiness check. Guarantee and
recurrence are the duals; obligation is both recurrence and persistence. Stutter invariance: no word of the formula,
with letters repeated, is a word of the negation, nor the other way round (Michaud and Duret-Lutz 2015).
"""

from __future__ import annotations

from dataclasses import replace

from strandline.properties.automata.automaton import Automaton, Edge
from strandline.properties.automata.components import components
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import FALSE, Guard, conjunction, literal
from strandline.properties.automata.obligation import determinise
from strandline.properties.automata.product import product
from strandline.properties.ltl.classify import (
    Classes,
    PropertyClass,
    closed_upwards,
    is_syntactically_stutter_invariant,
)
from strandline.properties.ltl.formula import Formula
from strandline.properties.regular.bad_prefixes import safety_gap
from strandline.properties.translation.translate import generalised_pair

MAXIMUM_STUTTER_ATOMS = 8
"""The most propositions for the check of stutter invariance, which enumerates single letters."""


def exact_classes(formula: Formula) -> Classes | None:
    """Return exactly the classes of the property; None if the automata grow too large to decide."""
    positive, negative = generalised_pair(formula)
    persistent = _is_persistence(positive, negative)
    recurrent = _is_persistence(negative, positive)
    if persistent is None or recurrent is None:
        return None
    classes = set()
    if safety_gap(positive, negative) is None:
        classes.add(PropertyClass.SAFETY)
    if safety_gap(negative, positive) is None:
        classes.add(PropertyClass.GUARANTEE)
    if persistent:
        classes.add(PropertyClass.PERSISTENCE)
    if recurrent:
        classes.add(PropertyClass.RECURRENCE)
    if persistent and recurrent:
        classes.add(PropertyClass.OBLIGATION)
    return closed_upwards(classes)


def _is_persistence(automaton: Automaton, complement: Automaton) -> bool | None:
    determinised = determinise(automaton)
    if determinised is None:
        return None
    augmented = product(automaton, determinised[0])
    parts = components(augmented)
    accepting = parts.accepting(augmented)
    edges = tuple(
        tuple(replace(edge, marks=int(accepting[parts.of[state]])) for edge in outgoing)
        for state, outgoing in enumerate(augmented.edges)
    )
    return not intersects(replace(augmented, edges=edges, acceptance_sets=1), complement)


def is_stutter_invariant(formula: Formula) -> bool | None:
    """Return True if repeating or merging equal letters never changes the truth of the formula.

    Returns None if the formula has X and too many atomic propositions for the check.
    """
    if is_syntactically_stutter_invariant(formula):
        return True
    positive, negative = generalised_pair(formula)
    if len(positive.atoms) > MAXIMUM_STUTTER_ATOMS:
        return None
    return not intersects(with_repetitions(positive), negative) and not intersects(with_repetitions(negative), positive)


def with_repetitions(automaton: Automaton) -> Automaton:
    """Return an automaton for the accepted words and those made of them by repeating letters finitely often."""
    letters = _letters(len(automaton.atoms))
    waiting: dict[tuple[int, Guard], int] = {}
    edges: list[list[Edge]] = [[] for _ in automaton.edges]
    for state, outgoing in enumerate(automaton.edges):
        for edge in outgoing:
            edges[state].append(edge)
            for letter in letters:
                if edge.guard & letter is FALSE:
                    continue
                key = (edge.target, letter)
                if key not in waiting:
                    waiting[key] = len(edges)
                    edges.append([Edge(letter, len(edges)), Edge(letter, edge.target)])
                edges[state].append(Edge(letter, waiting[key], edge.marks))
    return replace(automaton, edges=tuple(map(tuple, edges)), state_names=None)


def _letters(count: int) -> list[Guard]:
    return [
        conjunction(literal(place, bool(bits >> place & 1)) for place in range(count)) for bits in range(1 << count)
    ]
