"""The tables of 001: five methods and our own on products with property automata, the paper's figures beside ours.

    python bench/table1.py [--only INSTANCE] [--methods explore,ndfs,...] [--max-seconds S] [--measures FILE]
    python bench/table1.py --table2 [--max-states N] [--max-seconds S]

Entries are peak stored, visited and persistent states as fractions of the product's states; visited counts every
computation of successors, those of second searches and of all rounds included. `explore` is the plain sweep. All
sweeps of an instance go by one measure, which `strandline measures` finds; `--measures` keeps them in a file between
runs. The sizes of twelve products are those of the paper; synapse.1 recounts to 159,972 states and 723,257 edges
(paper: 159,888 and 721,531). A method that reaches the limit of time is shown as such.

Table 2 counts, over all shared instances, for which part of them a method has the least stored x visited.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from textwrap import shorten

import ltl_beem
from _common import MeasuringFailed, Run, add_command_option, print_table, run_strandline, warm_up
from _table1_paper import COLUMNS, RECOUNTED, TABLE1, TABLE2, Figures, PaperRow
from beem import DEFAULT_FOLDER

OWN = "sweep"
METHODS = (*COLUMNS, OWN)
SWEEPING = ("explore", "sweep-on", "sweep-off", OWN)


class Measures:
    """The measure of each product: found once, kept in a file where one is given."""

    def __init__(self, command: Sequence[str], file: Path | None) -> None:
        self._command, self._file = command, file
        self._known: dict[str, list[str]] = json.loads(file.read_text()) if file and file.exists() else {}

    def of(self, product: Path) -> list[str]:
        """The texts of the best measure; a constant where none is found."""
        name = product.stem
        if name not in self._known:
            run = run_strandline(self._command, ["measures", str(product)])
            if run.failure is not None:
                raise MeasuringFailed(f"measures of {name}: {run.failure}")
            found = run.report.get("measures") or []
            self._known[name] = list(found[0]["measure"]) if found else ["0"]
            if self._file is not None:
                self._file.write_text(json.dumps(self._known, indent=1) + "\n")
        return self._known[name]


def run_method(command: Sequence[str], product: Path, method: str, measure: Sequence[str], max_seconds: float) -> Run:
    """One method on one product, which has its property process inside."""
    arguments = ["explore", str(product), "--order", "sweep", "--count-distinct"]
    if method != "explore":
        arguments = ["check", str(product), "--method", method, "--no-sanity"]
    if method in SWEEPING:
        for text in measure:
            arguments.append(f"--measure={text}")
    return run_strandline(command, [*arguments, "--max-seconds", str(max_seconds)])


def figures(run: Run, states: int) -> Figures | str:
    """What a run says as fractions; a word where it did not come to an end."""
    report = run.report
    if run.failure is not None or report.get("verdict") == "UNKNOWN":
        return str(run.failure or report.get("reason"))
    search: dict[str, object] = report
    properties = report.get("properties") or []
    if properties:
        search = properties[0]["search"]
    persistent = int(str(search["persistent"])) / states if search.get("sweeps") else None
    kind = str(search.get("cycle_kind") or "")
    return Figures(int(str(search["peak_states"])) / states, int(str(search["visited"])) / states, persistent, kind)


def shown(entry: Figures | str | None) -> str:
    if entry is None:
        return "-"
    if isinstance(entry, str):
        return "stopped"
    persistent = "" if entry.persistent is None else f" {entry.persistent:.3f}"
    return f"{entry.kind}{' ' if entry.kind else ''}{entry.stored:.3f} {entry.visited:.3f}{persistent}"


def table1(options: argparse.Namespace, measures: Measures) -> None:
    heads = ("product", "holds", "", *METHODS)
    found: list[tuple[PaperRow, dict[str, Figures | str]]] = []
    lines: list[tuple[str, ...]] = []
    by = ["measures:"]
    for row in TABLE1:
        if options.only and row.instance not in options.only:
            continue
        product = options.folder / "models" / f"{row.instance}.prop{row.number}.dve"
        states = RECOUNTED.get(row.instance, (row.states, row.edges))[0]
        measure = measures.of(product)
        ours: dict[str, Figures | str] = {}
        for method in options.methods:
            print(f"{row.instance}/{row.number} by {method} ...", file=sys.stderr, flush=True)
            run = run_method(options.command, product, method, measure, options.max_seconds)
            if method == "explore" and run.report.get("complete") and run.report["states"] != states:
                raise MeasuringFailed(f"{row.instance}: {run.report['states']} states, expected {states}")
            ours[method] = figures(run, states)
        found.append((row, ours))
        paper = [shown(row.figures.get(method)) for method in METHODS]
        lines.append((f"{row.instance}/{row.number}", "yes" if row.holds else "no", "paper", *paper))
        lines.append((f"{states:,}", "", "ours", *(shown(ours.get(method)) for method in METHODS)))
        by.append(f"  {row.instance}/{row.number} by {shorten(', '.join(measure), 100, placeholder=' ...')}")
    print_table(heads, lines)
    print("", *by, sep="\n")
    print("\neach entry: stored, visited, persistent states; S: a cycle in one layer, M: over several")
    summarise(found)


def summarise(found: Sequence[tuple[PaperRow, dict[str, Figures | str]]]) -> None:
    """How the aims stand."""
    swept = [(row, ours["explore"]) for row, ours in found if isinstance(ours.get("explore"), Figures)]
    better = sum(
        isinstance(one, Figures)
        and one.stored * one.visited <= row.figures["explore"].stored * row.figures["explore"].visited
        for row, one in swept
    )
    print(f"plain sweep: stored x visited at or below the paper's on {better} of {len(swept)}")
    verified = [ours for row, ours in found if row.holds]
    ratios = []
    for ours in verified:
        own, plain = ours.get(OWN), ours.get("explore")
        if isinstance(own, Figures) and isinstance(plain, Figures):
            ratios.append((own.visited / plain.visited, own.stored / plain.stored))
    if ratios:
        print(
            f"our method on {len(ratios)} verified rows: {fmean(one for one, _ in ratios):.2f} of the plain sweep's "
            f"visits on the mean ({max(one for one, _ in ratios):.2f} at most), "
            f"{max(one for _, one in ratios):.2f} of its stored states at most"
        )
    falsified = [(row, ours[OWN]) for row, ours in found if not row.holds and isinstance(ours.get(OWN), Figures)]
    if falsified:
        sooner = sum(
            isinstance(one, Figures)
            and one.visited <= min(row.figures["sweep-on"].visited, row.figures["sweep-off"].visited)
            for row, one in falsified
        )
        print(f"our method: a cycle within the better published variant's visits on {sooner} of {len(falsified)}")


def table2(options: argparse.Namespace, measures: Measures) -> None:
    """The part of the instances on which each method has the least stored x visited: among all, and, as in the paper,
    among the published ones."""
    competing = [method for method in METHODS if method != "explore"]
    found: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    for row in ltl_beem.rows(options.folder):
        if row.states is None or not options.min_states <= row.states <= options.max_states or not row.product.exists():
            continue
        measure = measures.of(row.product)
        entries = {
            method: figures(run_method(options.command, row.product, method, measure, options.max_seconds), row.states)
            for method in competing
        }
        figures = "  ".join(f"{method} {shown(entry)}" for method, entry in entries.items())
        print(f"{row.name} {row.verdict}: {figures}", flush=True)
        scores = {name: one.stored * one.visited for name, one in entries.items() if isinstance(one, Figures)}
        found[row.verdict == "holds"].append(scores)
    rows = []
    for holds, words in ((True, "without an accepting cycle"), (False, "with one")):
        rows.append((f"{len(found[holds])} instances {words}", "among all", *wins(found[holds], competing, competing)))
        published = [method for method in competing if method != OWN]
        rows.append(("", "among the published", *wins(found[holds], published, competing)))
        rows.append(("", "paper", *(str(TABLE2[holds].get(method, "-")) for method in competing)))
    print()
    print_table(("percent with the least stored x visited", "", *competing), rows)


def wins(found: Sequence[dict[str, float]], among: Sequence[str], shown_methods: Sequence[str]) -> list[str]:
    """In how many percent of the instances each method has the least score among some; as in the paper, several may
    share the first place. The scores are exact."""
    first = dict.fromkeys(among, 0)
    for scores in found:
        least = min((scores[method] for method in among if method in scores), default=0.0)
        for method in among:
            first[method] += method in scores and scores[method] <= least
    return [f"{100 * first[one] / max(len(found), 1):.1f}" if one in first else "-" for one in shown_methods]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="the BEEM set")
    parser.add_argument("--only", action="append", help="only this instance (repeatable)")
    parser.add_argument(
        "--methods", type=lambda text: text.split(","), default=list(METHODS), help=f"of {', '.join(METHODS)}"
    )
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of one run (default 600)")
    parser.add_argument("--measures", type=Path, metavar="FILE", help="keep the measures that were found")
    parser.add_argument("--table2", action="store_true", help="Table 2 instead, over all shared instances")
    parser.add_argument("--min-states", type=int, default=1, help="of Table 2's products")
    parser.add_argument("--max-states", type=int, default=10_000_000, help="of Table 2's products")
    add_command_option(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        warm_up(options.command)
        measures = Measures(options.command, options.measures)
        if options.table2:
            table2(options, measures)
        else:
            table1(options, measures)
    except MeasuringFailed as error:
        print(f"table1: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
