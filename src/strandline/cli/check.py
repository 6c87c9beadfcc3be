"""`strandline check`: decide properties."""

from __future__ import annotations

import argparse
from typing import Any

from strandline.cli.searching import add_search_options, console_of, finish, options_of


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "check",
        help="decide properties of a model",
        description="Decide properties of a model. Without any, what the model declares is checked: its "
        "property process and assertions, or, where it has no property process, deadlocks and assertions. "
        "A run-time fault of the model is always a violation.",
    )
    properties = parser.add_argument_group("properties")
    properties.add_argument(
        "--invariant", metavar="EXPR", action="append", default=[], help="holds in every reachable state"
    )
    properties.add_argument(
        "--reach", metavar="EXPR", action="append", default=[], help="holds in some reachable state"
    )
    properties.add_argument(
        "--deadlock", action=argparse.BooleanOptionalAction, help="every reachable state has a step"
    )
    properties.add_argument(
        "--property", metavar="NAME", action="append", default=[], help="a property that the model declares"
    )
    add_search_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; the exit code tells the verdict."""
    options = options_of(arguments)
    console = console_of(arguments)
    arguments.finish = lambda result: finish(arguments, console, result)
    from strandline.check.api import check_selection
    from strandline.check.properties import select
    from strandline.languages import load

    system = load(arguments.model)
    selection = select(
        system,
        invariants=arguments.invariant,
        reach=arguments.reach,
        deadlock=arguments.deadlock,
        names=arguments.property,
    )
    if selection.picked:
        console.notice(f"checking: {selection.describe()}")
    return finish(arguments, console, check_selection(system, selection, options, console))
