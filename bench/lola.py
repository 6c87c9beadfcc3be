"""A sweep over dining philosophers, beside what LoLA's sweep-line method does on them.

    python bench/lola.py [--philosophers N] [--max-seconds S]

LoLA was measured on its net of 12 philosophers: at the peak it stored 88 % of the states, and it computed 3.4 times as
many edges as there are. The model here is our own, in which a philosopher takes and puts down two forks one after the
other; ours goes by the measure that `strandline measures` finds. Exit code 1 where the sweep counts other states than
breadth-first search does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from _common import MeasuringFailed, Run, add_command_option, print_table, run_strandline, warm_up
from models import dining

LOLA_PEAK, LOLA_EDGES = 0.88, 3.4
"""Most states stored at a time and edges computed, as fractions of the states and of the edges."""


def explored(command: Sequence[str], model: Path, arguments: Sequence[str], max_seconds: float) -> Run:
    """A finished exploration."""
    run = run_strandline(command, ["explore", str(model), *arguments], max_seconds=max_seconds)
    if run.failure is not None or not run.report.get("complete"):
        raise MeasuringFailed(run.failure or str(run.report.get("reason")))
    return run


def best_measure(command: Sequence[str], model: Path, states: int, max_seconds: float) -> list[str]:
    """What `strandline measures` ranks first when it looks at all states."""
    run = run_strandline(command, ["measures", str(model), "--sample", str(states + 1)], max_seconds=max_seconds)
    if run.failure is not None or not run.report.get("measures"):
        raise MeasuringFailed(run.failure or "no measure was found")
    best = run.report["measures"][0]
    print(f"measure found: {best['reason']}\n")
    return [f"--measure={text}" for text in best["measure"]]


def compare(command: Sequence[str], philosophers: int, max_seconds: float) -> int:
    with TemporaryDirectory() as folder:
        model = Path(folder) / f"dining-{philosophers}.dve"
        model.write_text(dining.dve(philosophers))
        plain = explored(command, model, ["--order", "bfs"], max_seconds).report
        states, edges = plain["states"], plain["transitions"]
        print(f"{philosophers} philosophers: {states:,} states, {edges:,} edges")
        measure = best_measure(command, model, states, max_seconds)
        swept = explored(command, model, ["--order", "sweep", *measure, "--count-distinct"], max_seconds).report
    peak, visits = swept["peak_states"] / states, swept["visited"] / states
    print_table(
        ["", "peak stored", "visited", "product"],
        [
            ["LoLA (edges)", f"{LOLA_PEAK:.0%}", f"{LOLA_EDGES:.2f}", f"{LOLA_PEAK * LOLA_EDGES:.2f}"],
            ["ours (states, each with all its edges)", f"{peak:.0%}", f"{visits:.2f}", f"{peak * visits:.2f}"],
        ],
    )
    if (swept["states"], swept["transitions"]) != (states, edges):
        print(f"the sweep counts {swept['states']} states and {swept['transitions']} edges")
        return 1
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--philosophers", type=int, default=12, help="how many sit at the table (default 12)")
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of one run (default 600)")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        warm_up(options.command)
        return compare(options.command, options.philosophers, options.max_seconds)
    except MeasuringFailed as error:
        print(f"lola: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
