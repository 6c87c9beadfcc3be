"""Sizes and times of LTL translations, side by side: tableau, default, `spin -f`, Spot.

    python bench/automata.py [--quick] [--verify] [--full] [--csv FILE]

Every formula is translated as it is and negated (a model checker uses the negation). All automata are
state-based Büchi automata; what SPIN and Spot print is read back and counted in the same way: states, and
edges with one guard per pair of states. SPIN knows no X in its usual build; formulas it cannot read, or
needs more than ten seconds for, are left out of its comparison, and so are formulas beyond the tableau's
bound. Spot is looked for as Python module `spot`.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import _environment  # noqa: F401
from _common import ROOT, print_table
from strandline.errors import InputError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.emptiness import intersects
from strandline.properties.formats.hoa_reader import read_hoa
from strandline.properties.formats.never_claim import read_never_claim
from strandline.properties.ltl.formula import Formula, Operator, atom, make
from strandline.properties.ltl.parser import parse_ltl
from strandline.properties.ltl.printer import SPIN, format_formula
from strandline.properties.translation.translate import Method, translate
from strandline.source import Source

BEEM = ROOT.parent / "shared" / "beem" / "properties.csv"
SEED = 20_240_817
TOOLS = ("tableau", "default", "spin", "spot")


@dataclass(frozen=True, slots=True)
class Result:
    """One translation: its sizes and its time, or why there is none."""

    states: int
    edges: int
    seconds: float
    automaton: Automaton = field(repr=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One formula and what each tool made of it."""

    group: str
    formula: Formula
    results: dict[str, Result]


def listed_formulas(name: str) -> Iterator[Formula]:
    """The formulas of a list beside this file."""
    for line in (Path(__file__).parent / "formulas" / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield parse_ltl(line).formula


def beem_formulas() -> Iterator[Formula]:
    """The distinct LTL properties of the benchmark set, where it is present."""
    if not BEEM.exists():
        print(f"no {BEEM}: BEEM's formulas are left out", file=sys.stderr)
        return
    with BEEM.open(encoding="utf-8", newline="") as file:
        texts = [row["formula"] for row in csv.DictReader(file) if row["type"] == "LTL"]
    yield from dict.fromkeys(parse_ltl(text).formula for text in texts)


def random_formulas(count: int, *, with_next: bool) -> list[Formula]:
    """Distinct random formulas over three propositions, always the same ones."""
    generator = random.Random(SEED + with_next)
    found: dict[Formula, None] = {}
    while len(found) < count:
        formula = random_formula(generator, generator.randint(6, 18), with_next=with_next)
        if not formula.is_boolean:
            found[formula] = None
    return list(found)


def random_formula(generator: random.Random, size: int, *, with_next: bool) -> Formula:
    """A random formula with about `size` nodes."""
    if size <= 1:
        return atom(generator.choice("pqr"))
    unary = [Operator.NOT, Operator.EVENTUALLY, Operator.ALWAYS] + [Operator.NEXT] * with_next
    binary = [Operator.AND, Operator.OR, Operator.UNTIL, Operator.RELEASE, Operator.IMPLIES]
    operator = generator.choice(unary if size == 2 else unary + binary)
    if operator in unary:
        return make(operator, random_formula(generator, size - 1, with_next=with_next))
    left = generator.randint(1, size - 2)
    return make(
        operator,
        random_formula(generator, left, with_next=with_next),
        random_formula(generator, size - 1 - left, with_next=with_next),
    )


def corpus(quick: bool) -> list[tuple[str, Formula]]:
    """All formulas with their groups, each followed by its negation."""
    count = 10 if quick else 60
    groups = {
        "dwyer": listed_formulas("dwyer.txt"),
        "textbook": listed_formulas("textbook.txt"),
        "beem": beem_formulas(),
        "random": iter(random_formulas(count, with_next=False)),
        "random X": iter(random_formulas(count, with_next=True)),
    }
    return [
        (group, signed)
        for group, formulas in groups.items()
        for formula in formulas
        for signed in (formula, make(Operator.NOT, formula))
    ]


@dataclass(frozen=True, slots=True)
class Tool:
    """A translation: `run` is timed, `read` makes an automaton of what it gives and is not."""

    run: Callable[[Formula], Any]
    read: Callable[[Any], Automaton] = lambda automaton: automaton

    def measure(self, formula: Formula) -> Result | None:
        """Translate once; None if the tool cannot do it."""
        started = time.perf_counter()
        try:
            answer = self.run(formula)
        except InputError:
            return None
        seconds = time.perf_counter() - started
        if answer is None:
            return None
        automaton = self.read(answer)
        return Result(automaton.state_count, automaton.edge_count, seconds, automaton)


def by_spin(formula: Formula) -> str | None:
    """What `spin -f` prints, if it can read the formula."""
    command = ["spin", "-f", format_formula(formula, SPIN)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return None
    return answer.stdout if answer.returncode == 0 and "never" in answer.stdout else None


def spot_tool() -> Tool:
    """Spot through its Python module: small state-based automata at its highest setting."""
    spot: Any = import_module("spot")
    return Tool(
        lambda formula: spot.translate(str(formula), "Buchi", "SBAcc", "small", "high"),
        lambda automaton: read_hoa(Source("spot", automaton.to_str("hoa"))).automaton,
    )


def tools() -> dict[str, Tool]:
    """The tools that are here."""
    found = {
        "tableau": Tool(lambda formula: translate(formula, method=Method.TABLEAU)),
        "default": Tool(translate),
    }
    if shutil.which("spin") is not None:
        found["spin"] = Tool(by_spin, lambda text: read_never_claim(Source("spin", text)).automaton)
    if find_spec("spot") is not None:
        found["spot"] = spot_tool()
    for name in TOOLS:
        if name not in found:
            print(f"{name} is not installed: its columns stay empty", file=sys.stderr)
    return found


def measure(quick: bool) -> list[Row]:
    """Translate everything with every tool."""
    found = tools()
    rows = []
    for group, formula in corpus(quick):
        results = {name: tool.measure(formula) for name, tool in found.items()}
        rows.append(Row(group, formula, {name: result for name, result in results.items() if result}))
    return rows


def verify(rows: list[Row]) -> int:
    """Count pairs of tools that disagree about a formula: one accepts a word, the other its negation too."""
    wrong = 0
    for row, negated in zip(rows[::2], rows[1::2], strict=True):
        for name, result in row.results.items():
            for other, opposite in negated.results.items():
                if intersects(result.automaton, opposite.automaton):
                    wrong += 1
                    print(f"WRONG: {name} and {other} disagree about {row.formula}")
    return wrong


def cell(result: Result | None) -> list[str]:
    if result is None:
        return ["-", "-", "-"]
    return [str(result.states), str(result.edges), f"{result.seconds * 1000:.1f}"]


def print_rows(rows: list[Row]) -> None:
    heads = ["formula", *(f"{tool} {what}" for tool in TOOLS for what in ("states", "edges", "ms"))]
    lines = []
    for row in rows:
        text = str(row.formula)
        text = text if len(text) <= 60 else text[:57] + "..."
        lines.append([text, *(entry for tool in TOOLS for entry in cell(row.results.get(tool)))])
    print_table(heads, lines)


def print_means(rows: list[Row]) -> None:
    """Means over the formulas that both the default and the other tool translated, per group."""
    groups = [*dict.fromkeys(row.group for row in rows), "all"]
    lines = []
    for other in (tool for tool in TOOLS if tool != "default"):
        for group in groups:
            pairs = [
                (row.results["default"], row.results[other])
                for row in rows
                if other in row.results and (group in (row.group, "all"))
            ]
            if pairs:
                lines.append([f"default : {other}", group, str(len(pairs)), *_comparison(pairs)])
    heads = [
        "pair",
        "group",
        "formulas",
        "states",
        "ratio",
        "edges",
        "ratio",
        "median ms",
        "mean ms",
        "smaller",
        "larger",
    ]
    print_table(heads, lines)


def _comparison(pairs: list[tuple[Result, Result]]) -> list[str]:
    sides = list(zip(*pairs, strict=True))
    states = [statistics.fmean(result.states for result in side) for side in sides]
    edges = [statistics.fmean(result.edges for result in side) for side in sides]
    medians = [statistics.median(result.seconds for result in side) * 1000 for side in sides]
    means = [statistics.fmean(result.seconds for result in side) * 1000 for side in sides]
    return [
        f"{states[0]:.2f} : {states[1]:.2f}",
        f"{states[0] / states[1]:.2f}",
        f"{edges[0]:.2f} : {edges[1]:.2f}",
        f"{edges[0] / edges[1]:.2f}",
        f"{medians[0]:.1f} : {medians[1]:.1f}",
        f"{means[0]:.1f} : {means[1]:.1f}",
        str(sum(ours.states < theirs.states for ours, theirs in pairs)),
        str(sum(ours.states > theirs.states for ours, theirs in pairs)),
    ]


def write_csv(rows: list[Row], path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["group", "formula", *(f"{t}_{w}" for t in TOOLS for w in ("states", "edges", "ms"))])
        for row in rows:
            cells = [entry for tool in TOOLS for entry in cell(row.results.get(tool))]
            writer.writerow([row.group, str(row.formula), *cells])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer random formulas")
    parser.add_argument("--verify", action="store_true", help="check that all tools agree on every formula")
    parser.add_argument("--full", action="store_true", help="print a line for every formula")
    parser.add_argument("--csv", metavar="FILE", help="write a line for every formula to FILE")
    arguments = parser.parse_args()
    rows = measure(arguments.quick)
    if arguments.full:
        print_rows(rows)
        print()
    if arguments.csv:
        write_csv(rows, arguments.csv)
    print(f"{len(rows)} formulas (each with its negation); times of spin include starting it")
    print_means(rows)
    if not arguments.verify:
        return 0
    wrong = verify(rows)
    print(f"verified by products with the negations: {wrong} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
