"""A sweep by a measure that the program has found is watched. Where it stores states more often than was predicted, or
more of them at a time than memory has room for, another measure is looked for among the states that lie before it,
and the sweep goes on from there by that one. A sweep for cycles begins again by it: a cycle may have lain behind the
line.

That is sound: all that is not expanded yet can be reached from the states that wait for expansion. And it is all there
is to it: what was expanded and is forgotten may be met again, as in every sweep with regress edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from strandline.check.automatic import Prediction
from strandline.engine.memory import WordArray
from strandline.engine.search import Statistics
from strandline.errors import ResourceError
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.ranges import analyse_ranges
from strandline.model.system import System
from strandline.progress.sampling import States

_TIMES, _MORE = 2.0, 0.5
"""So many times as many visits as predicted, and so many more, are too many. Planning again is not for free: where
everything can be reached from everywhere, all states are met again."""
_SAMPLES = 4
"""A sweep is judged when it has stored so many times as many states as its measure was judged by."""
_MOST_PLANS = 3
STARTS = 2_000
"""States among those that wait from which the next plan looks ahead."""


class Outlook:
    """What is expected of a sweep, and how often it was planned."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        self._begun, self._plans = 0, 1

    @property
    def exhausted(self) -> bool:
        """Whether it has been planned often enough."""
        return self._plans >= _MOST_PLANS

    def disappointed(self, now: Statistics) -> str | None:
        """That states are stored more often than was predicted, in words."""
        stored = now.recorded - self._begun
        if self.exhausted or stored < _SAMPLES * self.prediction.sampled:
            return None
        if now.repeats <= _TIMES * self.prediction.visits + _MORE:
            return None
        return (
            f"about {now.repeats:.2f} visits a state after {now.visited:,}, where {self.prediction.visits:.2f} were "
            "predicted"
        )

    def plan(self, prediction: Prediction, recorded: int) -> None:
        """From now on, after so many states were stored, this is expected."""
        self.prediction, self._begun = prediction, recorded
        self._plans += 1


class Frontier:
    """The states that wait for expansion, in a file; `account` is told of its bytes. Blocks are rows of words and a
    link. Raises `ResourceError` where the disk does not take them."""

    def __init__(self, path: Path, words: int, account: Callable[[int], None]) -> None:
        self._path, self._row, self._account = path, words + 1, account
        self.states = 0

    def write(self, blocks: Iterator[WordArray]) -> None:
        try:
            with open(self._path, "wb") as file:
                for block in blocks:
                    self._account(block.nbytes)
                    file.write(block.tobytes())
                    self.states += len(block)
        except OSError as error:
            raise ResourceError(f"{self._path}: cannot be written: {error.strerror}") from None

    def blocks(self, rows: int) -> Iterator[WordArray]:
        with open(self._path, "rb") as file:
            while data := file.read(8 * self._row * rows):
                yield np.frombuffer(data, dtype=np.uint64).reshape(-1, self._row)

    def sample(self) -> WordArray:
        """Some of the states, evenly spread."""
        numbers = np.unique(np.linspace(0, self.states - 1, min(self.states, STARTS)).astype(np.int64))
        with open(self._path, "rb") as file:
            found = []
            for number in numbers.tolist():
                file.seek(8 * self._row * number)
                found.append(np.frombuffer(file.read(8 * (self._row - 1)), dtype=np.uint64))
        return np.array(found, dtype=np.uint64).reshape(-1, self._row - 1)

    def remove(self) -> None:
        self._account(-8 * self._row * self.states)
        self._path.unlink(missing_ok=True)


def part_of(part: System, whole: System, states: WordArray) -> WordArray:
    """States of a System, one a row, as those of another one that is a part of it."""
    if part is whole:
        return states
    found = States(make_layout(whole, analyse_ranges(whole).variables), states)
    layout = make_layout(part, analyse_ranges(part).variables)
    cells = [found.cell(one.variable, index) for one in layout.fields for index in range(one.variable.length or 1)]
    rows = np.unique(np.column_stack(cells), axis=0)
    return np.array([layout.pack(row) for row in rows.tolist()], dtype=np.uint64).reshape(-1, layout.words)


def progress_of(system: System, measure: Measure) -> Callable[[WordArray], npt.NDArray[np.int64]]:
    """What tells column and layer of states, one a row."""
    layout = make_layout(system, analyse_ranges(system).variables)

    def progress(states: WordArray) -> npt.NDArray[np.int64]:
        found = States(layout, states)
        return np.column_stack((found.values(measure.column), found.values(measure.layer)))

    return progress
