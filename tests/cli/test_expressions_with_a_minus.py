"""An expression may begin with a minus sign, also as an argument of its own."""

from __future__ import annotations

import pytest

from strandline.cli.main import with_expressions
from strandline.cli.parser import build_parser, flags_with_expressions


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["explore", "m.dve", "--measure", "-x"], ["explore", "m.dve", "--measure=-x"]),
        (["--measure", "-x", "--measure", "-(y)"], ["--measure=-x", "--measure=-(y)"]),
        (["--measure", "x", "-h"], ["--measure", "x", "-h"]),
        (["--measure", "--json"], ["--measure", "--json"]),
        (["-q", "--order", "bfs"], ["-q", "--order", "bfs"]),
    ],
)
def test_joined_to_its_option(given: list[str], expected: list[str]) -> None:
    assert with_expressions(given, {"--measure"}) == expected


def test_which_options_take_an_expression() -> None:
    expected = {"--measure", "--invariant", "--reach", "--fairness", "--eval"}
    assert flags_with_expressions(build_parser()) == expected
