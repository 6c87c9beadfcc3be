"""`strandline info`: facts about a model that need no search."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from strandline.cli.console import emit, may_colour
from strandline.cli.searching import add_model, load_model
from strandline.report.exit_codes import HOLDS


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "info",
        help="show facts about a model, without a search",
        description="Show a model's variables with their declared ranges and the ranges they can reach, how "
        "a state is packed, processes and properties.",
    )
    add_model(parser)
    parser.add_argument("--dump", action="store_true", help="print the complete system as the program understood it")
    parser.add_argument(
        "--combinations",
        action="store_true",
        help="show which methods can decide which kinds of properties, and why others cannot",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the facts about the model; return 0."""

    system = load_model(arguments)
    from strandline.report.dump import dump
    from strandline.report.facts import facts_data, facts_text
    from strandline.report.style import Style

    if arguments.json:
        from strandline.report.combinations import combinations_data
        from strandline.report.envelope import render

        further: dict[str, Any] = {"dump": dump(system)} if arguments.dump else {}
        if arguments.combinations:
            further |= {"combinations": combinations_data(system)}
        emit(render(facts_data(system) | further))
    elif arguments.dump:
        emit(dump(system))
    elif arguments.combinations:
        from strandline.report.combinations import combinations_text

        emit(combinations_text(system))
    else:
        emit(facts_text(system, Style(may_colour(sys.stdout))))
    return HOLDS
