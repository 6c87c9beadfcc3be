"""LOTUS: the meaning of texts, messages for wrong ones, and the thesis's statements about its own examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from models.lotus import EXAMPLES, dining, with_token
from models.lotus_twins import dining_dve, stuck, with_token_dve
from strandline.errors import InputError
from strandline.languages.dve import load as load_dve
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source

ROOT = Path(__file__).parents[3]
HEAD = "DEFINE t : a, b; u : 0...3; MODULE VAR t x; u n; "


def system_of(text: str) -> System:
    return load(Source("m.lotus", text))


def words(system: System, **asked: object) -> list[str]:
    """The three-valued answers."""
    verdict = strandline.check(system, **asked)  # type: ignore[arg-type]
    return [one.ctl.initial.word for one in verdict.properties if one.ctl is not None and one.ctl.initial is not None]


@pytest.mark.parametrize("file", EXAMPLES)
def test_examples_are_what_is_generated(file: str) -> None:
    assert (ROOT / file).read_text() == EXAMPLES[file]


@pytest.mark.parametrize(("count", "states"), [(2, 18), (3, 76), (4, 322)])
def test_philosophers_of_any_number(count: int, states: int) -> None:
    found = strandline.explore(system_of(dining(count)))
    assert (found.statistics.states, found.statistics.deadlocks) == (states, 2)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_with_a_token_everybody_eats(count: int) -> None:
    formulas = [f"AF(person{one}=eating)" for one in range(count)]
    assert words(system_of(with_token(count, *formulas))) == ["SAT"] * count


def test_figure_3_1() -> None:
    system = strandline.load(ROOT / "examples/lotus-paper/body.lotus")
    assert [one.name for one in system.fairness] == ["state1=Busy"]
    assert words(system) == ["SAT"]
    # Four states; which of them are there is the figure's point.
    assert strandline.explore(system).statistics.states == 4


def test_section_3_3_0_9() -> None:
    system = strandline.load(ROOT / "examples/lotus-paper/feelings.lotus")
    assert system.initial == ((0, 0), (1, 0))
    assert words(system) == ["PSAT", "NSAT", "NSAT", "SAT"]


def test_what_an_edge_does_not_mention_stays() -> None:
    system = system_of(HEAD + "INIT x=a, n=2; TRANS x=a => x=b; n=2 => n=3;")
    assert strandline.explore(system).statistics.states == 4
    assert words(system, ctl=["AX(x=b & n=2 | x=a & n=3)", "AG AF(x=b)"]) == ["SAT", "SAT"]


def test_an_initial_state_that_leaves_a_variable_open_stands_for_several() -> None:
    system = system_of(HEAD + "INIT x=a; x=b, n=1; x=a, n=0; TRANS n=0 => n=1;")
    assert system.initial == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 1))


def test_a_state_without_an_edge_repeats_itself_and_that_is_told() -> None:
    system = system_of(HEAD + "INIT x=a, n=0; TRANS x=a => x=b; SPEC CTLSPEC AF AG(x=b)")
    verdict = strandline.check(system)
    # Deadlocks are no matter of LOTUS unless they are asked for.
    assert [one.kind.value for one in verdict.properties] == ["ctl"]
    assert verdict.answer.value == "HOLDS"
    assert strandline.check(system, deadlock=True).answer.value == "VIOLATED"


def test_fairness_restricts_paths() -> None:
    edges = "INIT x=a, n=0; TRANS n=0 => n=1; n=1 => n=0; x=a => x=b; "
    system = system_of(HEAD + edges + "FAIRNESS x=b, n=0; :n=1; SPEC CTLSPEC AF(x=b)")
    assert [one.name for one in system.fairness] == ["x=b, n=0", ":n=1"]
    assert words(system) == ["SAT"]
    assert words(system, ctl="AF(x=b)", declared_fairness=False) == ["NSAT"]


NUMBERED = """
DEFINE t : 3, 5, 7; u : 7, 5; v : off, 5, 3; w : 0..6; MODULE VAR t x; u y; v z; w n;
INIT x=5, y=7, z=5, n=5; TRANS x=5 => x=7; x=7, z=5 => x=3, z=off; x=3 => n=3; z=off, y=7 => z=3;
"""


@pytest.mark.parametrize(
    ("formula", "word"),
    [
        ("EF(x=7)", "SAT"),
        ("EF(x>=6 & x-1=6)", "SAT"),
        ("EF(x>=8)", "NSAT"),
        ("3=x", "NSAT"),
        ("5=x", "SAT"),
        ("x=y", "NSAT"),
        ("EF(x=y)", "SAT"),
        ("x=z", "SAT"),
        ("y!=z & z=n & 5=z & z=5", "SAT"),
        ("EF(z=off)", "SAT"),
        ("EF(x=3 & z=x & n=z & z!=off)", "SAT"),
        ("EF(z=(n) & n=3)", "SAT"),
        ("AG(x=(4) -> n<0)", "SAT"),
    ],
)
@pytest.mark.parametrize("method", ["explicit", "symbolic", "abstraction"])
def test_values_are_compared_by_value(formula: str, word: str, method: str) -> None:
    assert words(system_of(NUMBERED), ctl=formula, method=method) == [word]


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("x=0", "there is no value of 'x' '0'"),
        ("4!=x", "there is no value of 'x' '4'"),
        ("z=4", "there is no value of 'z' '4'"),
        ("n=7", "there is no value of 'n' '7'"),
        ("z>3", "the values of 'z' are words: compare it with one of them, as in 'z = off'"),
        ("z", "the values of 'z' are words"),
        ("z=n+0", "the values of 'z' are words"),
    ],
)
def test_an_unknown_value_is_refused_with_its_place(claim: str, message: str) -> None:
    system = system_of(NUMBERED)
    for asked in ({"ctl": f"AG({claim})"}, {"ltl": f"G ({claim})"}, {"invariants": claim}, {"reach": claim}):
        with pytest.raises(InputError) as caught:
            strandline.check(system, **asked)  # type: ignore[arg-type]
        assert message in caught.value.message
    declared = NUMBERED + f"SPEC CTLSPEC AG(x=3);\nCTLSPEC AG({claim})"
    with pytest.raises(InputError) as caught:
        strandline.check(system_of(declared))
    assert str(caught.value).startswith("m.lotus:5:")


def test_an_open_variable_has_the_values_of_its_type_alone() -> None:
    text = "DEFINE t : 7, -3, 03; MODULE VAR t x; t y; INIT x=3; TRANS x=3 => x=07;"
    assert sorted(system_of(text).initial) == [(3, -3), (3, 3), (3, 7)]


WRONG = [
    ("DEFINE t : 3, 03;", "1:15: the value '03' occurs twice in 't'"),
    ("DEFINE t : 3, 9223372036854775808;", "1:15: a number has at most 18 digits"),
    ("MODULE", "1:1: expected 'DEFINE', found 'MODULE'"),
    ("DEFINE t : a, a;", "1:15: the value 'a' occurs twice in 't'"),
    ("DEFINE t : 3..1;", "1:12: the range of 't' is empty"),
    ("DEFINE t : a..3;", "1:12: a range goes from one number of at most 18 digits to another"),
    ("DEFINE t : 0..70000;", "1:12: the range of 't' has more than 65536 values"),
    ("DEFINE t : a; t : b;", "1:15: the type 't' is defined twice"),
    ("DEFINE t : a MODULE", "1:14: expected ';', found 'MODULE'"),
    ("DEFINE t : a; MODULE VAR s x;", "1:26: there is no type 's'"),
    ("DEFINE t : a; MODULE VAR t x; t x;", "1:33: the variable 'x' is declared twice"),
    ("DEFINE t : a; MODULE VAR INIT", "1:26: expected a variable, found 'INIT'"),
    (HEAD + "TRANS", "1:50: expected 'INIT', found 'TRANS'"),
    (HEAD + "INIT TRANS", "1:55: expected an initial state, found 'TRANS'"),
    (HEAD + "INIT x=c;", "1:57: there is no value of 'x' 'c'"),
    (HEAD + "INIT t=a;", "1:55: there is no variable 't'"),
    (HEAD + "INIT x=a, x=b;", "1:60: 'x' is given a value twice"),
    (HEAD + "INIT x=a, n=7;", "1:62: there is no value of 'n' '7'"),
    (HEAD + "INIT x=a, n=0; TRANS x=a;", "1:74: expected '=>', found ';'"),
    (HEAD + "INIT x=a, n=0; TRANS x=a -> x=b;", "1:75: unexpected '-'"),
    (HEAD + "INIT x=a, n=0; TRANS FAIRNESS SPEC", "1:80: expected a condition, found 'SPEC'"),
    (HEAD + "INIT x=a, n=0; TRANS FAIRNESS x=c", "1:82: there is no value of 'x' 'c'"),
    (HEAD + "INIT x=a, n=0; TRANS SPEC", "1:75: expected 'CTLSPEC', found the end of the file"),
    (HEAD + "INIT x=a, n=0; TRANS SPEC CTLSPEC", "1:83: expected a formula, found the end of the file"),
    (HEAD + "INIT x=a, n=0; TRANS VAR", "1:71: expected 'SPEC', found 'VAR'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        system_of(text)
    assert str(caught.value).splitlines()[0] == f"m.lotus:{message}"


def test_too_many_initial_states() -> None:
    text = "DEFINE t : 0..999; MODULE VAR t x; t y; INIT x=1; y=1; TRANS x=1 => x=2;"
    assert len(system_of(text).initial) == 1999
    with pytest.raises(InputError, match="this stands for more than 65536 initial states: say what 'z' is"):
        system_of(text.replace("INIT", "t z; INIT"))


def test_a_mistake_in_a_formula_is_shown_in_the_file() -> None:
    text = HEAD + "INIT x=a, n=0; TRANS x=a => x=b;\nSPEC CTLSPEC AG(x=a); CTLSPEC AF // all of them\n (y=a)"
    with pytest.raises(InputError) as caught:
        strandline.check(system_of(text))
    assert str(caught.value) == "m.lotus:3:3: there is no variable 'y'\n   (y=a)\n    ^"


def figures(system: System, **asked: Any) -> tuple[int | None, int | None, int | None]:
    found = strandline.explore(system, **asked).statistics
    return found.states, found.transitions, found.deadlocks


@pytest.mark.parametrize("count", [2, 4])
def test_the_families_are_those_of_processes_in_dve(count: int) -> None:
    """Told by locations and an array: the same states, steps, deadlocks and answers, one by one and in sets."""
    last = f"Person_{count - 1}.eating"
    families = [
        (dining(count), dining_dve(count), [f"AG !({stuck(count)})", f"EG !({stuck(count)})"]),
        (with_token(count), with_token_dve(count), [f"AF {last}"]),
    ]
    for text, reference, formulas in families:
        mine, other = system_of(text), load_dve(Source("reference.dve", reference))
        for method in ("explicit", "symbolic"):
            assert figures(mine, method=method) == figures(other, method=method)
            assert words(mine, method=method) == words(other, ctl=formulas, method=method)
        assert words(mine, method="abstraction") == words(other, ctl=formulas, method="abstraction")
