"""Automata on finite words: regular expressions, and bad prefixes of safety formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from formula_strategies import NAMES, formula, formulas, negated, words
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strandline.errors import ParseError, UsageError
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.product import accepts
from strandline.properties.ltl.classify import PropertyClass
from strandline.properties.ltl.formula import Formula
from strandline.properties.ltl.lasso import holds
from strandline.properties.regular.bad_prefixes import bad_prefixes
from strandline.properties.regular.expression import parse_regular
from strandline.properties.regular.finite import FiniteAutomaton, accepts_prefix, as_buchi, minimal_deterministic
from strandline.properties.translation.classification import exact_classes
from strandline.properties.translation.translate import translate
from strandline.properties.word import LassoWord

LETTERS = {"a": frozenset({"p"}), "b": frozenset({"q"}), "c": frozenset({"p", "q"}), "d": frozenset[str]()}
# Each pair: our expression over p and q, and Python's over the letters above.
EXPRESSIONS = [
    ("p", "[ac]"),
    ("!p", "[bd]"),
    (".", "[abcd]"),
    ("{p && !q}*", "a*"),
    (".* {p && !q} (!q)* q", "[abcd]*a[ad]*[bc]"),
    ("p | q ; !p", "[ac]|[bc][bd]"),
    ("(p|q)+", "[abc]+"),
    ("p?q", "[ac]?[bc]"),
    ("p[2]", "[ac]{2}"),
    ("(p q)[1,3]", "([ac][bc]){1,3}"),
    ("p[0,2] !q*", "[ac]{0,2}[ad]*"),
    ("p*[2]", "([ac]*){2}"),
    ("(p*|!q .)* q", "([ac]*|[ad][abcd])*[bc]"),
]


def accepts_word(automaton: FiniteAutomaton, word: Sequence[frozenset[str]]) -> bool:
    """Whether a run over the whole word ends in a final state."""
    current = set(automaton.initial)
    for letter in word:
        bits = sum(1 << place for place, name in enumerate(automaton.atoms) if name in letter)
        current = {edge.target for state in current for edge in automaton.edges[state] if edge.guard.holds(bits)}
    return not current.isdisjoint(automaton.final)


@pytest.mark.parametrize(("ours", "pattern"), EXPRESSIONS)
def test_expressions_describe_what_pythons_describe(ours: str, pattern: str) -> None:
    automaton = parse_regular(ours).automaton
    words_by_length = [""]
    for word in words_by_length:
        if len(word) < 4:
            words_by_length += [word + letter for letter in LETTERS]
        expected = re.fullmatch(pattern, word) is not None
        assert accepts_word(automaton, [LETTERS[letter] for letter in word]) is expected, word


@given(st.sampled_from(EXPRESSIONS), st.text("abcd", max_size=7))
def test_expressions_on_longer_words(pair: tuple[str, str], word: str) -> None:
    expected = re.fullmatch(pair[1], word) is not None
    assert accepts_word(parse_regular(pair[0]).automaton, [LETTERS[letter] for letter in word]) is expected


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a letter, not the end"),
        ("p |", 4, "expected a letter, not the end"),
        ("(p", 1, "this '(' is never closed"),
        ("p)", 2, "unexpected ')'"),
        ("p # q", 3, "unexpected '#'"),
        ("*", 1, "expected a letter, not '*'"),
        ("p {q && }", 9, "the formula ends where a proposition is expected"),
        ("p[3,2]", 2, "the smaller number comes first"),
        ("{F p}", 2, "a guard has no temporal operators"),
        ("(p[1000])[1000]", 2, "the expression has more than 2000 letters"),
    ],
)
def test_broken_expressions(text: str, column: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_regular(text)
    assert caught.value.message == message
    assert str(caught.value).startswith(f"<expression>:1:{column}: ")


def test_no_nesting_breaks_the_parser() -> None:
    with pytest.raises(ParseError, match="nested too deeply"):
        parse_regular("(" * 500 + "p" + ")" * 500)


@given(formulas(max_leaves=4), words())
@settings(max_examples=100, deadline=None)
def test_bad_prefixes_find_exactly_the_violations_of_safety_formulas(part: Formula, word: LassoWord) -> None:
    exact = exact_classes(part)
    assert exact is not None
    if PropertyClass.SAFETY not in exact:
        with pytest.raises(UsageError, match="not a safety property"):
            bad_prefixes(part)
        return
    automaton = bad_prefixes(part)
    assert accepts(as_buchi(automaton), word) is not holds(part, word)
    letters = list(word.prefix + word.loop * 12)
    found = any(accepts_word(automaton, letters[:length]) for length in range(len(letters) + 1))
    assert found is not holds(part, word)
    assert accepts_prefix(automaton, word.prefix, word.loop) is found


@given(formulas(max_leaves=4), st.lists(st.frozensets(st.sampled_from(NAMES)), max_size=4))
@settings(max_examples=100, deadline=None)
def test_a_bad_prefix_cannot_be_mended(part: Formula, prefix: list[frozenset[str]]) -> None:
    exact = exact_classes(part)
    assume(exact is not None and PropertyClass.SAFETY in exact)
    if accepts_word(bad_prefixes(part), prefix):
        for loop in ((frozenset[str](),), (frozenset(NAMES),), (frozenset({"p"}), frozenset({"q"}))):
            assert not holds(part, LassoWord(tuple(prefix), loop))


@pytest.mark.parametrize(
    ("text", "states"),
    [("G p", 2), ("G (p -> X q)", 3), ("p W q", 2), ("true", 1), ("G !(p && q)", 2), ("X X p", 4)],
)
def test_sizes_of_bad_prefix_automata(text: str, states: int) -> None:
    automaton = bad_prefixes(formula(text))
    assert automaton.state_count == states
    assert not intersects(as_buchi(automaton), translate(formula(text)))
    assert bool(automaton.final) is (text != "true")
    minimal = minimal_deterministic(automaton)
    assert minimal is not None
    assert minimal.state_count <= states


def test_a_formula_that_is_no_safety_property_is_refused_with_an_example() -> None:
    with pytest.raises(UsageError) as caught:
        bad_prefixes(formula("G (p -> F q)"))
    assert str(caught.value).startswith("not a safety property, so no finite prefix shows every violation: ")
    assert "no prefix of this violating word is bad: p; cycle{none}" in str(caught.value)


def test_expression_and_formula_agree() -> None:
    """G (p -> X !q) is violated by .* p q."""
    part = formula("G (p -> X !q)")
    expression = as_buchi(parse_regular(".* p q").automaton)
    assert not intersects(expression, translate(part))
    assert not intersects(translate(negated(part)), translate(part))
    assert as_buchi(bad_prefixes(part)).state_count == 3
