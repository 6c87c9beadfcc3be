"""`strandline lsp`: a language server for editors."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import Any

from strandline.errors import UsageError
from strandline.report.exit_codes import HOLDS

_INSTALL = "the language server needs the Python package 'pygls': {} -m pip install 'strandline[lsp]'"


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "lsp",
        help="serve editors (Language Server Protocol)",
        description="Serve an editor by the Language Server Protocol on standard input and output: mistakes while "
        "typing, types and ranges of names, declarations, completion, and checks with their verdicts and traces.",
    )
    parser.add_argument(
        "--allow-python",
        action="store_true",
        help="execute Python models, which are programs, when they are opened, saved or checked",
    )
    parser.add_argument("--max-seconds", metavar="S", type=float, default=30.0, help="seconds of a check (default 30)")
    parser.add_argument("--memory", metavar="MB", type=int, default=2048, help="megabytes of a check (default 2048)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor ends the server; return 0."""
    if find_spec("pygls") is None:
        raise UsageError(_INSTALL.format(sys.executable))
    from strandline.agents.processes import Budget
    from strandline.editor.server import serve

    serve(allow_python=arguments.allow_python, budget=Budget(arguments.max_seconds, arguments.memory))
    return HOLDS
