"""`strandline trace`: replay a saved trace, evaluate expressions along it, convert it to other formats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.cli.console import emit, may_colour
from strandline.cli.searching import add_parameters, load_model
from strandline.errors import UsageError
from strandline.report.exit_codes import HOLDS, USAGE

if TYPE_CHECKING:
    from strandline.report.evaluations import Evaluation
    from strandline.traces.fitting import FittedTrace

_FORMATS = ("json", "itf", "text", "csv")


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "trace",
        help="replay, evaluate and convert a saved trace",
        description="Replay a trace from a file (the JSON that 'check --trace' and 'simulate' write, or ITF) "
        f"step by step with the interpreter that defines the semantics. The exit code is {HOLDS} if the model has "
        f"this trace and {USAGE} if not, with a message that names the first step that does not fit.",
    )
    parser.add_argument("file", metavar="FILE", help="a trace (.json, .itf.json)")
    parser.add_argument("--model", metavar="MODEL", required=True, help="the model file")
    add_parameters(parser)
    parser.add_argument(
        "--eval",
        metavar="EXPR",
        action="append",
        default=[],
        help="show the value of this expression in every state; repeatable",
    )
    parser.add_argument(
        "--to",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        action="append",
        default=[],
        help=f"write the trace as {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]} to a file, '-' for stdout; repeatable",
    )
    parser.add_argument("--full", action="store_true", help="show whole states")
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay the trace and print or convert it; return 0 if the model has it. Raises `InputError` if not."""
    _check_targets(arguments)
    from strandline.traces.fitting import fit_system
    from strandline.traces.trace_files import read_trace

    system = load_model(arguments)
    recorded = read_trace(Path(arguments.file))
    fitted = fit_system(system, recorded)
    evaluations = _evaluate(fitted, arguments.eval)
    for format_, target in arguments.to:
        _convert(fitted, evaluations, format_, target, full=arguments.full)
    if arguments.json:
        emit(_object(arguments, recorded.format, fitted, evaluations))
    elif not any(target == "-" for _, target in arguments.to):
        emit(_render(arguments, fitted, evaluations))
    return HOLDS


def _check_targets(arguments: argparse.Namespace) -> None:
    for format_, target in arguments.to:
        if format_ not in _FORMATS:
            raise UsageError(f"--to: unknown format '{format_}' (known: {', '.join(_FORMATS)})")
        if target == "-" and arguments.json:
            raise UsageError("--json prints one object on stdout: write the trace to a file, not to '-'")


def _evaluate(fitted: FittedTrace, texts: Sequence[str]) -> list[Evaluation]:
    from strandline.report.evaluations import Evaluation

    evaluator = fitted.evaluator()
    states = fitted.fitted.replayed.states
    evaluations = []
    for number, text in enumerate(texts, 1):
        name = "expression" if len(texts) == 1 else f"expression {number}"
        question = fitted.system.scope.question(text, name=name)
        evaluations.append(Evaluation(text, tuple(evaluator.answer(question, state) for state in states)))
    return evaluations


def _convert(fitted: FittedTrace, evaluations: Sequence[Evaluation], format_: str, target: str, *, full: bool) -> None:
    from strandline.report.evaluations import trace_csv
    from strandline.report.traces import trace_text
    from strandline.traces.trace_files import write_text

    if format_ == "csv":
        text = trace_csv(fitted.trace, evaluations)
    else:
        text = trace_text(fitted.trace, fitted.system, format_, full=full)
    if target == "-":
        emit(text.removesuffix("\n"))
    else:
        write_text(Path(target), [text])


def _object(arguments: argparse.Namespace, format_: str, fitted: FittedTrace, evaluations: Sequence[Evaluation]) -> str:
    from strandline.report.envelope import head, render
    from strandline.traces.encoding import encode_value
    from strandline.traces.trace_files import trace_data

    return render(
        {
            **head("trace", 0),
            "model": arguments.model,
            "file": arguments.file,
            "format": format_,
            "fits": True,
            "evaluations": [
                {"expression": one.expression, "values": [encode_value(value) for value in one.values]}
                for one in evaluations
            ],
            "trace": trace_data(fitted.trace, fitted.system.source),
            "error": None,
        }
    )


def _render(arguments: argparse.Namespace, fitted: FittedTrace, evaluations: Sequence[Evaluation]) -> str:
    from strandline.report.evaluations import evaluation_lines
    from strandline.report.style import Style, with_noun
    from strandline.report.traces import trace_lines

    style = Style(may_colour(sys.stdout))
    count = with_noun(len(fitted.trace), "step")
    lines = [f"{style.paint('FITS', 'green', 'bold')}  {fitted.system.name}: a trace of {count}", ""]
    if evaluations:
        lines += evaluation_lines(fitted.trace, evaluations, style)
    else:
        lines += trace_lines(fitted.trace, fitted.system, style, full=arguments.full)
    return "\n".join(lines)
