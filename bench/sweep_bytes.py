"""Bytes per stored state of a sweep whose layers are many and small, beside breadth-first search.

`N` processes pass through five phases each, three places to a phase, independently: 15^N states. The measure is the
phases, the first process counting most: 5^N layers. The engine's peak, tables, lists and buffers included, is divided
by the most states that are stored at a time.

    python bench/sweep_bytes.py                 # 5, 6 and 7 processes: up to 171 million states in 78,125 layers
    python bench/sweep_bytes.py --processes 8   # 2.6 billion states in 390,625 layers
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from _common import MeasuringFailed, add_command_option, run_strandline

PHASES, PLACES = 5, 3


def model(processes: int) -> str:
    """The system in DVE."""
    variables = "".join(f"byte phase{number} = 0;\n" for number in range(processes))
    return variables + "".join(_process(number) for number in range(processes)) + "system async;\n"


def _process(number: int) -> str:
    places = ", ".join(f"at{place}" for place in range(PLACES))
    around = ",\n  ".join(f"at{place} -> at{(place + 1) % PLACES} {{}}" for place in range(PLACES))
    onward = f"at0 -> at0 {{ guard phase{number} < {PHASES - 1}; effect phase{number} = phase{number} + 1; }}"
    return f"process P{number} {{\n  state {places};\n  init at0;\n  trans\n  {around},\n  {onward};\n}}\n"


def measures(processes: int) -> list[str]:
    """The phases, none of which ever falls, as measures that count less and less."""
    return [part for number in range(processes) for part in ("--measure", f"phase{number}")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, nargs="+", default=[5, 6, 7], metavar="N")
    parser.add_argument("--most", type=int, default=200_000_000, help="states that breadth-first search still stores")
    parser.add_argument("--seconds", type=float, default=3600.0, help="limit of one run")
    add_command_option(parser)
    arguments = parser.parse_args()
    print("| processes | states | layers | | stored at most | bytes a stored state | M states/s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for processes in arguments.processes:
            path = Path(folder) / f"phases{processes}.dve"
            path.write_text(model(processes))
            states = (PHASES * PLACES) ** processes
            for order in ("bfs", "sweep"):
                if order == "bfs" and states > arguments.most:
                    continue
                options = measures(processes) if order == "sweep" else []
                run = run_strandline(arguments.command, ["explore", str(path), *options], max_seconds=arguments.seconds)
                if run.failure:
                    raise MeasuringFailed(f"{processes} processes, {order}: {run.failure}")
                report = run.report
                if report["states"] != states:
                    raise MeasuringFailed(f"{processes} processes, {order}: {report['states']} states, not {states}")
                bytes_each = report["peak_bytes"] / report["peak_states"]
                layers = f"{report['layers']:,}" if order == "sweep" else ""
                print(
                    f"| {processes} | {states:,} | {layers} | {order} | {report['peak_states']:,} | {bytes_each:.1f} "
                    f"| {states / report['seconds'] / 1e6:.2f} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"sweep_bytes: {failure}")
