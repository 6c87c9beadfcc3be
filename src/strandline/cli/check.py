"""`strandline check`: decide properties of a model."""

from __future__ import annotations

import argparse
from typing import Any

from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.cli.mcc_questions import add_asking, answer, is_asked
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.resume import remember_command
from strandline.cli.searching import add_model, add_output_options, console_of, finish, load_model, try_files


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


def run(arguments: argparse.Namespace) -> int:
    """Check the model and report the verdict, which the returned exit code shows too."""
    options, temporal = options_of(arguments, Options), options_of(arguments, TemporalOptions)
    claims = options_of(arguments, Claims)
    try_files(arguments)
    remember_command(arguments, options)
    console = console_of(arguments, options)
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
