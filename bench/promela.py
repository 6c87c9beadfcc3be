"""Counts and verdicts of Promela models against SPIN's own.

    python bench/promela.py [--max-states N] [--names REGEX] [--no-claims] [--seconds S]
    python bench/promela.py --random N [--seed K]       # random programs, against SPIN itself

Every model of ../shared/promela is loaded and explored; its states, edges, assertion errors and invalid end states are
compared with SPIN's, and the verdicts of its claims with and without weak fairness. Models that SPIN refuses, that are
not complete there, or where SPIN reports an error of its own are only loaded.
Exit code 1 on any difference; a refused model is shown with the reason.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import strandline
from _common import ROOT, print_table
from _promela_programs import Programs, spin_figures
from strandline.errors import InputError
from strandline.languages import load
from strandline.model.system import Action, System

FOLDER = ROOT.parent / "shared" / "promela"
PARAMETERS = {"spin_eratosthenes": {"processes": 30}}
"""Bounds on the number of processes where none is found."""


@dataclass(frozen=True)
class Counts:
    """The figures of one model: those that SPIN prints for it."""

    states: int
    edges: int
    assertion_errors: int
    end_state_errors: int
    fault: str = ""

    def text(self) -> str:
        figures = (self.states, self.edges, self.assertion_errors, self.end_state_errors)
        return " ".join(f"{figure:,}" for figure in figures) + (f" fault: {self.fault}" if self.fault else "")


def count(system: System, seconds: float) -> Counts | None:
    """Explore a System as SPIN does; None if a limit is reached."""
    plain = system.alone
    whole = strandline.explore(plain, traces=False, max_seconds=seconds)
    if whole.fault is not None:
        return Counts(whole.statistics.states or 0, whole.statistics.transitions or 0, 0, 0, whole.fault.name)
    if not whole.complete:
        return None
    states, edges = whole.statistics.states or 0, whole.statistics.transitions or 0
    assertions = 0
    if plain.failures:
        failing = strandline.explore(plain.with_failures, traces=False, max_seconds=2 * seconds)
        if not failing.complete:
            return None
        assertions = (failing.statistics.transitions or 0) - edges
    ends = 0
    if whole.statistics.deadlocks:
        # Where the end is valid, an additional step leads back, so that only invalid ends are deadlocks.
        resting = Action("rests", (), plain.ends, (), idle=True)
        ended = strandline.explore(
            replace(plain, actions=(resting, *plain.actions)), traces=False, max_seconds=2 * seconds
        )
        if not ended.complete:
            return None
        ends = ended.statistics.deadlocks or 0
    return Counts(states, edges, assertions, ends)


def expected(row: dict[str, str]) -> Counts:
    states, edges = int(row["states"]), int(row["edges"])
    return Counts(states, edges, int(row["assertion_errors"]), int(row["end_state_errors"]))


def is_comparable(row: dict[str, str]) -> bool:
    """Return True if SPIN's figures are those of a complete search without errors of its own."""
    own = int(row["other_errors"] or 0) or "invalid array index" in row["error_kinds"]
    return row["result"] == "complete" and not own


def verdict(system: System, claim: str, fair: bool, seconds: float) -> str:
    """Return the verdict on a claim as the reference writes it."""
    labels = claim in ("accept_labels", "non_progress")
    found = strandline.check(
        system.alone if labels else system,
        property=() if labels else (claim,),
        accept_labels=claim == "accept_labels",
        non_progress=claim == "non_progress",
        fair=fair,
        traces=False,
        max_seconds=seconds,
    )
    answers = {one.answer.name for one in found.properties}
    return "violated" if "VIOLATED" in answers else "unknown" if "UNKNOWN" in answers else "holds"


def differing_claims(system: System, claims: str, artefacts: str, seconds: float) -> list[str]:
    """Return a text for each claim whose verdict differs; `artefacts` names those that SPIN decides by accident."""
    found = []
    for claim in claims.split():
        name, _, wanted = claim.partition("=")
        if name in artefacts:
            continue
        for fair, one in zip((False, True), wanted.split("/"), strict=True):
            if one == "unknown":
                continue
            try:
                got = verdict(system, name, fair, seconds)
            except InputError as error:
                got = f"refused: {error.message}"
            if got != one:
                found.append(f"{name}{' (fair)' if fair else ''}: {got}, SPIN {one}")
    return found


def compare_random(programs: int, seed: int, seconds: float) -> int:
    """Compare random programs with SPIN itself; return 1 if any differs."""
    compared = passed_over = refused = 0
    differing = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(seed, seed + programs):
            text = Programs(Random(number)).program()
            wanted = spin_figures(text, folder)
            if wanted is None:
                passed_over += 1
                continue
            try:
                found = count(load(folder / "model.pml"), seconds)
            except InputError as error:
                refused += 1
                print(f"seed {number}: refused: {error.message}")
                continue
            compared += 1
            if found != Counts(*wanted):
                differing.append(number)
                print(
                    f"seed {number}: {found.text() if found else 'a limit'}, SPIN {Counts(*wanted).text()}", flush=True
                )
    print(f"{compared} programs compared, {len(differing)} differ {differing}")
    print(f"{refused} refused, {passed_over} passed over: SPIN refuses them, meets an error of its own or a limit")
    return 1 if differing else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-states", type=int, default=100_000_000)
    parser.add_argument("--names", default="", help="a regular expression that the names begin with")
    parser.add_argument("--no-claims", action="store_true")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--random", type=int, default=0, help="compare this many random programs with SPIN itself")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.random:
        return compare_random(given.random, given.seed, given.seconds)
    table, differ, refused, same, claimed = [], 0, 0, 0, 0
    for row in csv.DictReader((FOLDER / "reference.csv").open()):
        if not re.match(given.names, row["name"]) or int(row["states"] or 0) > given.max_states:
            continue
        if row["result"] == "incomplete":
            continue
        started = time.perf_counter()
        artefacts = row["note"] if "artefact" in row["note"] else ""
        try:
            system = load(FOLDER / "models" / f"{row['name']}.pml", PARAMETERS.get(row["name"]))
            result = count(system, given.seconds) if is_comparable(row) else None
            wrong = [] if given.no_claims else differing_claims(system, row["claims"], artefacts, given.seconds)
            claimed += 0 if given.no_claims else len(row["claims"].split()) - len({one.split(":")[0] for one in wrong})
        except InputError as error:
            reason = str(error).split("\n")[0].rpartition("/")[2]
            refused += 1
            table.append([row["name"], "refused", reason[:110], row["result"]])
            continue
        if result is not None and result != expected(row):
            wrong.insert(0, f"{result.text()}, SPIN {expected(row).text()}")
        elif result is None and is_comparable(row):
            wrong.insert(0, "a limit was reached")
        if wrong:
            differ += 1
            table.append([row["name"], "DIFFERS", "; ".join(wrong), f"{time.perf_counter() - started:.1f} s"])
        elif result is not None:
            same += 1
            if result.states >= 100_000:
                table.append([row["name"], "same", result.text(), f"{time.perf_counter() - started:.1f} s"])
        sys.stdout.flush()
    print_table(["model", "", "", ""], table)
    print(
        f"{same} models with SPIN's counts, {refused} refused, {differ} differ; {claimed} claims with SPIN's verdicts"
    )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
