"""`explore --plot` and `--plot-memory`: an exploration, and pictures of how it went."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from strandline.check.deciding import explore_system
from strandline.check.options import SWEEP, ExploreOptions
from strandline.check.verdict import Exploration
from strandline.check.watching import Progress
from strandline.cli.console import Console
from strandline.errors import UsageError
from strandline.model.system import System
from strandline.report.pictures.plots import Course, memory_svg, profile_svg


class Recorder:
    """A watcher that remembers what it is told, and tells it on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.told: list[Progress] = []

    def stage(self, text: str) -> None:
        self._console.stage(text)

    def progress(self, progress: Progress) -> None:
        self.told.append(progress)
        self._console.progress(progress)


def plotted(arguments: argparse.Namespace, system: System, options: ExploreOptions, console: Console) -> Exploration:
    """Explore, and write the pictures that are asked for."""
    if arguments.plot_memory is not None and options.checkpoint is not None:
        raise UsageError("--plot-memory makes a second search, which has no checkpoints: leave --checkpoint out")
    exploration, course = _recorded(system, options, console, arguments.started)
    if arguments.plot is not None:
        if len(exploration.statistics.profile) < 2:
            raise UsageError(f"--plot: a search of order {options.order} has no layers to draw, or only one")
        _write(arguments.plot, profile_svg(exploration.statistics))
    if arguments.plot_memory is not None:
        courses = [course]
        if options.order == SWEEP:
            whole = replace(options, order="bfs", measure=(), componentwise=False, count_distinct=False)
            console.notice("searching once more, breadth-first, to compare")
            courses.append(_recorded(system, whole, console, time.perf_counter())[1])
        _write(arguments.plot_memory, memory_svg(courses))
    return exploration


def _recorded(
    system: System, options: ExploreOptions, console: Console, started: float
) -> tuple[Exploration, Course]:
    recorder = Recorder(console)
    began = time.perf_counter() - started
    found = explore_system(system, options, recorder, started=started, method=options.method)
    now = found.statistics
    ends = [Progress(began, 0, 0, 0, 0), Progress(began + now.seconds, now.visited, now.visited, 0, now.peak_bytes)]
    names = {"bfs": "breadth-first, all states kept", SWEEP: "sweep"}
    told = [one for one in recorder.told if one.seconds >= began]
    return found, Course(names.get(options.order or "", f"order {options.order}"), [ends[0], *told, ends[1]])


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
