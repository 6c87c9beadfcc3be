"""Threads: how much sooner a search ends, breadth-first and as a sweep.

    python bench/threads.py [--threads N] [--runs K] [--only NAME] [--json FILE]

The four systems of `bench/spin.py`, with the measures that stand there, and eight instances of the shared BEEM set
(`../shared/beem`) with the measures that are found for them, each searched whole, in turn by one thread and by
several. The best time of K runs counts. Visits, layers and persistent states must be the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from _common import MeasuringFailed, add_command_option, print_table, run_strandline
from models import FULL, pairs
from reductions import BEEM, INSTANCES

_SAME = ("visited", "layers", "persistent", "sweeps", "regress_edges")
_FIGURES = ("visited", "layers")


@dataclass(frozen=True, slots=True)
class Compared:
    """Seconds of a search by one thread and by several."""

    model: str
    order: str
    visited: int
    layers: int
    one: float
    several: float


def compare(command: list[str], name: str, order: str, arguments: list[str], threads: int, runs: int) -> Compared:
    reports: dict[int, list[dict[str, float]]] = {1: [], threads: []}
    for _ in range(runs):
        for count in reports:
            run = run_strandline(command, ["explore", *arguments, "--threads", str(count)], max_seconds=600)
            if run.failure is not None or not run.report.get("complete"):
                raise MeasuringFailed(f"{name}, {order}, {count} threads: {run.failure or run.report.get('reason')}")
            reports[count].append(run.report)
    counts = {tuple(one[figure] for figure in _SAME) for several in reports.values() for one in several}
    if len(counts) > 1:
        raise MeasuringFailed(f"{name}, {order}: threads differ in {', '.join(_SAME)}: {sorted(counts)}")
    visited, layers = (int(reports[1][0][figure]) for figure in _FIGURES)
    return Compared(name, order, visited, layers, *(min(one["seconds"] for one in reports[n]) for n in reports))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--runs", type=int, default=3, metavar="K")
    parser.add_argument("--only", metavar="NAME", help="one of the systems or instances")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    add_command_option(parser)
    given = parser.parse_args()
    found: list[Compared] = []
    with tempfile.TemporaryDirectory() as folder:
        searches: list[tuple[str, Path, list[str]]] = []
        for pair in pairs(FULL):
            file = Path(folder) / f"{pair.name}.dve"
            file.write_text(pair.dve)
            searches.append((pair.name, file, ["--measure", pair.measure]))
        searches += [(name, BEEM / f"{name}.dve", ["--measure", "auto"]) for name in INSTANCES if BEEM.is_dir()]
        for name, file, sweep in searches:
            if given.only not in (None, name):
                continue
            for order, arguments in (("bfs", []), ("sweep", sweep)):
                one = compare(given.command, name, order, [str(file), *arguments], given.threads, given.runs)
                found.append(one)
                print(f"{name}, {order}: {one.one:.2f} s, {one.several:.2f} s", file=sys.stderr, flush=True)
    several = f"{given.threads} threads, s"
    print_table(
        ("model", "order", "visited", "layers", "one, s", several, "times as fast"),
        [
            (one.model, one.order, f"{one.visited:,}", f"{one.layers:,}", f"{one.one:.2f}", f"{one.several:.2f}",
             f"{one.one / one.several:.2f}")
            for one in found
        ],
    )  # fmt: skip
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"threads: {failure}")
