"""`strandline explore`: visit every reachable state, count, and show a profile."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from strandline.checker.options.search import ExploreOptions
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.outputs import try_file
from strandline.cli.resume import remember_command
from strandline.cli.searching import add_model, add_output_options, console_of, finish, load_model, try_files


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "explore",
        help="count the reachable states of a model",
        description="Visit every reachable state of a model, of its product with the property process where "
        "it has one, and count states, transitions and deadlocks.",
    )
    add_model(parser)
    add_options(parser, ExploreOptions)
    add_output_options(parser)
    parser.add_argument(
        "--profile", action="store_true", help="show states stored and visits, layer by layer, as a chart"
    )
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the states stored, layer by layer (SVG)")
    parser.add_argument(
        "--plot-memory",
        metavar="FILE",
        type=Path,
        help="draw the engine's memory over time (SVG), beside that of a breadth-first search, which is run as well",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explore the model and report the result; return 0 if every reachable state was explored."""
    options = options_of(arguments, ExploreOptions)
    try_files(arguments)
    for picture in (arguments.plot, arguments.plot_memory):
        try_file(picture)
    remember_command(arguments, options)
    console = console_of(arguments, options)
    arguments.finish = lambda result: finish(arguments, console, result)
    from strandline.checker.decisions.checks import explore_system, open_checkpoints
    from strandline.checker.decisions.widening import widen

    system = load_model(arguments, options)
    started, method = arguments.started, options.method
    if arguments.plot is None and arguments.plot_memory is None:
        with open_checkpoints(options) as checkpoints:
            while True:
                explored = explore_system(
                    system, options, console, started=started, method=method, checkpoints=checkpoints
                )
                wider = widen(system, explored, options, console)
                if wider is None:
                    break
                system = wider
            return finish(arguments, console, explored, checkpoints=checkpoints)
    from strandline.cli.plotting import Plotting

    plotting = Plotting(arguments, options, console)
    with open_checkpoints(options) as checkpoints:
        explored = plotting.explore(system, checkpoints)
        return finish(arguments, console, explored, checkpoints=checkpoints, pictures=plotting.pictures(explored))
