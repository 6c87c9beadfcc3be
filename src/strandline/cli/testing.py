"""Run one case of expected verdicts in this process, and compare the outcome with the expected one."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from strandline.checker.expected.cases import Case, CaseResult, Judgement, Outcome, result_of
from strandline.checker.expected.comparison import judge
from strandline.checker.expected.reader import FILE_NAME, read_expected
from strandline.checker.verdicts.verdict import Answer, Exploration, Verdict
from strandline.errors import InputError, ResourceError
from strandline.report.codes import exit_code
from strandline.report.places import place_of_error, place_of_result
from strandline.traces.trace import Trace


def run_case(case: Case) -> CaseResult:
    """Run a case in this process, and return its result.

    Errors are outcomes too, and never an expected violation; only Ctrl-C and SIGTERM raise exceptions.
    """
    began = time.perf_counter()
    try:
        result = _search(case)
        judgement = judge(case, result, exit_code(result))
        if not judgement.outcome.is_as_expected:
            judgement = replace(
                judgement, messages=(*judgement.messages, *_violated(case, result), *_report(case, result))
            )
            evidence = "" if result.trace is None else _trace_text(result.trace, result)
            judgement = replace(judgement, evidence=evidence, place=place_of_result(result))
    except InputError as error:
        judgement = Judgement(Outcome.ERROR, (str(error),), place=place_of_error(error))
    except ResourceError as error:
        judgement = Judgement(Outcome.LIMIT, (str(error),))
    except Exception as error:  # noqa: BLE001  whatever goes wrong in one case, the others still count
        judgement = Judgement(Outcome.BUG, (f"{type(error).__name__}: {error}", traceback.format_exc()))
    return result_of(case, judgement, time.perf_counter() - began)


def read_or_report(file: Path) -> tuple[Case, ...] | CaseResult:
    """Return the cases of a file, or, if it cannot be read, a result with the error."""
    try:
        return read_expected(file)
    except InputError as error:
        return CaseResult(file, FILE_NAME, "file", None, Judgement(Outcome.ERROR, (str(error),)))


def report_name(case: Case) -> str:
    """Return the file name of a case's report: the path of its model and its name, without special characters."""
    return re.sub(r"[^\w.-]+", "-", f"{case.model}-{case.name}").strip("-.") + ".html"


def _violated(case: Case, result: Exploration | Verdict) -> Iterator[str]:
    """Yield the violated properties where no `expected.toml` says which are meant: for a model given itself."""
    if case.file == case.model and isinstance(result, Verdict):
        for one in result.properties:
            if one.answer is Answer.VIOLATED:
                yield f"violated: {one.kind.value} {one.name}"


def _report(case: Case, result: Exploration | Verdict) -> Iterator[str]:
    """Write the report of a case, if a folder for reports is given; yield a message if that fails."""
    if case.reports is not None:
        from strandline.report.html.page import write_report

        path = case.reports / report_name(case)
        try:
            write_report(path, result)
        except OSError as error:
            yield f"{path}: the report cannot be written: {error.strerror}"


def _trace_text(trace: Trace, result: Exploration | Verdict) -> str:
    """Return the trace as text; the middle of a very long one is left out."""
    from strandline.report.style import Style
    from strandline.report.traces import trace_lines

    return "\n".join(trace_lines(trace, result.system, Style(False), whole=False))


def _search(case: Case) -> Exploration | Verdict:
    from strandline.checker.api import check, explore

    if case.kind == "check":
        return check(case.model, **case.asked)
    return explore(case.model, **case.asked)
