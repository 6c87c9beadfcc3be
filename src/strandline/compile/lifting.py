"""Lift paths of a System with merged steps to runs of the original System, one local step at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.errors import InternalError
from strandline.model.layout import make_layout
from strandline.model.system import Action, System
from strandline.transform.merging import Merged


def lift_traces(kernel: Kernel, merged: Merged, system: System) -> Kernel:
    """Return the Kernel of a merged System with the original System as its reference, for traces."""
    fold_constants = kernel.reference
    assert isinstance(fold_constants, SystemReference)
    layout = make_layout(system, analyse_ranges(system).variables)
    whole = SystemReference(system, layout, fold_constants.predicates, fold_constants.measure)
    return replace(kernel, reference=whole, lift_trace=_MergedSteps(fold_constants, whole, merged).steps)


class _MergedSteps:
    def __init__(self, fold_constants: SystemReference, whole: SystemReference, merged: Merged) -> None:
        self._merged_reference, self._whole, self._merged = fold_constants, whole, merged

    def steps(self, initial: int, steps: Sequence[int]) -> Sequence[int]:
        """Return the numbers of the original System's steps along a path from an initial state."""
        stored, state, found = self._merged_reference.initial()[initial], self._whole.initial()[initial], []
        for step in steps:
            (action,) = self._merged_reference.actions_of_steps(stored)[step]
            target = self._merged_reference.edges(stored)[step].target
            if target is None:
                break
            stored = target
            for part in self._merged.parts.get(id(action), (action,)):
                number, state = self._follow(state, part)
                found.append(number)
        return found

    def _follow(self, state: tuple[int, ...], part: Action) -> tuple[int, tuple[int, ...]]:
        for number, (actions, edge) in enumerate(
            zip(self._whole.actions_of_steps(state), self._whole.edges(state), strict=True)
        ):
            if actions[0] is part and edge.target is not None:
                return number, edge.target
        raise InternalError(f"a merged step has a part, '{part.name}', that is not enabled")
