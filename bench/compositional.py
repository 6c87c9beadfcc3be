"""The tables of the compositional sweep-line paper (002), ours beside the paper's, and its comparison with caching.

    python bench/compositional.py [--table 1|2|3] [--size N] [--figure FILE.svg] [--no-auto] [--rounds K] [--tiny]

Every system is explored in full and swept: by the sum of its components' progress (``sum``), by the partial order of
the paper, in which a step that any component takes backwards is a regress edge (``literal``), and by the measure that
is found automatically (``auto``). Total is expansions, peak is stored states, both in percent of the states; time is
that of the sweep's search over that of full exploration. ``--figure`` draws expansions against space for state-space
caching with caches of several sizes, and for the sweeps (Fig. 6). Exit code 1 where a number of states differs from the
paper's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import _environment  # noqa: F401
from _common import MeasuringFailed, add_command_option, print_table, run_strandline, warm_up
from _components import literal, summed
from _plot import Panel, Series, svg
from models.compositional import STUDIES, TINY, Published, Study
from strandline.languages import load

CACHES = (90, 80, 70, 60, 50, 40, 30, 20, 10)
"""Sizes of caches in percent of the states; one that holds them all makes a plain depth-first search."""
PATIENCE = 200
"""Caching is given up after this many expansions for each state."""
_TOLERANCE = 0.01
"""Percentages that are printed with two digits agree if they differ by no more than this."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one search did."""

    states: int | None
    visited: int
    peak: int
    seconds: float

    def total_percent(self, states: int) -> float:
        return 100 * self.visited / states

    def peak_percent(self, states: int) -> float:
        return 100 * self.peak / states


@dataclass(frozen=True, slots=True)
class Line:
    """One configuration: the full exploration and the sweeps by name."""

    study: Study
    size: int
    full: Figures
    sweeps: dict[str, Figures]

    @property
    def states(self) -> int:
        return self.full.states or 0

    @property
    def paper(self) -> Published | None:
        return self.study.rows[self.size]


# Searches


class Bench:
    """Runs searches in a folder of its own."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder

    def line(self, study: Study, size: int) -> Line:
        """Explore one configuration in full and by all sweeps."""
        model = self.folder / f"{study.example}-{size}.psl"
        model.write_text(study.text(size))
        system = load(model)
        full = self.search(model)
        sweeps = {
            "sum": self.search(model, *_measures(summed(system, study.monotone))),
            "literal": self.search(model, "--componentwise", *_measures(literal(system, study.monotone))),
        }
        if self.options.auto and len(system.actions) <= self.options.auto_actions:
            sweeps["auto"] = self.search(model, *_measures(["auto"]))
        return Line(study, size, full, sweeps)

    def caching(self, line: Line) -> Iterator[Figures]:
        """Caching, with smaller and smaller caches, until it takes too long."""
        model = self.folder / f"{line.study.example}-{line.size}.psl"
        yield self.search(model, "--order", "dfs")
        for percent in CACHES:
            cache = str(line.states * percent // 100)
            limit = str(line.states * PATIENCE)
            found = self._run(model, ["--order", "cache", "--cache-states", cache, "--max-states", limit])
            if found is None:
                return
            yield found

    def search(self, model: Path, *arguments: str) -> Figures:
        """The best of several runs."""
        runs = [self._run(model, arguments) for _ in range(self.options.rounds)]
        complete = [run for run in runs if run is not None]
        if not complete:
            raise MeasuringFailed(f"{model.name} {' '.join(arguments)[:80]}: not complete")
        return min(complete, key=lambda one: one.seconds)

    def _run(self, model: Path, arguments: Sequence[str]) -> Figures | None:
        """One search; None where a limit ended it."""
        run = run_strandline(
            self.options.command, ["explore", str(model), *arguments], max_seconds=self.options.max_seconds
        )
        if run.failure is not None:
            raise MeasuringFailed(f"{model.name}: {run.failure}")
        report = run.report
        if report.get("error") is not None:
            raise MeasuringFailed(f"{model.name}: {report['error']['message']}")
        if not report["complete"]:
            return None
        return Figures(report["states"], report["visited"], report["peak_states"], report["seconds"])


def _measures(texts: Sequence[str]) -> list[str]:
    return [part for text in texts for part in ("--measure", text)]


# Tables


def table(study: Study, lines: Sequence[Line]) -> None:
    """One table of the paper: for total, peak and time ours by each sweep, then the paper's."""
    print(f"\nTable {study.table}: {study.title}")
    names = list(dict.fromkeys(name for line in lines for name in line.sweeps))
    heads = [study.size.lower(), "states", "paper"]
    for title in ("total %", "peak %", "time"):
        heads += [f"{title} {name}" for name in names] + ["paper"]
    print_table(heads, [_cells(line, names) for line in lines])


def _cells(line: Line, names: Sequence[str]) -> list[str]:
    paper, states = line.paper, line.states
    found = [str(line.size), f"{states:,}", "" if paper is None else f"{paper.states:,}"]
    sweeps = [line.sweeps.get(name) for name in names]
    found += ["-" if one is None else f"{one.total_percent(states):.2f}" for one in sweeps]
    found.append("" if paper is None else f"{paper.total:.2f}")
    found += ["-" if one is None else f"{one.peak_percent(states):.2f}" for one in sweeps]
    found.append("" if paper is None else f"{paper.peak:.2f}")
    found += ["-" if one is None else f"{one.seconds / max(line.full.seconds, 1e-6):.2f}" for one in sweeps]
    return [*found, "" if paper is None else f"{paper.sweep_seconds / paper.full_seconds:.2f}"]


def differences(line: Line) -> Iterator[str]:
    """Where the literal sweep, which is the paper's algorithm, does not give the paper's figures."""
    paper = line.paper
    if paper is None:
        return
    where = f"{line.study.title}, {line.study.size.lower()} {line.size}"
    if line.states != paper.states:
        yield f"{where}: {line.states:,} states, the paper has {paper.states:,}"
    ours = line.sweeps["literal"]
    for name, value, published in (
        ("total", ours.total_percent(line.states), paper.total),
        ("peak", ours.peak_percent(line.states), paper.peak),
    ):
        if abs(value - published) > _TOLERANCE:
            yield f"{where}: {name} {value:.2f} % ({_cost(value, published)}), the paper has {published:.2f} %"


def _cost(value: float, published: float) -> str:
    return "less" if value < published else "more"


def figure(bench: Bench, lines: Sequence[Line]) -> str:
    """Fig. 6: for every system, expansions for each state against the peak, of caching and of sweeps."""
    panels = []
    for study in dict.fromkeys(line.study for line in lines):
        series = []
        swept: dict[str, list[tuple[float, float]]] = {}
        for line in (one for one in lines if one.study is study):
            states = line.states
            points = [(one.peak_percent(states), one.visited / states) for one in bench.caching(line)]
            series.append(Series(f"caching, {study.size.lower()} {line.size}", tuple(points)))
            for kind, one in line.sweeps.items():
                swept.setdefault(kind, []).append((one.peak_percent(states), one.visited / states))
            _print_caching(line, points)
        series += [Series(f"sweep, {kind}", tuple(points), joined=False) for kind, points in swept.items()]
        panels.append(Panel(study.title, "peak, % of the states", "expansions for each state", tuple(series)))
    return svg(panels)


def _print_caching(line: Line, points: Sequence[tuple[float, float]]) -> None:
    shown = "  ".join(f"{peak:.0f}%: {visits:.2f}" for peak, visits in points)
    print(f"caching, {line.study.example} {line.size} (peak: expansions for each state)  {shown}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--table", type=int, choices=(1, 2, 3), action="append", help="only this table (repeatable)")
    parser.add_argument("--size", type=int, action="append", help="only lines of this size (repeatable)")
    parser.add_argument("--tiny", action="store_true", help="small sizes, of which the paper has no figures")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw Fig. 6 as SVG")
    parser.add_argument("--figure-states", type=int, default=300_000, help="largest system in the figure")
    parser.add_argument("--no-auto", dest="auto", action="store_false", help="no automatic measures")
    parser.add_argument("--auto-actions", type=int, default=1000, help="most actions of a model for --measure auto")
    parser.add_argument("--rounds", type=int, default=1, help="runs of which the fastest counts (default 1)")
    parser.add_argument("--max-seconds", type=float, default=1800.0, help="limit of one run (default 1800)")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    lines: list[Line] = []
    try:
        warm_up(options.command)
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(options, Path(folder))
            for study in TINY if options.tiny else STUDIES:
                if options.table and study.table not in options.table:
                    continue
                sizes = [size for size in study.rows if not options.size or size in options.size]
                found = [bench.line(study, size) for size in sizes]
                if found:
                    table(study, found)
                    lines += found
            if options.figure is not None:
                chosen = [line for line in lines if line.states <= options.figure_states]
                options.figure.write_text(figure(bench, chosen))
    except MeasuringFailed as error:
        print(f"compositional: {error}", file=sys.stderr)
        return 1
    different = [difference for line in lines for difference in differences(line)]
    print(f"\n{len(lines)} configurations, {len(different)} figures of the literal sweep differ from the paper's")
    for difference in different:
        print(f"  {difference}")
    return 1 if any(line.paper is not None and line.states != line.paper.states for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
