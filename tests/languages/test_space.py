"""State spaces of the thesis: what lines mean, what wrong ones are told, and that a dumped model is the model."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.errors import InputError

LISTING = "1 7 2 !p !q * 2\n2 8 2 p !q * 1 RP2 3\n\n3 8 2 !p q * 2 x 4\n4 9 2 p q\n"


def space(folder: Path, text: str) -> str:
    file = folder / "space.ss"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_space_is_a_model_as_any_other(tmp_path: Path) -> None:
    file = space(tmp_path, LISTING)
    figures = strandline.explore(file).statistics
    assert (figures.states, figures.transitions, figures.deadlocks) == (4, 5, 1)
    verdict = strandline.check(file, "F q", ctl=["AG EF p", "EG !q"], invariants="progress < 9", reach="state == '3'")
    answers = {one.name: one.answer.value for one in verdict.properties}
    assert answers == {
        "progress < 9": "VIOLATED",
        "state == '3'": "HOLDS",
        "F q": "VIOLATED",
        "AG EF p": "HOLDS",
        "EG !q": "HOLDS",
    }


def test_progress_is_the_measure_and_monotone_where_no_edge_decreases_it(tmp_path: Path) -> None:
    system = strandline.load(space(tmp_path, LISTING))
    (component,) = system.measures
    assert not component.monotone
    assert system.scope.render(component.expression) == "progress"
    (component,) = strandline.load(space(tmp_path, "a 1 0 * b\nb 2 0 * b\n")).measures
    assert component.monotone


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: a state space has at least one state"),
        ("1 7\n", "1:3: expected a state, its progress and its number of propositions"),
        ("1 x 0\n", "1:3: the progress is a number, not 'x'"),
        ("1 7 -1\n", "1:5: the line has no -1 propositions"),
        ("1 7 2 p\n", "1:5: the line has no 2 propositions"),
        ("1 7 1 p *\n", "1:9: an action without a successor"),
        ("1 7 1 p * 3\n", "1:11: state 3 has no line that describes it"),
        ("1 7 1 p * 1\n2 7 1 q\n", "2:5: the propositions of the first line are p"),
        ("1 7 1 p\n1 7 1 p\n", "2:1: state 1 is described twice"),
        ("1 7 2 p !p\n", "1:9: the proposition p occurs twice here"),
        ("1 7 1 3p\n", "1:7: '3p' is no name of a proposition"),
        ("1 7 1 progress\n", "1:1: a proposition cannot be called 'progress', which every state space has"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        strandline.load(space(tmp_path, text))
    assert f"space.ss:{message}" in str(caught.value).splitlines()[0]


FIGURE_2_1 = "1 1 0 * 2\n2 2 0 * 3 * 4\n3 2 0 * 5\n4 2 0 * 5\n5 3 0 * 1\n"
"""The state space of 000, figure 2.1; lines in another order would do as well."""


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 3, 1, 4, 2), (0, 4, 3, 2, 1)])
def test_a_number_is_the_name_of_a_state(tmp_path: Path, order: tuple[int, ...]) -> None:
    lines = FIGURE_2_1.splitlines()
    file = space(tmp_path, "".join(f"{lines[one]}\n" for one in order))
    reached = strandline.check(file, reach="state == 5").properties[0]
    assert reached.answer.value == "HOLDS"
    assert reached.trace is not None
    way = [one["state"] for one in reached.trace.states()]
    assert way in (["1", "2", "3", "5"], ["1", "2", "4", "5"])
    violated = strandline.check(file, invariants="state != 4").properties[0]
    assert violated.trace is not None
    assert list(violated.trace.states())[-1]["state"] == "4"
    verdict = strandline.check(file, "G F 5 == state", ctl=["EF state == '4'", "AG state != 1"])
    assert [one.answer.value for one in verdict.properties] == ["HOLDS", "HOLDS", "VIOLATED"]
    assert strandline.load(file).scope.question("state")(lambda one: 0) == "1"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("state == 0", "there is no state '0'"),
        ("state == '01'", "there is no state '01'"),
        ("state == six", "there is no state 'six'"),
        ("state < 5", "a state has no value but its name"),
        ("state", "a state has no value but its name"),
        ("state + 1 == 2", "a state has no value but its name"),
        ("state == 2 + 3", "'state' can be compared with the name of a state alone"),
        ("state == True", "'state' can be compared with the name of a state alone"),
        ("1 <= state", "a state has no value but its name"),
        ("position(progress) == 1", "only 'state' has a position"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, claim: str, message: str) -> None:
    file = space(tmp_path, FIGURE_2_1)
    for asked in ({"invariants": claim}, {"reach": claim}, {"measure": claim}):
        with pytest.raises(InputError, match=message):
            strandline.check(file, **asked)  # type: ignore[arg-type]


def test_expressions_over_states_can_be_read_back(tmp_path: Path) -> None:
    file = space(tmp_path, "b 1 1 p * 7\n7 2 1 !p * -2\n-2 3 1 p * b\n")
    scope = strandline.load(file).scope
    for text in ("state == 7", "state != -2", "state == 'b'", "position(state) > 1", "not (p and progress < 2)"):
        assert scope.render(scope.parse(text)) == text
        assert scope.parse(scope.render(scope.parse(text))) == scope.parse(text)
