"""What a search goes through: the Kernel of a System, with the reductions that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.checker.options.search import TREE, Options
from strandline.checker.reductions.partial_order import reduction_of
from strandline.checker.reductions.symmetry import STATES_ONLY, exchanges_of, no_symmetry
from strandline.compile.kernel import Kernel
from strandline.compile.lifting import separated
from strandline.compile.make import make_kernel
from strandline.errors import Option, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import Capability, System
from strandline.transform.merging import merge


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A Kernel, and what it leaves out: names that it does not tell apart, with the variables that hold them (and
    which it does tell apart, and why), and locations that it passes over."""

    kernel: Kernel
    exchanged: tuple[str, ...] = ()
    held_by: tuple[str, ...] = ()
    told_apart: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


def compiled(
    system: System,
    predicates: Sequence[Expression],
    measure: Measure | None,
    options: Options,
    *,
    seen: Sequence[Expression] | None,
    for_device: bool,
) -> Compiled:
    """The Kernel for a search. `seen` are the expressions whose truth reductions must keep; None where nothing may be
    reduced. Raises `UsageError` where what the options ask for is not possible."""
    shared, even = options.threads > 1, options.store == TREE
    if options.por:
        if seen is None:
            raise UsageError("{}: this search wants every step", options=[Option("por", True)])
        return Compiled(make_kernel(system, predicates, measure, reduction_of(system, seen), shared=shared, even=even))
    if options.symmetry:
        if seen is None or for_device:
            raise no_symmetry(STATES_ONLY)
        found = exchanges_of(system, seen, measure)
        exchanges = tuple(found.exchanges)
        kernel = make_kernel(system, predicates, measure, shared=shared, exchanges=exchanges, even=even)
        names, held_by = (one.names for one in exchanges), (one.held_by for one in exchanges)
        return Compiled(kernel, tuple(names), tuple(held_by), told_apart=tuple(found.broken))
    if options.merge:
        if seen is None or for_device:
            raise no_merging(STATES_ONLY)
        return _merged(system, predicates, measure, seen, shared=shared, even=even)
    return Compiled(make_kernel(system, predicates, measure, for_device=for_device, shared=shared, even=even))


def no_merging(why: str) -> UsageError:
    """Steps are not merged, and why."""
    return UsageError(f"{{}}: {why}", options=[Option("merge", True)])


def _merged(
    system: System,
    predicates: Sequence[Expression],
    measure: Measure | None,
    seen: Sequence[Expression],
    *,
    shared: bool,
    even: bool,
) -> Compiled:
    if Capability.ACTIONS not in system.capabilities:
        raise no_merging("callables do not tell what their steps read and write")
    merged = merge(system, seen)
    kernel = make_kernel(merged.system, predicates, measure, shared=shared, even=even)
    if not merged.passed_over:
        return Compiled(kernel)
    return Compiled(separated(kernel, merged, system), passed_over=merged.passed_over)
