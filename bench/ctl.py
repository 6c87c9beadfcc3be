"""CTL on many millions of states: time, memory and disk of labelling and of swept CTL, beside exploring.

    python bench/ctl.py [--tiny | --passes N] [--command COMMAND]

Peterson's protocol as `bench/spin.py` has it, swept by its measure, which never decreases, and by one that does where
process 1 catches up with process 0, so that forgotten states are found again. Each formula is decided by labelling and
swept; the answers must agree. Memory is what the operating system sees of the whole process at its peak, and in
brackets what the engine's arrays take of it; a process that has loaded everything and explores nothing takes some
150 MB. `--passes 5` is the large instance of RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _common import MeasuringFailed, add_command_option, print_table
from models import FULL, TINY, peterson

FORMULAS = ("AG (place[0] == 1 -> AF place[0] == 0)", "EG EF place[0] == 1")


def data(command: Sequence[str], *arguments: str) -> dict[str, Any]:
    """What a command prints with `--json`."""
    done = subprocess.run([*command, *arguments, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3, 12, 13):
        raise MeasuringFailed(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _memory(rss: int, engine: int) -> str:
    return f"{rss / 1e6:.0f} ({engine / 1e6:.0f})"


def measured(command: Sequence[str], model: str, measures: dict[str, str]) -> bool:
    """Print the table; whether the methods agree."""
    ways = {"labelling": ["--method", "explicit"]}
    ways |= {f"swept, {name}": ["--method", "swept", "--measure", text] for name, text in measures.items()}
    data(command, "check", model, "--ctl", "EX true", "--max-states", "10")
    explored = data(command, "explore", model)
    labelled = 0
    rows = [["explore", "", f"{explored['states']:,}", f"{explored['seconds']:.2f}", "",
             _memory(explored["rss_bytes"], explored["peak_bytes"]), "", ""]]  # fmt: skip
    agree = True
    for formula in FORMULAS:
        answers = set()
        for name, options in ways.items():
            one = data(command, "check", model, "--ctl", formula, *options)["properties"][0]
            ctl = one["ctl"]
            answers.add(one["verdict"])
            labelled = ctl["rss_bytes"] if name == "labelling" else labelled
            rows.append(
                [formula if name == "labelling" else "", f"{name}: {one['verdict']}", f"{ctl['records']:,}",
                 f"{ctl['seconds']:.2f}", f"{ctl['labelling_seconds']:.2f}",
                 _memory(ctl["rss_bytes"], ctl["peak_bytes"]), f"{ctl['rss_bytes'] / labelled:.0%}",
                 f"{ctl['disk_bytes'] / 1e6:.0f}"]
            )  # fmt: skip
        agree &= len(answers) == 1
    titles = ["formula", "method", "records", "search s", "labelling s", "MB (engine)", "of labelling", "disk MB"]
    print_table(titles, rows)
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--tiny", action="store_true", help="a small instance, to try the script")
    sizes.add_argument("--passes", type=int, metavar="N", help="how often each process passes (default 3)")
    add_command_option(parser)
    options = parser.parse_args()
    parameters = dict((TINY if options.tiny else FULL)["peterson"].parameters)
    if options.passes is not None:
        parameters["passes"] = options.passes
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "peterson.dve"
        model.write_text(peterson.dve(**parameters), encoding="utf-8")
        progress = peterson.measure(**parameters)
        measures = {"monotone": progress, "regressing": f"{progress} + 3 * (place[0] > place[1])"}
        agree = measured(options.command, str(model), measures)
    print("\nall methods agree" if agree else "\nTHE METHODS DISAGREE")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
