"""Exit codes: what a run tells to shells and CI."""

from __future__ import annotations

from strandline.check.properties import Kind
from strandline.check.verdict import Answer, Exploration, PropertyVerdict, Verdict

HOLDS, USAGE, UNKNOWN, BUG, UNEXPECTED = 0, 2, 3, 4, 5
DEADLOCK, SAFETY, LIVENESS, INTERRUPTED = 11, 12, 13, 130

_WORST_FIRST = (BUG, USAGE, SAFETY, DEADLOCK, LIVENESS, UNKNOWN, HOLDS)


def exit_code(result: Exploration | Verdict) -> int:
    """The code of a verdict; the worst of several properties wins."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    if exploration.interrupted:
        return INTERRUPTED
    if isinstance(result, Verdict) and result.properties:
        codes = {_property_code(one) for one in result.properties}
    else:
        codes = {_answer_code(result.answer)}
    return next(code for code in _WORST_FIRST if code in codes)


def _property_code(one: PropertyVerdict) -> int:
    if one.answer is Answer.VIOLATED:
        return {Kind.DEADLOCK: DEADLOCK, Kind.LTL: LIVENESS}.get(one.kind, SAFETY)
    return _answer_code(one.answer)


def _answer_code(answer: Answer) -> int:
    return {Answer.HOLDS: HOLDS, Answer.UNKNOWN: UNKNOWN, Answer.VIOLATED: SAFETY}[answer]
