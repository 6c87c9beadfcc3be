"""`strandline conform`: decide whether the log of a program is a behaviour of a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from strandline.cli.console import Console, emit, may_colour
from strandline.cli.outputs import Outputs, try_file
from strandline.cli.searching import add_model, load_model
from strandline.report.exit_codes import HOLDS, SAFETY, UNKNOWN


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "conform",
        help="compare the log of a program with a model",
        description="Decide whether a log, JSON lines or ITF, is a behaviour of a model: whether the model has a run "
        "on which the events of the log occur, with the values that they report. Several logs are several runs, or the "
        f"nodes of one run if the map orders events by nodes. The exit code is {HOLDS} if they conform, {SAFETY} if "
        f"one deviates, {UNKNOWN} if that could not be decided.",
    )
    add_model(parser)
    parser.add_argument("logs", metavar="LOG", nargs="+", help="a log: JSON lines, or .itf.json")
    parser.add_argument("--map", metavar="FILE", help="how events are read: a .toml or .py file")
    parser.add_argument("--follow", action="store_true", help="wait for further lines of the log")
    parser.add_argument("--max-seconds", metavar="S", type=_seconds, help="seconds after which the verdict is unknown")
    parser.add_argument("--report", metavar="FILE", type=Path, help="write a self-contained report, one HTML file")
    parser.add_argument("--full", action="store_true", help="show the whole run and all reasons")
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    from strandline.checker.options.fields import parse_seconds
    from strandline.errors import UsageError

    seconds = parse_seconds(text)
    if not seconds > 0:
        raise UsageError(f"--max-seconds must be more than 0, not {text}")
    return seconds


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict; return the exit code that `configure` describes."""
    try_file(arguments.report, "report")
    from strandline.conformance.api import conform
    from strandline.report.conformance import CODES, conformance_data, conformance_text
    from strandline.report.envelope import render
    from strandline.report.style import Style

    system = load_model(arguments)
    result = conform(
        system,
        arguments.logs[0] if len(arguments.logs) == 1 else arguments.logs,
        map=arguments.map,
        follow=arguments.follow,
        max_seconds=arguments.max_seconds,
    )
    outputs = Outputs(Console())
    if not arguments.json:
        emit(conformance_text(result, Style(may_colour(sys.stdout)), full=arguments.full))
    if arguments.report is not None:
        from strandline.report.html.conformance import write_conformance

        outputs.write(arguments.report, lambda: write_conformance(arguments.report, result))
    code = outputs.exit_code(CODES[result.answer])
    if arguments.json:
        emit(render(conformance_data(result, arguments.model, code)))
    return code
