"""`strandline mcp`: serve the tools for agents by the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from strandline.errors import UsageError
from strandline.report.exit_codes import HOLDS

_INSTALL = "the server for agents needs the Python package 'mcp': {} -m pip install 'strandline[mcp]'"


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "mcp",
        help="serve tools for agents (Model Context Protocol)",
        description="Serve the tools check, explore, simulate, measures, explain_trace, list_examples and "
        "language_reference to an agent, by the Model Context Protocol on standard input and output. Models are read "
        "from one folder only, or given as texts; each call has a budget of time and memory.",
    )
    parser.add_argument(
        "--root", metavar="DIR", type=Path, default=Path(), help="the folder of models (default: the current one)"
    )
    parser.add_argument(
        "--allow-python", action="store_true", help="execute Python models, which are programs, with your rights"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client closes the connection; return 0."""
    if find_spec("mcp") is None:
        raise UsageError(_INSTALL.format(sys.executable))
    root = arguments.root.resolve()
    if not root.is_dir():
        raise UsageError(f"--root: {arguments.root} is no folder")
    from strandline.agents.models import Folders
    from strandline.agents.server import make_server
    from strandline.agents.tools import Tools

    with tempfile.TemporaryDirectory(prefix="strandline-mcp-") as texts:
        folders = Folders(root, Path(texts).resolve(), allow_python=arguments.allow_python)
        make_server(Tools(folders)).run()
    return HOLDS
