"""`strandline check`: decide properties."""

from __future__ import annotations

import argparse
from typing import Any

from strandline.check.ltl.methods import AUTO, known_methods
from strandline.check.ltl.options import FINITE_RUNS, STUTTER, LtlOptions
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
    properties.add_argument(
        "--ltl", metavar="FORMULA", action="append", default=[], help="holds on every run: 'G (ask -> F answer)'"
    )
    _add_ltl_options(parser)
    add_search_options(parser)
    parser.set_defaults(run=run)


def _add_ltl_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("linear temporal logic")
    group.add_argument(
        "--method",
        choices=known_methods(),
        default=AUTO,
        help="how to look for a violating run (default: auto, which says what it picks and why)",
    )
    group.add_argument("--fair", action="store_true", help="only runs that are weakly fair to every process count")
    group.add_argument(
        "--fairness",
        metavar="EXPR",
        action="append",
        default=[],
        help="only runs on which this is true infinitely often count; repeatable",
    )
    group.add_argument(
        "--declared-fairness",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether the fairness that the model declares counts (default: yes)",
    )
    group.add_argument(
        "--finite-runs",
        choices=FINITE_RUNS,
        default=STUTTER,
        help="a run that ends stays in its last state (stutter, the default), or does not count (ignore)",
    )
    group.add_argument("--shortest", action="store_true", help="look for a short lasso, at the price of time")
    group.add_argument("--all-cycles", action="store_true", help="report every accepting component")
    group.add_argument(
        "--sanity",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="warn when a formula holds for a wrong reason (default: yes)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; the exit code tells the verdict."""
    options = options_of(arguments)
    temporal = LtlOptions.create(
        method=arguments.method,
        fair=arguments.fair,
        fairness=arguments.fairness,
        declared_fairness=arguments.declared_fairness,
        finite_runs=arguments.finite_runs,
        shortest=arguments.shortest,
        all_cycles=arguments.all_cycles,
        sanity=arguments.sanity,
    )
    console = console_of(arguments)
    arguments.finish = lambda result: finish(arguments, console, result)
    from strandline.check.api import check_selection
    from strandline.check.properties import select
    from strandline.languages import load

    system = load(arguments.model)
    selection = select(
        system,
        ltl=arguments.ltl,
        invariants=arguments.invariant,
        reach=arguments.reach,
        deadlock=arguments.deadlock,
        names=arguments.property,
    )
    if selection.picked:
        console.notice(f"checking: {selection.describe()}")
    return finish(arguments, console, check_selection(system, selection, options, console, temporal=temporal))
