"""Files of formulas and named questions: answers on nets of our own, and messages for wrong files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.checker.contest.answers import decide_formulas, session_of
from strandline.checker.contest.formulas import Largest, OfRuns, OfTrees, Reached
from strandline.checker.contest.questions import QUESTIONS, decide_question
from strandline.checker.contest.reader import read_formulas
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.errors import InputError, UsageError
from strandline.languages import load
from strandline.model.system import System
from strandline.source import Source

EXAMPLES = Path(__file__).parents[2] / "examples"
ASSEMBLY = load(EXAMPLES / "petri-assembly/assembly.pnml")
CROSSING = load(EXAMPLES / "petri-crossing/crossing.pnml")


def tokens(*places: str) -> str:
    return f"<tokens-count>{''.join(f'<place>{one}</place>' for one in places)}</tokens-count>"


def at_most(left: str, right: str | int) -> str:
    number = f"<integer-constant>{right}</integer-constant>" if isinstance(right, int) else right
    return f"<integer-le>{left}{number}</integer-le>"


def fireable(*transitions: str) -> str:
    return f"<is-fireable>{''.join(f'<transition>{one}</transition>' for one in transitions)}</is-fireable>"


def within(*tags: str, inside: str) -> str:
    for tag in reversed(tags):
        inside = f"<{tag}>{inside}</{tag}>"
    return inside


def until(before: str, reach: str) -> str:
    return f"<until><before>{before}</before><reach>{reach}</reach></until>"


def file(*formulas: str, name: str = "f") -> Source:
    stated = "\n".join(
        f"<property><id>{name}-{number}</id><description>whatever</description><formula>{one}</formula></property>"
        for number, one in enumerate(formulas)
    )
    return Source(
        "formulas.xml", f'<?xml version="1.0"?>\n<property-set xmlns="http://mcc.lip6.fr/">\n{stated}\n</property-set>'
    )


def answers(system: System, source: Source, **options: object) -> list[str]:
    chosen = Options(**options)  # type: ignore[arg-type]
    asked = read_formulas(source, system)
    found = {one.id: one.text for one in decide_formulas(system, asked, chosen, TemporalOptions(), session_of(chosen))}
    return [found[one.id] for one in asked]


NO_ROOM = at_most(tokens("room"), 0)
DONE = within("negation", inside=at_most(tokens("bikes"), 2))
OF_STATES = [
    (within("exists-path", "finally", inside=NO_ROOM), "TRUE"),
    (within("all-paths", "globally", inside=at_most(tokens("worker", "busy"), 1)), "TRUE"),
    (within("all-paths", "globally", inside=at_most(tokens("worker"), tokens("busy"))), "FALSE"),
    (within("exists-path", "finally", inside=f"<conjunction>{DONE}{fireable('weld', 'take')}</conjunction>"), "FALSE"),
    (within("exists-path", "finally", inside=f"<disjunction>{DONE}{fireable('mount')}</disjunction>"), "TRUE"),
    ("<place-bound><place>wheels</place></place-bound>", "8"),
    ("<place-bound><place>bikes</place><place>wheels</place><place>bikes</place></place-bound>", "8"),
    ("<place-bound><place>frames</place><place>busy</place><place>wheels</place></place-bound>", "11"),
]


@pytest.mark.parametrize("options", [{}, {"order": "dfs"}, {"measure": "bikes"}])
def test_formulas_about_states(options: dict[str, str]) -> None:
    """All of them in one exploration, in whatever order it goes."""
    assert answers(ASSEMBLY, file(*(text for text, _ in OF_STATES)), **options) == [wanted for _, wanted in OF_STATES]


OF_RUNS = [
    (within("all-paths", "finally", inside=DONE), "TRUE"),
    (within("all-paths", "finally", "globally", inside=DONE), "TRUE"),
    (within("all-paths", "globally", "finally", inside=fireable("press", "weld", "take", "mount")), "FALSE"),
    (within("all-paths", inside=until(at_most(tokens("busy"), 0), fireable("mount"))), "FALSE"),
    (within("all-paths", "next", "next", inside=fireable("press")), "TRUE"),
    (within("all-paths", "finally", inside=f"<conjunction>{DONE}{within('next', inside=DONE)}</conjunction>"), "TRUE"),
]


def test_formulas_about_runs() -> None:
    """A run that has ended stays where it is: `next` is the same state again."""
    source = file(*(text for text, _ in OF_RUNS), name="a-LTL")
    assert [type(one) for one in read_formulas(source, ASSEMBLY)] == [OfRuns] * len(OF_RUNS)
    assert answers(ASSEMBLY, source) == [wanted for _, wanted in OF_RUNS]


OF_TREES = [
    (within("all-paths", "globally", "exists-path", "finally", inside=DONE), "TRUE"),
    (within("exists-path", "globally", inside=within("negation", inside=fireable("weld"))), "FALSE"),
    (within("all-paths", "finally", inside=within("all-paths", "next", inside=fireable("weld"))), "TRUE"),
    (within("all-paths", "finally", inside=within("exists-path", "next", inside=DONE)), "TRUE"),
    (within("exists-path", inside=until(fireable("weld"), DONE)), "FALSE"),
    (within("exists-path", inside=until(fireable("weld", "take", "mount"), DONE)), "TRUE"),
    (within("negation", inside=within("exists-path", "next", inside=at_most(tokens("orders"), 2))), "FALSE"),
    (fireable("weld"), "TRUE"),
]


@pytest.mark.parametrize("options", [{}, {"order": "sweep"}])
def test_formulas_about_trees(options: dict[str, str]) -> None:
    """A path ends where nothing is enabled: there every `next` for all paths is true, and none for some path."""
    source = file(*(text for text, _ in OF_TREES))
    assert [type(one) for one in read_formulas(source, ASSEMBLY)] == [OfTrees] * len(OF_TREES)
    assert answers(ASSEMBLY, source, **options) == [wanted for _, wanted in OF_TREES]


def test_what_kind_of_formula_it_is() -> None:
    never = within("all-paths", "finally", inside=fireable("press"))
    kinds = {
        within("exists-path", "finally", inside=DONE): Reached,
        "<place-bound><place>room</place></place-bound>": Largest,
        within("exists-path", "globally", inside=DONE): OfTrees,
        within("negation", inside=never): OfTrees,
        within("all-paths", "globally", inside=never): OfTrees,
        within("all-paths", "globally", "finally", inside=DONE): OfRuns,
        never: OfTrees,
        fireable("press"): OfTrees,
    }
    found = read_formulas(file(*kinds), ASSEMBLY)
    assert [type(one) for one in found] == list(kinds.values())
    assert isinstance(read_formulas(file(never, name="x-LTLFireability"), ASSEMBLY)[0], OfRuns)


def test_parts_without_temporal_operators_are_one_proposition() -> None:
    inside = f"<conjunction>{DONE}{NO_ROOM}{within('exists-path', 'next', inside=DONE)}</conjunction>"
    (asked,) = read_formulas(file(within("all-paths", "globally", inside=inside)), ASSEMBLY)
    assert isinstance(asked, OfTrees)
    assert list(asked.atoms) == ["not (tokens(bikes) <= 2)", "tokens(room) <= 0"]


WRONG = [
    ("<true/>", "formulas.xml:3:67: 'true' is not a supported operator\n"),
    ("", "formulas.xml:3:58: 'formula' must contain 1 element, not 0\n"),
    (fireable("fly"), "formulas.xml:3:80: the model has no transition 'fly'\n"),
    (at_most(tokens("wheel"), 1), "formulas.xml:3:93: the model has no place 'wheel'\n"),
    (at_most(tokens("room"), -1), ("formulas.xml:3:127: a natural number of at most 4611686018427387904 is wanted, "
     "not '-1'\n")),
    (within("negation", inside=DONE + DONE), "formulas.xml:3:67: 'negation' must contain 1 element, not 2\n"),
    ("<is-fireable/>", "formulas.xml:3:67: 'is-fireable' must contain elements\n"),
    ("<is-fireable><place>p</place></is-fireable>", "formulas.xml:3:80: expected a 'transition', found 'place'\n"),
    (within("globally", inside=DONE), "formulas.xml:3:67: the formula is neither in LTL nor in CTL\n"),
    (within("exists-path", "globally", "finally", inside=DONE), ("formulas.xml:3:67: the formula is neither in LTL "
     "nor in CTL\n")),
    (f"<until>{DONE}{DONE}</until>", "formulas.xml:3:67: 'until' has a 'before' and a 'reach'\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_wrong_formulas_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_formulas(file(text), ASSEMBLY)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sets/>", "x:1:1: a file of formulas begins with 'property-set', not with 'sets'\n  <sets/>\n  ^^^^^^^"),
        ("<property-set><a/></property-set>", ("x:1:15: unknown element 'a' in a set of properties\n"
         "  <property-set><a/></property-set>\n                ^^^^")),
        ("<property-set><property/></property-set>", ("x:1:15: a property has an 'id' and a 'formula'\n"
         "  <property-set><property/></property-set>\n                ^^^^^^^^^^^")),
    ],
)  # fmt: skip
def test_what_other_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_formulas(Source("x", text), ASSEMBLY)
    assert str(caught.value) == message


@given(st.data())
def test_whatever_a_file_holds_it_is_read_or_refused(data: st.DataObject) -> None:
    text = file(*(text for text, _ in OF_STATES)).text
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 50)))
        spoilt = st.one_of(st.sampled_from(["", "<", "next", text[start:end] * 2]), st.text())
        text = text[:start] + data.draw(spoilt) + text[end:]
    told = "x:"
    try:
        read_formulas(Source("x", text), ASSEMBLY)
    except InputError as error:
        told = str(error)
    assert told.startswith("x:")


def asked(question: str, system: System, **options: object) -> list[str]:
    chosen = Options(**options)  # type: ignore[arg-type]
    return [one.text for one in decide_question(question, system, chosen, TemporalOptions(), session_of(chosen))]


@pytest.mark.parametrize(
    ("question", "assembly", "crossing"),
    [
        ("deadlock", "TRUE", "FALSE"),
        ("one-safe", "FALSE", "TRUE"),
        ("quasi-liveness", "TRUE", "TRUE"),
        ("stable-marking", "FALSE", "FALSE"),
        ("liveness", "FALSE", "TRUE"),
    ],
)
def test_questions(question: str, assembly: str, crossing: str) -> None:
    assert asked(question, ASSEMBLY) == [assembly]
    assert asked(question, CROSSING) == [crossing]


def test_the_state_space() -> None:
    assert asked("state-space", ASSEMBLY) == ["66", "136", "12", "8", "1"]
    assert asked("state-space", CROSSING) == ["5", "6", "3", "1", "0"]


def test_an_upper_bound() -> None:
    assert asked("upper-bound(wheels, bikes)", ASSEMBLY) == ["8"]
    assert asked("upper-bound(north.green, east.green)", CROSSING) == ["1"]
    with pytest.raises(InputError, match="the net has no place 'wheel'; did you mean 'wheels'"):
        asked("upper-bound(wheel)", ASSEMBLY)


def test_a_limit_makes_answers_unknown() -> None:
    assert asked("state-space", ASSEMBLY, max_states=10) == ["UNKNOWN"] * 5
    assert asked("one-safe", ASSEMBLY, max_states=10) == ["FALSE"]
    assert answers(ASSEMBLY, file(*(text for text, _ in OF_STATES[:2])), max_states=10) == ["UNKNOWN", "UNKNOWN"]


def test_searches_share_the_time_that_is_left() -> None:
    source = file(*(text for text, _ in OF_RUNS), name="a-LTL")
    options = Options(max_seconds=0.002)
    given = decide_formulas(ASSEMBLY, read_formulas(source, ASSEMBLY), options, TemporalOptions(), session_of(options))
    found = list(given)
    assert [one.text for one in found] == ["UNKNOWN"] * len(OF_RUNS)
    assert all((one.reason or "").startswith("the time limit of 0.001 s is reached") for one in found[1:])


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown question 'beauty'"):
        asked("beauty", ASSEMBLY)


def test_models_of_other_languages_are_asked_too() -> None:
    peterson = load(EXAMPLES / "peterson/peterson.dve")
    assert [asked(one, peterson) for one in QUESTIONS] == [
        ["FALSE"], ["FALSE"], ["TRUE"], ["FALSE"], ["TRUE"], ["20", "34", "8", "3", "0"],
    ]  # fmt: skip
