"""Strandline against SPIN on the same systems, with the same states.

    python bench/spin.py [--repeat 3] [--only NAME] [--tiny] [--json FILE] [--install]

Each system is written in Promela and in DVE (bench/models); the run fails when the numbers of states or
transitions differ. SPIN and Strandline take turns, because a shared machine is never quiet for long, and the
best of the repeats counts. Search rate: states over the time of the search alone, as each program reports
it. End to end: for SPIN translating, compiling and searching, for Strandline the whole command. Bytes per
state: for SPIN its "actual memory usage for states" at its best ``-w``, without the stack, and behind the
plus sign its hash table; for Strandline all that the engine holds at its peak, table and log index included.

With ``--ltl`` the comparison is of LTL instead: nested depth-first search with the same claim (`_spin_ltl`), and
verdicts under weak fairness.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import _spin
import _spin_ltl
from _common import MeasuringFailed, Run, add_command_option, print_table, run_strandline, warm_up
from models import CLAIMS, FULL, TINY, Pair, pairs

ORDERS = ("bfs", "sweep")


@dataclass(frozen=True, slots=True)
class Ours:
    """One run of Strandline."""

    states: int
    transitions: int
    search_seconds: float
    end_to_end_seconds: float
    compile_seconds: float
    peak_bytes: int

    @property
    def rate(self) -> float:
        return self.states / max(self.search_seconds, 1e-6)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The best runs on one system."""

    pair: Pair
    spin: _spin.SpinRun
    ours: dict[str, Ours]

    def ratio(self, order: str) -> float:
        return self.ours[order].rate / self.spin.rate

    def bytes_ratio(self, order: str) -> float:
        """Our bytes per state over SPIN's, its hash table left out of the account in its favour."""
        return self.ours[order].peak_bytes / self.spin.state_bytes


def read(run: Run, pair: Pair, order: str) -> Ours:
    """What a run of Strandline says, refused unless it is the whole and the same state space."""
    if run.failure is not None:
        raise MeasuringFailed(f"strandline on {pair.name} by {order}: {run.failure}")
    report = run.report
    if not report.get("complete"):
        reason = report.get("reason") or report.get("error")
        raise MeasuringFailed(f"strandline on {pair.name} by {order}: not complete: {reason}")
    counted = (report["states"], report["transitions"])
    if counted != (pair.states, pair.transitions):
        raise MeasuringFailed(
            f"strandline on {pair.name} by {order}: {counted[0]} states and {counted[1]} transitions, "
            f"expected {pair.states} and {pair.transitions}"
        )
    return Ours(
        states=report["states"],
        transitions=report["transitions"],
        search_seconds=report["seconds"],
        end_to_end_seconds=run.seconds,
        compile_seconds=report["compile_seconds"],
        peak_bytes=report["peak_bytes"],
    )


def spin_once(pair: Pair, folder: Path, hash_bits: int) -> _spin.SpinRun:
    run = _spin.search(folder, hash_bits, _spin.build(pair.promela, folder))
    if (run.states, run.transitions) != (pair.states, pair.transitions):
        raise MeasuringFailed(
            f"SPIN on {pair.name}: {run.states} states and {run.transitions} transitions, "
            f"expected {pair.states} and {pair.transitions}"
        )
    return run


def compare(pair: Pair, command: Sequence[str], repeat: int) -> Comparison:
    """Measure one system: SPIN and we in turn, ``repeat`` times; the best of each figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / f"{pair.name}.dve"
        model.write_text(pair.dve)
        _spin.build(pair.promela, folder)
        hash_bits = _spin.best_hash_bits(folder, pair.states)
        spin_runs: list[_spin.SpinRun] = []
        our_runs: dict[str, list[Ours]] = {order: [] for order in ORDERS}
        for _ in range(repeat):
            spin_runs.append(spin_once(pair, folder, hash_bits))
            for order in ORDERS:
                arguments = ["explore", str(model), "--order", order, "--threads", "1"]
                if order == "sweep":
                    arguments += ["--measure", pair.measure]
                our_runs[order].append(read(run_strandline(command, arguments), pair, order))
    best = {order: best_ours(runs) for order, runs in our_runs.items()}
    return Comparison(pair, best_spin(spin_runs), best)


def best_spin(runs: Sequence[_spin.SpinRun]) -> _spin.SpinRun:
    first = runs[0]
    return _spin.SpinRun(
        hash_bits=first.hash_bits,
        states=first.states,
        transitions=first.transitions,
        search_seconds=min(run.search_seconds for run in runs),
        search_wall_seconds=min(run.search_wall_seconds for run in runs),
        translate_seconds=min(run.translate_seconds for run in runs),
        state_bytes=min(run.state_bytes for run in runs),
        table_bytes=first.table_bytes,
    )


def best_ours(runs: Sequence[Ours]) -> Ours:
    return Ours(
        states=runs[0].states,
        transitions=runs[0].transitions,
        search_seconds=min(run.search_seconds for run in runs),
        end_to_end_seconds=min(run.end_to_end_seconds for run in runs),
        compile_seconds=min(run.compile_seconds for run in runs),
        peak_bytes=min(run.peak_bytes for run in runs),
    )


def rows(comparison: Comparison) -> list[tuple[str, ...]]:
    pair, spin = comparison.pair, comparison.spin
    table: list[tuple[str, ...]] = [
        (
            pair.title,
            f"{pair.states:,}",
            f"SPIN -w{spin.hash_bits}",
            f"{spin.rate / 1e6:.2f}",
            "1.0",
            f"{spin.end_to_end_seconds:.2f}",
            f"{spin.state_bytes / pair.states:.1f}+{spin.table_bytes / pair.states:.1f}",
            f"{spin.translate_seconds:.2f}",
        )
    ]
    for order, ours in comparison.ours.items():
        table.append(
            (
                "",
                "",
                order,
                f"{ours.rate / 1e6:.2f}",
                f"{comparison.ratio(order):.1f}",
                f"{ours.end_to_end_seconds:.2f}",
                f"{ours.peak_bytes / pair.states:.1f}",
                f"{ours.compile_seconds:.3f}",
            )
        )
    return table


def print_comparisons(comparisons: Sequence[Comparison]) -> None:
    heads = ("system", "states", "", "M states/s", "x SPIN", "end to end s", "bytes/state", "compile s")
    print_table(heads, [row for comparison in comparisons for row in rows(comparison)])
    print()
    for order in ORDERS:
        ratios = [comparison.ratio(order) for comparison in comparisons]
        sizes = [comparison.bytes_ratio(order) for comparison in comparisons]
        print(
            f"{order}: search rate {min(ratios):.1f} times SPIN's at least, {fmean(ratios):.1f} on the mean; "
            f"bytes per state {max(sizes):.2f} of SPIN's at most, {fmean(sizes):.2f} on the mean "
            "(SPIN's hash table not counted)"
        )


def print_ltl(comparisons: Sequence[_spin_ltl.LtlComparison], verdicts: Sequence[_spin_ltl.FairVerdict]) -> None:
    heads = ("system and claim", "product states", "", "visited", "M product states/s", "x SPIN")
    table: list[tuple[str, ...]] = []
    for one in comparisons:
        states = one.product_states
        rates = [f"{states / seconds / 1e6:.2f}" for seconds in (one.spin_seconds, one.our_seconds)]
        table += [
            (one.title, f"{states:,}", "SPIN -a", f"{one.spin_visited:,}", rates[0], "1.0"),
            (one.formula, "", "ndfs", f"{one.our_visited:,}", rates[1], f"{one.ratio:.1f}"),
        ]
    print_table(heads, table)
    print()
    words = {True: "holds", False: "violated"}
    print_table(
        ("formula on Peterson's mutual exclusion, busy waiting", "weak fairness", "SPIN", "Strandline"),
        [(one.formula, "yes" if one.fair else "no", words[one.spin], words[one.ours]) for one in verdicts],
    )
    differing = sum(one.spin != one.ours for one in verdicts)
    print(f"{differing} of {len(verdicts)} verdicts differ")


def compare_ltl(options: argparse.Namespace, chosen: Sequence[Pair]) -> None:
    """Measure and print the comparison on LTL."""
    comparisons = []
    for pair in chosen:
        if pair.name in CLAIMS:
            print(f"measuring LTL on {pair.title} ...", file=sys.stderr, flush=True)
            comparisons.append(_spin_ltl.compare(pair, options.command, options.repeat))
    print_ltl(comparisons, _spin_ltl.fair_verdicts(options.command))


def as_json(comparison: Comparison) -> dict[str, object]:
    return {
        "system": comparison.pair.name,
        "title": comparison.pair.title,
        "states": comparison.pair.states,
        "transitions": comparison.pair.transitions,
        "measure": comparison.pair.measure,
        "spin": asdict(comparison.spin),
        **{order: asdict(ours) for order, ours in comparison.ours.items()},
    }


def prepare_spin(install: bool) -> None:
    """Make sure SPIN and gcc are there, or say how to get them."""
    absent = _spin.missing()
    if not absent:
        return
    command = _spin.install_command()
    if not install:
        raise MeasuringFailed(
            f"{' and '.join(absent)} not found; install with\n    {shlex.join(command)}\n"
            "or run this again with --install"
        )
    subprocess.run(command, check=True)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program (default 3)")
    parser.add_argument("--only", action="append", choices=list(FULL), help="only this system (repeatable)")
    parser.add_argument("--ltl", action="store_true", help="compare on LTL properties")
    parser.add_argument("--tiny", action="store_true", help="small instances, to try the program out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to a file")
    parser.add_argument("--install", action="store_true", help="install SPIN and gcc where they are missing")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    chosen = [pair for pair in pairs(TINY if options.tiny else FULL) if pair.name in (options.only or FULL)]
    comparisons = []
    try:
        prepare_spin(options.install)
        warm_up(options.command)
        if options.ltl:
            compare_ltl(options, chosen)
            return 0
        for pair in chosen:
            print(f"measuring {pair.title} ...", file=sys.stderr, flush=True)
            comparisons.append(compare(pair, options.command, options.repeat))
    except (MeasuringFailed, subprocess.CalledProcessError) as error:
        print(f"spin: {error}", file=sys.stderr)
        return 1
    print_comparisons(comparisons)
    if options.json is not None:
        options.json.write_text(json.dumps([as_json(one) for one in comparisons], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
