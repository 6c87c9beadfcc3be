"""`strandline simulate`: walk through a model step by step, at a terminal or by a script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from random import randrange
from typing import TYPE_CHECKING, Any

from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.walks import WalkOptions
from strandline.cli.console import emit, may_colour
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.searching import add_output_options, add_parameters, console_of, finish, load_model, try_files
from strandline.errors import InputError, UsageError
from strandline.report.exit_codes import HOLDS, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from strandline.cli.simulating import Simulation


_CLAIMS = ("invariants", "reach", "deadlock", "property")
_LIMITS = ("max_seconds", "memory", "work_dir", "traces")


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "simulate",
        help="walk through a model step by step, or at random",
        description="Walk through a model: choose among the steps that can be taken, go back, walk at random, "
        "evaluate expressions, follow and save traces. Without a terminal, commands are read from stdin, one "
        f"in a line; a command that cannot be done then ends the run with exit code {USAGE}. With --walks, many random "
        "walks are taken instead, as fast as a search, which check what `check` checks.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_parameters(parser)
    parser.add_argument("--seed", metavar="N", type=int, help="the seed of random walks")
    parser.add_argument(
        "--command",
        "-c",
        metavar="COMMAND",
        dest="commands",
        action="append",
        help="execute this command instead of reading stdin; repeatable",
    )
    parser.add_argument("--product", action="store_true", help="walk together with the model's property process")
    add_options(parser, WalkOptions)
    add_options(parser, Claims, _CLAIMS)
    add_options(parser, Options, _LIMITS)
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Walk through the model as the arguments demand; return the exit code."""
    if hasattr(arguments, "walks"):
        return _run_walks(arguments)
    _refuse_without_walks(arguments)

    simulation = _simulation(arguments, load_model(arguments))
    simulation.start()
    if arguments.commands is not None:
        return _run_script(simulation, arguments.commands, "command")
    if sys.stdin.isatty():
        return _run_interactively(simulation)
    return _run_script(simulation, sys.stdin, "line")


def _run_walks(arguments: argparse.Namespace) -> int:
    """Take random walks and report the verdict, which the returned exit code shows too."""
    if arguments.commands is not None or arguments.product:
        raise UsageError("--walks takes walks by itself: not with --command or --product")
    if arguments.seed is None:
        arguments.seed = randrange(2**32)
    walking = replace(options_of(arguments, WalkOptions), seed=arguments.seed)
    options, claims = options_of(arguments, Options), options_of(arguments, Claims)
    try_files(arguments)
    console = console_of(arguments, options)
    arguments.finish = lambda result: finish(arguments, console, result)
    from strandline.checker.properties.selection import select_within
    from strandline.checker.walks import of_states, walk_selection

    system = load_model(arguments, options)
    selection, left_out = of_states(select_within(system, claims, options, arguments.started))
    if selection.picked:
        console.notice(f"checking: {selection.describe()}")
    if left_out:
        console.notice(f"not checked by walks: {', '.join(one.name for one in left_out)}")
    verdict = walk_selection(system, selection, walking, options, console, started=arguments.started)
    return finish(arguments, console, verdict)


def _refuse_without_walks(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` for options of random walks if `--walks` is not given."""
    given = [name for name in ("depth", *_CLAIMS, *_LIMITS) if hasattr(arguments, name)]
    given += [
        name for name in ("json", "trace", "report", "sarif", "full", "quiet", "expect") if getattr(arguments, name)
    ]
    if given:
        flag = {"invariants": "invariant", "traces": "no-trace"}.get(given[0], given[0]).replace("_", "-")
        raise UsageError(f"--{flag} is for random walks: give --walks N")


def _simulation(arguments: argparse.Namespace, system: Any) -> Simulation:
    from random import Random

    from strandline.cli.simulating import Simulation
    from strandline.report.style import Style
    from strandline.traces.interpreter_walk import reference_of
    from strandline.transform.history import with_history

    if arguments.product and system.observer is None:
        raise UsageError(f"{arguments.model}: --product: the model has no property process")
    seed = arguments.seed
    if seed is None:
        seed = randrange(2**32)
        print(f"random walks have the seed {seed}: --seed {seed} repeats them", file=sys.stderr)
    walked = system if arguments.product else system.alone
    declared = (*walked.assertions, *walked.invariants, *walked.labels)
    reference = reference_of(with_history(walked, [one.expression for one in declared]))
    return Simulation(reference, Style(may_colour(sys.stdout)), emit, Random(seed))


def _prompt(simulation: Simulation) -> str:
    return f"{len(simulation.walk)}> "


def _run_script(simulation: Simulation, lines: Iterable[str], noun: str) -> int:
    """Execute the commands of a script, and print each before its output; stop at the first mistake.

    Returns 0. Raises `UsageError` for the mistake, with its number in the script.
    """
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
    """Execute commands that the user types; return the exit code.

    Mistakes are printed; Ctrl-D leaves, Ctrl-C stops a command or, at the prompt, leaves.
    """
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
    """Set up history and completion of commands, if Python has readline."""
    with suppress(ImportError):
        import readline

        from strandline.cli.simulating import COMMANDS

        def complete(text: str, state: int) -> str | None:
            fitting = [f"{name} " for name in COMMANDS if name.startswith(text)]
            return fitting[state] if state < len(fitting) else None

        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")
