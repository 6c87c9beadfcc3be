"""Grids of parameters: check a model with every combination of values, side by side in processes of their own.

A process that is killed, for its memory say, loses its own combination only.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from strandline.checker.decisions.checks import check_selection
from strandline.checker.decisions.widening import widen
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.options.threads import AUTO
from strandline.checker.properties.selection import Kind, select
from strandline.checker.verdicts.verdict import Answer
from strandline.engine.runtime.threads import usable_processors
from strandline.errors import InputError, Option, ResourceError, UsageError
from strandline.languages import load
from strandline.languages.parameters import MOST_COMBINATIONS

Parameters = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class GridTask:
    """A check of a model, to be run with some values of its parameters."""

    model: str
    claims: Claims
    temporal: TemporalOptions
    options: Options


@dataclass(frozen=True, slots=True)
class Combination:
    """The result of one combination of values."""

    parameters: Parameters
    answer: Answer
    reason: str | None
    """Why the answer is unknown, or the mistake if the model cannot be checked with these values."""
    violated: tuple[tuple[str, Kind], ...]
    """The names and kinds of the properties that are violated."""
    states: int | None
    seconds: float
    mistake: bool = False
    """True if the model cannot be loaded with these values, or the property not be read."""

    @property
    def title(self) -> str:
        """The values, as on the command line."""
        return " ".join(f"{name}={value}" for name, value in self.parameters)


@dataclass(frozen=True, slots=True)
class Grid:
    """The results of all combinations, in their order."""

    model: str
    rows: tuple[Combination, ...]
    seconds: float

    @property
    def answer(self) -> Answer:
        """VIOLATED if some combination is, else UNKNOWN if some is, else HOLDS."""
        answers = [one.answer for one in self.rows]
        return next((one for one in (Answer.VIOLATED, Answer.UNKNOWN) if one in answers), Answer.HOLDS)

    @property
    def first_violated(self) -> Combination | None:
        """The first combination that is violated."""
        return next((one for one in self.rows if one.answer is Answer.VIOLATED), None)

    def __str__(self) -> str:
        from importlib import import_module

        # By a name, as in `rich_display`: reports come later in the order of packages.
        text: str = import_module("strandline.report.grids").grid_text(self)
        return text


def combinations(grid: Mapping[str, Iterable[Any]]) -> list[Parameters]:
    """Return all combinations of the values, the last parameter varying fastest."""
    values = {name: list(given) for name, given in grid.items()}
    empty = next((name for name, given in values.items() if not given), None)
    if empty is not None:
        raise UsageError(f"the parameter '{empty}' has no values")
    count = 1
    for given in values.values():
        count *= len(given)
    if count > MOST_COMBINATIONS:
        raise UsageError(f"there are {count:,} combinations of parameters; at most {MOST_COMBINATIONS:,} are run")
    return [tuple(zip(values, given, strict=True)) for given in product(*values.values())]


def check_grid(
    task: GridTask, grid: Mapping[str, Iterable[Any]], report: Callable[[Combination], None] = lambda one: None
) -> Grid:
    """Check a model with every combination, as many at a time as there are processors for its threads."""
    if task.options.checkpoint is not None:
        raise UsageError("{} keeps one run, and there are several combinations", options=[Option("checkpoint", "DIR")])
    started = time.perf_counter()
    waiting = combinations(grid)
    if task.options.threads == AUTO:
        # The processors are shared by the combinations, not by the threads of each.
        task = replace(task, options=replace(task.options, threads=1))
    jobs = max(1, min(len(waiting), usable_processors() // task.options.most_threads))
    rows: list[Combination] = []
    pool, workers = ThreadPoolExecutor(jobs), [_Worker(task) for _ in range(jobs)]
    free = deque(workers)
    try:
        for row in pool.map(lambda given: _run_on_free(free, given), waiting):
            rows.append(row)
            report(row)
    finally:
        # After Ctrl-C: nothing else is started, and no process is left behind.
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()
    return Grid(task.model, tuple(rows), time.perf_counter() - started)


def _run_on_free(free: deque[_Worker], parameters: Parameters) -> Combination:
    """Run a combination on a worker that is free; there are as many as threads."""
    worker = free.popleft()
    try:
        return worker.run(parameters)
    finally:
        free.append(worker)


class _Worker:
    """A process that runs one combination after the other; it is replaced when it ends."""

    def __init__(self, task: GridTask) -> None:
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = TemporaryFile()  # noqa: SIM115  open as long as the worker

    def run(self, parameters: Parameters) -> Combination:
        """Check the model with these values."""
        started = time.perf_counter()
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(pickle.dumps((self._task, parameters)))
            process.stdin.flush()
            row: Combination = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            reason = f"its process ended with code {code}{self._last_words()}"
            self.end()
            return Combination(parameters, Answer.UNKNOWN, reason, (), None, time.perf_counter() - started)
        if self._task.options.memory is not None:
            # A memory limit also counts the memory that earlier combinations left.
            self.end()
        return row

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, _import_path()))}
        command = [sys.executable, "-P", "-m", "strandline.checker.grid_worker"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, env=environment)
        return self._process

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""


def _import_path() -> Sequence[str | Path]:
    return [Path(__file__).resolve().parents[2], *filter(None, sys.path)]


def check_combination(task: GridTask, parameters: Parameters) -> Combination:
    """Check a model with these values in this process."""
    started = time.perf_counter()
    try:
        system = load(task.model, dict(parameters))
        while True:
            selection = select(system, task.claims)
            verdict = check_selection(system, selection, task.options, temporal=task.temporal, started=started)
            wider = widen(system, verdict.exploration, task.options)
            if wider is None:
                break
            system = wider
    except (InputError, ResourceError) as error:
        mistake = isinstance(error, InputError)
        reason = error.message if isinstance(error, InputError) else str(error)
        return Combination(parameters, Answer.UNKNOWN, reason, (), None, time.perf_counter() - started, mistake)
    return Combination(
        parameters,
        verdict.answer,
        verdict.exploration.reason if verdict.answer is Answer.UNKNOWN else None,
        tuple((one.name, one.kind) for one in verdict.properties if one.answer is Answer.VIOLATED),
        verdict.statistics.states,
        time.perf_counter() - started,
    )
