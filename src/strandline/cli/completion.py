"""`strandline completion`: completion scripts for shells, which shtab makes from the parser itself."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import Any

from strandline.cli.console import emit
from strandline.errors import UsageError
from strandline.report.exit_codes import HOLDS

_SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_FILES = ("FILE", "MODEL")
"""The names of values that are files; those of `DIR` are folders."""
_INSTALL = "completion scripts are made by the Python package 'shtab': {} -m pip install 'strandline[completion]'"


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a completion script. bash: put 'eval \"$(strandline completion bash)\"' into "
        "~/.bashrc; zsh: the same with zsh, into ~/.zshrc after compinit; fish: "
        "'strandline completion fish | source' in config.fish; tcsh and PowerShell: evaluate it in the profile.",
    )
    parser.add_argument("shell", choices=_SHELLS)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script for the given shell; return 0."""
    if find_spec("shtab") is None:
        raise UsageError(_INSTALL.format(sys.executable))
    from strandline.cli.parser import build_parser

    emit(completion_script(build_parser(), arguments.shell))
    return HOLDS


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script for a shell."""
    import shtab

    for command in commands_of(parser).values():
        for action in command._actions:
            completed = shtab.DIR if action.metavar == "DIR" else shtab.FILE if action.metavar in _FILES else None
            if completed is not None:
                # shtab reads this attribute.
                vars(action)["complete"] = completed
    return str(shtab.complete(parser, shell))


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by name."""
    found = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return dict(found.choices)
