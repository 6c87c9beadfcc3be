"""Searches on a GPU: are they right, and how fast are they?

    python bench/gpu.py --verify [--beem FOLDER] [--max-states N] [--seconds S]
    python bench/gpu.py --rates [--beem FOLDER] [--least-states N] [--repeat N]
    python bench/gpu.py --beside [--only INSTANCE ...] [--beem FOLDER]
    python bench/gpu.py --meals N [--philosophers N] [--violated | --guests]

``--verify`` explores every BEEM instance with a reference count up to ``--max-states`` breadth-first and, where
`bench/beem.py` has a measure for its family, in a sweep, and plants violations in some, whose verdicts and trace
lengths must be those of the processor. ``--rates`` prints states a second of the larger ones, and the time from the
shell. ``--beside`` puts SPIN (where it is installed), one core of the processor and the GPU beside each other: the four
systems of `bench/models`, and BEEM instances without SPIN.
``--meals`` runs the command itself over philosophers who count their meals, against the polynomial through small
instances; ``--violated`` with an invariant that fails in a late layer, ``--guests`` with a step back, so that the sweep
regresses. Exit code 1 on any difference.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import median

import _environment  # noqa: F401
import _spin
import strandline
from _polynomial import interpolated
from beem import DEFAULT_FOLDER, MEASURES, Reference, instances
from models import FULL, pairs
from models import philosophers as table
from strandline.checker.measures.notation import parse_measures
from strandline.checker.verdicts.verdict import Answer, Exploration
from strandline.compile.device import compile_for_device
from strandline.compile.specification import KernelSpecification
from strandline.engine.device.cuda import Gpu, missing
from strandline.engine.device.keys import keys_of
from strandline.engine.device.linking import link_model
from strandline.engine.device.search import shape_of

DISAGREEING = {"anderson.3": 131_777_303}
"""Instances whose published number of states is not that of any recount; transitions agree."""
PLANTED_MOST = 400_000
"""States of instances in which violations are planted: the processor must find them too."""
WALK = 400


def prepare(reference: Reference, measure: str | None, architecture: str) -> None:
    """Link a model as a search will want it, so that it is in the cache; several processes do this at once."""
    system = strandline.load(reference.file)
    measured = None if measure is None else parse_measures([measure], system)
    kernel = compile_for_device(system, KernelSpecification((), measured))
    assert kernel.device is not None
    link_model(kernel.device, shape_of(kernel, keys_of(kernel)), architecture)


def jobs(references: Sequence[Reference]) -> Iterator[tuple[Reference, str | None]]:
    for one in references:
        yield one, None
        if one.family in MEASURES:
            yield one, MEASURES[one.family]


def difference(found: Exploration, reference: Reference) -> str:
    """What is not as it must be, in words."""
    if not found.complete:
        return f"not complete: {found.reason}"
    figures = found.statistics
    if figures.states is None:
        return "" if figures.visited >= reference.states else f"only {figures.visited:,} visits"
    states = DISAGREEING.get(reference.name, reference.states)
    wanted = {"states": states, "transitions": reference.transitions, "deadlocks": reference.deadlocks}
    return "; ".join(
        f"{name} {getattr(figures, name):,}, expected {value:,}"
        for name, value in wanted.items()
        if value is not None and getattr(figures, name) != value
    )


def report_line(reference: Reference, measure: str | None, found: Exploration, wrong: str) -> str:
    now = found.statistics
    device = now.device
    exact = "ok" if now.states is not None else "complete, with regress edges"
    return (
        f"{reference.name:20} {'sweep' if measure else 'bfs':5} {now.visited:>13,} visits {now.sweeps or 1:>4} sweeps "
        f"{now.seconds:8.3f} s {now.visited / max(now.seconds, 1e-9) / 1e6:7.0f} M/s peak {now.peak_states:>12,} "
        f"rebuilt {device.rebuilt if device else 0:>3}  {wrong or exact}"
    )


def verify_counts(references: Sequence[Reference], seconds: float) -> int:
    differences = 0
    for reference, measure in jobs(references):
        found = strandline.explore(reference.file, measure=measure or (), device="gpu", max_seconds=seconds)
        wrong = difference(found, reference)
        limited = measure is not None and "time limit" in (found.reason or "")
        differences += bool(wrong) and not limited
        print(report_line(reference, measure, found, wrong), flush=True)
    return differences


def planted(reference: Reference, seed: int) -> str:
    """An invariant that one reachable state violates, which a random walk has found."""
    system, random = strandline.load(reference.file), Random(seed)
    kernel = compile_for_device(system)
    interpreter = kernel.reference
    state = random.choice(list(interpreter.initial()))
    for _ in range(WALK):
        targets = [edge.target for edge in interpreter.edges(state) if edge.target is not None]
        if not targets:
            break
        state = random.choice(targets)
    from strandline.analysis.ranges import analyse_ranges
    from strandline.model.expression import Binary, Const, Element, Expression, Read
    from strandline.model.layout import make_layout

    layout = make_layout(system, analyse_ranges(system).variables)
    values, at = layout.unpack(state), 0
    differs: Expression | None = None
    for field in layout.fields:
        for index in range(field.variable.slots):
            place = Read(field.variable) if field.variable.length is None else Element(field.variable, Const(index))
            one = Binary("!=", place, Const(values[at]))
            at += 1
            differs = one if differs is None else Binary("or", differs, one)
    assert differs is not None
    return system.scope.render(differs, longest=1 << 20)


def verify_planted(references: Sequence[Reference]) -> int:
    differences = 0
    small = [one for one in references if 1000 < one.states < PLANTED_MOST and one.family in MEASURES]
    for number, reference in enumerate(small[:: max(1, len(small) // 8)]):
        invariant = planted(reference, number)
        host = strandline.check(reference.file, invariants=invariant, deadlock=False)
        there = strandline.check(reference.file, invariants=invariant, deadlock=False, device="gpu")
        swept = strandline.check(
            reference.file, invariants=invariant, deadlock=False, device="gpu", measure=MEASURES[reference.family]
        )
        lengths = [len(one.trace) if one.trace is not None else None for one in (host, there, swept)]
        answers = {one.properties[0].answer for one in (host, there, swept)}
        right = answers == {Answer.VIOLATED} and lengths[0] == lengths[1] and None not in lengths
        differences += not right
        retraced = swept.statistics.device.retraced if swept.statistics.device else 0
        print(
            f"{reference.name:20} planted: trace of {lengths[0]} steps, on the GPU {lengths[1]}, swept {lengths[2]} "
            f"({retraced} sweeps for it)  {'ok' if right else f'DIFFERS {answers}'}",
            flush=True,
        )
    return differences


def rates(references: Sequence[Reference], repeat: int) -> int:
    """States a second, best of some runs, and the whole command from the shell."""
    found = []
    for reference in references:
        runs = [strandline.explore(reference.file, device="gpu") for _ in range(repeat)]
        best = min(runs, key=lambda one: one.statistics.seconds)
        now = best.statistics
        words = compile_for_device(strandline.load(reference.file)).words
        began = time.perf_counter()
        command = [sys.executable, "-P", "-m", "strandline.cli", "explore", str(reference.file), "--device", "gpu"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        whole = time.perf_counter() - began
        rate = now.visited / now.seconds / 1e6
        found.append((words, rate))
        print(
            f"| {reference.name} | {words} | {now.visited:,} | {now.transitions or 0:,} | {len(now.levels):,} | "
            f"{now.seconds:.3f} | {rate:,.0f} | {now.engine_seconds:.2f} | {whole:.2f} |"
            f" {difference(best, reference) or 'exact'}",
            flush=True,
        )
    narrow = [rate for words, rate in found if words <= 3]
    if narrow:
        print(f"median over states of one to three words: {median(narrow):,.0f} million states/s")
    return 0


def beside(references: Sequence[Reference]) -> int:
    """SPIN, the processor and the GPU on the same systems."""
    absent = _spin.missing()
    if absent:
        print(f"without SPIN: {' and '.join(absent)} cannot be found")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for pair in pairs(FULL):
            file = folder / f"{pair.name}.dve"
            file.write_text(pair.dve)
            _tell_beside(pair.title, file, pair.states, None if absent else _spun(pair.promela, folder))
    for reference in references:
        states = DISAGREEING.get(reference.name, reference.states)
        _tell_beside(reference.name, reference.file, states, None)
    return 0


def _spun(promela: str, folder: Path) -> _spin.SpinRun:
    translating = _spin.build(promela, folder)
    return _spin.search(folder, 24, translating)


def _tell_beside(title: str, file: Path, states: int, spun: _spin.SpinRun | None) -> None:
    host, there = strandline.explore(file), strandline.explore(file, device="gpu")
    rates = [states / one.statistics.seconds / 1e6 for one in (host, there)]
    exact = {host.statistics.states, there.statistics.states, states} == {states}
    of_spin = "-" if spun is None else f"{spun.rate / 1e6:.2f}"
    print(
        f"| {title} | {states:,} | {of_spin} | {rates[0]:.2f} | {rates[1]:,.0f} | {rates[1] / rates[0]:,.0f} |"
        f" {'exact' if exact else 'DIFFERS'}",
        flush=True,
    )


def run_meals(philosophers: int, meals: int, *, violated: bool, guests: bool) -> int:
    """The command itself, over a model whose numbers are known."""
    text = table.with_guests if guests else table.dve
    with tempfile.TemporaryDirectory() as folder:
        counts = [_counted(Path(folder), small, text(philosophers, small)) for small in range(1, philosophers + 2)]
        wanted = [interpolated([one[which] for one in counts], meals) for which in range(3)]
        file = Path(folder) / f"meals-{philosophers}-{meals}.dve"
        file.write_text(text(philosophers, meals))
        command = [sys.executable, "-P", "-m", "strandline.cli", "check" if violated else "explore", str(file)]
        steps = table.measure(philosophers, meals)
        command += ["--measure", steps if guests else f"mono({steps})", "--device", "gpu", "--json"]
        late = 5 * philosophers * meals * 19 // 20
        if violated:
            command += ["--invariant", f"{steps} < {late}", "--no-deadlock"]
        began = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        whole = time.perf_counter() - began
    report = json.loads(done.stdout)
    figures = [report[name] for name in ("states", "transitions", "deadlocks")]
    names: tuple[str, ...] = ("complete", "visited", "sweeps", "persistent", "regress_edges")
    names += ("layers", "peak_states", "seconds", "device")
    print(f"{philosophers} philosophers, {meals} meals: {figures}, expected {wanted}, {whole:.1f} s from the shell")
    print({name: report.get(name) for name in names})
    if violated:
        length = report["trace"]["length"] if report["trace"] else None
        print(f"steps < {late}: {report['verdict']}, trace of {length} steps")
        return int(report["verdict"] != "VIOLATED" or length != late)
    if guests:
        # A sweep that goes back and forgets counts visits; distinct states it cannot know.
        return int(not report["complete"] or report["visited"] < wanted[0])
    return int(figures != wanted)


def _counted(folder: Path, meals: int, text: str) -> tuple[int, int, int]:
    file = folder / f"small-{meals}.dve"
    file.write_text(text)
    now = strandline.explore(file, device="gpu").statistics
    return now.states or 0, now.transitions or 0, now.deadlocks or 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beem", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where BEEM is")
    parser.add_argument("--verify", action="store_true", help="compare counts, verdicts and traces")
    parser.add_argument("--rates", action="store_true", help="states a second of large instances")
    parser.add_argument("--beside", action="store_true", help="SPIN, the processor and the GPU on the same systems")
    parser.add_argument("--meals", type=int, metavar="N", help="philosophers with so many meals each, swept")
    parser.add_argument("--philosophers", type=int, default=6, metavar="N")
    parser.add_argument("--violated", action="store_true", help="with an invariant that fails in a late layer")
    parser.add_argument("--guests", action="store_true", help="with a step back: a regressing sweep")
    parser.add_argument("--max-states", type=float, default=400e6, metavar="N")
    parser.add_argument("--least-states", type=float, default=30e6, metavar="N", help="of --rates")
    parser.add_argument("--only", action="append", metavar="INSTANCE", help="only these instances")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="limit of one search of --verify")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of --rates")
    options = parser.parse_args()
    nothing = missing()
    if nothing is not None:
        print(nothing, file=sys.stderr)
        return 2
    chosen = [
        one
        for one in (instances(options.beem) if options.verify or options.rates or options.only else ())
        if one.file.exists()
        and one.states <= options.max_states
        and (not options.only or one.name in options.only)
        and (options.verify or one.states >= options.least_states or options.only)
    ]
    device = Gpu()
    differences = 0
    if options.verify or options.rates:
        began = time.perf_counter()
        wanted = list(jobs(chosen)) if options.verify else [(one, None) for one in chosen]
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            list(pool.map(prepare, *zip(*wanted, strict=True), [device.architecture] * len(wanted)))
        print(f"{len(wanted)} models linked in {time.perf_counter() - began:.1f} s on {device.name}", flush=True)
    if options.verify:
        differences += verify_counts(chosen, options.seconds) + verify_planted(chosen)
    if options.rates:
        differences += rates(chosen, options.repeat)
    if options.beside:
        differences += beside(chosen)
    if options.meals:
        differences += run_meals(options.philosophers, options.meals, violated=options.violated, guests=options.guests)
    print("no difference" if not differences else f"{differences} DIFFERENCES")
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
