"""The Python examples: short, equal to their references, and runnable as plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    ("folder", "file", "lines"), [("python-mutex", "mutex.py", 20), ("python-stop-and-wait", "stop_and_wait.py", 40)]
)
def test_models_are_short_and_equal_to_their_twins(folder: str, file: str, lines: int) -> None:
    assert len((EXAMPLES / folder / file).read_text().splitlines()) < lines
    found = strandline.explore(EXAMPLES / folder / file).statistics
    reference = strandline.explore(EXAMPLES / folder / "twin.dve").statistics
    assert (found.states, found.transitions, found.deadlocks, found.levels) == (
        reference.states,
        reference.transitions,
        reference.deadlocks,
        reference.levels,
    )


def test_ten_examples_each_with_one_violation_explained() -> None:
    folders = sorted(EXAMPLES.glob("python-*"))
    assert len(folders) >= 10
    for folder in folders:
        text = (folder / "README.md").read_text()
        if folder.name not in ("python-mutex", "python-stop-and-wait"):
            assert "violated on purpose" in text
            assert 'verdict = "VIOLATED"' in (folder / "expected.toml").read_text()


def test_declared_measures_make_a_sweep() -> None:
    model = EXAMPLES / "python-stop-and-wait" / "stop_and_wait.py"
    swept = strandline.explore(model, order="sweep").statistics
    assert swept.states == 10429
    assert swept.peak_states < 10429
