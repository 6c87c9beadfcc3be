"""Common parts of the commands that search: options, loading the model, printing results, exit codes."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.checker.options.search import NO_TRACES, Options
from strandline.cli.console import Console, emit, emit_pieces, may_colour
from strandline.cli.outputs import Outputs, try_file
from strandline.errors import CannotWrite, Option, ResourceError, UsageError
from strandline.report.exit_codes import HOLDS, UNEXPECTED, interrupted_code

if TYPE_CHECKING:
    from strandline.checker.checkpoints.run_folder import Checkpoints
    from strandline.checker.limits.evidence import EvidenceLimits
    from strandline.checker.verdicts.verdict import Exploration, Verdict
    from strandline.model.system import System

_EXPECTATIONS = ("holds", "violated", "unknown")
_MUCH = 100 << 20
"""Bytes left behind by killed runs from which on every search shows a notice."""


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument for the model, with the suffixes of `LANGUAGES` in its help, and its parameters."""
    from strandline.languages import LANGUAGES

    kinds = ", ".join(LANGUAGES)
    parser.add_argument("model", metavar="MODEL", help=f"a model file ({kinds})")
    add_parameters(parser)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Add the options for values of the model's parameters and for its language."""
    from strandline.languages import LANGUAGES

    parser.add_argument(
        "--language",
        metavar="SUFFIX",
        choices=[suffix.removeprefix(".") for suffix in LANGUAGES],
        help="the language of the model, whatever the name of its file ends with: "
        + ", ".join(suffix.removeprefix(".") for suffix in LANGUAGES),
    )
    parser.add_argument(
        "-D",
        metavar="NAME=VALUE",
        dest="parameters",
        action="append",
        default=[],
        help="the value of a parameter of a Python model, or of a constant of another; repeatable. For check also "
        "several, as in N=2..5 or LOSS=0,1: every combination is run",
    )


def load_model(arguments: argparse.Namespace, options: Options | None = None) -> System:
    """Load the model that the arguments of a command name, with the given parameters.

    Raises `ResourceError` if one of the options' limits of time and memory is reached.
    """
    from strandline.checker.limits.timeouts import LOADED, within
    from strandline.languages import load
    from strandline.languages.parameters import given_parameters

    given = given_parameters(arguments.parameters)
    seconds, memory = (None, None) if options is None else (options.max_seconds, options.memory_limit)
    return within(
        seconds, arguments.started, LOADED, lambda: load(arguments.model, given, language=arguments.language), memory
    )


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that control the output."""
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    output.add_argument(
        "--trace", metavar="FILE", type=Path, help="write the trace to a file (.json: as JSON, .itf.json: as ITF)"
    )
    output.add_argument("--report", metavar="FILE", type=Path, help="write a self-contained report, one HTML file")
    output.add_argument("--sarif", metavar="FILE", type=Path, help="write violations as SARIF, with their lines")
    output.add_argument("--full", action="store_true", help="show whole states along traces")
    output.add_argument("--quiet", action="store_true", help="only the verdict: no notices, no progress")
    output.add_argument(
        "--expect",
        choices=_EXPECTATIONS,
        help=f"exit with {HOLDS} if this is the verdict and with {UNEXPECTED} if not",
    )


def console_of(arguments: argparse.Namespace, options: Options) -> Console:
    """Return the console of a command; print a notice if the files of killed runs take much space.

    Raises `UsageError` if the arguments ask for a trace file, but the options turn off traces.
    """
    if arguments.trace is not None and not options.traces:
        raise UsageError("{} writes a trace, and {} looks for none", options=[Option("trace", "FILE"), NO_TRACES])
    from strandline.cli.runs import removing, total
    from strandline.traces.workspace import left_over

    console = Console(quiet=arguments.quiet)
    found = left_over(options.folder)
    if sum(one.size for one in found) >= _MUCH:
        console.notice(f"left over from {total(found)}; `{removing(options.folder)}` removes it")
    return console


def finish(
    arguments: argparse.Namespace,
    console: Console,
    result: Exploration | Verdict,
    *,
    checkpoints: Checkpoints | None = None,
    pictures: Mapping[Path, Callable[[], None]] | None = None,
) -> int:
    """Print the result, write the trace, the report and `pictures`, and return the exit code.

    A file that cannot be written causes a warning: the verdict stands, and the checkpoints are kept.
    """
    from strandline.report.codes import exit_code

    console.clear()
    code = _compare_with_expected(arguments, console, result, exit_code(result))
    outputs = Outputs(console)
    # The object contains the exit code, which depends on whether the files can be written.
    first = not arguments.json
    try:
        if first:
            emit(_render(arguments, result))
    finally:
        _write_files(arguments, console, outputs, result)
        for path, write in (pictures or {}).items():
            outputs.write(path, write)
    code = outputs.exit_code(code)
    if not first:
        _emit_object(arguments, result, code)
    if checkpoints is not None:
        checkpoints.delivered = outputs.complete
        if not outputs.complete:
            console.warning(f"the run is kept: {checkpoints.advice}")
    return code


def _write_files(
    arguments: argparse.Namespace, console: Console, outputs: Outputs, result: Exploration | Verdict
) -> None:
    trace, path = result.trace, arguments.trace
    if path is not None and trace is None:
        console.notice(f"there is no trace: {path} is not written")
    elif path is not None and trace is not None:
        from strandline.report.traces import write_trace

        check = _limits_of(arguments, result).check
        outputs.write(path, lambda: write_trace(path, trace, result.system, full=arguments.full, check_limits=check))
    if arguments.sarif is not None:
        from strandline.report.sarif import result_sarif, write_sarif

        outputs.write(arguments.sarif, lambda: write_sarif(arguments.sarif, result_sarif(result)))
    if arguments.report is not None:
        from strandline.report.html.page import write_report

        outputs.write(arguments.report, lambda: write_report(arguments.report, result))


def _limits_of(arguments: argparse.Namespace, result: Exploration | Verdict) -> EvidenceLimits:
    """Return the limits of the run for evidence, which writing must respect too."""
    from strandline.checker.limits.evidence import EvidenceLimits
    from strandline.checker.verdicts.verdict import Verdict

    exploration = result.exploration if isinstance(result, Verdict) else result
    return EvidenceLimits(exploration.options, arguments.started, time.perf_counter())


def _emit_object(arguments: argparse.Namespace, result: Exploration | Verdict, code: int) -> None:
    """Print the JSON object of a result.

    An object with a long trace is written to a temporary file first: if that exceeds the limits, the trace can still be
    left out.
    """
    from strandline.report.data import result_data, without_traces
    from strandline.report.envelope import render, render_pieces
    from strandline.traces.stored import MOST_HELD
    from strandline.traces.streamed import with_limits

    if result.trace is None or len(result.trace) <= MOST_HELD:
        emit(render(result_data(result, code)))
        return
    try:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            file.writelines(with_limits(render_pieces(result_data(result, code)), _limits_of(arguments, result).check))
            file.seek(0)
            emit_pieces(iter(lambda: file.read(1 << 16), ""))
    except CannotWrite:
        raise
    except ResourceError as limit:
        emit(render(result_data(without_traces(result, str(limit)), code)))
    except OSError as error:
        why = f"the trace is left out: no temporary file can be written: {error.strerror}"
        emit(render(result_data(without_traces(result, why), code)))


def try_files(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if the trace file, the report or the SARIF file that the arguments name cannot be written."""
    try_file(arguments.trace, "trace")
    try_file(arguments.report, "report")
    try_file(arguments.sarif, "SARIF file")


def _render(arguments: argparse.Namespace, result: Exploration | Verdict) -> str:
    from strandline.checker.verdicts.verdict import Verdict
    from strandline.report.style import Style
    from strandline.report.text import exploration_text, verdict_text

    style = Style(may_colour(sys.stdout))
    if isinstance(result, Verdict):
        return verdict_text(result, style, full=arguments.full)
    chart = shutil.get_terminal_size().columns if arguments.profile else None
    return exploration_text(result, style, full=arguments.full, chart=chart)


def _compare_with_expected(
    arguments: argparse.Namespace, console: Console, result: Exploration | Verdict, code: int
) -> int:
    """Return the exit code, which `--expect` replaces by 0 if the verdict is the expected one, else by 5.

    Errors are never compared, and an interrupted run has no verdict.
    """
    if arguments.expect is None or code == interrupted_code():
        return code
    if result.answer.value.lower() == arguments.expect:
        return HOLDS
    console.notice(f"expected {arguments.expect}, but the verdict is {result.answer.value.lower()}")
    return UNEXPECTED
