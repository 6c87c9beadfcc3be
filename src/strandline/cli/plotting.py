"""`explore --plot` and `--plot-memory`: an exploration with plots of its profile and its memory."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from strandline.checker.checkpoints.run_folder import Checkpoints
from strandline.checker.decisions.checks import explore_system
from strandline.checker.limits.progress import Progress
from strandline.checker.options.search import LAYERED, SWEEP, ExploreOptions
from strandline.checker.verdicts.verdict import Exploration
from strandline.cli.console import Console
from strandline.errors import UsageError
from strandline.model.system import System
from strandline.report.pictures.plots import RunProgress, memory_svg, profile_svg


class Recorder:
    """A progress callback that records the progress reports and forwards them to a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.reports: list[Progress] = []

    def stage(self, text: str) -> None:
        self._console.stage(text)

    def progress(self, progress: Progress) -> None:
        self.reports.append(progress)
        self._console.progress(progress)


class Plotting:
    """An exploration and its plots. Raises `UsageError` for options that exclude each other."""

    def __init__(self, arguments: argparse.Namespace, options: ExploreOptions, console: Console) -> None:
        if arguments.plot_memory is not None and options.checkpoint is not None:
            raise UsageError("--plot-memory makes a second search, which has no checkpoints: leave --checkpoint out")
        if arguments.plot is not None and options.order not in LAYERED:
            raise UsageError(f"--plot: {_no_layers(options)}")
        self._arguments, self._options, self._console = arguments, options, console
        self._courses: list[RunProgress] = []

    def explore(self, system: System, checkpoints: Checkpoints | None) -> Exploration:
        """Explore the model and return the result.

        If the memory of a sweep is to be plotted, the model is explored breadth-first as well, for comparison.
        """
        options, arguments = self._options, self._arguments
        exploration = self._record(system, options, arguments.started, checkpoints)
        if arguments.plot_memory is not None and options.order == SWEEP:
            whole = replace(options, order="bfs", measure=(), componentwise=False, count_distinct=False)
            self._console.notice("searching once more, breadth-first, to compare")
            self._record(system, whole, time.perf_counter(), None)
        return exploration

    def pictures(self, explored: Exploration) -> dict[Path, Callable[[], None]]:
        """Return a function for each requested picture that writes it, by the path of the picture."""
        plot, memory = self._arguments.plot, self._arguments.plot_memory
        found: dict[Path, Callable[[], None]] = {}
        if plot is not None:
            found[plot] = lambda: _write(plot, self._profile(explored))
        if memory is not None:
            found[memory] = lambda: _write(memory, memory_svg(self._courses))
        return found

    def _profile(self, explored: Exploration) -> str:
        if len(explored.statistics.profile) < 2:
            raise UsageError(f"--plot: {_no_layers(self._options)}")
        return profile_svg(explored.statistics)

    def _record(
        self, system: System, options: ExploreOptions, started: float, checkpoints: Checkpoints | None
    ) -> Exploration:
        recorder = Recorder(self._console)
        began = time.perf_counter() - started
        found = explore_system(
            system, options, recorder, started=started, method=options.method, checkpoints=checkpoints
        )
        now = found.statistics
        ends = [Progress(began, 0, 0, 0, 0), Progress(began + now.seconds, now.visited, now.visited, 0, now.peak_bytes)]
        names = {"bfs": "breadth-first, all states kept", SWEEP: "sweep"}
        reports = [one for one in recorder.reports if one.seconds >= began]
        name = names.get(options.order or "", f"order {options.order}")
        self._courses.append(RunProgress(name, [ends[0], *reports, ends[1]]))
        return found


def _no_layers(options: ExploreOptions) -> str:
    return f"a search of order {options.order} has no layers to draw, or only one"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
