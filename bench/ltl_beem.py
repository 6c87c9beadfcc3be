"""LTL verdicts of the BEEM set by every method, and the sizes of its product automata.

    python bench/ltl_beem.py [--max-states N] [--methods ndfs,scc,...] [--max-seconds S] [--family NAME]
                             [--known-sizes] [--no-sizes] [--no-formulas] [--por]

Every property whose verdict is known is checked: the property process that comes with it by each method, and, where the
definitions of its propositions can be read, the formula itself by `auto`, with our own translation; with ``--por`` that
once more with partial-order reduction, where the formula has no next operator. Products of more
than ``--max-states`` states are left out; where the size is not known, the run may end at its limit. A run that reaches
``--max-seconds`` (or its memory) is printed and counted, and is no error. Sizes are compared where the file gives them:
those of a run that holds, and of a plain exploration where the property is violated; twelve of them are Table 1 of
001. Exit code 1 on any wrong verdict or size.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import MeasuringFailed, Run, add_command_option, memory_limit_bytes, run_strandline, warm_up
from beem import DEFAULT_FOLDER, GIBIBYTE, MEASURES

METHODS = ("ndfs", "scc", "map", "sweep-off", "sweep-on", "sweep")
MEASURED = ("sweep-off", "sweep-on", "sweep")
FURTHER_MEASURES = {"extinction": "leaders_num"}
ONE_LAYER = "0"
FORMULA, REDUCED = "formula", "por"
RIGHT, WRONG, STOPPED = "right", "WRONG", "stopped"


@dataclass(frozen=True, slots=True)
class Row:
    """One property of one instance, and what is known of it."""

    instance: str
    number: str
    formula: str | None
    """With the model's own expressions as atoms; None where their definitions cannot be read."""
    verdict: str
    states: int | None
    edges: int | None
    in_table1: bool
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.instance}/{self.number}"

    @property
    def family(self) -> str:
        return self.instance.split(".")[0]

    @property
    def product(self) -> Path:
        """The model with the property process."""
        return self.folder / "models" / f"{self.instance}.prop{self.number}.dve"

    @property
    def model(self) -> Path:
        return self.folder / "models" / f"{self.instance}.dve"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one run."""

    row: Row
    method: str
    kind: str
    run: Run
    remark: str = ""
    sized: bool = False
    """Whether states and edges were compared."""

    def line(self) -> str:
        report = self.run.report
        columns = [
            f"{self.row.name:24}",
            f"{self.method:9}",
            f"{str(report.get('verdict', '')).lower():9}",
            f"{report.get('states') if report.get('states') is not None else 'unknown':>11}",
            f"{report.get('transitions') if report.get('transitions') is not None else 'unknown':>11}",
            f"{report.get('visited') or 0:>11}",
            f"{report.get('seconds') or 0.0:8.2f} s",
            f"{self.run.seconds:8.2f} s",
            self.kind + (f": {self.remark}" if self.remark else ""),
        ]
        return " ".join(columns)


# The set


def rows(folder: Path) -> Iterator[Row]:
    """All properties with a verdict."""
    atoms = definitions(folder)
    with (folder / "reference_ltl.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if not row["verdict"]:
                continue
            known = atoms.get((row["instance"].split(".")[0], row["property"]))
            yield Row(
                row["instance"],
                row["property"],
                None if known is None else with_definitions(row["formula"], known),
                row["verdict"],
                int(row["product_states"]) if row["product_states"] else None,
                int(row["product_edges"]) if row["product_edges"] else None,
                bool(row["paper_table1_states"]),
                folder,
            )


def definitions(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The propositions of each property; those that are macros of a preprocessor are left out with their property."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    with (folder / "properties.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            text = row["atomic_propositions"]
            if row["type"] != "LTL" or "myloop" in text or "`" in text:
                continue
            parts = (part.partition(":=") for part in text.split(" ; "))
            found[row["model"], row["prop_id"]] = {
                name.strip(): expression.strip() for name, sign, expression in parts if sign
            }
    return found


def with_definitions(formula: str, atoms: dict[str, str]) -> str | None:
    """The formula over the model's own expressions; None where a proposition has no definition."""
    missing = []

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        if word in atoms:
            return "{" + in_our_dve(atoms[word]) + "}"
        if re.fullmatch(r"[GFXUWRM]+|true|false", word) is None:
            missing.append(word)
        return " ".join(word) if re.fullmatch(r"[GFX]+", word) else word

    text = re.sub(r"[A-Za-z_]\w*", replaced, formula)
    return None if missing else text


def in_our_dve(expression: str) -> str:
    """Outside a model `a or b and c` needs parentheses; `||` and `&&` differ in precedence."""
    return re.sub(r"\bor\b", "||", re.sub(r"\band\b", "&&", expression))


# Running


def limits(options: argparse.Namespace) -> dict[str, float | int | None]:
    # The program stops by itself at its limit and reports it; the guard is for one that does not.
    return {
        "max_seconds": options.max_seconds + 60.0,
        "max_bytes": memory_limit_bytes(options.keep_free_gib * GIBIBYTE),
    }


def decide(row: Row, method: str, options: argparse.Namespace) -> Outcome:
    """Check one property by one method, or its formula."""
    by_formula = method in (FORMULA, REDUCED)
    arguments = ["check", str(row.model if by_formula else row.product), "--no-sanity", "--quiet"]
    arguments += ["--max-seconds", f"{options.max_seconds:g}"]
    if by_formula:
        arguments += ["--ltl", row.formula or "", *(["--por"] if method == REDUCED else [])]
    else:
        arguments += ["--method", method]
    if method in MEASURED:
        arguments += ["--measure", options.measure or (MEASURES | FURTHER_MEASURES).get(row.family, ONE_LAYER)]
    bounds = limits(options)
    run = run_strandline(
        options.command, arguments, max_seconds=bounds["max_seconds"], max_bytes=_whole(bounds["max_bytes"])
    )
    return judged(row, method, run)


def _whole(number: float | int | None) -> int | None:
    return None if number is None else int(number)


def judged(row: Row, method: str, run: Run) -> Outcome:
    """Whether the verdict is right, and the size where the run knows it."""
    report = run.report
    if run.failure is not None:
        stopped = run.failure.startswith("more than")
        return Outcome(row, method, STOPPED if stopped else WRONG, run, run.failure)
    if report.get("error"):
        return Outcome(row, method, WRONG, run, report["error"]["message"].splitlines()[0])
    if report["verdict"] == "UNKNOWN":
        return Outcome(row, method, STOPPED, run, report["reason"])
    if report["verdict"].lower() != row.verdict:
        return Outcome(row, method, WRONG, run, f"expected {row.verdict}")
    counted = method not in (FORMULA, REDUCED) and report["states"] is not None
    sized = report["complete"] and row.states is not None and counted
    if sized and (report["states"], report["transitions"]) != (row.states, row.edges):
        return Outcome(row, method, WRONG, run, f"expected {row.states} states, {row.edges} edges", True)
    return Outcome(row, method, RIGHT, run, sized=sized)


def explore(row: Row, options: argparse.Namespace) -> Outcome:
    """The size of the whole product."""
    bounds = limits(options)
    run = run_strandline(
        options.command,
        ["explore", str(row.product), "--quiet", "--max-seconds", f"{options.max_seconds:g}"],
        max_seconds=bounds["max_seconds"],
        max_bytes=_whole(bounds["max_bytes"]),
    )
    report = run.report
    if report.get("error"):
        return Outcome(row, "explore", WRONG, run, report["error"]["message"].splitlines()[0])
    if run.failure is not None or not report.get("complete"):
        return Outcome(row, "explore", STOPPED, run, run.failure or str(report.get("reason")))
    if (report["states"], report["transitions"]) != (row.states, row.edges):
        return Outcome(row, "explore", WRONG, run, f"expected {row.states} states, {row.edges} edges", True)
    return Outcome(row, "explore", RIGHT, run, sized=True)


def outcomes(chosen: Sequence[Row], options: argparse.Namespace) -> Iterator[Outcome]:
    """All runs of all rows."""
    for row in chosen:
        sized = False
        if row.product.exists():
            for method in options.methods:
                outcome = decide(row, method, options)
                sized = sized or outcome.sized
                yield outcome
        if row.formula is not None and options.formulas:
            yield decide(row, FORMULA, options)
            if options.por and not re.search(r"\bX\b", row.formula):
                yield decide(row, REDUCED, options)
        if options.sizes and row.states is not None and row.product.exists() and not sized:
            yield explore(row, options)


def choose(options: argparse.Namespace) -> list[Row]:
    """The rows to check, small products first, those of unknown size last."""
    found = [
        row
        for row in rows(options.beem)
        if (row.states is None or row.states <= options.max_states)
        and not (options.known_sizes and row.states is None)
        and (row.product.exists() or (row.model.exists() and row.formula is not None))
        and (not options.family or row.family in options.family)
        and (not options.only or row.name in options.only)
    ]
    return sorted(found, key=lambda row: (row.states is None, row.states or 0, row.name))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--max-states", type=int, default=10_000_000, help="largest product (default 10000000)")
    parser.add_argument(
        "--methods",
        type=lambda text: [one for one in text.split(",") if one],
        default=list(METHODS),
        help=f"default: {','.join(METHODS)}",
    )
    parser.add_argument("--family", action="append", help="only this family of models (repeatable)")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this property, as 'plc.1/1' (repeatable)")
    parser.add_argument("--measure", metavar="EXPR", help="sweep by this measure instead of the table's")
    parser.add_argument("--known-sizes", action="store_true", help="only products whose size is known")
    parser.add_argument("--no-sizes", dest="sizes", action="store_false", help="do not explore violated products")
    parser.add_argument("--no-formulas", dest="formulas", action="store_false", help="do not check the formulas")
    parser.add_argument("--por", action="store_true", help="check formulas with partial-order reduction, too")
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of one run (default 600)")
    parser.add_argument("--keep-free-gib", type=int, default=4, help="memory to leave to others (default 4)")
    parser.add_argument("--beem", type=Path, default=DEFAULT_FOLDER, help="folder of the set")
    add_command_option(parser)
    return parser.parse_args(arguments)


def summary(found: Sequence[Outcome]) -> list[str]:
    """What the runs come to, method by method."""
    lines = []
    for method in dict.fromkeys(outcome.method for outcome in found):
        kinds = Counter(outcome.kind for outcome in found if outcome.method == method)
        lines.append(f"{method:10} " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    sized = {outcome.row.name for outcome in found if outcome.sized and outcome.kind == RIGHT}
    known = {outcome.row.name for outcome in found if outcome.row.states is not None}
    table1 = {outcome.row.name for outcome in found if outcome.row.in_table1}
    of_table1 = f"{len(sized & table1)}/{len(table1)} of Table 1"
    return [*lines, f"sizes of {len(sized)} of {len(known)} products exact; {of_table1}"]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if not (options.beem / "reference_ltl.csv").exists():
        print(f"ltl_beem: no benchmark set in {options.beem}; say where it is with --beem", file=sys.stderr)
        return 1
    try:
        warm_up(options.command)
    except MeasuringFailed as error:
        print(f"ltl_beem: {error}", file=sys.stderr)
        return 1
    found = []
    for outcome in outcomes(choose(options), options):
        found.append(outcome)
        print(outcome.line(), flush=True)
    print(f"\n{len({one.row.name for one in found})} properties, a run may take {options.max_seconds:g} s")
    print("\n".join(summary(found)))
    wrong = [one for one in found if one.kind == WRONG]
    for one in [*wrong, *(one for one in found if one.kind == STOPPED)]:
        print(f"  {one.row.name} by {one.method}: {one.kind}: {one.remark}")
    if not found:
        print("nothing was checked: no property fits the options")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
