"""Claims in comments of DVE texts: in which forms they are understood, and that none is passed over in silence."""

from __future__ import annotations

import pytest

from strandline.errors import InputError
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source

MODEL = """byte x = 0;{behind}
{line}
process P {{ state a, b; init a; trans a -> b {{ guard x < 3; effect x = x + 1; }}, b -> a {{ }}; }}
process Q {{ state a; init a; }}
system async;
"""


def loaded(line: str = "", behind: str = "") -> System:
    return dve.load(Source("m.dve", MODEL.format(line=line, behind=behind)))


@pytest.mark.parametrize(
    "comment",
    [
        "// invariant: x < 2",
        "//invariant:x < 2",
        "  //  Invariant :  x < 2  ",
        "/* invariant: x < 2 */",
        "/*INVARIANT: x < 2*/",
    ],
)
def test_forms_of_a_claim(comment: str) -> None:
    alone, behind = loaded(comment), loaded(behind=comment)
    for system in (alone, behind):
        assert ([one.name for one in system.invariants], system.notes) == (["x < 2"], ())


def test_all_kinds_in_other_spellings() -> None:
    system = loaded("/* LTL: F x == 1 */ // CTL: EF x == 1\n// Reachable: x == 1\n// Valid End: x == 3\n// MEASURE: x")
    assert [(one.logic, one.text) for one in system.claims] == [("ltl", "F x == 1"), ("ctl", "EF x == 1")]
    assert ([one.name for one in system.goals], system.ends is not None) == (["x == 1"], True)
    assert [one.name for one in system.measures] == ["x"]
    fair = loaded("// Strongly fair: P\n/* fair: all */")
    assert [(one.name, one.strong) for one in fair.fairness] == [("P", False), ("P", True)]


@pytest.mark.parametrize(
    ("comment", "message", "place"),
    [
        ("// invarient: x < 2", "write '// invariant: x < 2'", "invarient: x < 2"),
        ("// invariants: x < 2", "write '// invariant: x < 2'", "invariants: x < 2"),
        ("// invariant x < 2", "write '// invariant: x < 2'", "invariant x < 2"),
        ("/* Invariant x<2 */", "write '// invariant: x<2'", "Invariant x<2"),
        ("// reach: x == 9", "write '// reachable: x == 9'", "reach: x == 9"),
        ("// valid-ends: P.a", "write '// valid end: P.a'", "valid-ends: P.a"),
        ("// mesure: mono(x + 1)", "write '// measure: mono(x + 1)'", "mesure: mono(x + 1)"),
        ("// ltl G F x == 1", "write '// ltl: G F x == 1'", "ltl G F x == 1"),
        ("// CTL AG EF x == 1", "write '// ctl: AG EF x == 1'", "CTL AG EF x == 1"),
        ("// stronlgy fair: P", "write '// strongly fair: P'", "stronlgy fair: P"),
        ("// fairs: P", "write '// fair: P'", "fairs: P"),
        (
            "/* about x\n * invariant: x < 2\n */",
            "write '// invariant: x < 2' in a line of its own, outside of this comment",
            "invariant: x < 2",
        ),
        (
            "/*\n// invariant: x < 2\n*/",
            "write '// invariant: x < 2' in a line of its own, outside of this comment",
            "invariant: x < 2",
        ),
    ],
)
def test_a_comment_that_was_meant_as_a_claim(comment: str, message: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(comment)
    head, line, caret = str(caught.value).splitlines()
    number = 2 + comment[: comment.index(place)].count("\n")
    column = line.index(place) - 1
    assert head == f"m.dve:{number}:{column}: this comment is not recognised as a claim; {message}"
    assert line[caret.index("^") : caret.rindex("^") + 1].rstrip() == place


@pytest.mark.parametrize(
    "comment",
    [
        "// the invariant is that x stays small",
        "// reachable from the start",
        "// measure x",
        "// LTL formulas are in a file of their own",
        "// control: 0 off, 1 on",
        "// pair: two of them",
        "// see also: the paper",
        "/* measures\n   fair play */",
        "// TODO: invariant",
    ],
)
def test_prose(comment: str) -> None:
    system = loaded(comment)
    assert (system.invariants, system.goals, system.claims, system.measures, system.notes) == ((), (), (), (), ())


def test_what_may_have_been_meant_is_told() -> None:
    system = loaded("// invarient: y is small")
    assert system.notes == (
        "warning: m.dve:2:4: this comment is not checked; if it is a claim, write '// invariant: y is small'",
    )


def test_a_state_without_its_process_and_a_name_in_capitals() -> None:
    for text, message in (
        ("b", "unknown name 'b'; it is a state: write 'P.b'"),
        ("X == 1", "unknown name 'X'; did you mean 'x'?"),
    ):
        with pytest.raises(InputError) as caught:
            loaded(f"// invariant: {text}")
        assert caught.value.message == message
