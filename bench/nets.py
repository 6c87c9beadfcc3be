"""Petri nets of the Model Checking Contest: exact figures, and every formula that has a verdict.

    python bench/nets.py [--most N] [--least N] [--methods NAME ...] [--examinations NAME ...] [--max-seconds S]
                         [--memory SIZE] [--record FILE [--again]] [NET ...]
    python bench/nets.py --record FILE --show
    python bench/nets.py --rates

Reads the nets, formulas, figures and verdicts in `--folder` (default: `../shared/nets` beside the checkout). Of every
net it compares states, firings and the largest counts of tokens with the reference, then every formula and
every named question with the contest's verdict, by each method that can decide it. Exit code 1 where one is wrong.

Formulas about states are decided together, and so are formulas about trees; questions and formulas about runs are
decided one by one. `--max-seconds` is the limit of each decision. With `--record` answers are kept in a file, and
formulas with an answer there are not checked again, so that a long campaign can be stopped and resumed; `--show` prints
the answers so far.

With `--rates`: how long the net with the most transitions takes to load and to compile, and how fast nets are searched
beside the same systems in DVE (`../shared/beem`), in turns.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import _environment  # noqa: F401
import strandline
from _common import print_table
from _nets_record import Record, Row, print_outcomes
from strandline.checker.contest.answers import Answered, decide_formulas, session_of
from strandline.checker.contest.formulas import Asked
from strandline.checker.contest.questions import decide_question
from strandline.checker.contest.reader import read_formulas
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
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
    "ctl-sets": (CTL, {}, {"method": "symbolic"}),
}
"""By name: which examinations it decides, and the options of the search and of temporal logic that ask for it."""
FIGURES = "figures"
"""What a record calls the comparison of a net's figures."""
NO_LIMITS: Mapping[str, Any] = MappingProxyType({})
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
        one.id: one.value
        for one in decide_question("state-space", system, options, TemporalOptions(), session_of(options))
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
    net: Reference,
    system: System,
    examination: str,
    method: str,
    limits: Mapping[str, Any] = NO_LIMITS,
    *,
    first: int = 16,
) -> Iterator[Judged]:
    """The answers to an examination by a method, of a file at most the `first` formulas; each formula about runs has
    the limits for itself."""
    options, logic = _asked_for(method, limits)
    session = session_of(options)
    if examination in QUESTIONS:
        answers = decide_question(QUESTIONS[examination], system, options, logic, session)
    else:
        asked = _formulas(net, system, examination)[:first]
        alone = [[one] for one in asked] if examination in LTL else [asked]
        searches = (
            decide_formulas(system, some, options, logic, replace(session, started=time.perf_counter()))
            for some in alone
        )
        answers = chain.from_iterable(searches)
    known = verdicts(net.file.parents[1])
    for answer in answers:
        name = examination if examination in QUESTIONS else answer.id
        if (net.name, examination, name) in known:
            yield Judged(examination, method, answer, known[net.name, examination, name])


def judged_together(
    net: Reference, system: System, examinations: Sequence[str], method: str, limits: Mapping[str, Any] = NO_LIMITS
) -> Iterator[Judged]:
    """The answers to the formulas of several files by a method, in as few searches as that takes."""
    options, logic = _asked_for(method, limits)
    asked = {one: _formulas(net, system, one) for one in examinations}
    home = {formula.id: one for one, formulas in asked.items() for formula in formulas}
    every = [formula for formulas in asked.values() for formula in formulas]
    known = verdicts(net.file.parents[1])
    for answer in decide_formulas(system, every, options, logic, session_of(options)):
        key = (net.name, home[answer.id], answer.id)
        if key in known:
            yield Judged(home[answer.id], method, answer, known[key])


def _asked_for(method: str, limits: Mapping[str, Any]) -> tuple[Options, TemporalOptions]:
    _, search, temporal = METHODS[method]
    return Options(**search, **limits), TemporalOptions(**temporal)  # type: ignore[arg-type]


def _formulas(net: Reference, system: System, examination: str) -> list[Asked]:
    file = net.file.with_name(f"{net.name}.{examination}.xml")
    return read_formulas(Source(file.name, read_text(file)), system)


def portions(method: str) -> Iterator[tuple[str, ...]]:
    """The examinations that are asked together."""
    examinations = METHODS[method][0]
    shared = tuple(one for one in examinations if one not in QUESTIONS and one not in LTL)
    yield from [shared] if shared else []
    yield from ((one,) for one in examinations if one not in shared)


def measure(net: Reference, record: Record, arguments: argparse.Namespace) -> None:
    """Everything about one net that is not in the record; what it finds is printed as it goes."""
    wanted = [
        (method, asked)
        for method in arguments.methods
        for portion in portions(method)
        if (asked := tuple(one for one in portion if one in arguments.examinations))
        and not record.has(net.name, method, asked)
    ]
    if not wanted and record.has(net.name, FIGURES, (FIGURES,)):
        return
    began = time.perf_counter()
    system = load(net.file)
    print(f"{net.name}: {net.states:,} markings, loaded in {time.perf_counter() - began:.2f} s", flush=True)
    if not record.has(net.name, FIGURES, (FIGURES,)):
        wrong = wrong_figures(net, system)
        for text in wrong:
            print(f"  WRONG {text}")
        seconds = time.perf_counter() - began
        print(f"  figures in {seconds:.2f} s", flush=True)
        record.add(Row(net.name, net.states, FIGURES, FIGURES, "", "wrong" if wrong else "right", seconds))
    limits = {"max_seconds": arguments.max_seconds, "memory": arguments.memory}
    for method, asked in wanted:
        alone = asked[0] in QUESTIONS or asked[0] in LTL
        ask = judged(net, system, asked[0], method, limits) if alone else None
        answers = list(ask if ask is not None else judged_together(net, system, asked, method, limits))
        _show(method, asked, answers)
        record.add(*(_row(net, one) for one in answers))


def _row(net: Reference, one: Judged) -> Row:
    answer = one.answer
    found = (one.outcome, answer.seconds, answer.reason or "")
    return Row(net.name, net.states, one.method, one.examination, answer.id, *found)


def _show(method: str, asked: Sequence[str], answers: Sequence[Judged]) -> None:
    outcomes = Counter(one.outcome for one in answers)
    longest = max((one.answer.seconds for one in answers), default=0.0)
    counts = ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
    print(f"  {', '.join(asked)} by {method}: {counts}; at most {longest:.2f} s", flush=True)
    for one in answers:
        if one.outcome == "wrong":
            print(f"  WRONG {one.answer.id}: {one.answer.text} instead of {one.verdict}", flush=True)
    for reason in dict.fromkeys(one.answer.reason for one in answers if one.outcome == "unknown"):
        print(f"    unknown: {reason}", flush=True)


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
    parser.add_argument("--max-seconds", type=float, default=600.0, help="limit of each decision (default 600)")
    parser.add_argument("--memory", help="what the process may take, as in 4G")
    parser.add_argument("--record", type=Path, help="a file of answers, to resume from")
    parser.add_argument("--again", action="store_true", help="retry formulas whose answer in the record is unknown")
    parser.add_argument("--show", action="store_true", help="print the answers of the record, and check nothing")
    parser.add_argument("--rates", action="store_true", help="loading, compiling and rates instead of verdicts")
    arguments = parser.parse_args()
    if arguments.rates:
        show_rates(arguments.folder)
        return 0
    record = Record(arguments.record, again=arguments.again)
    nets = [one for one in references(arguments.folder) if arguments.least <= one.states <= arguments.most]
    nets = [one for one in nets if not arguments.nets or one.name in arguments.nets]
    for net in [] if arguments.show else nets:
        measure(net, record, arguments)
    found = [one for one in record.rows if one.net in {net.name for net in nets}]
    print_outcomes(found)
    mistakes = sum(one.outcome == "wrong" for one in found)
    print(f"{mistakes} wrong")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
