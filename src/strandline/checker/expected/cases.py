"""The expected result of one run, and the outcome of comparing the run with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from strandline.source import Place


@dataclass(frozen=True, slots=True)
class PropertyExpectation:
    """The expected verdict of one property of a check, found by its name."""

    name: str
    verdict: str
    trace_length: int | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected result of a run; a field that is None matches any value."""

    verdict: str | None = None
    exit_code: int | None = None
    trace_length: int | None = None
    fault: str | None = None
    """The kind of the expected run-time fault."""
    figures: Mapping[str, int] = field(default_factory=dict)
    """Expected exact values of statistics, by field of `strandline.checker.verdicts.statistics.Statistics`."""
    properties: tuple[PropertyExpectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One run and its expectation: a section of an `expected.toml`, or the counts at the top of the file."""

    file: Path
    name: str
    kind: str
    """The command: `check` or `explore`."""
    model: Path
    asked: Mapping[str, Any]
    """The keyword arguments of `strandline.check` or `strandline.explore`."""
    expected: Expectation
    tolerated_fault: str | None = None
    """The kind of a known run-time fault of the model, which may occur; the violation is then as expected."""
    reports: Path | None = None
    """The folder for the report of a run that is not as expected; None for no report."""


class Outcome(Enum):
    """The outcome of a case; its value is used in reports and JSON."""

    HOLDS_AS_EXPECTED = "holds-as-expected"
    VIOLATED_AS_EXPECTED = "violated-as-expected"
    UNKNOWN_AS_EXPECTED = "unknown-as-expected"
    VIOLATED_UNEXPECTEDLY = "violated-unexpectedly"
    HOLDS_UNEXPECTEDLY = "holds-unexpectedly"
    WRONG_COUNT = "wrong-count"
    WRONG_TRACE = "wrong-trace"
    LIMIT = "limit"
    ERROR = "error"
    """A mistake of the user, in the model or in the expectation itself."""
    BUG = "bug"
    """An internal error, or a process that died."""

    @property
    def is_as_expected(self) -> bool:
        return self in _AS_EXPECTED

    @property
    def words(self) -> str:
        return self.value.replace("-", " ")


_AS_EXPECTED = (Outcome.HOLDS_AS_EXPECTED, Outcome.VIOLATED_AS_EXPECTED, Outcome.UNKNOWN_AS_EXPECTED)

WORST_FIRST = (
    Outcome.BUG,
    Outcome.ERROR,
    Outcome.VIOLATED_UNEXPECTEDLY,
    Outcome.HOLDS_UNEXPECTEDLY,
    Outcome.WRONG_COUNT,
    Outcome.WRONG_TRACE,
    Outcome.LIMIT,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of a case, the differences from its expectation as sentences, and the run's verdict and exit code.

    Verdict and exit code are None if there was no verdict.
    """

    outcome: Outcome
    messages: tuple[str, ...] = ()
    verdict: str | None = None
    exit_code: int | None = None
    evidence: str = ""
    """The trace of the run as text, if the run was not as expected and has a trace."""
    place: Place | None = None
    """The place in the model that the difference or the mistake is about, if there is one."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The judgement of a case and its time in seconds; `model` is None if the `expected.toml` could not be read."""

    file: Path
    name: str
    kind: str
    model: Path | None
    judgement: Judgement
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        return self.judgement.outcome


def result_of(case: Case, judgement: Judgement, seconds: float) -> CaseResult:
    """Return the result of a case, made of its judgement and time."""
    return CaseResult(case.file, case.name, case.kind, case.model, judgement, seconds)
