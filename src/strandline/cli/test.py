"""`strandline test`: run models against their expected verdicts."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.checker.options.fields import MOST, parse_size
from strandline.cli.console import Console, emit, may_colour
from strandline.cli.outputs import Outputs, try_file
from strandline.errors import UsageError
from strandline.report.exit_codes import (
    BUG,
    DEADLOCK,
    HOLDS,
    LIVENESS,
    NOT_WRITTEN,
    SAFETY,
    UNEXPECTED,
    UNKNOWN,
    USAGE,
    WORST_FIRST,
    WRONG_COUNT,
)
from strandline.source import saturated_int

if TYPE_CHECKING:
    from strandline.checker.expected.cases import Case, CaseResult
    from strandline.report.style import Style


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "test",
        help="run models against their expected verdicts",
        description="Find every expected.toml in the folders and run what it describes, several at a time; of a model "
        "that is given itself, all that it declares must hold. "
        f"Exit codes: {HOLDS} all is as expected, expected violations included; {DEADLOCK}, {SAFETY}, {LIVENESS} "
        f"something is violated that should hold (deadlock, safety, liveness); {UNEXPECTED} something holds that "
        f"should not; {WRONG_COUNT} a count or the length of a trace is wrong; {UNKNOWN} a limit; {NOT_WRITTEN} all is "
        f"as expected, but the file of --junit or --sarif could not be written; {USAGE} an error in a model "
        f"or an expected.toml; {BUG} a bug of ours. The worst wins: {', '.join(map(str, WORST_FIRST))}.",
    )
    parser.add_argument("places", metavar="DIR", nargs="+", type=Path, help="a folder, an expected.toml, or a model")
    parser.add_argument("-j", "--jobs", metavar="N", type=_positive, help="processes at a time (default: one per core)")
    parser.add_argument("--timeout", metavar="S", type=_seconds, help="seconds that one case may take")
    parser.add_argument(
        "--memory", metavar="SIZE", type=_size, help="memory of each case that has no limit of its own, such as 2G"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit XML file")
    parser.add_argument("--sarif", metavar="FILE", type=Path, help="write what is not as expected as SARIF")
    parser.add_argument(
        "--reports",
        metavar="DIR",
        type=Path,
        help="write a report of each run that is not as expected",
    )
    parser.add_argument("--quiet", action="store_true", help="print only unexpected results")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the cases of all `expected.toml` files and print the results; see `configure` for the returned exit code."""
    from strandline.checker.expected.reader import find_expected
    from strandline.cli.testing import read_or_report
    from strandline.report.codes import expectation_code
    from strandline.report.style import Style

    began = time.perf_counter()
    try_file(arguments.junit)
    try_file(arguments.sarif)
    if arguments.reports is not None:
        _make_folder(arguments.reports)
    printer = _ResultPrinter(Style(may_colour(sys.stdout)), quiet=arguments.quiet, silent=arguments.json)
    cases: list[tuple[int, Case]] = []
    for file in find_expected(arguments.places):
        found = read_or_report(file)
        if isinstance(found, tuple):
            cases += [(printer.place(), _adapted(case, arguments)) for case in found]
        else:
            printer.add_result(printer.place(), found)
    results = _run_all(printer, cases, arguments)
    code = expectation_code(result.judgement for result in results)
    outputs = Outputs(Console(quiet=True))
    if arguments.junit is not None:
        from strandline.report.junit import write_junit

        outputs.write(arguments.junit, lambda: write_junit(arguments.junit, results))
    if arguments.sarif is not None:
        from strandline.report.sarif import cases_sarif, write_sarif

        outputs.write(arguments.sarif, lambda: write_sarif(arguments.sarif, cases_sarif(results)))
    code = outputs.exit_code(code)
    _finish(arguments, results, code, time.perf_counter() - began, printer.style)
    return code


def _adapted(case: Case, arguments: argparse.Namespace) -> Case:
    """Return the case with the memory limit and the folder for reports that the command line gives."""
    asked = dict(case.asked) if arguments.memory is None else {"memory": arguments.memory, **case.asked}
    return replace(case, asked=asked, reports=arguments.reports)


def _run_all(
    printer: _ResultPrinter, cases: Sequence[tuple[int, Case]], arguments: argparse.Namespace
) -> list[CaseResult]:
    from strandline.cli.testing_pool import run_in_processes

    places = [place for place, _ in cases]
    jobs = arguments.jobs or _cores()
    run_in_processes(
        [case for _, case in cases],
        jobs,
        arguments.timeout,
        lambda number, result: printer.add_result(places[number], result),
    )
    return printer.results()


def _finish(
    arguments: argparse.Namespace, results: Sequence[CaseResult], code: int, seconds: float, style: Style
) -> None:
    if arguments.json:
        from strandline.report.envelope import render
        from strandline.report.expectations import results_data

        emit(render(results_data(results, code, seconds)))
    else:
        from strandline.report.expectations import summary_text

        emit(summary_text(results, seconds, style))


class _ResultPrinter:
    """Prints results in the order of the files, each as soon as all results before it are known."""

    def __init__(self, style: Style, *, quiet: bool, silent: bool) -> None:
        self.style = style
        self._quiet, self._silent = quiet, silent
        self._results: list[CaseResult | None] = []
        self._next = 0

    def place(self) -> int:
        """Reserve the next position in the order of results, and return its index."""
        self._results.append(None)
        return len(self._results) - 1

    def add_result(self, place: int, result: CaseResult) -> None:
        """Store the result with the index `place`, and print all results that are due."""
        from strandline.report.expectations import result_text

        self._results[place] = result
        while self._next < len(self._results) and (ready := self._results[self._next]) is not None:
            self._next += 1
            if not self._silent and not (self._quiet and ready.outcome.is_as_expected):
                emit(result_text(ready, self.style))

    def results(self) -> list[CaseResult]:
        """Return all results, in the order of the files."""
        return [result for result in self._results if result is not None]


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: no reports can be written there: {error.strerror}") from None


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _positive(text: str) -> int:
    if not text.isdecimal() or saturated_int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 1 or more")
    return saturated_int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST["max_seconds"]:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")
    return seconds
