"""`strandline graph`: write the reachable graph of a model to a file."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.checker.options.search import LAYERED, NO_TRACES, Options
from strandline.cli.console import Console
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.outputs import is_special, try_file
from strandline.cli.searching import add_model, load_model
from strandline.errors import CannotWrite, UsageError
from strandline.report.exit_codes import NOT_WRITTEN

if TYPE_CHECKING:
    from strandline.report.pictures.graphs import Graph

FORMATS = ("ss", "aut", "dot", "graphml", "svg")
DRAWN = ("states", "components", "control")
"""The graphs that can be drawn as pictures; the graph of states can also be written in other formats."""


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "graph",
        help="write the reachable graph of a model",
        description="Write every reachable state, with its propositions, its progress and its steps. Propositions are "
        "the labels of the model and those that are given; progress is what the measure says, the one that is given or "
        "that the model declares. A graph that is not complete is not written.",
    )
    add_model(parser)
    parser.add_argument("--format", choices=FORMATS, help="output format (default: by the suffix of the file, else ss)")
    parser.add_argument(
        "--draw",
        choices=DRAWN,
        default="states",
        help="which graph: the reachable states (default), their strongly connected components, or the control of the "
        "processes, which needs no search; the last two as dot or svg",
    )
    parser.add_argument("--output", "-o", metavar="FILE", type=Path, help="output file (default: standard output)")
    parser.add_argument(
        "--label", metavar="NAME=EXPR", action="append", default=[], help="a proposition of states; repeatable"
    )
    add_options(parser, Options)
    parser.add_argument("--quiet", action="store_true", help="no notices, no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the graph; return 0, or another exit code if a limit, a fault or Ctrl-C kept it from being written."""
    try_file(arguments.output)
    options, console = options_of(arguments, Options), Console(quiet=arguments.quiet)
    if options.order not in LAYERED or options.count_distinct:
        raise UsageError("a graph is explored breadth-first: leave --order and --count-distinct out")
    if not options.traces:
        raise UsageError("a graph has no traces; leave {} out", options=[NO_TRACES])
    format_ = _format(arguments.format, arguments.output, arguments.draw)
    if format_ == "svg" or arguments.draw != "states":
        return _draw(arguments, options, format_, console)
    from strandline.checker.graphs import explore_graph, graph_task
    from strandline.report.exit_codes import HOLDS, INTERRUPTED, SAFETY, UNKNOWN
    from strandline.report.graphs import FORMATS as WRITERS
    from strandline.traces.interpreter_walk import reference_of

    task = graph_task(load_model(arguments, options), labels_of(arguments.label), options, console)
    writer_of = WRITERS[format_]
    output = arguments.output
    folder = None if output is None or is_special(output) else output.absolute().parent
    try:
        with tempfile.TemporaryFile("w+", dir=folder, encoding="utf-8") as file:
            writer = writer_of(task, reference_of(task.system), file)
            findings = explore_graph(task, options, writer.take, console)
            console.clear()
            if findings.complete:
                first = writer.end()
                _deliver(first, file, arguments.output)
                where = arguments.output or "standard output"
                console.notice(f"{writer.states:,} states and {writer.transitions:,} transitions: {where}")
                return HOLDS
    except OSError as error:
        return _cannot_write(arguments.output, error)
    reason = findings.reason if findings.fault is None else findings.fault.reason
    print(f"strandline: the graph is not complete, and nothing is written: {reason}", file=sys.stderr)
    return INTERRUPTED if findings.interrupted else UNKNOWN if findings.fault is None else SAFETY


def _draw(arguments: argparse.Namespace, options: Options, format_: str, console: Console) -> int:
    """Write a graph as a picture, which must be small enough to read; return the exit code."""
    if format_ not in ("dot", "svg"):
        raise UsageError(f"--draw {arguments.draw} is written as dot or svg, not as {format_}")
    from strandline.report.exit_codes import HOLDS
    from strandline.report.pictures.dot import graph_dot
    from strandline.report.pictures.svg import graph_svg

    graph = _picture(arguments, options, console)
    console.clear()
    text = graph_dot(graph) if format_ == "dot" else graph_svg(graph)
    try:
        if arguments.output is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            arguments.output.write_text(text, encoding="utf-8")
    except OSError as error:
        return _cannot_write(arguments.output, error)
    return HOLDS


def _cannot_write(output: Path | None, error: OSError) -> int:
    if output is None:
        raise CannotWrite(f"standard output cannot be written to: {error.strerror}") from None
    print(f"strandline: {output}: cannot be written: {error.strerror}", file=sys.stderr)
    return NOT_WRITTEN


def _picture(arguments: argparse.Namespace, options: Options, console: Console) -> Graph:
    from strandline.report.pictures.sources import components_picture, control_picture, states_picture

    system = load_model(arguments)
    if arguments.draw == "control":
        return control_picture(system)
    from strandline.checker.graphs import collect_graph, graph_task

    found = collect_graph(graph_task(system, labels_of(arguments.label), options, console), options)
    return states_picture(found) if arguments.draw == "states" else components_picture(found)


def labels_of(texts: list[str]) -> dict[str, str]:
    """Parse definitions such as `p=x > 3` to texts of expressions by name. Raises `UsageError` for others."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, expression = text.partition("=")
        if not sign or not name.strip().isidentifier() or expression.startswith("="):
            raise UsageError(f"a label is NAME=EXPR, not '{text}'")
        if name.strip() in found:
            raise UsageError(f"there are two labels called '{name.strip()}'")
        found[name.strip()] = expression.strip()
    return found


def _format(asked: str | None, output: Path | None, drawn: str) -> str:
    if asked is not None:
        return asked
    suffix = "" if output is None else output.suffix[1:]
    return suffix if suffix in FORMATS else "ss" if drawn == "states" else "dot"


def _deliver(first: str, file: Any, output: Path | None) -> None:
    """Copy the text `first` and the finished graph in `file` to their destination.

    A regular file appears there as a whole or not at all.
    """
    file.flush()
    file.seek(0)
    if output is None:
        sys.stdout.write(first)
        shutil.copyfileobj(file, sys.stdout)
        sys.stdout.flush()
        return
    if is_special(output):
        # Renaming a file would put it in the place of a pipe or a device.
        with output.open("w", encoding="utf-8") as special:
            special.write(first)
            shutil.copyfileobj(file, special)
        return
    handle, name = tempfile.mkstemp(dir=output.absolute().parent, prefix=f".{output.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as whole:
            whole.write(first)
            shutil.copyfileobj(file, whole)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, output)
    except BaseException:
        os.unlink(name)
        raise
