"""Compile the System of a search, with the reductions that its options ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strandline.checker.options.search import Options
from strandline.checker.reductions.partial_order import reduction_of
from strandline.checker.reductions.symmetry import STATES_ONLY, exchanges_of, no_symmetry
from strandline.compile.kernel import Kernel
from strandline.compile.lifting import lift_traces
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import Capability, System
from strandline.transform.merging import merge


@dataclass(frozen=True, slots=True, eq=False)
class CompiledModel:
    """A Kernel, and the reductions applied in it, in words for reports."""

    kernel: Kernel
    symmetric_groups: tuple[str, ...] = ()
    """Groups of interchangeable processes or values, each as a list of names."""
    symmetry_variables: tuple[str, ...] = ()
    """For each group, the variables that refer to its members."""
    not_symmetric: tuple[str, ...] = ()
    """Groups that are not interchangeable, with the reason."""
    merged_locations: tuple[str, ...] = ()
    """Locations whose next step was merged with the step before it."""


def compile_for_search(
    system: System,
    predicates: Sequence[Expression],
    measure: Measure | None,
    options: Options,
    *,
    visible: Sequence[Expression] | None,
    for_device: bool,
) -> CompiledModel:
    """Compile a System with the reductions that the options ask for.

    `visible` are the expressions whose truth reductions must preserve; None if nothing may be reduced. Raises
    `UsageError` if a reduction is not possible.
    """
    specification = KernelSpecification(
        predicates,
        measure,
        balanced_words=options.store_kind.balanced_words,
        for_device=for_device,
    )
    if options.por:
        if visible is None:
            raise UsageError("{}: this search needs all steps of every state", options=[Option("por", True)])
        return CompiledModel(make_kernel(system, replace(specification, reduction=reduction_of(system, visible))))
    if options.symmetry:
        if visible is None or for_device:
            raise no_symmetry(STATES_ONLY)
        found = exchanges_of(system, visible, measure)
        scalarsets = tuple(found.scalarsets)
        kernel = make_kernel(system, replace(specification, scalarsets=scalarsets))
        names, symmetry_variables = (one.names for one in scalarsets), (one.referenced_by for one in scalarsets)
        return CompiledModel(kernel, tuple(names), tuple(symmetry_variables), not_symmetric=tuple(found.asymmetric))
    if options.merge:
        if visible is None or for_device:
            raise no_merging(STATES_ONLY)
        return _compile_merged(system, specification, visible)
    return CompiledModel(make_kernel(system, specification))


def no_merging(why: str) -> UsageError:
    """Return the error for a search in which steps cannot be merged, with the reason."""
    return UsageError(f"{{}}: {why}", options=[Option("merge", True)])


def _compile_merged(system: System, specification: KernelSpecification, visible: Sequence[Expression]) -> CompiledModel:
    if Capability.ACTIONS not in system.capabilities:
        raise no_merging("callables do not declare the variables that their steps read and write")
    merged = merge(system, visible)
    kernel = make_kernel(merged.system, specification)
    if not merged.merged_locations:
        return CompiledModel(kernel)
    return CompiledModel(lift_traces(kernel, merged, system), merged_locations=merged.merged_locations)
