"""Classes of properties by syntax and exactly, stutter invariance, against definitions and against Spot."""

from __future__ import annotations

import pytest
from formula_strategies import formula, formulas, needs_spot, spot, words
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.properties.ltl.classify import (
    PropertyClass,
    is_syntactically_stutter_invariant,
    narrowest,
    syntactic_classes,
)
from strandline.properties.ltl.formula import Formula
from strandline.properties.ltl.lasso import holds
from strandline.properties.translation.classification import exact_classes, is_stutter_invariant
from strandline.properties.word import LassoWord

SPOT_LETTERS = {
    "B": {"safety", "guarantee"},
    "S": {"safety"},
    "G": {"guarantee"},
    "O": {"obligation"},
    "R": {"recurrence"},
    "P": {"persistence"},
    "T": {"reactivity"},
}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("p", "safety guarantee"),
        ("X p", "safety guarantee"),
        ("G p", "safety"),
        ("p W q", "safety"),
        ("p R q", "safety"),
        ("F p", "guarantee"),
        ("p U q", "guarantee"),
        ("p M q", "guarantee"),
        ("G p || F q", "obligation"),
        ("F p && G q", "obligation"),
        ("p R F q", "recurrence"),
        ("G F p", "recurrence"),
        ("G (p -> F q)", "recurrence"),
        ("F G p", "persistence"),
        ("F (p && G q)", "persistence"),
        ("G F p -> G F q", "reactivity"),
    ],
)
def test_the_hierarchy(text: str, kinds: str) -> None:
    expected = kinds.split()
    assert [kind.value for kind in narrowest(syntactic_classes(formula(text)))] == expected
    exact = exact_classes(formula(text))
    assert exact is not None
    assert [kind.value for kind in narrowest(exact)] == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("F (p && !p)", "safety guarantee"),
        ("G F p || F G !p", "safety guarantee"),
        ("F p && G !p", "safety guarantee"),
        ("G (F p || q) && F G !p", "persistence"),
        ("(p U q) || G p", "safety"),
    ],
)
def test_what_the_syntax_does_not_show(text: str, kinds: str) -> None:
    exact = exact_classes(formula(text))
    assert exact is not None
    assert [kind.value for kind in narrowest(exact)] == kinds.split()
    assert syntactic_classes(formula(text)) < exact


@given(formulas(max_leaves=4))
@settings(max_examples=80, deadline=None)
def test_the_syntax_never_claims_too_much(part: Formula) -> None:
    exact = exact_classes(part)
    assert exact is not None
    assert syntactic_classes(part) <= exact
    assert PropertyClass.REACTIVITY in exact


@needs_spot
@given(formulas(max_leaves=5))
@settings(max_examples=60, deadline=None)
def test_exact_classes_are_spots(part: Formula) -> None:
    exact = exact_classes(part)
    assert exact is not None
    letter = spot().mp_class(spot().formula(str(part)))
    assert {kind.value for kind in narrowest(exact)} == SPOT_LETTERS[letter]


@pytest.mark.parametrize(
    ("text", "invariant"),
    [
        ("G (p -> F q)", True),
        ("X p", False),
        ("X F p", False),
        ("G (p -> X q)", False),
        ("F (p && X !p)", True),
        ("X (p || !p)", True),
        ("X p -> X q", False),
    ],
)
def test_stutter_invariance(text: str, invariant: bool) -> None:
    assert is_stutter_invariant(formula(text)) is invariant


@given(formulas(max_leaves=4), words(), st.integers(0, 5), st.integers(1, 2))
@settings(max_examples=80, deadline=None)
def test_repeated_letters_do_not_matter_to_invariant_formulas(
    part: Formula, word: LassoWord, place: int, times: int
) -> None:
    if not is_stutter_invariant(part):
        assert not is_syntactically_stutter_invariant(part)
        return
    letters = list(word.letters)
    place %= len(letters)
    longer = letters[:place] + [letters[place]] * times + letters[place:]
    cut = len(word.prefix) + (times if place < len(word.prefix) else 0)
    assert holds(part, LassoWord(tuple(longer[:cut]), tuple(longer[cut:]))) is holds(part, word)


@needs_spot
@given(formulas(max_leaves=4))
@settings(max_examples=50, deadline=None)
def test_stutter_invariance_is_spots(part: Formula) -> None:
    assert is_stutter_invariant(part) is spot().is_stutter_invariant(spot().formula(str(part)))
