"""Parsing expected.toml, and mistakes with their places."""

from __future__ import annotations

from pathlib import Path

import pytest
from expecting import write

from strandline.checker.expected.cases import Case, Expectation, PropertyExpectation
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.errors import InputError, UsageError


def test_everything_that_can_be_expected(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        """\
        description = "two models"
        model = "mutex.dve"
        states = 9
        fault = "division by zero"

        [[check]]
        name = "both critical"
        invariants = ["not (P.critical and Q.critical)"]
        deadlock = true
        order = "dfs"
        max_seconds = 30
        verdict = "VIOLATED"
        exit_code = 12
        trace_length = 4
        [check.properties]
        "deadlock freedom" = "HOLDS"
        [check.properties."not (P.critical and Q.critical)"]
        verdict = "VIOLATED"
        trace_length = 4

        [[check]]
        model = "counter.dve"
        fault = "array index out of range"

        [[explore]]
        measure = "x"
        count_distinct = true
        peak_states = 3
        """,
    )
    assert read_expected(file) == (
        Case(
            file,
            "counts",
            "explore",
            tmp_path / "mutex.dve",
            {},
            Expectation("VIOLATED", fault="division by zero", figures={"states": 9}),
        ),
        Case(
            file,
            "both critical",
            "check",
            tmp_path / "mutex.dve",
            {
                "invariants": ["not (P.critical and Q.critical)"],
                "deadlock": True,
                "order": "dfs",
                "max_seconds": 30,
            },
            Expectation(
                "VIOLATED",
                12,
                4,
                properties=(
                    PropertyExpectation("deadlock freedom", "HOLDS"),
                    PropertyExpectation("not (P.critical and Q.critical)", "VIOLATED", 4),
                ),
            ),
            "division by zero",
        ),
        Case(
            file,
            "check 2",
            "check",
            tmp_path / "counter.dve",
            {},
            Expectation(fault="array index out of range"),
            "array index out of range",
        ),
        Case(
            file,
            "explore 1",
            "explore",
            tmp_path / "mutex.dve",
            {"measure": "x", "count_distinct": True},
            Expectation("HOLDS", figures={"peak_states": 3}),
            "division by zero",
        ),
    )


TOP = 'model = "m.dve"\n'


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("model = \n", "Invalid value\n  model = \n          ^", 1),
        (TOP + 'states = "', "Unterminated", None),
        (TOP, "nothing is expected: write counts, [[check]] or [[explore]]", None),
        ("states = 4\n", 'which model? write model = "FILE" at the top', None),
        (TOP + "statse = 4\n", "'statse' is unknown here; did you mean 'states'?", 2),
        (TOP + "states = -1\n", "'states' must be a whole number, 0 or more", 2),
        (TOP + "states = true\n", "'states' must be a whole number, 0 or more", 2),
        ("model = 3\nstates = 1\n", "'model' must be a text", 1),
        (TOP + '[check]\nverdict = "HOLDS"\n', "write [[check]] with two brackets", 2),
        (TOP + "[[check]]\ndeadlock = true\n", "check 1 expects nothing: write for example verdict", 2),
        (TOP + '[[check]]\nverdict = "holds"\n', "the verdict must be HOLDS, VIOLATED or UNKNOWN", 3),
        (
            TOP + '[[check]]\nverdict = "HOLDS"\n[[check]]\nexit_code = "0"\n',
            "'exit_code' must be a whole number",
            5,
        ),
        (
            TOP + '[[check]]\nverdict = "HOLDS"\ninvariant = "x"\n',
            "'invariant' is unknown here; did you mean 'invariants'?",
            4,
        ),
        (TOP + '[[check]]\nverdict = "HOLDS"\nwork_dir = "x"\n', "'work_dir' is unknown here", 4),
        (TOP + '[[check]]\nverdict = "HOLDS"\ninvariants = [1]\n', "'invariants' cannot be [1]", 4),
        (TOP + '[[check]]\nverdict = "HOLDS"\nmax_states = "many"\n', "'max_states' cannot be 'many'", 4),
        (TOP + '[[check]]\nverdict = "HOLDS"\ndeadlock = 1\n', "'deadlock' cannot be 1", 4),
        (TOP + 'states = 1\n[[explore]]\nname = "counts"\n', "there is another case called 'counts'", 4),
        (TOP + "[[explore]]\ninvariants = []\n", "'invariants' is unknown here", 3),
        (TOP + "[[explore]]\nproperties = {}\n", "'properties' is unknown here", 3),
        (TOP + "[[check]]\nproperties = 3\n", "'properties' must be a table of names and verdicts", 3),
        (TOP + '[[check]]\n[check.properties]\n"x < 3" = "TRUE"\n', "the verdict must be HOLDS", 4),
        (
            TOP + "[[check]]\n[check.properties]\na = {trace_length = 1}\n",
            "of 'a', 'verdict' and 'trace_length'",
            4,
        ),
        (TOP + '[[check]]\n[check.properties."a b"]\nverdict = 3\n', "the verdict must be HOLDS", 3),
    ],
)
def test_mistakes_have_a_place(text: str, message: str, line: int | None, tmp_path: Path) -> None:
    file = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_expected(file)
    place = f"{file}: " if line is None else f"{file}:{line}:"
    assert str(caught.value).startswith(place)
    assert message in str(caught.value)


def test_files_are_found_in_folders_but_not_in_hidden_ones(tmp_path: Path) -> None:
    first = write(tmp_path / "b" / "deep", TOP)
    second = write(tmp_path / "a", TOP)
    write(tmp_path / ".cache" / "c", TOP)
    named = tmp_path / "other.toml"
    named.write_text(TOP)
    assert find_expected([tmp_path]) == [second, first]
    assert find_expected([named, tmp_path, second]) == [named, second, first]
    assert find_expected([tmp_path / ".cache"]) == [tmp_path / ".cache" / "c" / "expected.toml"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"empty: there is no expected\.toml in this folder"):
        find_expected([tmp_path / "empty"])
    with pytest.raises(UsageError, match="none: no such file or folder"):
        find_expected([tmp_path / "none"])
    other = tmp_path / "model.txt"
    other.touch()
    with pytest.raises(UsageError, match=r"model\.txt: this is no expected\.toml, and no model either"):
        find_expected([other])


def test_files_in_virtual_environments_are_not_those_of_the_project(tmp_path: Path) -> None:
    own = write(tmp_path / "models", TOP)
    write(tmp_path / "environment" / "lib" / "package", TOP)
    (tmp_path / "environment" / "pyvenv.cfg").touch()
    assert find_expected([tmp_path]) == [own]


def test_a_model_given_itself_must_hold(tmp_path: Path) -> None:
    model = tmp_path / "model.dve"
    model.touch()
    assert find_expected([model]) == [model]
    (case,) = read_expected(model)
    assert (case.name, case.model, case.expected.verdict, case.asked) == ("model.dve", model, "HOLDS", {})
