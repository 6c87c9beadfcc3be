"""The cells of a state that vary, with their values in a sample and on random walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.system import System, Variable
from strandline.progress.candidates import negate, rank_sum, total
from strandline.progress.sampling import Integers, Sample, States

_MOST_CELLS = 160
"""Most cells considered: locations first, then variables, then array elements."""
_LARGEST = 1 << 40
"""Values above this are not taken for counters; sums of them would not fit 64 bits."""
_MOST_EDGES = 100_000
"""Most edges of the sample that are used; those of the random walks come on top."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A variable or an array element: its values before and after each observed edge, and all its values."""

    variable: Variable
    index: int | None
    located: bool
    """True for the location of a process or property process."""
    before: Integers
    after: Integers
    present: tuple[int, ...]

    @property
    def expression(self) -> Expression:
        return Read(self.variable) if self.index is None else Element(self.variable, Const(self.index))

    @property
    def name(self) -> str:
        return self.variable.name if self.index is None else f"{self.variable.name}[{self.index}]"

    @property
    def family(self) -> str:
        """A key shared by the elements of an array and by corresponding cells of processes."""
        variable = self.variable
        if self.index is not None:
            return variable.name
        if self.located:
            return " ".join(variable.names or ())
        return "." + variable.name.removeprefix(variable.owner) if variable.owner else f"only {variable.name}"

    def plain(self, *, rising: bool) -> Expression:
        """Return the value itself, or its negation; for a location its index in the order of declaration."""
        if not self.located:
            return self.expression if rising else negate(self.expression)
        highest = self.present[-1]
        return self.rank_expression({value: value if rising else highest - value for value in self.present})

    def rank_expression(self, ranks: dict[int, int]) -> Expression:
        """Return the rank of the cell's value."""
        if self.index is None:
            return rank_sum(self.variable, ranks)
        asked = [(rank, Binary("==", self.expression, Const(value))) for value, rank in sorted(ranks.items()) if rank]
        return total([one if rank == 1 else Binary("*", Const(rank), one) for rank, one in asked])


def find_cells(system: System, sample: Sample, walked: States, linked: Integers) -> list[Cell]:
    """Return the cells that vary in the sample or on the walks.

    The successor of each state of the walks that is `linked` is the next one.
    """
    return list(_find(system, sample, walked, linked))


def _find(system: System, sample: Sample, walked: States, linked: Integers) -> Iterator[Cell]:
    inside = np.flatnonzero(sample.targets >= 0)
    # An evenly spread part of the edges shows how cells change.
    inside = inside[:: len(inside) // _MOST_EDGES + 1]
    sources, targets = sample.sources[inside], sample.targets[inside]
    # Locations and scalars first: the number of cells is limited, and measures are mostly made of these.
    variables = sorted(system.variables, key=lambda one: (one not in system.locations, one.length is not None))
    left = _MOST_CELLS
    for variable in variables:
        for index in range(variable.slots):
            first, second = sample.cell(variable, index), walked.cell(variable, index)
            low, high = min(first.min(), second.min()), max(first.max(), second.max())
            if low == high or left == 0 or not -_LARGEST < low <= high < _LARGEST:
                continue
            left -= 1
            yield Cell(
                variable,
                None if variable.length is None else index,
                variable in system.locations,
                np.concatenate((first[sources], second[linked])),
                np.concatenate((first[targets], second[linked + 1])),
                tuple(sorted({*_occurring(first), *_occurring(second)})),
            )


def _occurring(values: Integers) -> list[int]:
    low, high = int(values.min()), int(values.max())
    if high - low > 1 << 16:
        ordered = np.sort(values)
        found: list[int] = ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))].tolist()
        return found
    places: list[int] = (np.flatnonzero(np.bincount(values - low)) + low).tolist()
    return places
