"""Table 1 of paper 001 with our figures beside it: peak stored, visited and persistent states of an algorithm, as
fractions of the states of the product of a BEEM model and its property automaton.

    python bench/table1.py [--instance NAME] [--algorithm NAME] [--max-states N] [--max-seconds S]

The measure of every sweep is the one that the program finds by itself. The aim for *Sweep* is a product of stored and
visited at or below the paper's on at least 10 of the 13 instances. Exit code 1 where a product has not the size that
it must have, or where a run fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from _common import (
    MeasuringFailed,
    Run,
    add_command_option,
    memory_limit_bytes,
    print_table,
    run_strandline,
    warm_up,
)
from _table1 import INSTANCES, SWEEP, Figures, Instance
from beem import DEFAULT_FOLDER, GIBIBYTE

AIM = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """One algorithm on one instance; `difference` is empty when everything is as it must be."""

    instance: Instance
    algorithm: str
    run: Run
    ours: Figures | None
    difference: str = ""

    @property
    def paper(self) -> Figures:
        return self.instance.paper[self.algorithm]

    @property
    def met(self) -> bool:
        """Whether stored times visited is at or below the paper's."""
        return self.ours is not None and self.ours.score <= self.paper.score


def sweep(instance: Instance, options: argparse.Namespace) -> Outcome:
    """The plain sweep over the whole product, with an automatic measure."""
    arguments = ["explore", str(options.beem / "models" / instance.file_name)]
    arguments += ["--order", "sweep", "--measure", "auto", "--count-distinct"]
    limit = memory_limit_bytes(options.keep_free_gib * GIBIBYTE)
    run = run_strandline(options.command, arguments, max_seconds=options.max_seconds, max_bytes=limit)
    difference = run.failure or _difference(run.report, instance)
    if difference:
        return Outcome(instance, SWEEP, run, None, difference)
    report, states = run.report, run.report["states"]
    fractions = (report[name] / states for name in ("peak_states", "visited", "persistent"))
    return Outcome(instance, SWEEP, run, Figures(*fractions))


def _difference(report: Mapping[str, Any], instance: Instance) -> str:
    if not report.get("complete"):
        return f"not complete: {report.get('reason') or report.get('error')}"
    found = report["states"], report["transitions"]
    return "" if found == instance.size else f"{found[0]} states and {found[1]} edges, expected {instance.size}"


RUNNERS: Mapping[str, Callable[[Instance, argparse.Namespace], Outcome]] = MappingProxyType({SWEEP: sweep})
"""How each algorithm of the table is run; one that is added here becomes a column of the comparison."""


def cells(figures: Figures | None) -> list[str]:
    """Stored, visited, persistent and the product of the first two."""
    if figures is None:
        return ["-"] * 4
    persistent = "-" if figures.persistent is None else f"{figures.persistent:.3f}"
    kind = f"{figures.cycle} " if figures.cycle else ""
    return [f"{kind}{figures.stored:.3f}", f"{figures.visited:.3f}", persistent, f"{figures.score:.4f}"]


def print_comparison(algorithm: str, outcomes: Sequence[Outcome]) -> None:
    """One algorithm: the paper's figures, ours, and what was predicted."""
    print(f"\n{algorithm}: stored, visited and persistent states as fractions of the product's states")
    heads = ["instance", "states", "paper stored", "visited", "persistent", "product"]
    heads += ["ours stored", "visited", "persistent", "product", "", "found in", "search"]
    rows = []
    for outcome in outcomes:
        prediction = outcome.run.report.get("prediction") or {}
        seconds = outcome.run.report.get("seconds")
        rows.append(
            [outcome.instance.name, f"{outcome.instance.size[0]:,}", *cells(outcome.paper), *cells(outcome.ours)]
            + [outcome.difference or ("met" if outcome.met else "missed")]
            + [f"{prediction['seconds']:.1f} s" if prediction else "-", f"{seconds:.2f} s" if seconds else "-"]
        )
    print_table(heads, rows)
    met = sum(outcome.met for outcome in outcomes)
    print(f"product at or below the paper's on {met} of {len(outcomes)} (aim: {AIM} of {len(INSTANCES)})")


def print_measures(outcomes: Sequence[Outcome]) -> None:
    """By what was swept, and how the prediction compares."""
    print("\nmeasures found")
    for outcome in outcomes:
        prediction = outcome.run.report.get("prediction")
        if prediction and outcome.ours is not None:
            kind = "exact" if prediction["exact"] else f"by {prediction['sampled']:,} states"
            predicted = f"{prediction['peak']:.3f} x {prediction['visits']:.3f}"
            reality = f"{outcome.ours.stored:.3f} x {outcome.ours.visited:.3f}"
            print(f"  {outcome.instance.name:20} predicted {predicted} ({kind}), came out {reality}")
            print(f"  {'':20} {prediction['reason']}")


def print_sizes(instances: Sequence[Instance]) -> None:
    for instance in instances:
        if instance.recounted is not None:
            states, edges = instance.recounted
            print(
                f"{instance.name}: the paper prints {instance.states:,} states and {instance.edges:,} edges; "
                f"they recount to {states:,} and {edges:,}, to which our fractions refer"
            )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instance", action="append", help="only this one, as in lifts.6/2 (repeatable)")
    parser.add_argument("--algorithm", action="append", choices=tuple(RUNNERS), help="only this one (repeatable)")
    parser.add_argument("--max-states", type=int, default=10_000_000, help="largest product (default 10000000)")
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of one run (default 600)")
    parser.add_argument("--keep-free-gib", type=int, default=6, help="memory to leave to others (default 6)")
    parser.add_argument("--beem", type=Path, default=DEFAULT_FOLDER, help="folder of the set")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if not (options.beem / "models").exists():
        print(f"table1: no benchmark set in {options.beem}; say where it is with --beem", file=sys.stderr)
        return 1
    try:
        warm_up(options.command)
    except MeasuringFailed as error:
        print(f"table1: {error}", file=sys.stderr)
        return 1
    chosen = [
        instance
        for instance in INSTANCES
        if instance.size[0] <= options.max_states and (not options.instance or instance.name in options.instance)
    ]
    if not chosen:
        print("nothing was run: no instance fits the options")
        return 1
    print_sizes(chosen)
    wrong = 0
    for algorithm in options.algorithm or tuple(RUNNERS):
        outcomes = []
        for instance in chosen:
            outcomes.append(RUNNERS[algorithm](instance, options))
            print(f"  {algorithm} {instance.name} {outcomes[-1].difference or 'done'}", file=sys.stderr, flush=True)
        print_comparison(algorithm, outcomes)
        print_measures(outcomes)
        wrong += sum(bool(outcome.difference) for outcome in outcomes)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
