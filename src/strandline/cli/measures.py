"""`strandline measures`: find progress measures, predict the cost of a sweep by each, and rank them."""

from __future__ import annotations

import argparse
from typing import Any

from strandline.cli.console import Console, emit
from strandline.cli.searching import add_parameters, load_model


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "measures",
        help="find progress measures for a sweep",
        description="Find progress measures: from variables that only grow, from control graphs, by projection on "
        "components of the state. Sweeps by them are simulated on the first states of the model, and ranked by what "
        "they store and visit. If the model has more states, the result is a prediction.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_parameters(parser)
    parser.add_argument(
        "--measure",
        metavar="EXPR",
        action="append",
        default=[],
        help="rank this measure too, as it would be given to explore (repeatable: the parts of one measure)",
    )
    parser.add_argument("--sample", metavar="N", type=int, help="states to look at (default 500000)")
    parser.add_argument("--top", metavar="K", type=int, default=5, help="how many to show (default 5)")
    parser.add_argument("--full", action="store_true", help="show measures in full, however long they are")
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.add_argument("--quiet", action="store_true", help="no notices")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the found measures with their predicted costs; return 0 even if none was found."""
    console = Console(quiet=arguments.quiet)
    from strandline.checker.measures.notation import parse_measures
    from strandline.errors import UsageError
    from strandline.progress.finding import LARGE_SAMPLE, find_measures
    from strandline.report.measures import measures_data, measures_text

    if arguments.sample is not None and arguments.sample <= 0:
        raise UsageError(f"--sample must be more than 0, not {arguments.sample}")
    if arguments.top <= 0:
        raise UsageError(f"--top must be more than 0, not {arguments.top}")
    system = load_model(arguments)
    given = [parse_measures(arguments.measure, system)] if arguments.measure else []
    found = find_measures(system, arguments.sample or LARGE_SAMPLE, console.stage, given)
    console.clear()
    if arguments.json:
        from strandline.report.envelope import render

        emit(render(measures_data(system, found, arguments.top)))
    else:
        emit(measures_text(system, found, arguments.top, full=arguments.full))
    return 0
