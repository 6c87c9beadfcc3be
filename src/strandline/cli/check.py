"""`strandline check`: decide properties of a model."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NamedTuple

from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.cli.console import Console, emit, may_colour
from strandline.cli.mcc_questions import add_asking, answer, is_asked
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.resume import remember_command
from strandline.cli.searching import add_model, add_output_options, console_of, finish, load_model, try_files
from strandline.errors import Option, UsageError
from strandline.languages.parameters import has_several


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "check",
        help="decide properties of a model",
        description="Decide properties of a model. Without any, the claims of the model are checked: its "
        "property process and assertions, or, where it has no property process, deadlocks and assertions. "
        "A run-time fault of the model is always a violation.",
    )
    add_model(parser)
    for options in (Claims, TemporalOptions, Options):
        add_options(parser, options)
    add_asking(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


class GridOptions(NamedTuple):
    """The options of a check with several combinations of parameters."""

    claims: Claims
    temporal: TemporalOptions
    options: Options


def _run_grid(arguments: argparse.Namespace, console: Console, given: GridOptions) -> int:
    """Check every combination of the parameters' values, print a table, and return the worst exit code."""
    for name in ("trace", "report", "sarif", "expect"):
        if getattr(arguments, name) is not None:
            value = arguments.expect if name == "expect" else "FILE"
            raise UsageError("{} is for one verdict, and there are several combinations", options=[Option(name, value)])
    if is_asked(arguments, given.claims):
        named = [Option("formulas"), Option("question")]
        raise UsageError("{} and {} are for one model, and there are several combinations", options=named)
    from strandline.checker.grids import GridTask, check_grid
    from strandline.languages.parameters import grid_of
    from strandline.report.envelope import render
    from strandline.report.grids import grid_code, grid_data, grid_text
    from strandline.report.style import Style

    task = GridTask(str(arguments.model), *given)
    grid = check_grid(
        task, grid_of(arguments.parameters), lambda one: console.notice(f"{one.title}: {one.answer.value}")
    )
    code = grid_code(grid)
    emit(render(grid_data(grid, code)) if arguments.json else grid_text(grid, Style(may_colour(sys.stdout))))
    return code


def run(arguments: argparse.Namespace) -> int:
    """Check the model and report the verdict, which the returned exit code shows too."""
    options, temporal = options_of(arguments, Options), options_of(arguments, TemporalOptions)
    claims = options_of(arguments, Claims)
    try_files(arguments)
    console = console_of(arguments, options)
    if has_several(arguments.parameters):
        return _run_grid(arguments, console, GridOptions(claims, temporal, options))
    remember_command(arguments, options)
    arguments.finish = lambda result: finish(arguments, console, result)
    from strandline.checker.decisions.checks import check_selection, open_checkpoints
    from strandline.checker.decisions.widening import widen
    from strandline.checker.properties.selection import select, select_within

    system = load_model(arguments, options)
    if is_asked(arguments, claims):
        return answer(arguments, system, options, temporal, console)
    selection = select_within(system, claims, options, arguments.started)
    if selection.picked:
        console.notice(f"checking: {selection.describe()}")
    started = arguments.started
    with open_checkpoints(options) as checkpoints:
        while True:
            verdict = check_selection(
                system, selection, options, console, temporal=temporal, started=started, checkpoints=checkpoints
            )
            wider = widen(system, verdict.exploration, options, console)
            if wider is None:
                break
            system, selection = wider, select(wider, claims)
        return finish(arguments, console, verdict, checkpoints=checkpoints)
