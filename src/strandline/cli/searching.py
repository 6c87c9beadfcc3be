"""What the commands that search have in common: their options, and how they end."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.check.options import NO_TRACES, Options
from strandline.cli.console import Console, emit, may_colour
from strandline.errors import Option, UsageError
from strandline.report.exit_codes import HOLDS, UNEXPECTED, interrupted_code

if TYPE_CHECKING:
    from strandline.check.verdict import Exploration, Verdict
    from strandline.model.system import System

_EXPECTATIONS = ("holds", "violated", "unknown")
_MUCH = 100 << 20
"""Bytes of what killed runs left behind that are worth a word before every search."""


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model to search."""
    kinds = ".dve, .py, .psl, .aut, .pnml, .lola, .lotus, .ss"
    parser.add_argument("model", metavar="MODEL", help=f"a model file ({kinds})")
    add_parameters(parser)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Values for what the model leaves open."""
    parser.add_argument(
        "-D",
        metavar="NAME=VALUE",
        dest="parameters",
        action="append",
        default=[],
        help="the value of a parameter of a Python model, or of a constant of another; repeatable",
    )


def load_model(arguments: argparse.Namespace, limit: float | None = None) -> System:
    """The model of a command, with the parameters that are given. Raises `ResourceError` where so many seconds have
    passed since the command began before it is there."""
    from strandline.check.patience import within
    from strandline.languages import load
    from strandline.languages.parameters import given_parameters

    given = given_parameters(arguments.parameters)
    return within(limit, arguments.started, "loaded", lambda: load(arguments.model, given))


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """What is told, and how."""
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object, whatever happens")
    output.add_argument(
        "--trace", metavar="FILE", type=Path, help="write the trace to a file (.json: as JSON, .itf.json: as ITF)"
    )
    output.add_argument(
        "--report", metavar="FILE", type=Path, help="write a report that stands alone, one HTML file"
    )
    output.add_argument("--full", action="store_true", help="show whole states along traces")
    output.add_argument("--quiet", action="store_true", help="only the verdict: no notices, no progress")
    output.add_argument(
        "--expect",
        choices=_EXPECTATIONS,
        help=f"exit with {HOLDS} if this is the verdict and with {UNEXPECTED} if not",
    )


def console_of(arguments: argparse.Namespace, options: Options) -> Console:
    """The console of a command; first it tells of what killed runs have left behind, where that takes room. Raises
    `UsageError` where a trace is to be written and none is wanted."""
    if arguments.trace is not None and not options.traces:
        raise UsageError("{} writes a trace, and {} looks for none", options=[Option("trace", "FILE"), NO_TRACES])
    from strandline.cli.runs import removing, total
    from strandline.traces.workspace import left_over

    console = Console(quiet=arguments.quiet)
    found = left_over(options.folder)
    if sum(one.size for one in found) >= _MUCH:
        console.notice(f"left over from {total(found)}; `{removing(options.folder)}` removes it")
    return console


def finish(arguments: argparse.Namespace, console: Console, result: Exploration | Verdict) -> int:
    """Print the result, write the trace and the report, and return the exit code."""
    from strandline.report.codes import exit_code
    from strandline.report.traces import write_trace

    console.clear()
    code = _expected(arguments, console, result, exit_code(result))
    if arguments.trace is not None:
        if result.trace is None:
            console.notice(f"there is no trace: {arguments.trace} is not written")
        else:
            write_trace(arguments.trace, result.trace, result.system, full=arguments.full)
            console.notice(f"written: {arguments.trace}")
    if arguments.report is not None:
        from strandline.report.html.page import write_report

        write_report(arguments.report, result)
        console.notice(f"written: {arguments.report}")
    emit(_rendered(arguments, result, code))
    return code


def _rendered(arguments: argparse.Namespace, result: Exploration | Verdict, code: int) -> str:
    if arguments.json:
        from strandline.report.data import result_data
        from strandline.report.envelope import render

        return render(result_data(result, code))
    from strandline.check.verdict import Verdict
    from strandline.report.style import Style
    from strandline.report.text import exploration_text, verdict_text

    style = Style(may_colour(sys.stdout))
    if isinstance(result, Verdict):
        return verdict_text(result, style, full=arguments.full)
    chart = shutil.get_terminal_size().columns if arguments.profile else None
    return exploration_text(result, style, full=arguments.full, chart=chart)


def _expected(
    arguments: argparse.Namespace, console: Console, result: Exploration | Verdict, code: int
) -> int:
    """What `--expect` makes of an exit code. Errors never come here, and an interruption is no verdict."""
    if arguments.expect is None or code == interrupted_code():
        return code
    if result.answer.value.lower() == arguments.expect:
        return HOLDS
    console.notice(f"expected {arguments.expect}, but the verdict is {result.answer.value.lower()}")
    return UNEXPECTED
