"""LoLA's nets: parsing, messages for wrong files; every file is parsed or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import InputError, UsageError
from strandline.languages.petri.lola import load, load_with, read_lola
from strandline.source import Source

READERS = (Path(__file__).parents[3] / "examples/petri-readers/readers.lola").read_text()


def test_places_markings_and_weights() -> None:
    net = read_lola(Source("some/readers.lola", READERS))
    assert net.name == "readers"
    assert [(one.id, one.initial, one.limit) for one in net.places] == [
        ("permits", 3, 3), ("idle", 3, 3), ("reading", 0, 3), ("calm", 1, 1), ("writing", 0, 1),
    ]  # fmt: skip
    writes = net.transitions[2]
    assert (writes.id, writes.consumes, writes.produces) == ("begin.write", {0: 3, 3: 1}, {4: 1})


def test_comments_fairness_and_what_adds_up() -> None:
    text = """// a line
    PLACE p /* many
    lines */ , q-1; MARKING p:1,p: 2; TRANSITION t WEAK FAIR CONSUME ; PRODUCE q-1, p: 0, q-1: 3;
    TRANSITION u STRONG FAIR CONSUME p; PRODUCE;{the end}"""
    net = read_lola(Source("x.lola", text))
    assert [(one.id, one.initial) for one in net.places] == [("p", 3), ("q-1", 0)]
    assert [(one.consumes, one.produces, one.fair) for one in net.transitions] == [
        ({}, {1: 4}, "weak"), ({0: 1}, {}, "strong"),
    ]  # fmt: skip
    assert [(one.name, one.strong) for one in load(Source("x.lola", text)).fairness] == [("'t'", False), ("'u'", True)]


def test_a_bound_is_given_from_outside() -> None:
    source = Source("x.lola", "PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p; PRODUCE p, q;")
    assert [one.domain.high for one in load(source).variables] == [1, 255]
    given = load_with(source, {"bound": 9})
    assert [one.domain.high for one in given.variables] == [1, 9]
    assert given.parameters == (("bound", 9),)
    for wrong, message in (
        ({"N": 3}, "x.lola has no parameter 'N' (it has bound)"),
        ({"bound": "many"}, "'bound' is a number, not 'many'"),
        ({"bound": -1}, "'bound' is a number of tokens from 0 to 9223372036854775807, not -1"),
    ):
        with pytest.raises(UsageError) as caught:
            load_with(source, wrong)
        assert str(caught.value) == message


WRONG = [
    ("", "n:1:1: expected 'PLACE', found the end of the file\n  \n  ^"),
    ("PLACE p", "n:1:8: expected ';', found the end of the file\n  PLACE p\n         ^"),
    ("PLACE p, p;", "n:1:10: the place 'p' is declared twice\n  PLACE p, p;\n           ^"),
    ("PLACE p; MARKING q;", "n:1:18: there is no place 'q'\n  PLACE p; MARKING q;\n                   ^"),
    ("PLACE p; MARKING p: x;", ("n:1:21: expected a natural number of at most 18 digits, found 'x'\n"
     "  PLACE p; MARKING p: x;\n                      ^")),
    ("PLACE p; MARKING p 1;", "n:1:20: expected ',', found '1'\n  PLACE p; MARKING p 1;\n                     ^"),
    ("PLACE p; MARKING; FOO", ("n:1:19: expected 'TRANSITION', found 'FOO'\n"
     "  PLACE p; MARKING; FOO\n                    ^^^")),
    ("PLACE p; MARKING; TRANSITION MARKING", ("n:1:30: expected a name, found 'MARKING'\n"
     "  PLACE p; MARKING; TRANSITION MARKING\n                               ^^^^^^^")),
    ("PLACE p; MARKING; TRANSITION t PRODUCE", ("n:1:32: expected 'CONSUME', found 'PRODUCE'\n"
     "  PLACE p; MARKING; TRANSITION t PRODUCE\n                                 ^^^^^^^")),
    ("PLACE p (x);", "n:1:9: unexpected '('\n  PLACE p (x);\n          ^"),
    ("PLACE p; { for ever", "n:1:10: unexpected '{'\n  PLACE p; { for ever\n           ^"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_wrong_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_lola(Source("n", text))
    assert str(caught.value) == message


@given(st.data())
def test_whatever_a_file_holds_it_is_read_or_refused(data: st.DataObject) -> None:
    text = READERS
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        spoilt = st.one_of(st.sampled_from(["", ";", ":", "{", "PLACE", text[start:end] * 2]), st.text())
        text = text[:start] + data.draw(spoilt) + text[end:]
    told = "n:"
    try:
        read_lola(Source("n", text))
    except InputError as error:
        told = str(error)
    assert told.startswith("n:")
