"""`strandline serve`: explore a model step by step in the browser."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from strandline.cli.console import emit
from strandline.cli.searching import add_model, load_model
from strandline.errors import UsageError
from strandline.report.exit_codes import HOLDS

_INSTALL = "the explorer needs Starlette and uvicorn: {} -m pip install starlette uvicorn (or 'strandline[serve]')"


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "serve",
        help="walk through a model in the browser",
        description="Serve a page on this machine to step through the states of a model, draw the states around one, "
        "run checks and walk along their traces. The address that is printed holds a token: without it nobody is let "
        "in. Ctrl-C ends the server.",
    )
    add_model(parser)
    parser.add_argument("--port", metavar="N", type=int, default=0, help="the port (default: any that is free)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the model until Ctrl-C, which is the ordinary end of the command; return 0."""
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise UsageError(_INSTALL.format(sys.executable)) from None
    del starlette, uvicorn
    system = load_model(arguments)
    from strandline.serve.server import serve

    def say(address: str) -> None:
        emit(address)
        print("the explorer is ready; Ctrl-C ends it", file=sys.stderr, flush=True)
        if arguments.open:
            import webbrowser

            webbrowser.open(address)

    try:
        serve(system, arguments.port, say)
    except KeyboardInterrupt:
        print("ended", file=sys.stderr)
    return HOLDS
