"""An expression may begin with a minus sign, also as an argument of its own."""

from __future__ import annotations

import pytest

from strandline.cli.main import with_expressions


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
    assert with_expressions(given) == expected
