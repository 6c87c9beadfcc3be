"""`strandline simulate`: walk through a model step by step, at a terminal or by a script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strandline.cli.console import emit, may_colour
from strandline.errors import InputError, UsageError
from strandline.report.exit_codes import HOLDS, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from strandline.cli.simulating import Simulation


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "simulate",
        help="walk through a model step by step",
        description="Walk through a model: choose among the steps that can be taken, go back, walk at random, "
        "evaluate expressions, follow and save traces. Without a terminal, commands are read from stdin, one "
        f"in a line; a command that cannot be done then ends the run with exit code {USAGE}.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("--seed", metavar="N", type=int, help="the seed of random walks")
    parser.add_argument(
        "--command",
        "-c",
        metavar="COMMAND",
        dest="commands",
        action="append",
        help="do this and read nothing from stdin; repeatable",
    )
    parser.add_argument(
        "--product", action="store_true", help="walk together with the model's property process"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from strandline.languages import load

    simulation = _simulation(arguments, load(arguments.model))
    simulation.start()
    if arguments.commands is not None:
        return _run_script(simulation, arguments.commands, "command")
    if sys.stdin.isatty():
        return _run_interactively(simulation)
    return _run_script(simulation, sys.stdin, "line")


def _simulation(arguments: argparse.Namespace, system: Any) -> Simulation:
    from random import Random, randrange

    from strandline.cli.simulating import Simulation
    from strandline.report.style import Style
    from strandline.traces.walk import twin_of

    if arguments.product and system.observer is None:
        raise UsageError(f"{arguments.model}: --product: the model has no property process")
    seed = arguments.seed
    if seed is None:
        seed = randrange(2**32)
        print(f"random walks have the seed {seed}: --seed {seed} repeats them", file=sys.stderr)
    twin = twin_of(system if arguments.product else system.alone)
    return Simulation(twin, Style(may_colour(sys.stdout)), emit, Random(seed))


def _prompt(simulation: Simulation) -> str:
    return f"{len(simulation.walk)}> "


def _run_script(simulation: Simulation, lines: Iterable[str], noun: str) -> int:
    """Commands from elsewhere, each told before what it does; the first mistake ends the run."""
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        emit(_prompt(simulation) + line.strip())
        try:
            simulation.execute(line)
        except InputError as error:
            raise UsageError(f"{noun} {number}, '{line.strip()}': {error}") from None
        if simulation.over:
            break
    return HOLDS


def _run_interactively(simulation: Simulation) -> int:
    """Commands from a person: a mistake is told, Ctrl-D leaves, Ctrl-C stops a command or leaves."""
    _prepare_line_editing()
    while not simulation.over:
        try:
            line = input(_prompt(simulation))
        except EOFError:
            emit("")
            return HOLDS
        except KeyboardInterrupt:
            emit("")
            return INTERRUPTED
        try:
            simulation.execute(line)
        except InputError as error:
            emit(str(error))
        except KeyboardInterrupt:
            emit(f"stopped after {len(simulation.walk):,} steps of the path")
    return HOLDS


def _prepare_line_editing() -> None:
    """History and completion of commands, where Python has readline."""
    with suppress(ImportError):
        import readline

        from strandline.cli.simulating import COMMANDS

        def complete(text: str, state: int) -> str | None:
            fitting = [f"{name} " for name in COMMANDS if name.startswith(text)]
            return fitting[state] if state < len(fitting) else None

        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")
