"""The parser of the command line, put together from the commands."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from strandline import __version__
from strandline.errors import UsageError

COMMANDS = ("check", "explore", "measures", "simulate", "trace", "test", "info", "automaton", "completion")
"""One module of this package each, with `configure(subparsers)`; `run` in the parsed arguments is then a
function from them to the exit code."""


class Parser(argparse.ArgumentParser):
    """As argparse's own, but a mistake is an exception: with `--json` it must become an object."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **keywords})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\ntry '{self.prog} --help'")


def build_parser() -> Parser:
    """The whole parser. Importing the commands imports nothing heavy."""
    parser = Parser(
        prog="strandline",
        description="A model checker: explores every reachable state of a concurrent system and decides "
        "claims about it.",
        epilog="exit codes: 0 holds, 11 deadlock, 12 safety violated, 13 liveness violated, 2 bad usage or "
        "input, 3 unknown (a limit), 4 a bug of ours, 5 not as expected, 6 not as counted before, "
        "130 interrupted",
    )
    parser.add_argument("--version", action="version", version=f"strandline {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in COMMANDS:
        module = f"strandline.cli.{name}"
        if find_spec(module) is not None:
            import_module(module).configure(subparsers)
    return parser
