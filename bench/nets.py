"""Petri nets of the Model Checking Contest: exact figures, and every formula that has a verdict.

    python bench/nets.py [--most N] [--least N] [--methods NAME ...] [--examinations NAME ...] [--max-seconds S]
                         [NET ...]
    python bench/nets.py --rates

Reads the nets, formulas, figures and verdicts in `--folder` (default: `../shared/nets` beside the checkout). Of every
net it compares states, firings and the largest counts of tokens with the reference, then every formula and
every named question with the contest's verdict, by each method that can decide it. Exit code 1 where one is wrong.

With `--rates`: how long the net with the most transitions takes to load and to compile, and how fast nets are searched
beside the same systems in DVE (`../shared/beem`), in turns.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import strandline
from _common import print_table
from strandline.check.contest.deciding import Answered, decide_formulas, session_of
from strandline.check.contest.questions import decide_question
from strandline.check.contest.reading import read_formulas
from strandline.check.ltl.options import LtlOptions
from strandline.check.options import Options
from strandline.languages import load, read_text
from strandline.model.system import System
from strandline.source import Source

DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "nets"

QUESTIONS = {
    "ReachabilityDeadlock": "deadlock",
    "OneSafe": "one-safe",
    "QuasiLiveness": "quasi-liveness",
    "StableMarking": "stable-marking",
    "Liveness": "liveness",
}
LTL, CTL = ("LTLCardinality", "LTLFireability"), ("CTLCardinality", "CTLFireability")
OF_STATES = ("ReachabilityCardinality", "ReachabilityFireability", "UpperBounds")
FILES = (*OF_STATES, *LTL, *CTL)
METHODS = {
    "bfs": ((*OF_STATES, *QUESTIONS), {}, {}),
    "swept": (OF_STATES, {"order": "sweep"}, {}),
    "auto": (LTL, {}, {}),
    "ndfs": (LTL, {}, {"method": "ndfs"}),
    "ltl-sweep": (LTL, {"order": "sweep"}, {"method": "sweep"}),
    "ctl": (CTL, {}, {"method": "explicit"}),
    "ctl-swept": (CTL, {"order": "sweep"}, {"method": "swept"}),
}
"""By name: which examinations it decides, and the options of the search and of temporal logic that ask for it."""
_STEPS = (0.1, 1, 10, 60)
SAME_SYSTEMS = {"Anderson-PT-04": "anderson.4", "Anderson-PT-06": "anderson.6"}
"""Nets and models in DVE with as many states and steps."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known of a net."""

    name: str
    file: Path
    states: int
    firings: int
    most_in_place: int
    most_in_marking: int
    dead: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer beside the verdict."""

    examination: str
    method: str
    answer: Answered
    verdict: str

    @property
    def outcome(self) -> str:
        if self.answer.value is None:
            return "unknown"
        return "right" if self.answer.text == self.verdict else "wrong"


def references(folder: Path = DEFAULT_FOLDER) -> list[Reference]:
    """The nets of the set, the smallest first."""
    with (folder / "reference.csv").open() as lines:
        found = [
            Reference(
                row["instance"],
                folder / "models" / f"{row['instance']}.pnml",
                int(row["states"]),
                int(row["firings"]),
                int(row["max_tokens_in_place"]),
                int(row["max_tokens_per_marking"]),
                int(row["dead_markings"]) if row["dead_markings"] else None,
            )
            for row in csv.DictReader(lines)
        ]
    return sorted(found, key=lambda one: one.states)


@cache
def verdicts(folder: Path = DEFAULT_FOLDER) -> dict[tuple[str, str, str], str]:
    """By net, examination and id."""
    with (folder / "verdicts.csv").open() as lines:
        return {
            (row["instance"], row["examination"], row["formula_id"]): row["verdict"] for row in csv.DictReader(lines)
        }


def wrong_figures(net: Reference, system: System) -> list[str]:
    """Figures that differ from the reference."""
    options = Options()
    found = {
        one.id: one.value for one in decide_question("state-space", system, options, LtlOptions(), session_of(options))
    }
    wanted = {
        "states": net.states,
        "transitions": net.firings,
        "max-tokens-per-marking": net.most_in_marking,
        "max-tokens-in-place": net.most_in_place,
    }
    if net.dead is not None:
        wanted["dead-markings"] = net.dead
    return [f"{name}: {found[name]} instead of {value}" for name, value in wanted.items() if found[name] != value]


def judged(
    net: Reference, system: System, examination: str, method: str, max_seconds: float | None = None, *, first: int = 16
) -> Iterator[Judged]:
    """The answers to an examination by a method, of a file at most the `first` formulas."""
    _, search, temporal = METHODS[method]
    options, logic = Options(**search, max_seconds=max_seconds), LtlOptions(**temporal)  # type: ignore[arg-type]
    session = session_of(options)
    if examination in QUESTIONS:
        answers = decide_question(QUESTIONS[examination], system, options, logic, session)
    else:
        file = net.file.with_name(f"{net.name}.{examination}.xml")
        asked = read_formulas(Source(file.name, read_text(file)), system)[:first]
        answers = decide_formulas(system, asked, options, logic, session)
    known = verdicts(net.file.parents[1])
    for answer in answers:
        name = examination if examination in QUESTIONS else answer.id
        if (net.name, examination, name) in known:
            yield Judged(examination, method, answer, known[net.name, examination, name])


def judged_together(net: Reference, system: System, examinations: Sequence[str], method: str) -> Iterator[Judged]:
    """The answers to the formulas of several files by a method, in as few searches as that takes."""
    _, search, temporal = METHODS[method]
    options, logic = Options(**search), LtlOptions(**temporal)  # type: ignore[arg-type]
    files = {one: net.file.with_name(f"{net.name}.{one}.xml") for one in examinations}
    asked = {one: read_formulas(Source(file.name, read_text(file)), system) for one, file in files.items()}
    home = {formula.id: one for one, formulas in asked.items() for formula in formulas}
    every = [formula for formulas in asked.values() for formula in formulas]
    known = verdicts(net.file.parents[1])
    for answer in decide_formulas(system, every, options, logic, session_of(options)):
        key = (net.name, home[answer.id], answer.id)
        if key in known:
            yield Judged(home[answer.id], method, answer, known[key])


def measure(net: Reference, arguments: argparse.Namespace) -> tuple[list[Judged], int]:
    """Everything about one net; what it finds is printed as it goes."""
    began = time.perf_counter()
    system = load(net.file)
    print(f"{net.name}: {net.states:,} markings, loaded in {time.perf_counter() - began:.2f} s", flush=True)
    wrong = wrong_figures(net, system)
    for text in wrong:
        print(f"  WRONG {text}")
    print(f"  figures in {time.perf_counter() - began:.2f} s", flush=True)
    found: list[Judged] = []
    for method in arguments.methods:
        for examination in METHODS[method][0]:
            if examination in arguments.examinations:
                found += _shown(list(judged(net, system, examination, method, arguments.max_seconds)))
    return found, len(wrong)


def _shown(answers: list[Judged]) -> list[Judged]:
    if answers:
        outcomes = Counter(one.outcome for one in answers)
        longest = max(one.answer.seconds for one in answers)
        counts = ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
        print(f"  {answers[0].examination} by {answers[0].method}: {counts}; at most {longest:.2f} s", flush=True)
    for one in answers:
        if one.outcome == "wrong":
            print(f"  WRONG {one.answer.id}: {one.answer.text} instead of {one.verdict}", flush=True)
    return answers


def _table(answers: Sequence[Judged]) -> None:
    rows = []
    for method in METHODS:
        for examination in METHODS[method][0]:
            here = [one for one in answers if (one.method, one.examination) == (method, examination)]
            outcomes = Counter(one.outcome for one in here)
            times = [sum(one.answer.seconds < step for one in here) for step in _STEPS]
            if here:
                row = [method, examination, *(str(outcomes[name]) for name in ("right", "wrong", "unknown"))]
                rows.append([*row, *map(str, times)])
    print_table(["method", "examination", "right", "wrong", "unknown", *(f"< {step} s" for step in _STEPS)], rows)


def show_rates(folder: Path, repeat: int = 3) -> None:
    largest = max(references(folder), key=lambda one: one.file.stat().st_size)
    strandline.explore(largest.file, max_states=1)  # the engine's own machine code is made once per machine
    began = time.perf_counter()
    system = load(largest.file)
    loaded = time.perf_counter() - began
    compiled = strandline.explore(system, max_states=1).statistics.compile_seconds
    size = f"{len(system.variables)} places, {len(system.actions)} transitions"
    print(f"{largest.name}, {size}: loaded in {loaded:.2f} s, compiled in {compiled:.2f} s")
    rows = []
    for net, model in SAME_SYSTEMS.items():
        files = (folder / "models" / f"{net}.pnml", folder.parent / "beem" / "models" / f"{model}.dve")
        best = [0.0, 0.0]
        for _ in range(repeat):
            for number, file in enumerate(files):
                statistics = strandline.explore(file).statistics
                best[number] = max(best[number], statistics.visited / statistics.seconds)
        rates = (f"{rate / 1e6:.2f}" for rate in best)
        rows.append([net, f"{statistics.visited:,}", *rates, f"{best[0] / best[1]:.2f}"])
    print_table(["net", "states", "M states/s", "M states/s in DVE", "ratio"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("nets", nargs="*", metavar="NET", help="names of nets (default: all)")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--least", type=int, default=0, help="markings")
    parser.add_argument("--most", type=int, default=10_000_000, help="markings")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--examinations", nargs="+", choices=[*QUESTIONS, *FILES], default=[*QUESTIONS, *FILES])
    parser.add_argument("--max-seconds", type=float, default=600.0, help="for an examination")
    parser.add_argument("--rates", action="store_true", help="loading, compiling and rates instead of verdicts")
    arguments = parser.parse_args()
    if arguments.rates:
        show_rates(arguments.folder)
        return 0
    answers: list[Judged] = []
    figures = 0
    for net in references(arguments.folder):
        if arguments.least <= net.states <= arguments.most and (not arguments.nets or net.name in arguments.nets):
            found, wrong = measure(net, arguments)
            answers += found
            figures += wrong
    _table(answers)
    mistakes = figures + sum(one.outcome == "wrong" for one in answers)
    print(f"{mistakes} wrong")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
