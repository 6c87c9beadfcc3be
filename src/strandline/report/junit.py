"""Results of cases with expected verdicts as JUnit XML, which CI systems read.

A file is a test suite and a case is a test. A difference is a `failure`; an error, a bug or a limit is an `error`,
because nothing was decided. The `type` of either, and a property called `outcome`, distinguish the outcomes; the
property also distinguishes an expected violation from a claim that holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from strandline.checker.expected.cases import CaseResult, Outcome
from strandline.errors import UsageError

_UNDECIDED = (Outcome.LIMIT, Outcome.ERROR, Outcome.BUG)
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, escaped or not."""


def junit_text(results: Sequence[CaseResult]) -> str:
    """Return the JUnit XML document for the results."""
    suites = ElementTree.Element("testsuites", {"name": "strandline"} | _totals(results))
    for file, found in groupby(results, key=lambda result: result.file):
        members = list(found)
        suite = ElementTree.SubElement(suites, "testsuite", {"name": _clean(str(file))} | _totals(members))
        for result in members:
            _add_case(suite, result)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def write_junit(path: Path, results: Sequence[CaseResult]) -> None:
    """Write the JUnit XML document for the results to a file. Raises `UsageError` if that fails."""
    try:
        path.write_text(junit_text(results), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def _add_case(suite: ElementTree.Element, result: CaseResult) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(str(result.file.parent)),
        name=_clean(result.name),
        time=f"{result.seconds:.6f}",
    )
    properties = ElementTree.SubElement(case, "properties")
    for name, value in (("outcome", result.outcome.value), ("verdict", result.judgement.verdict)):
        if value is not None:
            ElementTree.SubElement(properties, "property", name=name, value=value)
    if not result.outcome.is_as_expected:
        messages = result.judgement.messages
        first = messages[0].splitlines()[0] if messages and messages[0] else result.outcome.words
        kind = "error" if result.outcome in _UNDECIDED else "failure"
        problem = ElementTree.SubElement(case, kind, type=result.outcome.value, message=_clean(first))
        evidence = result.judgement.evidence
        problem.text = _clean("\n".join([*messages, *([f"\n{evidence}"] if evidence else [])]))


def _totals(results: Iterable[CaseResult]) -> dict[str, str]:
    found = list(results)
    wrong = [result.outcome for result in found if not result.outcome.is_as_expected]
    errors = sum(outcome in _UNDECIDED for outcome in wrong)
    return {
        "tests": str(len(found)),
        "failures": str(len(wrong) - errors),
        "errors": str(errors),
        "time": f"{sum(result.seconds for result in found):.6f}",
    }


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
