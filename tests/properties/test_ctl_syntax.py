"""CTL syntax: spellings, quantifiers and names, mistakes and their places, printing."""

from __future__ import annotations

import pytest
from formula_strategies import ctl_formulas
from hypothesis import given

from strandline.errors import ParseError
from strandline.properties import parse_ctl, parse_ltl
from strandline.properties.ltl.formula import Formula


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("AG(p -> AF q)", "AG (p -> AF q)"),
        ("A[p U q]", "A [p U q]"),
        ("E(p U q) && EX x == 3", "E [p U q] && EX (x == 3)"),
        ("AGEF p", "AG EF p"),
        ("A G E F p", "AG EF p"),
        ("A[] p && E<> q", "AG p && EF q"),
        ("E [a R b] | A[b W c]", "E [a R b] || A [b W c]"),
        ("EX A[true U EG !x]", "EX A [true U EG !x]"),
        ("A.critical && E [A.y U {A[0].pc == 3}]", 'A.critical && E [A.y U "A[0].pc == 3"]'),
        ('EF "A" && "EF"', 'EF "A" && "EF"'),
        ("AGp", "AGp"),
    ],
)
def test_every_spelling_reads_as_ours(text: str, ours: str) -> None:
    assert str(parse_ctl(text).formula) == ours


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("AG (p && q U r)", "'U' needs a path quantifier in CTL: 'A [... U ...]' or 'E [... U ...]'", "q U r"),
        ("F p", "'F' needs a path quantifier in CTL: 'AF ...' or 'EF ...'", "F p"),
        ("A F p U q", "'U' needs a path quantifier in CTL: 'A [... U ...]' or 'E [... U ...]'", "A F p U q"),
        ("A p", "'A' must be followed by X, F, G or, in brackets, U, R, W, M: 'AF p', 'A [p U q]'", "p"),
        ("A EF p", "'A' must be followed by X, F, G or, in brackets, U, R, W, M: 'AF p', 'A [p U q]'", "EF p"),
        ("E [p U q)", "'[' is closed by ')'", "[p U q)"),
        ("AX [p", "this '[' is never closed", "["),
        ("p]", "this ']' closes nothing", "]"),
        ("EF", "the formula ends where a proposition is expected", ""),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str, place: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_ctl(text)
    assert caught.value.message == message
    assert caught.value.span is not None
    assert text[caught.value.span.start : caught.value.span.end] == place


def test_in_ltl_a_and_e_are_names() -> None:
    assert str(parse_ltl("G A && E").formula) == "G A && E"


@given(ctl_formulas(max_leaves=6))
def test_what_is_printed_is_read_back(formula: Formula) -> None:
    assert parse_ctl(str(formula)).formula is formula
