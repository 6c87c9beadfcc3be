"""Reductions: how many states they leave, in which time, and SPIN's own beside them.

    python bench/reductions.py [--only NAME] [--spin] [--beem NAME ...] [--sweep] [--every] [--json FILE]

The four systems of `bench/spin.py`, and instances of the shared BEEM set (`../shared/beem`, default: the eight that are
named below), each searched whole for deadlocks: without a reduction and with partial-order reduction. With `--sweep`
also in sweeps by a measure that is found, with and without. With `--every` also with merged steps, symmetry, lossy
stores and two threads; a refusal for a model is printed. With `--spin` the first four also by SPIN, with
its reduction, hash compaction (HC4) and bit tables, and without. Deadlocks must be the same each time nothing can be
lost.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import _spin
from _common import ROOT, MeasuringFailed, add_command_option, print_table, run_strandline
from models import FULL, pairs

BEEM = ROOT.parent / "shared" / "beem" / "models"
INSTANCES = (
    "iprotocol.3", "peterson.4", "szymanski.3", "leader_filters.5",
    "extinction.4", "pgm_protocol.6", "brp2.6", "needham.4",
)  # fmt: skip
"""Eight of the set with one to ten million states, of eight families."""
SYMMETRY = "bfs, symmetry"
WAYS = {
    "bfs": [],
    "bfs, por": ["--por"],
    "sweep": ["--measure", "auto"],
    "sweep, por": ["--measure", "auto", "--por"],
    "bfs, merge": ["--merge"],
    SYMMETRY: ["--symmetry"],
    "bfs, compact": ["--store", "compact"],
    "bfs, bitstate": ["--store", "bitstate", "--store-size", "16M"],
    "bfs, 2 threads": ["--threads", "2"],
}
PLAIN = ("bfs", "bfs, por")
REFUSABLE = ("bfs, merge", SYMMETRY)
LOSSY = ("bfs, compact", "bfs, bitstate")
BY_SPIN = {"SPIN": (), "SPIN, reduced": (), "SPIN, HC4": ("-DHC4",), "SPIN, bitstate": ("-DBITSTATE",)}
_BIT_TABLE = 27
"""SPIN's table of 16 MB, in bits."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One complete search of a model."""

    model: str
    way: str
    states: int | None
    visited: int
    peak_states: int
    deadlocks: int | None
    seconds: float
    bytes: float


def search(command: list[str], name: str, file: Path, way: str) -> Searched | None:
    """Ours; None where the way is refused for the model."""
    one_thread = [] if "--threads" in WAYS[way] else ["--threads", "1"]
    run = run_strandline(command, ["explore", str(file), *one_thread, *WAYS[way]], max_seconds=600)
    if run.failure is not None or not (run.report.get("complete") or way in LOSSY):
        why = f"{name}, {way}: {run.failure or run.report.get('reason')}"
        if way not in REFUSABLE:
            raise MeasuringFailed(why)
        print(why, file=sys.stderr)
        return None
    report = run.report
    peak, size = report["peak_states"], report["peak_bytes"]
    counts = (report["states"], report["visited"], peak, None if way in LOSSY else report["deadlocks"])
    return Searched(name, way, *counts, report["seconds"], size / max(1, peak))


def by_spin(name: str, promela: str, way: str, states: int) -> Searched:
    """SPIN's; it counts no deadlocks."""
    with tempfile.TemporaryDirectory() as folder:
        _spin.build(promela, Path(folder), reduced=way == "SPIN, reduced", further=BY_SPIN[way])
        bits = _BIT_TABLE if "-DBITSTATE" in BY_SPIN[way] else max(states.bit_length(), 18)
        run = _spin.search(Path(folder), bits, 0.0)
    size = (run.state_bytes + run.table_bytes) / run.states
    return Searched(name, way, run.states, run.states, run.states, None, run.search_seconds, size)


def row(one: Searched, whole: Searched) -> tuple[str, ...]:
    states = "?" if one.states is None else f"{one.states:,}"
    counts = (states, f"{one.visited:,}", f"{one.visited / whole.visited:.3f}", f"{one.peak_states:,}")
    return (one.model, one.way, *counts, f"{one.seconds:.2f}", f"{one.bytes:.1f}")


def same_deadlocks(found: list[Searched]) -> None:
    """Of states that symmetry takes for one, one is counted: then there are some or none."""
    counted = [(one.way, one.deadlocks) for one in found if one.deadlocks is not None]
    counts = {deadlocks for way, deadlocks in counted if way != SYMMETRY}
    if len({deadlocks > 0 for _, deadlocks in counted}) > 1:
        raise MeasuringFailed(f"{found[0].model}: deadlocks are lost")
    if len(counts) > 1:
        raise MeasuringFailed(f"{found[0].model}: deadlocks differ: {sorted(counts)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_command_option(parser)
    parser.add_argument("--only", help="one of the four systems, or a BEEM instance")
    parser.add_argument("--beem", nargs="*", default=list(INSTANCES), metavar="NAME")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--spin", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    ways = [way for way in WAYS if way in PLAIN or (arguments.sweep if way.startswith("sweep") else arguments.every)]
    every: list[Searched] = []
    with tempfile.TemporaryDirectory() as name:
        systems = {pair.name: pair for pair in pairs(FULL)}
        files = {pair.name: Path(name) / f"{pair.name}.dve" for pair in systems.values()}
        for pair in systems.values():
            files[pair.name].write_text(pair.dve)
        files |= {one: BEEM / f"{one}.dve" for one in arguments.beem if (BEEM / f"{one}.dve").exists()}
        for model, file in files.items():
            if arguments.only in (None, model):
                tried = [search(arguments.command, model, file, way) for way in ways]
                found = [one for one in tried if one is not None]
                if arguments.spin and model in systems:
                    pair = systems[model]
                    found += [by_spin(model, pair.promela, way, pair.states) for way in BY_SPIN]
                same_deadlocks(found)
                every += found
                visits = ", ".join(f"{one.way} {one.visited:,}" for one in found)
                print(f"{model}: {visits}", file=sys.stderr, flush=True)
    heads = ("model", "way", "states", "visited", "of bfs", "stored at most", "s", "bytes/state")
    whole = {one.model: one for one in every if one.way == "bfs"}
    print_table(heads, [row(one, whole[one.model]) for one in every])
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(one) for one in every], indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"reductions: {failure}")
