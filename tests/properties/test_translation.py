"""The translations against each other, against evaluation on words, against Spot, and their sizes."""

from __future__ import annotations

import pytest
from formula_strategies import formula, formulas, needs_spot, negated, spot_automaton, words
from hypothesis import given, settings

from strandline.errors import UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.product import accepted_word, accepts, is_empty
from strandline.properties.effort import TranslationTooLarge
from strandline.properties.ltl.formula import Formula, atoms_in_order, atoms_of
from strandline.properties.ltl.lasso import holds
from strandline.properties.ltl.simplify import simplify
from strandline.properties.translation.generalised import translate_to_generalised
from strandline.properties.translation.translate import (
    Acceptance,
    Method,
    generalised_pair,
    translate,
    translate_negation,
)
from strandline.properties.word import LassoWord

UNKEPT_PROMISE = "G F X (F (c xor G X c) <-> (F !c U !X (c <-> X c)))"
"""Valid; its negation, translated with rewriting alone, accepts words: each F relies on the next one."""


def tableau(part: Formula) -> Automaton:
    return translate(part, method=Method.TABLEAU)


def generalised(part: Formula) -> Automaton:
    return translate(part, acceptance=Acceptance.GENERALISED)


@given(formulas(max_leaves=4))
@settings(max_examples=120, deadline=None)
def test_all_translations_accept_the_same_words(part: Formula) -> None:
    """No automaton of the formula meets one of the negation; each is complete, as the others show."""
    positive = [tableau(part), translate(part), generalised(part)]
    negative = [tableau(negated(part)), translate(negated(part)), generalised(negated(part))]
    for accepting in positive:
        for refusing in negative:
            assert not intersects(accepting, refusing)


@given(formulas(max_leaves=4), words())
@settings(max_examples=150, deadline=None)
def test_automata_accept_exactly_the_words_that_satisfy(part: Formula, word: LassoWord) -> None:
    expected = holds(part, word)
    assert accepts(translate(part), word) is expected
    assert accepts(generalised(part), word) is expected
    assert accepts(tableau(part), word) is expected


@given(formulas(max_leaves=8, names=("p", "q", "r")), words(names=("p", "q", "r")))
@settings(max_examples=150, deadline=None)
def test_the_default_on_larger_formulas(part: Formula, word: LassoWord) -> None:
    expected = holds(part, word)
    assert accepts(translate(part), word) is expected
    assert accepts(generalised(part), word) is expected
    assert accepts(translate(negated(part)), word) is not expected


@needs_spot
@given(formulas(max_leaves=6, names=("p", "q", "r")))
@settings(max_examples=100, deadline=None)
def test_the_default_agrees_with_spot(part: Formula) -> None:
    assert not intersects(translate(part), spot_automaton(negated(part)))
    assert not intersects(spot_automaton(part), translate(negated(part)))


@given(formulas(max_leaves=5), words())
@settings(max_examples=100, deadline=None)
def test_without_rewriting_the_expansion_is_exact(part: Formula, word: LassoWord) -> None:
    simple = simplify(part)
    exact = translate_to_generalised(simple, atoms_of(part), rewrite=False)
    assert accepts(exact, word) is holds(part, word)


@given(formulas(max_leaves=6), words())
@settings(max_examples=100, deadline=None)
def test_with_rewriting_no_word_is_lost(part: Formula, word: LassoWord) -> None:
    simple = simplify(part)
    rewritten = translate_to_generalised(simple, atoms_of(part), rewrite=True)
    if holds(part, word):
        assert accepts(rewritten, word)


def test_too_many_propositions_are_refused() -> None:
    with pytest.raises(UsageError, match="more than 200 atomic propositions"):
        translate(formula(" || ".join(f"p{number}" for number in range(201))))


def test_the_negation_of_many_responses_is_small_although_the_formula_is_not() -> None:
    responses = " && ".join(f"G (p{number} -> F q{number})" for number in range(6))
    automaton = translate(formula(f"!({responses})"))
    assert (automaton.state_count, automaton.edge_count) == (7, 13)
    with pytest.raises(TranslationTooLarge):
        generalised_pair(formula(responses))


def test_a_promise_that_nobody_keeps_is_noticed() -> None:
    part = formula(UNKEPT_PROMISE)
    opposite = simplify(part, negated=True)
    assert not is_empty(translate_to_generalised(opposite, atoms_of(part), rewrite=True))
    assert is_empty(translate_to_generalised(opposite, atoms_of(part), rewrite=False))
    assert is_empty(translate(negated(part)))
    assert translate(part).state_count == 1


@given(formulas(max_leaves=5))
@settings(max_examples=80, deadline=None)
def test_the_shape_of_results(part: Formula) -> None:
    automaton = translate(part)
    assert automaton.is_state_based
    assert automaton.atoms == atoms_in_order(part)
    assert len(automaton.initial) == 1
    assert translate(part) == automaton
    word = accepted_word(automaton)
    assert word is None or holds(part, word)


@pytest.mark.parametrize(
    ("text", "states", "edges"),
    [
        ("true", 1, 1),
        ("false", 1, 0),
        ("p", 2, 2),
        ("G p", 1, 1),
        ("F p", 2, 3),
        ("F G p", 2, 3),
        ("G F p", 2, 4),
        ("p U q", 2, 3),
        ("p R q", 2, 3),
        ("G (p -> F q)", 2, 4),
        ("!G (p -> F q)", 2, 3),
        ("G (p -> X F q)", 3, 8),
        ("G F p && G F q", 3, 8),
        ("G F p -> G F q", 4, 9),
        ("!(G F p -> G F q)", 3, 6),
        ("(p U q) U r", 4, 10),
        ("p U (q U r)", 3, 6),
    ],
)
def test_sizes_of_known_formulas(text: str, states: int, edges: int) -> None:
    """Upper bounds, so that a change that makes automata larger is seen."""
    automaton = translate(formula(text))
    assert automaton.state_count <= states
    assert automaton.edge_count <= edges


@pytest.mark.parametrize(
    ("text", "states", "sets"),
    [("G F p && G F q && G F r", 1, 3), ("G (p -> F q)", 2, 1), ("G p", 1, 0), ("F p", 2, 1)],
)
def test_sizes_of_generalised_automata(text: str, states: int, sets: int) -> None:
    automaton = generalised(formula(text))
    assert (automaton.state_count, automaton.acceptance_sets) == (states, sets)


@settings(max_examples=100)
@given(formulas())
def test_the_negation_shares_the_work_of_the_formula_and_has_the_same_automaton(part: Formula) -> None:
    ours, theirs = translate_negation(part), translate(negated(part))
    assert (ours.state_count, ours.edge_count) == (theirs.state_count, theirs.edge_count)
    assert not intersects(ours, translate(part))
