"""Threads: how the rate of a search grows with their number, breadth-first, by a sweep and for LTL.

    python bench/scaling.py [--threads 1,2,4,8,16] [--runs K] [--orders bfs,sweep,ltl] [--only NAME,NAME]
                            [--beem FOLDER] [--json FILE]

The four systems of `bench/spin.py`, seven philosophers with four meals (219.6 million states), and seven instances of
the shared BEEM set with more than 30 million states, each searched whole by each number of threads in turn; the best
of K runs counts. A sweep goes by the measure that stands with the system, or by the one that is found. LTL checks the
claims of `bench/models`, which hold, by the method for several threads and, with one thread, by the default method.
The program fails if states, transitions, layers or verdicts depend on the number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from _common import ROOT, MeasuringFailed, add_command_option, print_table, run_strandline
from models import CLAIMS, FULL, pairs, philosophers

INSTANCES = ("iprotocol.5", "lamport.7", "brp.6", "collision.4", "mcs.5", "szymanski.5", "peterson.6")
LARGE = "philosophers-7"
_SAME = ("states", "transitions", "visited", "deadlocks", "levels", "layers", "persistent", "sweeps", "regress_edges")
_ORDERS = ("bfs", "sweep", "ltl")


@dataclass(frozen=True, slots=True)
class Measured:
    """The best run of a search by a number of threads."""

    model: str
    order: str
    threads: int
    visited: int
    seconds: float
    bytes_a_state: float

    @property
    def rate(self) -> float:
        """Million visited states a second."""
        return self.visited / max(self.seconds, 1e-6) / 1e6


@dataclass(frozen=True, slots=True)
class Subject:
    """A system, and the arguments of its sweep and of its LTL check."""

    name: str
    file: Path
    measure: str = "auto"
    claim: str | None = None

    def arguments(self, order: str) -> list[str] | None:
        """The command for an order, without the number of threads; None if there is none."""
        if order == "ltl":
            return None if self.claim is None else ["check", str(self.file), "--ltl", self.claim, "--no-deadlock"]
        return ["explore", str(self.file), *(["--measure", self.measure] if order == "sweep" else [])]


def subjects(folder: Path, beem: Path) -> Iterator[Subject]:
    for pair in pairs(FULL):
        file = folder / f"{pair.name}.dve"
        file.write_text(pair.dve)
        yield Subject(pair.name, file, pair.measure, CLAIMS[pair.name].text if pair.name in CLAIMS else None)
    large = folder / f"{LARGE}.dve"
    large.write_text(philosophers.dve(philosophers=7, meals=4))
    yield Subject(LARGE, large, philosophers.measure(philosophers=7, meals=4))
    yield from (Subject(name, file) for name in INSTANCES if (file := beem / f"{name}.dve").exists())


def measure(command: Sequence[str], subject: Subject, order: str, threads: int, runs: int) -> tuple[Measured, Any]:
    """Search with a number of threads; return the best run and the figures that must not depend on it."""
    arguments = subject.arguments(order)
    assert arguments is not None
    best, seen = None, set()
    for _ in range(runs):
        run = run_strandline(command, [*arguments, "--threads", str(threads)], max_seconds=900)
        report = run.report if order != "ltl" else run.report.get("properties", [{}])[0].get("search", {})
        if run.failure is not None or "visited" not in report or not run.report.get("complete", order == "ltl"):
            reason = run.report.get("error") or run.report.get("reason")
            raise MeasuringFailed(f"{subject.name}, {order}, {threads} threads: {run.failure or reason}")
        verdict = run.report.get("verdict")
        seen.add((verdict, *(json.dumps(report.get(name)) for name in _SAME if order != "ltl")))
        visited = int(report["visited"])
        stored = max(1, int(report.get("peak_states") or visited))
        found = Measured(subject.name, order, threads, visited, report["seconds"], report.get("peak_bytes", 0) / stored)
        best = found if best is None or found.seconds < best.seconds else best
    assert best is not None
    return best, seen


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    cores = len(os.sched_getaffinity(0))
    counts = [count for count in (1, 2, 4, 8, 16) if count <= cores]
    parser.add_argument("--threads", default=",".join(map(str, counts)), metavar="N,N,...")
    parser.add_argument("--runs", type=int, default=1, metavar="K")
    parser.add_argument("--orders", default=",".join(_ORDERS), metavar="ORDER,...")
    parser.add_argument("--only", metavar="NAME,...", help="some of the systems and instances")
    parser.add_argument("--beem", type=Path, default=ROOT.parent / "shared" / "beem" / "models", metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    add_command_option(parser)
    given = parser.parse_args()
    threads = [int(count) for count in given.threads.split(",")]
    only = given.only.split(",") if given.only else None
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder), given.beem):
            for order in given.orders.split(","):
                if (only is None or subject.name in only) and subject.arguments(order) is not None:
                    found += _measure_all(given.command, subject, order, threads, given.runs)
    _print(found, threads)
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    return 0


def _measure_all(
    command: Sequence[str], subject: Subject, order: str, threads: Sequence[int], runs: int
) -> list[Measured]:
    results = [measure(command, subject, order, count, runs) for count in threads]
    answers = set().union(*(seen for _, seen in results))
    if len(answers) > 1:
        raise MeasuringFailed(f"{subject.name}, {order}: threads differ in {', '.join(_SAME)}: {sorted(answers)}")
    found = [one for one, _ in results]
    rates = ", ".join(f"{one.threads}: {one.rate:.1f}" for one in found)
    print(f"{subject.name}, {order}: {rates} M/s", file=sys.stderr, flush=True)
    return found


def _print(found: Sequence[Measured], threads: Sequence[int]) -> None:
    """One row for each search: rates by number of threads, and the last over the first."""
    rows: dict[tuple[str, str], list[Measured]] = {}
    for one in found:
        rows.setdefault((one.model, one.order), []).append(one)
    heads = [f"{count}" for count in threads]
    print_table(
        ("model", "order", "visited", *heads, "times", "bytes a state"),
        [
            (
                model,
                order,
                f"{several[0].visited:,}",
                *(f"{one.rate:.1f}" for one in several),
                f"{several[-1].rate / several[0].rate:.1f}",
                f"{several[0].bytes_a_state:.1f}",
            )
            for (model, order), several in rows.items()
        ],
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"scaling: {failure}")
