"""LTL syntax: spellings, atoms and operators, mistakes and their places, printing."""

from __future__ import annotations

import pickle

import pytest
from formula_strategies import formula, formulas
from hypothesis import given

from strandline.errors import InputError, ParseError, UsageError
from strandline.properties.binding import bind_atoms
from strandline.properties.ltl.formula import Operator, atom, atoms_of, height, make, subformulas
from strandline.properties.ltl.parser import parse_ltl
from strandline.properties.ltl.printer import SPIN, format_formula
from strandline.source import Span


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("[]<>p", "G F p"),
        ("always (p implies eventually q)", "G (p -> F q)"),
        ("globally finally next p", "G F X p"),
        ("GF p", "G F p"),
        ("□(P ⇒ ○◇Q)", "G (P -> X F Q)"),
        ("p V q", "p R q"),
        ("p releases q", "p R q"),
        ("p until q", "p U q"),
        ("p weakuntil q", "p W q"),
        ("p strongrelease q", "p M q"),
        ("p & q | r", "p && q || r"),
        ("p /\\ ~q \\/ r", "p && !q || r"),
        ("p and not q or r", "p && !q || r"),
        ("p <-> q", "p <-> q"),
        ("p iff q", "p <-> q"),
        ("p => q --> r", "p -> (q -> r)"),
        ("p ^ q", "p xor q"),
        ("p xor q || r", "p xor q || r"),
        ("p U q U r", "p U (q U r)"),
        ("!p U q", "!p U q"),
        ("F p U q", "F p U q"),
        ("p && (q && r)", "p && q && r"),
        ("1 U 0", "true U false"),
        ("((((p))))", "p"),
    ],
)
def test_every_spelling_reads_as_ours(text: str, ours: str) -> None:
    assert str(formula(text)) == ours


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("G (wait0 -> F cs0)", ("cs0", "wait0")),
        ("P_0.CS", ("P_0.CS",)),
        ("F LTS.1 && Buffer.40", ("Buffer.40", "LTS.1")),
        ("x==3 U x  ==  3", ("x == 3",)),
        ("x[1] >= 2 || y", ("x[1] >= 2", "y")),
        ("(a+b)==1", ("(a + b) == 1",)),
        ("a - b < -c", ("a - b < -c",)),
        ("F x == 3", ("x == 3",)),
        ("len(queue) > 2", ("len(queue) > 2",)),
        ('phase == "done"', ('phase == "done"',)),
        ('"G F" && p', ("G F", "p")),
        ("{P->x == 1 and y} U p", ("P->x == 1 and y", "p")),
        ("Free && GFa", ("Free", "GFa")),
        ("p->q", ("p", "q")),
        ("proc@label", ("proc@label",)),
    ],
)
def test_what_is_an_atom(text: str, atoms: tuple[str, ...]) -> None:
    assert atoms_of(formula(text)) == tuple(sorted(atoms))


def test_a_member_arrow_is_read_only_where_asked_for() -> None:
    assert atoms_of(parse_ltl("P->x == 1", member_arrow=True).formula) == ("P->x == 1",)
    assert atoms_of(parse_ltl("P -> x == 1", member_arrow=True).formula) == ("P", "x == 1")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the formula is empty"),
        ("p &&", 5, "the formula ends where a proposition is expected"),
        ("p q", 3, "expected an operator before 'q'"),
        ("0 in p", 3, "expected an operator before 'in'; conditions with such words stand in braces, as in {x in y}"),
        ("(p U q", 1, "this '(' is never closed"),
        ("p U q)", 6, "this ')' closes nothing"),
        ("p U U q", 5, "expected a proposition, not 'U'; a name that is an operator is written {U}"),
        ("p = 3", 3, "unexpected '=' (write '==' to compare)"),
        ("p ? q", 3, "unexpected '?'"),
        ("1 < x < 3", 7, "comparisons cannot be chained"),
        ("G 3", 3, "the number 3 is not a proposition"),
        ('p && "q', 6, "a quoted text is never closed"),
        ("x[1", 2, "'[' is never closed"),
        ("p && {}", 6, "an atomic proposition is empty"),
        ("p ! q", 3, "expected an operator before '!'"),
    ],
)
def test_mistakes_are_shown_where_they_are(text: str, column: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_ltl(text)
    assert caught.value.message == message
    assert str(caught.value).startswith(f"<formula>:1:{column}: ")


@pytest.mark.parametrize("text", ["!x == 3", "x == F p", "(p && q) + 1"])
def test_formulas_are_no_numbers(text: str) -> None:
    with pytest.raises(ParseError, match="needs numbers, and this is a formula"):
        parse_ltl(text)


def test_the_caret_stands_under_the_mistake() -> None:
    with pytest.raises(ParseError) as caught:
        parse_ltl("G (p -> F )")
    assert str(caught.value) == ("<formula>:1:11: expected a proposition, not ')'\n  G (p -> F )\n            ^")


def test_deep_nesting_is_no_problem() -> None:
    deep = formula("(" * 3000 + "!" * 3000 + "p" + ")" * 3000)
    assert height(deep) == 3001
    assert len(list(subformulas(deep))) == 3001


@given(formulas(max_leaves=8))
def test_printing_and_reading_give_the_same_object(part: object) -> None:
    assert formula(str(part)) is part


@given(formulas(max_leaves=4))
def test_pickling_gives_the_same_object(part: object) -> None:
    assert pickle.loads(pickle.dumps(part)) is part


def test_names_that_would_be_operators_are_quoted() -> None:
    odd = make(Operator.AND, atom("U"), atom("GF"), atom("x y"), atom("x == 3"), atom('say "hi"'))
    assert str(odd) == '"U" && "GF" && "x y" && x == 3 && "say \\"hi\\""'
    assert formula(str(odd)) is odd


def test_spin_spelling() -> None:
    assert format_formula(formula("G (p -> F q)"), SPIN) == "[] (p -> <> q)"
    assert format_formula(formula("p W q"), SPIN) == "q V (p || q)"
    assert format_formula(formula("p M q"), SPIN) == "q U (p && q)"
    assert format_formula(formula("p xor q"), SPIN) == "!(p <-> q)"


def test_atoms_are_bound_in_the_order_of_the_text() -> None:
    seen: list[tuple[str, Span]] = []

    def resolve(text: str, span: Span) -> int:
        seen.append((text, span))
        return len(text)

    assert bind_atoms(parse_ltl("G (wait -> F x == 3) && wait"), resolve) == {"wait": 4, "x == 3": 6}
    assert seen == [("wait", Span(3, 7)), ("x == 3", Span(13, 19))]


def test_an_unknown_atom_is_shown_at_its_place_with_a_hint() -> None:
    def resolve(text: str, span: Span) -> None:
        raise UsageError(f"there is no '{text}'")

    with pytest.raises(InputError) as caught:
        bind_atoms(parse_ltl("p0 -> GFdone"), lambda text, span: text if text == "p0" else resolve(text, span))
    assert str(caught.value) == (
        "<formula>:1:7: there is no 'GFdone' (if operators are meant, write 'G F done')\n  p0 -> GFdone\n        ^^^^^^"
    )
