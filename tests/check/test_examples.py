"""Every example does what its expected.toml says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.report.codes import exit_code

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EXPECTED = sorted(EXAMPLES.glob("*/expected.toml"))
FOUND = ("verdict", "exit_code", "trace_length", "peak_states", "states", "transitions", "deadlocks", "fault")


def _cases(kind: str) -> list[Any]:
    """One parameter per section of the kind; an expectation without a section counts states breadth-first."""
    cases = []
    for file in EXPECTED:
        expected = tomllib.loads(file.read_text())
        for number, section in enumerate(expected.get(kind, [])):
            cases.append(
                pytest.param(file.parent / expected["model"], section, id=f"{file.parent.name}-{number}")
            )
    return cases


def _split(section: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        {key: value for key, value in section.items() if key not in FOUND},
        {key: value for key, value in section.items() if key in FOUND},
    )


def test_there_are_examples_with_a_readme_each() -> None:
    assert len(EXPECTED) >= 6
    for file in EXPECTED:
        assert (file.parent / "README.md").read_text().startswith("# ")


@pytest.mark.parametrize("file", EXPECTED, ids=lambda file: file.parent.name)
@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_counts(file: Path, order: str) -> None:
    expected = tomllib.loads(file.read_text())
    exploration = strandline.explore(file.parent / expected["model"], order=order)
    if "fault" in expected:
        assert exploration.trace is not None
        assert exploration.trace.fault is not None
        assert exploration.trace.fault.kind == expected["fault"]
        return
    statistics = exploration.statistics
    assert exploration.complete
    assert (statistics.states, statistics.transitions, statistics.deadlocks) == (
        expected["states"],
        expected["transitions"],
        expected["deadlocks"],
    )


@pytest.mark.parametrize(("model", "section"), _cases("check"))
def test_checks(model: Path, section: dict[str, Any]) -> None:
    asked, expected = _split(section)
    verdict = strandline.check(model, **asked)
    assert verdict.answer.value == expected["verdict"]
    assert exit_code(verdict) == expected["exit_code"]
    if "trace_length" in expected:
        assert verdict.trace is not None
        assert len(verdict.trace) == expected["trace_length"]
    if "peak_states" in expected:
        assert verdict.statistics.peak_states == expected["peak_states"]


@pytest.mark.parametrize(("model", "section"), _cases("explore"))
def test_explorations(model: Path, section: dict[str, Any]) -> None:
    asked, expected = _split(section)
    statistics = strandline.explore(model, **asked).statistics
    assert {name: getattr(statistics, name) for name in expected} == expected
