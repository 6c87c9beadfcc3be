"""Compare a finished run with its expectation.

An error is never an expected violation: a run that raised is not compared, and a run-time fault of the model counts as
expected only if the file names it.
"""

from __future__ import annotations

from collections.abc import Iterator

from strandline.checker.expected.cases import (
    WORST_FIRST,
    Case,
    Judgement,
    Outcome,
    PropertyExpectation,
)
from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.errors import InputError
from strandline.traces.trace import Trace

Difference = tuple[Outcome, str]

_UNEXPECTED = {
    Answer.VIOLATED: Outcome.VIOLATED_UNEXPECTEDLY,
    Answer.HOLDS: Outcome.HOLDS_UNEXPECTEDLY,
    Answer.UNKNOWN: Outcome.LIMIT,
}
_EXPECTED = {
    Answer.VIOLATED: Outcome.VIOLATED_AS_EXPECTED,
    Answer.HOLDS: Outcome.HOLDS_AS_EXPECTED,
    Answer.UNKNOWN: Outcome.UNKNOWN_AS_EXPECTED,
}


def judge(case: Case, result: Exploration | Verdict, exit_code: int) -> Judgement:
    """Compare a run with the expectation of its case; `exit_code` is that of the command.

    Raises `InputError` if the case names a property that the run did not decide.
    """
    differences = [*_verdict(case, result, exit_code), *_properties(case, result), *_trace(case, result)]
    differences += _figures(case, result)
    found = {outcome for outcome, _ in differences}
    outcome = next((one for one in WORST_FIRST if one in found), _EXPECTED[result.answer])
    messages = tuple(message for _, message in differences)
    return Judgement(outcome, messages, result.answer.value, exit_code)


def _verdict(case: Case, result: Exploration | Verdict, exit_code: int) -> Iterator[Difference]:
    expected, answer = case.expected, result.answer
    yield from _fault(case, result)
    if expected.verdict is not None and expected.verdict != answer.value:
        yield _UNEXPECTED[answer], _unlike(answer, expected.verdict, _why(result))
    elif expected.exit_code is not None and expected.exit_code != exit_code:
        what = f"the exit code is {exit_code}, expected {expected.exit_code}"
        named = "; ".join(one.name for one in _violated_properties(result))
        yield _UNEXPECTED[answer], what + (f" (violated: {named})" if named else "")


def _why(result: Exploration | Verdict) -> str | None:
    """Return the reason why the run has no verdict; None if it has one."""
    return result.reason if result.answer is Answer.UNKNOWN else None


def _fault(case: Case, result: Exploration | Verdict) -> Iterator[Difference]:
    fault = (result.exploration if isinstance(result, Verdict) else result).fault
    if fault is None:
        if case.expected.fault is not None:
            yield _UNEXPECTED[_faultless(result)], f"no run-time fault, expected '{case.expected.fault}'"
        return
    kind = fault.trace.fault.kind if fault.trace is not None and fault.trace.fault is not None else fault.name
    if case.expected.fault is not None and kind != case.expected.fault:
        yield Outcome.VIOLATED_UNEXPECTEDLY, f"run-time fault '{kind}', expected '{case.expected.fault}'"
    elif kind not in (case.expected.fault, case.tolerated_fault):
        yield Outcome.VIOLATED_UNEXPECTEDLY, f"run-time fault: {fault.reason}"


def _faultless(result: Exploration | Verdict) -> Answer:
    """Return the answer about run-time faults if none was found: HOLDS only if the search is complete."""
    return Answer.HOLDS if result.complete else result.answer


def _violated_properties(result: Exploration | Verdict) -> list[PropertyVerdict]:
    properties = result.properties if isinstance(result, Verdict) else ()
    return [one for one in properties if one.answer is Answer.VIOLATED]


def _properties(case: Case, result: Exploration | Verdict) -> Iterator[Difference]:
    found = {one.name: one for one in result.properties} if isinstance(result, Verdict) else {}
    for expected in case.expected.properties:
        if expected.name not in found:
            names = ", ".join(f"'{name}'" for name in found) or "it decides none"
            raise InputError(f"{case.file}: {case.name} has no property '{expected.name}' ({names})")
        yield from _property(expected, found[expected.name])


def _property(expected: PropertyExpectation, found: PropertyVerdict) -> Iterator[Difference]:
    if found.answer.value != expected.verdict:
        message = _unlike(found.answer, expected.verdict, found.reason)
        yield _UNEXPECTED[found.answer], f"{expected.name}: {message}"
    elif expected.trace_length is not None:
        for outcome, message in _length(expected.trace_length, found.trace):
            yield outcome, f"{expected.name}: {message}"


def _trace(case: Case, result: Exploration | Verdict) -> Iterator[Difference]:
    if case.expected.trace_length is not None and result.answer is not Answer.UNKNOWN:
        yield from _length(case.expected.trace_length, result.trace)


def _length(expected: int, trace: Trace | None) -> Iterator[Difference]:
    if trace is None:
        yield Outcome.WRONG_TRACE, f"there is no trace, expected one of {expected} steps"
    elif len(trace) != expected:
        yield Outcome.WRONG_TRACE, f"the trace has {len(trace)} steps, expected {expected}"


def _figures(case: Case, result: Exploration | Verdict) -> Iterator[Difference]:
    cut_short = result.answer is Answer.UNKNOWN and case.expected.verdict != Answer.UNKNOWN.value
    outcome = Outcome.LIMIT if cut_short else Outcome.WRONG_COUNT
    for name, expected in case.expected.figures.items():
        value = getattr(result.statistics, name)
        if value is None:
            yield (
                outcome,
                f"{name} cannot be known after this sweep, expected {expected} (try count_distinct)",
            )
        elif value != expected:
            yield outcome, f"{name} is {value}, expected {expected}"


def _unlike(answer: Answer, expected: str, reason: str | None) -> str:
    suffix = f" ({reason})" if reason else ""
    return f"{answer.value}{suffix}, expected {expected}"
