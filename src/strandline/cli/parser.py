"""The parser of the command line, assembled from the commands."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any, NoReturn

from strandline import __version__
from strandline.cli.spin import translate
from strandline.errors import UsageError, suggestion
from strandline.report.exit_codes import MEANINGS

COMMANDS = (
    "check", "explore", "resume", "runs", "measures", "simulate", "serve", "trace", "conform", "test", "info", "graph",
    "sweepline", "spin", "automaton", "contest", "mcp", "lsp", "completion",
)  # fmt: skip
"""Modules of this package, one per command, with a function `configure(subparsers)`.

That function adds the command, and sets `run` in the parsed arguments to the function that runs it, which takes these
arguments and returns the exit code.
"""


_LOADING = (
    "check",
    "explore",
    "resume",
    "measures",
    "simulate",
    "serve",
    "trace",
    "conform",
    "test",
    "info",
    "graph",
    "sweepline",
)
"""The commands that load a model file in any language, and so may execute Python."""


class Parser(argparse.ArgumentParser):
    """The parser of argparse, but mistakes raise `UsageError`: with `--json` they become a JSON object."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **keywords})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.prog == "strandline" and args and args[0] == "spin" and not {"-h", "--help"} & set(args):
            args = translate(list(args[1:]))
        parsed, extras = super().parse_known_args(args, namespace)
        if extras:
            # The command itself reports them, because it knows its flags.
            self.error(f"unrecognized arguments: {' '.join(extras)}{self._perhaps(extras)}")
        return parsed, extras

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            hint = suggestion(value, action.choices) or f" (there are {', '.join(action.choices)})"
            raise argparse.ArgumentError(None, f"there is no command '{value}'{hint}")
        super()._check_value(action, value)

    def _perhaps(self, extras: list[str]) -> str:
        """Return a hint at a flag spelled like the first unknown one; "" if there is none."""
        flags = [flag for action in self._actions for flag in action.option_strings]
        given = next((one for one in extras if one.startswith("--")), "")
        return suggestion(given.partition("=")[0], flags) if given else ""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\ntry '{self.prog} --help'")


def build_parser() -> Parser:
    """Return the parser with all commands, without imports that take long."""
    parser = Parser(
        prog="strandline",
        description="A model checker: explores every reachable state of a concurrent system and decides "
        "claims about it.",
        epilog=f"exit codes: {', '.join(f'{code} {words}' for code, words in MEANINGS.items())}",
    )
    parser.add_argument("--version", action="version", version=f"strandline {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in COMMANDS:
        import_module(f"strandline.cli.{name}").configure(subparsers)
    for name in _LOADING:
        subparsers.choices[name].add_argument(
            "--no-python",
            action="store_true",
            help="refuse Python models, which are programs, instead of executing them (also: STRANDLINE_NO_PYTHON=1)",
        )
    return parser


def flags_with_expressions(parser: argparse.ArgumentParser) -> set[str]:
    """Return the flags of all commands that take an expression in the model's language."""
    flags: set[str] = set()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            flags.update(*(flags_with_expressions(command) for command in action.choices.values()))
        elif action.metavar == "EXPR":
            flags.update(action.option_strings)
    return flags
