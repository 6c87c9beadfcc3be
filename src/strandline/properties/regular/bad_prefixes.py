"""The bad prefixes of safety properties given in LTL."""

from __future__ import annotations

from dataclasses import replace

from strandline.errors import UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.guard import TRUE
from strandline.properties.automata.obligation import determinise
from strandline.properties.automata.product import common_word
from strandline.properties.effort import work_limit
from strandline.properties.ltl.formula import Formula
from strandline.properties.regular.finite import FiniteAutomaton, minimal_deterministic, trim
from strandline.properties.translation.translate import MOST_EFFORT_FOR_PAIR, generalised_pair, to_state_based
from strandline.properties.word import LassoWord


def safety_gap(positive: Automaton, negative: Automaton) -> LassoWord | None:
    """Return a word that violates a formula although all its prefixes have a satisfying continuation.

    The arguments are trimmed automata of the formula and of its negation. None means that the formula is a safety
    property.
    """
    closure = replace(
        positive,
        edges=tuple(tuple(replace(edge, marks=0) for edge in edges) for edges in positive.edges),
        acceptance_sets=0,
    )
    return common_word(closure, negative)


def bad_prefixes(formula: Formula) -> FiniteAutomaton:
    """Return an automaton that detects every violation of a safety formula.

    It is deterministic and minimal and accepts exactly the finite words without a satisfying continuation; if the
    automaton of the negated formula is smaller, that one is returned, which may detect a violation later but never
    misses it. Raises `UsageError` with an example if the formula is no safety property, and `TranslationTooLarge` if it
    is too much work.
    """
    with work_limit(MOST_EFFORT_FOR_PAIR):
        return _bad_prefixes(formula)


def _bad_prefixes(formula: Formula) -> FiniteAutomaton:
    positive, negative = generalised_pair(formula)
    gap = safety_gap(positive, negative)
    if gap is not None:
        raise UsageError(
            f"not a safety property, so no finite prefix shows every violation: {formula}\n"
            f"for example, no prefix of this violating word is bad: {gap}"
        )
    small = terminal(to_state_based(formula, negative, positive, negated=True))
    exact = _earliest(positive)
    if exact is None:
        if small is None:
            raise UsageError(f"the bad prefixes of this formula need too large an automaton: {formula}")
        return small
    return small if small is not None and small.state_count < exact.state_count else exact


def _earliest(positive: Automaton) -> FiniteAutomaton | None:
    """Return the minimal deterministic automaton of all bad prefixes; None if it is too large.

    A prefix is bad if no run of `positive`, which is trimmed, survives it.
    """
    determinised = determinise(positive)
    if determinised is None:
        return None
    graph, subsets = determinised
    final = frozenset(place for place, subset in enumerate(subsets) if not subset)
    return minimal_deterministic(FiniteAutomaton(graph.atoms, graph.initial, graph.edges, final))


def terminal(automaton: Automaton) -> FiniteAutomaton | None:
    """Return the automaton as one on finite words; None unless its accepting states accept every continuation."""
    final = automaton.accepting_states
    for state in final:
        loop = automaton.edges[state]
        if len(loop) != 1 or loop[0].target != state or loop[0].guard is not TRUE:
            return None
    edges = tuple(tuple(replace(edge, marks=0) for edge in outgoing) for outgoing in automaton.edges)
    return trim(FiniteAutomaton(automaton.atoms, automaton.initial, edges, final))
