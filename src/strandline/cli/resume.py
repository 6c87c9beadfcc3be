"""`strandline resume DIR`: continue a run that was killed, interrupted or ended by a limit."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from strandline.checker.options.search import Options
from strandline.errors import ResourceError, UsageError


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "resume",
        help="continue a run that wrote checkpoints",
        description="Continue a run that was started with --checkpoint DIR and was killed, interrupted or ended by a "
        "limit. Options behind DIR are added to the command of that run, as in `strandline resume DIR "
        "--max-seconds 600`.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder with the checkpoints")
    parser.add_argument("further", metavar="OPTION", nargs=argparse.REMAINDER, help="further options of the command")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the stored command so that it continues from its checkpoint; return its exit code."""
    from strandline.cli.main import run_command

    folder = arguments.folder.absolute()
    given, where = _recall(folder)
    try:
        os.chdir(where)
    except OSError as error:
        raise UsageError(f"{where}: the run was begun there, and the folder is gone: {error.strerror}") from None
    return run_command([*given, "--checkpoint", str(folder), "--resume", *arguments.further], arguments)


def _recall(folder: Path) -> tuple[list[str], str]:
    from strandline.checker.checkpoints.checksums import Damaged, read_sealed
    from strandline.checker.checkpoints.ownership import refuse_foreign
    from strandline.checker.checkpoints.run_folder import COMMAND

    if not (folder / COMMAND).exists():
        raise UsageError(f"{folder}: there is no run to resume")
    refuse_foreign(folder)
    try:
        command = read_sealed(folder / COMMAND)
    except Damaged as damage:
        raise UsageError(str(damage)) from None
    return [str(one) for one in command["command"]], str(command["folder"])


def remember_command(arguments: argparse.Namespace, options: Options) -> None:
    """Store the command line of a run with checkpoints in their folder, unless the run itself was resumed."""
    folder = options.checkpoint_folder
    if folder is None or options.resume:
        return
    from strandline.checker.checkpoints.checksums import sealed
    from strandline.checker.checkpoints.run_folder import COMMAND

    command = {"command": arguments.given, "folder": os.getcwd()}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder with something in it will be refused.
        if not any(folder.iterdir()):
            (folder / COMMAND).write_text(sealed(command), encoding="utf-8")
    except OSError as error:
        raise ResourceError(f"{folder}: no checkpoints can be written there: {error.strerror}") from None
