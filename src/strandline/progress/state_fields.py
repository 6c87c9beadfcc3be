"""The cells of a state that vary, with their values in a sample and on random walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.system import System, Variable
from strandline.progress.candidates import negated, ranked, total
from strandline.progress.sampling import Integers, Sample, States

_MOST_CELLS = 160
"""How many cells are looked at: locations first, then variables, then elements of arrays."""
_LARGEST = 1 << 40
"""Values beyond this are no counters; sums of them would not fit 64 bits."""
_MOST_EDGES = 100_000
"""Edges of the sample that are looked at; those of the random walks come on top."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A variable or one element of an array: its values before and after each edge that was seen, and which values
    occur at all."""

    variable: Variable
    index: int | None
    located: bool
    """It is where a process, or the observer, stands."""
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
        """What elements of an array, and cells of processes that have the same names inside, have in common."""
        variable = self.variable
        if self.index is not None:
            return variable.name
        if self.located:
            return " ".join(variable.names or ())
        return "." + variable.name.removeprefix(variable.owner) if variable.owner else f"only {variable.name}"

    def plain(self, *, rising: bool) -> Expression:
        """The value itself, or its negation; of a location, which is not a number, its place among those declared."""
        if not self.located:
            return self.expression if rising else negated(self.expression)
        highest = self.present[-1]
        return self.looked_up({value: value if rising else highest - value for value in self.present})

    def looked_up(self, ranks: dict[int, int]) -> Expression:
        """The rank of the cell's value."""
        if self.index is None:
            return ranked(self.variable, ranks)
        asked = [(rank, Binary("==", self.expression, Const(value))) for value, rank in sorted(ranks.items()) if rank]
        return total([one if rank == 1 else Binary("*", Const(rank), one) for rank, one in asked])


def find_cells(system: System, sample: Sample, walked: States, linked: Integers) -> list[Cell]:
    """The cells that are not the same in all states that were seen: in the sample and on the walks, where the
    successor of each state that is `linked` is the next one."""
    return list(_find(system, sample, walked, linked))


def _find(system: System, sample: Sample, walked: States, linked: Integers) -> Iterator[Cell]:
    inside = np.flatnonzero(sample.targets >= 0)
    inside = inside[:: len(inside) // _MOST_EDGES + 1]
    sources, targets = sample.sources[inside], sample.targets[inside]
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
                tuple(sorted({*_present(first), *_present(second)})),
            )


def _present(values: Integers) -> list[int]:
    low, high = int(values.min()), int(values.max())
    if high - low > 1 << 16:
        ordered = np.sort(values)
        found: list[int] = ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))].tolist()
        return found
    places: list[int] = (np.flatnonzero(np.bincount(values - low)) + low).tolist()
    return places
