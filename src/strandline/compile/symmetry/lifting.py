"""Steps between states that stand for others, as a run of the model itself."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.permutation import Positions
from strandline.compile.interpreted import SystemReference
from strandline.compile.symmetry.canonical import Canonical
from strandline.errors import InternalError


class Unfolding:
    """Follows stored states by those of the reference. What each name of the stored state is called in the reference's is known
    all along: so is the one step that the stored one stands for, also where an orbit has several stored states."""

    def __init__(self, reference: SystemReference, canonical: Canonical) -> None:
        self._reference, self._canonical = reference, canonical

    def steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Steps from an initial state, by their numbers in the reference."""
        state, found = self._reference.initial()[initial], []
        positions = self._canonical.positions(state)
        stored, called = self._canonical.moved(state, positions), _inverse(positions)
        for step in steps:
            target = self._reference.edges(stored)[step].target
            if target is None:
                break
            number, state = self._follow(state, self._canonical.moved(target, called))
            found.append(number)
            positions = self._canonical.positions(target)
            stored, called = self._canonical.moved(target, positions), _after(called, _inverse(positions))
        return found

    def _follow(self, state: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        for number, edge in enumerate(self._reference.edges(state)):
            if edge.target == target:
                return number, target
        raise InternalError("names were exchanged that are not alike: a step has no counterpart")


def _inverse(positions: Positions) -> Positions:
    return [[row.index(rank) for rank in range(len(row))] for row in positions]


def _after(second: Positions, first: Positions) -> Positions:
    """What names become by one, and then by another."""
    return [[later[rank] for rank in earlier] for later, earlier in zip(second, first, strict=True)]
