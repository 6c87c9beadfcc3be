"""Work that one check needs several times is done once: measures, translations, searches for states."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.decisions import sanity
from strandline.checker.driver import compilation as compilation_module
from strandline.checker.measures import choice as choice_module
from strandline.checker.properties import specification
from strandline.checker.verdicts.verdict import Answer, Verdict
from strandline.properties.ltl.parser import parse_ltl

RING = """
byte x; byte y;
process P { state s; init s; trans s -> s { guard x < 3; effect x = x + 1; }, s -> s { guard x == 3; effect x = 0; }; }
process Q { state s; init s; trans s -> s { guard y < 3; effect y = y + 1; }, s -> s { guard y == 3; effect y = 0; }; }
system async;
"""
TWO_IMPLICATIONS = "G (x == 1 -> F x != 1 || G F x == 1) && G (y == 7 -> F y == 2)"


class Counted:
    """Counts the calls of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        self.calls += 1
        return self.function(*arguments, **keywords)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Counted]:
    def count(module: Any, name: str) -> Counted:
        counting = Counted(getattr(module, name))
        monkeypatch.setattr(module, name, counting)
        return counting

    return count


def check(tmp_path: Path, claim: str, **options: Any) -> Verdict:
    file = tmp_path / "ring.dve"
    file.write_text(RING)
    return strandline.check(file, claim, **options)


@pytest.mark.parametrize("options", [{"measure": "auto"}, {"method": "sweep"}])
def test_one_measure_and_two_kernels_for_two_implications(
    tmp_path: Path, counted: Callable[[Any, str], Counted], options: dict[str, str]
) -> None:
    """The product, and one search for all left sides; the model has no deadlock, so nobody asks for infinite runs."""
    measures, kernels = counted(choice_module, "predicted_measure"), counted(compilation_module, "make_kernel")
    verdict = check(tmp_path, TWO_IMPLICATIONS, **options)
    assert verdict.answer is Answer.HOLDS
    (one,) = verdict.properties
    assert one.search is not None
    assert one.search.warnings == ("it holds vacuously: 'y == 7' never happens where it matters",)
    assert measures.calls == 1
    assert kernels.calls == (2 if one.search.statistics.deadlocks == 0 else 3)


def test_one_measure_for_several_properties(tmp_path: Path, counted: Callable[[Any, str], Counted]) -> None:
    measures = counted(choice_module, "predicted_measure")
    assert check(tmp_path, "G F x == 1 || F G y == y", invariants="x < 4", reach="y == 2", measure="auto")
    assert measures.calls == 1


def test_bad_prefixes_only_where_they_are_wanted(tmp_path: Path, counted: Callable[[Any, str], Counted]) -> None:
    prefixes = counted(specification, "bad_prefixes")
    check(tmp_path, "G x < 4", method="ndfs", sanity=False)
    assert prefixes.calls == 0
    check(tmp_path, "G x < 4", sanity=False)
    assert prefixes.calls == 1


@pytest.mark.parametrize(
    ("claim", "questions"),
    [
        ("G (p -> F q)", ["G (p -> false)"]),
        ("G (p -> F q) && G (r -> F s)", ["G (p -> false)", "G (r -> false)"]),
        ("G ((p -> F q) && (r -> F s))", ["G (p -> false)", "G (r -> false)"]),
        ("G (p -> F (r -> s))", ["G (p -> false)", "G (p -> F (r -> false))"]),
        ("(p -> q) && X (p -> q)", ["(p -> false) && X (p -> false)"]),
        ("F (p -> F q) || G r", ["F (p -> false) || G r"]),
    ],
)
def test_only_what_an_implication_changes_is_asked(claim: str, questions: list[str]) -> None:
    asked = [str(stronger) for _, stronger in sanity.stronger_formulas(parse_ltl(claim).formula)]
    assert sorted(asked) == sorted(str(parse_ltl(question).formula) for question in questions)
