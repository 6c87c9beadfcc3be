"""What a budget of memory costs, whether it holds as the system sees it, and whether killed runs come back.

    python bench/memory.py budget MODEL[@MEASURE] ... [--turns 1] [--plot FILE.svg]
    python bench/memory.py kills MODEL [--kills 200] [--seed N] [--memory SIZE]
    python bench/memory.py large MODEL|brp.8 --memory 1G [--measure auto] [--distinct]
    python bench/memory.py compression MODEL [MODEL ...] [--turns 3]

`budget` explores models without a limit, then with 100, 50, 20 and 10 % of what that took beyond what the program takes
for nine states, both seen from outside; times are by the clock, the least of some turns, start of the program included,
and beside them those of the processor, of all threads together. `kills` ends a run with `kill -9` at
random moments, resumes it, and begins again when it is finished, until so many are dead; verdict, counts and trace must
be those of a run that was left alone. With `--memory` it begins again as trees and on disk. `large` runs once.
`compression` explores models breadth-first with the plain store and as trees, in turns, and divides by the number of
states the memory that the engine reports and what is resident beyond a run of nine states; times are the shortest that
the searches report. The resident set is looked at from outside, fifty times a second.
Exit code 1 where something is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from _brp import STATES, TRANSITIONS, brp_8
from _common import MEBIBYTE, ROOT, MeasuringFailed, add_command_option, print_table, resident_bytes
from _plot import Panel, Series, svg

SHARES = (100, 50, 20, 10)
BEEM = ROOT.parent / "shared" / "beem"
_SAME = ("verdict", "states", "transitions", "deadlocks", "visited", "sweeps", "persistent", "regress_edges", "layers")
_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Watched:
    """A command that has ended: its output, the most that was resident, how long it took, and the processor's time
    of it and of what it started."""

    report: dict[str, Any]
    resident: int
    seconds: float
    processor_seconds: float


def watched(command: Sequence[str]) -> Watched:
    began, before, most = time.monotonic(), _processor_seconds(), 0
    process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, resident_bytes(process.pid))
        time.sleep(_PAUSE)
    out, _ = process.communicate()
    if not out:
        raise MeasuringFailed(f"{' '.join(command)}: ended with {process.returncode} and said nothing")
    return Watched(json.loads(out), most, time.monotonic() - began, _processor_seconds() - before)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def explore(arguments: argparse.Namespace, *further: str) -> list[str]:
    measures = [part for one in arguments.measure for part in ("--measure", one)]
    # One process, which can be looked at and killed: not the script that starts it.
    return [*arguments.command, "explore", arguments.model, *measures, *further]


def budget(arguments: argparse.Namespace) -> int:
    rows, series, wrong = [], [], 0
    for spec in arguments.models:
        arguments.model, _, measure = spec.partition("@")
        arguments.measure = [measure] if measure else []
        name = Path(arguments.model).stem + (", sweep" if measure else "")
        own = min(watched(explore(arguments, "--max-states", "9")).resident for _ in range(2))
        free = _quickest(arguments)
        rows.append((name, "no limit", *_row(free, free, None)))
        points = []
        for share in SHARES:
            limit = own + (free.resident - own) * share // 100
            run = _quickest(arguments, "--memory", str(limit))
            rows.append((name, f"{share} %", *_row(run, free, limit)))
            print(*rows[-1], file=sys.stderr, flush=True)
            if _differences(run, free):
                wrong += 1
            else:
                points.append((float(share), run.seconds / free.seconds))
            wrong += run.resident > limit
        series.append(Series(name, tuple(points)))
    heads = ("limit MB", "resident MB", "on disk MB", "seconds", "times", "processor s", "times", "answer")
    print_table(("model", "budget", *heads), rows)
    if arguments.plot is not None:
        panel = Panel("Cost of a budget", "memory of the run, % of what it takes", "time, 1 = no limit", tuple(series))
        arguments.plot.write_text(svg([panel]), encoding="utf-8")
    return int(wrong > 0)


def _quickest(arguments: argparse.Namespace, *further: str) -> Watched:
    runs = [watched(explore(arguments, *further)) for _ in range(arguments.turns)]
    most = max(run.resident for run in runs)
    least = min(run.processor_seconds for run in runs)
    return replace(min(runs, key=lambda run: run.seconds), resident=most, processor_seconds=least)


def _differences(run: Watched, free: Watched) -> list[str]:
    return [key for key in _SAME if run.report[key] != free.report[key]]


def _row(run: Watched, free: Watched, limit: int | None) -> tuple[str, ...]:
    report, differs = run.report, _differences(run, free)
    return (
        "" if limit is None else f"{limit / MEBIBYTE:.0f}",
        f"{run.resident / MEBIBYTE:.0f}" + (" (too much)" if limit is not None and run.resident > limit else ""),
        f"{(report['spilled_bytes'] or 0) / MEBIBYTE:.0f}",
        f"{run.seconds:.1f}",
        f"{run.seconds / free.seconds:.2f}",
        f"{run.processor_seconds:.1f}",
        f"{run.processor_seconds / free.processor_seconds:.2f}",
        report["reason"] or (f"other {', '.join(differs)}" if differs else "the same"),
    )


def kills(arguments: argparse.Namespace) -> int:
    chance, folder = random.Random(arguments.seed), Path(tempfile.mkdtemp()) / "saved"
    expected = watched(explore(arguments))
    dead = finished = wrong = on_disk = 0
    saving = ["--checkpoint", str(folder), "--every", "0.05s"]
    longest = expected.seconds + 1.5
    if arguments.memory is not None:
        saving += ["--memory", arguments.memory]
        longest = watched(explore(arguments, "--memory", arguments.memory)).seconds + 1.5
    while dead < arguments.kills:
        resumes = (folder / "run.json").exists()
        command = [*arguments.command, "resume", str(folder)] if resumes else explore(arguments, *saving)
        process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            out, _ = process.communicate(timeout=chance.uniform(0.5, longest))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            dead += 1
            on_disk += any(folder.glob("search-*/files/on-disk/runs/*"))
            continue
        finished += 1
        report = json.loads(out)
        if any(report[name] != expected.report[name] for name in (*_SAME, "trace")):
            wrong += 1
            print(f"after {dead} kills: another answer than that of a run that was left alone", file=sys.stderr)
    shutil.rmtree(folder.parent, ignore_errors=True)
    killed = f"{dead} runs killed, {on_disk} of them with states on disk"
    print(f"{killed}, {finished} brought to their end, {wrong} with another answer")
    return int(wrong > 0 or not finished)


def large(arguments: argparse.Namespace) -> int:
    published = arguments.model == "brp.8"
    with tempfile.TemporaryDirectory() as folder:
        if published:
            made = Path(folder) / "brp.8.dve"
            made.write_text(brp_8(BEEM / "models" / "brp.6.dve"))
            arguments.model = str(made)
        distinct = ["--count-distinct"] if arguments.distinct else []
        run = watched(explore(arguments, "--memory", arguments.memory, *distinct))
    for name in (*_SAME, "peak_states", "spilled_bytes", "seconds", "reason"):
        print(f"{name:14} {run.report[name]}")
    print(f"{'resident':14} {run.resident / MEBIBYTE:.0f} MB at most, seen from outside")
    counted = (run.report["states"], run.report["transitions"])
    return int(not run.report["complete"] or (published and arguments.distinct and counted != (STATES, TRANSITIONS)))


def compression(arguments: argparse.Namespace) -> int:
    rows, wrong, figures = [], 0, []
    for model in arguments.models:
        arguments.model = model
        runs: dict[str, list[Watched]] = {"exact": [], "tree": []}
        # The first of two may have to make machine code, which takes more memory than the search does.
        few = ("--max-states", "9")
        own = {one: min(watched(explore(arguments, "--store", one, *few)).resident for _ in range(2)) for one in runs}
        for _ in range(arguments.turns):
            for store, done in runs.items():
                done.append(watched(explore(arguments, "--store", store)))
        states = {run.report["states"] for done in runs.values() for run in done}
        edges = {run.report["transitions"] for done in runs.values() for run in done}
        wrong += len(states) != 1 or len(edges) != 1
        count = states.pop()
        engine = [runs[store][0].report["peak_bytes"] / count for store in runs]
        resident = [(min(run.resident for run in runs[store]) - own[store]) / count for store in runs]
        seconds = [min(run.report["seconds"] for run in runs[store]) for store in runs]
        figures.append((*engine, *resident, seconds[1] / seconds[0]))
        texts = [f"{figure:.1f}" for figure in (*engine, *resident)] + [f"{one:.2f}" for one in seconds]
        rows.append((Path(model).stem, f"{count:,}", *texts, f"{seconds[1] / seconds[0]:.2f}"))
        print(*rows[-1], file=sys.stderr, flush=True)
    means = [sum(column) / len(figures) for column in zip(*figures, strict=True)]
    rows.append(("mean", "", *(f"{mean:.1f}" for mean in means[:4]), "", "", f"{means[4]:.2f}"))
    heads = ("engine", "tree's engine", "resident", "tree's resident", "seconds", "tree's seconds", "times")
    print_table(("model", "states", *heads), rows)
    return int(wrong > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function in (budget, kills, large, compression):
        one = commands.add_parser(function.__name__)
        if function in (budget, compression):
            one.add_argument("models", nargs="+", metavar="model")
            one.add_argument("--turns", type=int, default=3 if function is compression else 1)
        else:
            one.add_argument("model")
        one.add_argument("--measure", action="append", default=[])
        add_command_option(one)
        one.set_defaults(function=function)
        if function is budget:
            one.add_argument("--plot", type=Path)
        elif function is kills:
            one.add_argument("--kills", type=int, default=200)
            one.add_argument("--seed", type=int, default=1)
            one.add_argument("--memory")
        elif function is large:
            one.add_argument("--memory", required=True)
            one.add_argument("--distinct", action="store_true")
    arguments = parser.parse_args()
    try:
        return int(arguments.function(arguments))
    except MeasuringFailed as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
