"""Lift a path of canonical states to a run of the model."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.permutation import Positions
from strandline.compile.interpreted import SystemReference
from strandline.compile.symmetry.canonical import Canonical
from strandline.errors import InternalError


class OrbitLifting:
    """Follows stored states by states of the reference.

    The permutation from the stored state to the reference's state is tracked along the path. It determines the one step
    that a stored step stands for, even where an orbit has several canonical states.
    """

    def __init__(self, reference: SystemReference, canonical: Canonical) -> None:
        self._reference, self._canonical = reference, canonical

    def steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Return the numbers of the reference's steps along a path from an initial state."""
        state, found = self._reference.initial()[initial], []
        positions = self._canonical.positions(state)
        stored, called = self._canonical.permute(state, positions), _inverse(positions)
        for step in steps:
            target = self._reference.edges(stored)[step].target
            if target is None:
                break
            number, state = self._follow(state, self._canonical.permute(target, called))
            found.append(number)
            positions = self._canonical.positions(target)
            stored, called = self._canonical.permute(target, positions), _compose(called, _inverse(positions))
        return found

    def _follow(self, state: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        for number, edge in enumerate(self._reference.edges(state)):
            if edge.target == target:
                return number, target
        raise InternalError("a step between canonical states has no counterpart in the model")


def _inverse(positions: Positions) -> Positions:
    return [[row.index(rank) for rank in range(len(row))] for row in positions]


def _compose(second: Positions, first: Positions) -> Positions:
    """Compose two permutations of every set."""
    return [[later[rank] for rank in earlier] for later, earlier in zip(second, first, strict=True)]
