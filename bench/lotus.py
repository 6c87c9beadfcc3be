"""Tables 4.1 and 4.2 of 004, and what else decision diagrams are asked: `python bench/lotus.py [--only NAME ...]`.

    pdp        Table 4.1: dining philosophers, 100 to 380, whether a deadlock never happens
    shown      the same rows with what shows each answer: the counterexample, the witness
    token      Table 4.2: with a token, 25 to 135, whether the last one eats
    large      both with 1000 people
    libraries  both libraries of decision diagrams side by side
    beem       states counted in sets, on the shared BEEM instances of up to a million states
    sound      random models and formulas by all methods, with and without fairness

*Original* is the backward fixpoint on the model without what is reachable, as in the thesis; *dynamic* is abstraction
with a threshold of 15 refinements. Seconds are those of the processor, from the text to the answer, without what would
show it (`--no-trace`) in all parts but `shown`. `--json FILE` keeps the figures, `--plot FOLDER` draws Figures 4.3 and
4.4.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import _environment  # noqa: F401
import strandline
from _lotus_paper import PDP, TOKEN, Printed
from _plot import Panel, Series, svg
from models.lotus import dining, with_token
from models.random_lotus import random_lotus
from strandline.checker.decisions.trees import decide_trees
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.ctl_formula import bind_ctl
from strandline.checker.tasks.task import Session
from strandline.languages.lotus import load
from strandline.source import Source
from strandline.symbolic.abstraction.splitting import SPLITTINGS
from strandline.symbolic.diagrams import CUDD, OXIDD

ORIGINAL, DYNAMIC, REACHABLE = "original", "dynamic", "reachable"
_MOST_STATES = 1_000_000
_MOST_PEOPLE, _MOST_WITH_TOKEN = 400, 150
"""Of a plot."""
_FORMULAS = 4
"""Of a random model."""
_BEEM_MEMORY = "3G"
BEEM = Path(__file__).parents[2] / "shared" / "beem"


@dataclass(frozen=True, slots=True)
class Row:
    """One answer."""

    family: str
    people: int
    formula: str
    method: str
    library: str
    answer: str
    seconds: float
    """Of the processor, of which one is busy: others use the machine too."""
    nodes: int
    decided_by: str = ""
    refinements: int = 0
    steps: int | None = None
    """Of the run that shows the answer; None where none was looked for, or found."""


def decided(
    family: str, people: int, formula: str, method: str, library: str, limit: float, *, want_traces: bool = False
) -> Row:
    """Decide one formula, from the text on; with what shows the answer, if that is wanted."""
    began, before = time.perf_counter(), time.process_time()
    text = (dining if family == "pdp" else with_token)(people)
    system = load(Source(f"{family}{people}", text))
    options = Options(diagrams=library, max_seconds=limit)
    temporal = TemporalOptions(
        method="abstraction" if method == DYNAMIC else "symbolic", reachable_first=method != ORIGINAL, sanity=False
    )
    session = Session(NullCallback(), began, SweepMeasures(options, NullCallback()))
    claim = next(one for one in system.claims if one.text.startswith(formula))
    bound = bind_ctl(claim.text, system)
    (found,) = decide_trees(system, [bound], options, temporal, session, want_traces=want_traces)
    (verdict,) = found.verdicts.values()
    search = verdict.ctl
    assert search is not None
    assert not want_traces or verdict.trace is not None, verdict.reason
    answer = verdict.reason or (search.initial.word if search.initial is not None else verdict.answer.value)
    how = search.abstraction
    return Row(
        family,
        people,
        formula,
        method,
        library,
        answer,
        time.process_time() - before,
        search.statistics.nodes,
        "" if how is None else how.decided_by,
        0 if how is None else how.refinements,
        None if verdict.trace is None else len(verdict.trace),
    )


def report(row: Row, seed: tuple[float | None, int | None] | None = None) -> Row:
    """A line of a table; the thesis's seconds and nodes behind it."""
    line = f"{row.family:6} {row.people:5} {row.formula:3} {row.method:9} {row.library:6} {row.answer:5}"
    line += f" {row.seconds:8.2f} s {row.nodes:12,} nodes"
    if seed is not None:
        line += "   thesis " + ("no answer" if seed[0] is None else f"{seed[0]:8.2f} s {seed[1]:12,} nodes")
    if row.steps is not None:
        line += f"   shown by {row.steps:,} steps"
    if row.decided_by:
        line += f"   {row.decided_by}, {row.refinements} refinements"
    print(line, flush=True)
    return row


def pdp(limit: float) -> Iterator[Row]:
    rows = []
    for people, seed in PDP.items():
        for formula in ("AG", "EG"):
            rows.append(report(decided("pdp", people, formula, ORIGINAL, OXIDD, limit), seed[:2]))
            rows.append(report(decided("pdp", people, formula, DYNAMIC, OXIDD, limit), seed[2:]))
    table(rows, PDP, [(formula, method) for formula in ("AG", "EG") for method in (ORIGINAL, DYNAMIC)])
    yield from rows


def shown(limit: float) -> Iterator[Row]:
    for people in PDP:
        for formula in ("AG", "EG"):
            for method in (ORIGINAL, DYNAMIC, REACHABLE):
                yield report(decided("pdp", people, formula, method, OXIDD, limit, want_traces=True))


def token(limit: float) -> Iterator[Row]:
    rows = []
    for people, seed in TOKEN.items():
        rows.append(report(decided("token", people, "AF", ORIGINAL, OXIDD, limit), seed[:2]))
        rows.append(report(decided("token", people, "AF", DYNAMIC, OXIDD, limit), seed[2:]))
        rows.append(report(decided("token", people, "AF", REACHABLE, OXIDD, limit)))
    table(rows, TOKEN, [("AF", method) for method in (ORIGINAL, DYNAMIC, REACHABLE)])
    yield from rows


def table(rows: Sequence[Row], printed: dict[int, Printed], columns: Sequence[tuple[str, str]]) -> None:
    """Ours beside the thesis's: seconds and nodes by formula and method."""
    heads = ["people", *(f"{formula} {method}" for formula, method in columns), "thesis, original", "thesis, dynamic"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    known = {(row.people, row.formula, row.method): row for row in rows}
    for people, seed in printed.items():
        mine = [known[people, *column] for column in columns]
        cells = [_cell(row.seconds, row.nodes) if " " not in row.answer else row.answer for row in mine]
        print(f"| {people} | {' | '.join([*cells, _cell(*seed[:2]), _cell(*seed[2:])])} |")


def _cell(seconds: float | None, nodes: int | None) -> str:
    return "no answer" if seconds is None or nodes is None else f"{seconds:.1f} s, {nodes / 1e6:.2f} M"


def large(limit: float) -> Iterator[Row]:
    for family, formula in (("pdp", "AG"), ("pdp", "EG"), ("token", "AF")):
        for method in (ORIGINAL, DYNAMIC, REACHABLE):
            yield report(decided(family, 1000, formula, method, OXIDD, limit))


def libraries(limit: float) -> Iterator[Row]:
    questions = [("pdp", "AG", people) for people in (100, 200, 380)] + [("pdp", "EG", people) for people in (100, 200)]
    questions += [("token", "AF", people) for people in (25, 65, 135)]
    for family, formula, people in questions:
        for method in (ORIGINAL, DYNAMIC):
            for library in (OXIDD, CUDD):
                yield report(decided(family, people, formula, method, library, limit))


def beem(limit: float) -> Iterator[Row]:
    """States in sets, beside the reference figures of every instance of up to a million."""
    with (BEEM / "reference.csv").open() as file:
        known = {row["instance"]: int(row["states"]) for row in csv.DictReader(file) if row["states"].isdigit()}
    met: Counter[str] = Counter()
    for name, states in sorted(known.items(), key=lambda one: one[1]):
        if states > _MOST_STATES:
            break
        system = strandline.load(BEEM / "models" / f"{name}.dve").alone
        found = strandline.explore(system, method="symbolic", max_seconds=limit, memory=_BEEM_MEMORY)
        now, reason = found.statistics, found.reason or ""
        kind = "same" if now.states == states else "over time" if "time limit" in reason else "too large"
        same = kind if kind == "same" else reason or "DIFFERENT"
        met["DIFFERENT" if same == "DIFFERENT" else kind] += 1
        print(f"{name:24} {states:9,} {now.seconds:8.2f} s {now.nodes:11,} nodes  {same}", flush=True)
        yield Row("beem", states, name, REACHABLE, OXIDD, same, now.seconds, now.nodes)
    print(f"{sum(met.values())} instances: {dict(sorted(met.items()))}")


def sound(limit: float) -> Iterator[Row]:
    """Until so many seconds have passed: explicit = symbolic = abstraction on random models, each with some formulas;
    and a formula that begins with a quantifier is shown by a run by all of them or by none."""
    began, number, wrong = time.perf_counter(), 0, 0
    met: Counter[str] = Counter()
    while time.perf_counter() - began < limit:
        random = Random(number)
        system = load(Source(f"random{number}", random_lotus(random, formulas=_FORMULAS)))
        first, splitting = random.random() < 0.7, random.choice(SPLITTINGS)
        judge = strandline.check(system, method="explicit")
        symbolic = strandline.check(system, method="symbolic", reachable_first=first)
        dynamic = strandline.check(system, method="abstraction", splitting=splitting, reachable_first=first)
        if not _words(judge) == _words(symbolic) == _words(dynamic):
            wrong += 1
            print(f"DIFFERENT: seed {number}, {splitting}, {first}: {[*map(_words, (judge, symbolic, dynamic))]}")
        met["models with fairness" if system.fairness else "models without fairness"] += 1
        met.update(_decided_by(dynamic))
        met.update(word.split()[0] for word in _words(judge))
        number += 1
    asked = number * _FORMULAS
    print(f"{number:,} random models, {asked:,} formulas, {wrong} models with different answers")
    print(f"  {dict(sorted(met.items()))}")
    yield Row("sound", number, "", DYNAMIC, OXIDD, f"{wrong} different", time.perf_counter() - began, 0)


def _words(verdict: strandline.Verdict) -> list[str]:
    """Of every formula in how many initial states it holds, and whether a run shows it. A conjunction that fails may
    be shown by either part, with a run or without."""
    found = []
    for one in verdict.properties:
        assert one.ctl is not None
        assert one.ctl.initial is not None, one.reason
        assert one.ctl.evidence is not None
        joined = one.ctl.formula.startswith("(")
        shown = "" if joined else "by nothing" if one.ctl.evidence.first_trace() is None else "by a run"
        found.append(f"{one.ctl.initial.word} {one.ctl.initial.satisfying} {shown}")
    return found


def _decided_by(verdict: strandline.Verdict) -> Iterator[str]:
    for one in verdict.properties:
        assert one.ctl is not None
        how = one.ctl.abstraction
        assert how is not None
        refined = "refined" if how.refinements else "not refined"
        yield f"by the abstraction, {refined}" if how.decided_by == "the abstraction" else "by the model"


def plot(rows: Sequence[Row], folder: Path) -> None:
    """Figures 4.3 and 4.4, seconds and nodes of the philosophers, and the same of those with a token; ours as lines,
    the thesis's as marks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, title, place in (("lotus-4.3.svg", "seconds", 0), ("lotus-4.4.svg", "nodes", 1)):
        families = (("pdp", "AG", PDP, "Philosophers"), ("token", "AF", TOKEN, "Philosophers with a token"))
        panels = [
            Panel(f"{words}: {title}", "people", title, _series(rows, family, formula, printed, place), most)
            for family, formula, printed, words in families
            for most in [_MOST_PEOPLE if family == "pdp" else _MOST_WITH_TOKEN]
        ]
        (folder / name).write_text(svg(panels))


def _series(
    rows: Sequence[Row], family: str, formula: str, printed: dict[int, Printed], place: int
) -> tuple[Series, ...]:
    found = []
    for number, method in enumerate((ORIGINAL, DYNAMIC)):
        mine = [row for row in rows if (row.family, row.formula, row.method) == (family, formula, method)]
        found.append(Series(method, tuple((float(row.people), (row.seconds, float(row.nodes))[place]) for row in mine)))
        theirs = [(float(people), figures[2 * number + place]) for people, figures in printed.items()]
        marks = tuple((people, float(value)) for people, value in theirs if value is not None)
        found.append(Series(f"{method}, thesis", marks, joined=False))
    return tuple(found)


PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "pdp": pdp,
    "shown": shown,
    "token": token,
    "large": large,
    "libraries": libraries,
    "beem": beem,
    "sound": sound,
}


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one answer, or for what is random")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args(arguments)
    rows = [row for name in given.only for row in PARTS[name](given.limit)]
    if given.json is not None:
        data: list[dict[str, Any]] = [asdict(row) for row in rows]
        given.json.write_text(json.dumps(data, indent=1) + "\n")
    if given.plot is not None:
        plot(rows, given.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
