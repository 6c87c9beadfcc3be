"""How long a user waits for nothing: ``strandline --help`` and the second check of a small model.

    python bench/startup.py [--repeat N] [--command COMMAND]

Prints the best of N against the bars; exit code 1 when one is missed.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from _common import MeasuringFailed, add_command_option, print_table, warm_up
from models import TINY, pairs

HELP_BAR = 0.4
CHECK_BAR = 1.0


def best_seconds(command: Sequence[str], repeat: int, accepted: Sequence[int]) -> float:
    """The least wall-clock time of ``repeat`` runs, each of which must end with an accepted exit code."""
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        best = min(best, time.perf_counter() - started)
        if answer.returncode not in accepted:
            text = answer.stderr.strip()
            raise MeasuringFailed(f"{shlex.join(command)} ended with {answer.returncode}:\n{text}")
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each command (default 5)")
    add_command_option(parser)
    options = parser.parse_args()
    table = next(pair for pair in pairs(TINY) if pair.name == "philosophers")
    try:
        warm_up(options.command)
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "philosophers.dve"
            model.write_text(table.dve)
            check = [*options.command, "check", str(model)]
            # The first check fills the cache of compiled kernels; 11 is the verdict: they can starve.
            best_seconds(check, 1, (11,))
            measured = [
                ("--help", best_seconds([*options.command, "--help"], options.repeat, (0,)), HELP_BAR),
                ("check, second time", best_seconds(check, options.repeat, (11,)), CHECK_BAR),
            ]
    except MeasuringFailed as error:
        print(f"startup: {error}", file=sys.stderr)
        return 1
    rows = [
        (name, f"{seconds:.3f}", f"{bar:.1f}", "met" if seconds < bar else "MISSED") for name, seconds, bar in measured
    ]
    print_table(("command", "best s", "bar s", ""), rows)
    return 0 if all(seconds < bar for _, seconds, bar in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
