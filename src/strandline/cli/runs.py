"""`strandline runs`: list and remove files left behind by killed runs."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.cli.console import emit
from strandline.report.exit_codes import HOLDS, UNKNOWN

if TYPE_CHECKING:
    from strandline.traces.workspace import LeftOver


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "runs",
        help="list and remove files left behind by killed runs",
        description="List the folders of runs that were killed, with their size and age. A running process holds a "
        "lock on its folder, and is not listed; nor is a run with --checkpoint DIR, which has its files in DIR.",
    )
    parser.add_argument("--remove", action="store_true", help="remove the folders")
    parser.add_argument(
        "--work-dir", metavar="DIR", type=Path, help="the folder to search; default: the folder for temporary files"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List or remove the folders of killed runs; return 0, or 3 if one cannot be removed."""
    from strandline.traces.workspace import left_over, remove_left_over

    found = left_over(arguments.work_dir)
    kept = [one for one in found if not remove_left_over(one)] if arguments.remove else found
    code = UNKNOWN if arguments.remove and kept else HOLDS
    emit(_data(arguments, found, kept, code) if arguments.json else _text(arguments, found, kept))
    return code


def _text(arguments: argparse.Namespace, found: list[LeftOver], kept: list[LeftOver]) -> str:
    from strandline.checker.limits.memory import shown_bytes
    from strandline.report.style import table

    if not found:
        return "no killed run has left anything behind"
    rows = [
        (shown_bytes(one.size), f"{one.days:.1f} days old", str(one.path), _fate(arguments, one, kept)) for one in found
    ]
    lines = table(rows)
    if not arguments.remove:
        lines.append(f"{total(found)}; `{removing(arguments.work_dir)}` removes it")
    return "\n".join(lines)


def _fate(arguments: argparse.Namespace, one: LeftOver, kept: list[LeftOver]) -> str:
    if not arguments.remove:
        return ""
    return "cannot be removed" if one in kept else "removed"


def total(found: list[LeftOver]) -> str:
    """Return a clause with the number of killed runs and the size of their files."""
    from strandline.checker.limits.memory import shown_bytes

    whose = "a killed run" if len(found) == 1 else f"{len(found)} killed runs"
    return f"{whose}, {shown_bytes(sum(one.size for one in found))}"


def removing(folder: Path | None) -> str:
    """Return the shell command that removes the files of killed runs in a folder; None for the default folder."""
    place = "" if folder is None else f" --work-dir {shlex.quote(str(folder))}"
    return f"strandline runs --remove{place}"


def _data(arguments: argparse.Namespace, found: list[LeftOver], kept: list[LeftOver], code: int) -> str:
    from strandline.report.envelope import head, render

    runs = [
        {"path": str(one.path), "bytes": one.size, "days": round(one.days, 3), "removed": one not in kept}
        for one in found
    ]
    return render({**head("runs", code), "runs": runs})
