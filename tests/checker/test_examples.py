"""Every example has the results of its expected.toml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from strandline.checker.expected.cases import Case
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.cli.testing import run_case

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EXPECTED = find_expected([EXAMPLES])
_READ = [(file, case) for file in EXPECTED for case in read_expected(file)]


def _named(file: Path, case: Case) -> ParameterSet:
    return pytest.param(case, id=f"{file.parent.name}-{case.name.replace(' ', '-')}")


CASES = [_named(file, case) for file, case in _READ]
COUNTS = [_named(file, case) for file, case in _READ if case.name == "counts"]


def test_there_are_examples_with_a_readme_each() -> None:
    assert len(EXPECTED) >= 6
    for file in EXPECTED:
        assert (file.parent / "README.md").read_text().startswith("# ")


@pytest.mark.parametrize("case", CASES)
def test_an_example_is_as_expected(case: Case) -> None:
    result = run_case(case)
    assert result.outcome.is_as_expected, (result.outcome.value, *result.judgement.messages)


@pytest.mark.parametrize("case", COUNTS)
def test_depth_first_search_counts_the_same(case: Case) -> None:
    result = run_case(replace(case, asked={**case.asked, "order": "dfs"}))
    assert result.outcome.is_as_expected, (result.outcome.value, *result.judgement.messages)
