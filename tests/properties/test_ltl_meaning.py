"""The semantics of formulas on lasso words, which rewriting preserves."""

from __future__ import annotations

import pytest
from formula_strategies import formula, formulas, words
from hypothesis import given, settings

from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, atoms_of, make, subformulas
from strandline.properties.ltl.implication import implies
from strandline.properties.ltl.lasso import holds, truth_values
from strandline.properties.ltl.normal_form import negation_normal_form
from strandline.properties.ltl.simplify import simplify
from strandline.properties.word import LassoWord

NOTHING: frozenset[str] = frozenset()
P = frozenset({"p"})
Q = frozenset({"q"})
PQ = frozenset({"p", "q"})


@pytest.mark.parametrize(
    ("text", "prefix", "loop", "expected"),
    [
        ("p", (P,), (NOTHING,), True),
        ("G p", (P, P), (P,), True),
        ("G p", (P, P), (P, NOTHING), False),
        ("F p", (NOTHING, NOTHING), (NOTHING, P), True),
        ("F p", (NOTHING,), (NOTHING,), False),
        ("X p", (NOTHING,), (P,), True),
        ("X X p", (), (P, NOTHING), True),
        ("X p", (), (P, NOTHING), False),
        ("G F p", (P,), (NOTHING,), False),
        ("G F p", (), (NOTHING, NOTHING, P), True),
        ("F G p", (NOTHING,), (P,), True),
        ("F G p", (), (P, NOTHING), False),
        ("p U q", (P, P), (Q,), True),
        ("p U q", (P,), (P,), False),
        ("p W q", (P,), (P,), True),
        ("p W q", (P, NOTHING), (Q,), False),
        ("p R q", (Q, Q), (Q,), True),
        ("p R q", (Q, PQ), (NOTHING,), True),
        ("p R q", (Q, P), (Q,), False),
        ("p M q", (Q, Q), (Q,), False),
        ("p M q", (Q, PQ), (NOTHING,), True),
        ("p -> q", (P,), (Q,), False),
        ("p <-> q", (PQ,), (P,), True),
        ("p xor q", (PQ,), (P,), False),
        ("G (p -> X F q)", (P,), (NOTHING,), False),
        ("G (p -> X F q)", (), (P, Q), True),
    ],
)
def test_meaning_on_a_lasso(
    text: str, prefix: tuple[frozenset[str], ...], loop: tuple[frozenset[str], ...], expected: bool
) -> None:
    assert holds(formula(text), LassoWord(prefix, loop)) is expected


def test_truth_values_of_all_positions() -> None:
    values = truth_values(formula("p U q"), LassoWord((P, NOTHING), (P, Q)))
    assert values[formula("p U q")] == 0b1100
    assert values[formula("p")] == 0b0101


def test_a_lasso_needs_a_loop() -> None:
    with pytest.raises(ValueError, match="at least one letter"):
        LassoWord((P,), ())


def test_a_word_is_reduced_to_its_shortest_form() -> None:
    assert LassoWord((P, Q, P), (Q, P, Q, P)).reduce() == LassoWord((), (P, Q))
    assert LassoWord((Q, P), (P,)).reduce() == LassoWord((Q,), (P,))
    assert str(LassoWord((Q, PQ), (NOTHING, P)).reduce()) == "q; p && q; cycle{none; p}"


@given(formulas(max_leaves=7), words())
def test_reduction_changes_nothing(part: Formula, word: LassoWord) -> None:
    short = word.reduce()
    assert len(short.letters) <= len(word.letters)
    assert holds(part, short) is holds(part, word)


@given(formulas(max_leaves=7), words())
def test_unrolling_the_loop_changes_nothing(part: Formula, word: LassoWord) -> None:
    unrolled = LassoWord(word.prefix + word.loop, word.loop + word.loop)
    assert holds(part, word) is holds(part, unrolled)


@given(formulas(max_leaves=7), words())
def test_normal_forms_keep_the_meaning(part: Formula, word: LassoWord) -> None:
    positive, negative = negation_normal_form(part), negation_normal_form(part, negated=True)
    assert holds(positive, word) is holds(part, word)
    assert holds(negative, word) is not holds(part, word)
    for node in (*subformulas(positive), *subformulas(negative)):
        assert node.operator not in (Operator.IMPLIES, Operator.EQUIVALENT, Operator.EXCLUSIVE_OR)
        assert node.operator is not Operator.NOT or node.operands[0].operator is Operator.ATOM


@given(formulas(max_leaves=8), words())
@settings(max_examples=300)
def test_simplification_keeps_the_meaning(part: Formula, word: LassoWord) -> None:
    assert holds(simplify(part), word) is holds(part, word)
    assert holds(simplify(part, negated=True), word) is not holds(part, word)


@given(formulas(max_leaves=6))
def test_simplification_is_final_and_adds_no_atoms(part: Formula) -> None:
    simple = simplify(part)
    assert simplify(simple) is simple
    assert set(atoms_of(simple)) <= set(atoms_of(part))


@given(formulas(max_leaves=4), formulas(max_leaves=4), words())
@settings(max_examples=300)
def test_syntactic_implication_is_sound(left: Formula, right: Formula, word: LassoWord) -> None:
    left, right = negation_normal_form(left), negation_normal_form(right)
    if implies(left, right) and holds(left, word):
        assert holds(right, word)


@given(formulas(max_leaves=5), words())
def test_eventual_and_universal_formulas_are_what_they_claim(part: Formula, word: LassoWord) -> None:
    part = negation_normal_form(part)
    if part.is_eventual:
        assert holds(make(Operator.EVENTUALLY, part), word) is holds(part, word)
    if part.is_universal:
        assert holds(make(Operator.ALWAYS, part), word) is holds(part, word)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("p && !p", "false"),
        ("p || !p", "true"),
        ("F F p", "F p"),
        ("G F G F p", "G F p"),
        ("F G F p", "G F p"),
        ("F (p U q)", "F q"),
        ("G (p R q)", "G q"),
        ("p U (p U q)", "p U q"),
        ("(p U G q) U q", "(p U G q) U q"),
        ("(p U q) U q", "p U q"),
        ("(p U q) W q", "p U q"),
        ("(p W q) U q", "p U q"),
        ("(p || q) U q", "p U q"),
        ("(p && !q) U q", "p U q"),
        ("true U p", "F p"),
        ("false R p", "G p"),
        ("p U true", "true"),
        ("X p && X q", "X (p && q)"),
        ("G p && G q", "G (p && q)"),
        ("F p || F q", "F (p || q)"),
        ("G F p || G F q", "G F (p || q)"),
        ("F G p && F G q", "F G (p && q)"),
        ("G p && F (p && q)", "F q && G p"),
        ("p U q && r U q", "(p && r) U q"),
        ("p && (p || q)", "p"),
        ("p U (p && q)", "q M p"),
        ("G (p && F q)", "G p && G F q"),
        ("F X p", "X F p"),
        ("G p -> p", "true"),
    ],
)
def test_rules_of_simplification(text: str, simple: str) -> None:
    assert str(simplify(formula(text))) == simple


def test_constants() -> None:
    assert simplify(formula("G true")) is TRUE
    assert simplify(formula("F false")) is FALSE
