"""`strandline contest`: one examination of the Model Checking Contest, by its protocol."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from strandline.cli.console import Console, emit
from strandline.report.exit_codes import HOLDS


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "contest",
        help="answer an examination of the Model Checking Contest",
        description="Answer an examination about the net model.pnml in a folder, from the file of formulas with the "
        "examination's name where it has one, and print the contest's lines. Without an argument the examination is "
        "BK_EXAMINATION; BK_TIME_CONFINEMENT (seconds) and BK_MEMORY_CONFINEMENT (megabytes) limit the run.",
    )
    parser.add_argument(
        "examination", metavar="EXAMINATION", nargs="?", help="the examination, such as StateSpace or CTLCardinality"
    )
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, default=Path(), help="where the net and the formulas are (default: here)"
    )
    parser.add_argument("--quiet", action="store_true", help="no notices")
    parser.set_defaults(run=run, model=None, json=False)


def run(arguments: argparse.Namespace) -> int:
    """Print the lines of the examination; return 0 whatever the answers are."""
    from strandline.checker.contest.protocol import Examination, examine

    console = Console(quiet=arguments.quiet)
    for line in examine(Examination.read(arguments.examination, os.environ, arguments.folder), console):
        console.clear()
        emit(line)
    return HOLDS
