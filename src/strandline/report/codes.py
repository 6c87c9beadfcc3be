"""Exit codes of verdicts and of test runs."""

from __future__ import annotations

from collections.abc import Iterable

from strandline.checker.expected.cases import Judgement, Outcome
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.report.exit_codes import (
    BUG,
    DEADLOCK,
    HOLDS,
    LIVENESS,
    SAFETY,
    UNEXPECTED,
    UNKNOWN,
    USAGE,
    WORST_FIRST,
    WRONG_COUNT,
    interrupted_code,
)

_OUTCOMES = {
    Outcome.HOLDS_UNEXPECTEDLY: UNEXPECTED,
    Outcome.WRONG_COUNT: WRONG_COUNT,
    Outcome.WRONG_TRACE: WRONG_COUNT,
    Outcome.LIMIT: UNKNOWN,
    Outcome.ERROR: USAGE,
    Outcome.BUG: BUG,
}


_LIVENESS = (Kind.LTL, Kind.CTL, Kind.AUTOMATON)


def exit_code(result: Exploration | Verdict) -> int:
    """Return the exit code of a result; for several properties, that of the worst one by `WORST_FIRST`."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    if exploration.interrupted:
        return interrupted_code()
    if isinstance(result, Verdict) and result.properties:
        codes = {_property_code(one) for one in result.properties}
    else:
        codes = {_answer_code(result.answer)}
    return next(code for code in WORST_FIRST if code in codes)


def _property_code(one: PropertyVerdict) -> int:
    if one.answer is Answer.VIOLATED:
        return DEADLOCK if one.kind is Kind.DEADLOCK else LIVENESS if one.kind in _LIVENESS else SAFETY
    return _answer_code(one.answer)


def _answer_code(answer: Answer) -> int:
    return {Answer.HOLDS: HOLDS, Answer.UNKNOWN: UNKNOWN, Answer.VIOLATED: SAFETY}[answer]


def expectation_code(judgements: Iterable[Judgement]) -> int:
    """Return the exit code of a test run: 0 if every case is as expected, else that of the worst outcome.

    An unexpected violation has the code of the violated property.
    """
    codes = {_judgement_code(one) for one in judgements} | {HOLDS}
    return next(code for code in WORST_FIRST if code in codes)


def _judgement_code(one: Judgement) -> int:
    if one.outcome is Outcome.VIOLATED_UNEXPECTEDLY:
        return one.exit_code if one.exit_code in (DEADLOCK, LIVENESS) else SAFETY
    return _OUTCOMES.get(one.outcome, HOLDS)
