"""Aldebaran files: read, written, composed, and refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strandline
from strandline.errors import InputError, ParseError
from strandline.languages import load
from strandline.languages.process import aldebaran
from strandline.languages.process.lts import TAU, Lts, Transition
from strandline.source import Source

BUFFER = """\
des (0, 4, 3)
(0, "PUT !1", 1)
(0, PUT !2, 2)

(1, i, 0)
(2, "tau", 0)
"""


def read(text: str) -> Lts:
    return aldebaran.read(Source("m.aut", text))


def test_a_file_is_read() -> None:
    assert read(BUFFER) == Lts(
        ("0", "1", "2"),
        (
            Transition(0, "PUT !1", 1),
            Transition(0, "PUT !2", 2),
            Transition(1, TAU, 0),
            Transition(2, TAU, 0),
        ),
        frozenset({"PUT !1", "PUT !2"}),
    )


def test_labels_may_hold_commas_and_parentheses() -> None:
    lts = read('des(1,2,2)\r\n(1, "f(x, (y), z)", 0)\r\n( 0 , g(1, 2) , 1 )\r\n')
    assert [one.label for one in lts.transitions] == ["g(1, 2)", "f(x, (y), z)"]
    assert lts.initial == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.aut:1:1: expected 'des (initial state, transitions, states)'"),
        ("dse (0, 0, 1)", "m.aut:1:1: expected 'des (initial state, transitions, states)'"),
        ("des (0, 0)", "m.aut:1:1: expected 'des (initial state, transitions, states)'"),
        ("\n des (3, 0, 3)", "m.aut:2:2: the initial state 3 is not one of the states 0..2"),
        ("des (0, 0, 0)", "m.aut:1:1: a file must have from 1 to 1048576 states, not 0"),
        ("des (0, 2, 1)\n(0, a, 0)", "m.aut:1:1: the header announces 2 transitions, and the file has 1"),
        ("des (0, 1, 1)\n(0, a, 1)", "m.aut:2:1: state 1 is not one of the states 0..0"),
        ("des (0, 1, 1)\n(0, a 0)", 'm.aut:2:1: expected a transition, as in (0, "label", 1)'),
        ("des (0, 1, 1)\n0, a, 0", 'm.aut:2:1: expected a transition, as in (0, "label", 1)'),
        ('des (0, 1, 1)\n(0, "a, 0)', "m.aut:2:1: a quoted label must be closed and not empty"),
        ('des (0, 1, 1)\n(0, "", 0)', "m.aut:2:1: a quoted label must be closed and not empty"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert str(caught.value).splitlines()[0] == message


LABELS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029'), min_size=1
)


@st.composite
def systems(draw: st.DrawFn) -> Lts:
    states = draw(st.integers(1, 5))
    numbers = st.integers(0, states - 1)
    labels = st.one_of(st.just(TAU), LABELS.filter(lambda label: label not in ("i", TAU)))
    edges = draw(st.frozensets(st.builds(Transition, numbers, labels, numbers), max_size=8))
    alphabet = frozenset(edge.label for edge in edges) - {TAU}
    return Lts(tuple(map(str, range(states))), tuple(sorted(edges)), alphabet, draw(numbers))


@given(systems())
def test_what_is_written_is_read_again(lts: Lts) -> None:
    assert read(aldebaran.write(lts)) == lts


@pytest.mark.parametrize("label", ["i", 'say "x"', "two\nlines"])
def test_what_the_format_cannot_hold_is_not_written(label: str) -> None:
    lts = Lts(("0",), (Transition(0, label, 0),), frozenset({label}))
    with pytest.raises(InputError, match=r"cannot be written to an \.aut file; rename it$"):
        aldebaran.write(lts)


def test_a_file_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "buffer.aut").write_text(BUFFER)
    found = strandline.explore(tmp_path / "buffer.aut").statistics
    assert (found.states, found.transitions, found.deadlocks) == (3, 4, 0)
    verdict = strandline.check(tmp_path / "buffer.aut", invariants="LTS.0 or LTS.1")
    assert verdict.properties[0].trace is not None
    assert [step.action for step in verdict.properties[0].trace.steps] == ["PUT !2"]


def test_a_file_is_a_component(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "buffer.aut").write_text(BUFFER)
    (tmp_path / "m.psl").write_text(
        'import Buffer = "parts/buffer.aut";\n'
        'process User = put[i: 1..3] -> got -> User | "PUT !2" -> STOP;\n'
        'system User || (Buffer rename {"PUT !1" to put[1]}) || Buffer as Other hide {"PUT !1"};\n'
    )
    system = load(tmp_path / "m.psl")
    assert [process.name for process in system.processes] == ["User", "Buffer", "Other"]
    assert sorted((action.name, [move.process for move in action.moves]) for action in system.actions) == [
        ("PUT !2", [0, 1, 2]),
        ("got", [0]),
        ("put[1]", [0, 1]),
        ("put[2]", [0]),
        ("put[3]", [0]),
        *[("tau", [1])] * 2,
        *[("tau", [2])] * 2,
        ("tau (PUT !1)", [2]),
    ]
