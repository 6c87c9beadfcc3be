"""Render the results of cases with expected verdicts as text and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from strandline.checker.expected.cases import CaseResult, Outcome
from strandline.report.envelope import head
from strandline.report.style import Style, with_noun

_LABELS = {
    Outcome.VIOLATED_UNEXPECTEDLY: "FAILED",
    Outcome.HOLDS_UNEXPECTEDLY: "FAILED",
    Outcome.WRONG_COUNT: "FAILED",
    Outcome.WRONG_TRACE: "FAILED",
    Outcome.LIMIT: "LIMIT",
    Outcome.ERROR: "ERROR",
    Outcome.BUG: "BUG",
}
_WIDTH = max(len(label) for label in _LABELS.values())


def result_text(result: CaseResult, style: Style) -> str:
    """Return one line for a case and, under it, every difference from its expectation."""
    label = _LABELS.get(result.outcome, "ok")
    colour = "green" if result.outcome.is_as_expected else "yellow" if result.outcome is Outcome.LIMIT else "red"
    case = f"{result.file.parent}: {result.name}: {result.outcome.words}"
    seconds = style.paint(f", {result.seconds:.2f} s", "dim")
    lines = [f"{style.paint(label.ljust(_WIDTH), colour)}  {case}{seconds}"]
    for message in result.judgement.messages:
        lines += [f"{' ' * (_WIDTH + 4)}{line}" for line in message.splitlines()]
    return "\n".join(lines)


def summary_text(results: Sequence[CaseResult], seconds: float, style: Style) -> str:
    """Return the last line of a test run: the number of cases with each outcome."""
    counts = Counter(result.outcome for result in results)
    good = all(outcome.is_as_expected for outcome in counts)
    parts = [f"{counts[outcome]} {outcome.words}" for outcome in Outcome if counts[outcome]]
    title = style.paint("AS EXPECTED" if good else "NOT AS EXPECTED", "green" if good else "red", "bold")
    return f"{title}  {with_noun(len(results), 'case')}: {', '.join(parts)}; {seconds:.1f} s"


def results_data(results: Sequence[CaseResult], exit_code: int, seconds: float) -> dict[str, Any]:
    """Return the JSON object of `strandline test --json`."""
    counts = Counter(result.outcome for result in results)
    return {
        **head("test", exit_code),
        "as_expected": all(result.outcome.is_as_expected for result in results),
        "seconds": round(seconds, 6),
        "outcomes": {outcome.value: counts[outcome] for outcome in Outcome},
        "cases": [_case_data(result) for result in results],
        "error": None,
    }


def _case_data(result: CaseResult) -> dict[str, Any]:
    return {
        "file": str(result.file),
        "name": result.name,
        "kind": result.kind,
        "model": None if result.model is None else str(result.model),
        "outcome": result.outcome.value,
        "as_expected": result.outcome.is_as_expected,
        "verdict": result.judgement.verdict,
        "exit_code": result.judgement.exit_code,
        "messages": list(result.judgement.messages),
        "seconds": round(result.seconds, 6),
    }
