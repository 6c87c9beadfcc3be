"""Emit a System with predicates and a measure as a Module of LLVM IR.

A Module is the input of back ends that compile text to callable code (`host`). It holds no address and nothing that
depends on a target: the same Module can go to several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from strandline.analysis.dependencies import evaluated_expressions
from strandline.analysis.ranges import analyse_ranges
from strandline.analysis.symmetry.detection import Scalarset
from strandline.analysis.symmetry.permutation import close_initial_states, stored_ranges
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import FaultSite
from strandline.compile.llvm.coverage import CoverageBits
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS, ENTRY, write_functions
from strandline.compile.llvm.tables import table_texts
from strandline.compile.reduction import selection_code
from strandline.compile.reduction.selection import Reduction, StepSelector
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.compile.symmetry import canonical
from strandline.compile.symmetry.canonical import Canonical
from strandline.errors import InternalError
from strandline.model.expression import Expression, without_collecting
from strandline.model.layout import Layout, make_layout
from strandline.model.measure import Measure
from strandline.model.system import System


@dataclass(frozen=True, eq=False)
class Module:
    """A System with the predicates and the measure of a search, as LLVM IR."""

    system: System
    predicates: tuple[Expression, ...]
    measure: Measure | None
    reduction: Reduction | None
    """The partial-order reduction; None if all steps are taken."""
    scalarsets: tuple[Scalarset, ...]
    """The scalarsets under whose permutations states are identified."""
    layout: Layout
    declarations: tuple[str, ...] = field(repr=False)
    """Declarations of intrinsics, the coverage bits, and constant tables."""
    functions: Mapping[str, str] = field(repr=False)
    """Function texts by name."""
    entry: str
    """Name of the function with the signature of `kernel`; the others are internal."""
    stride: int
    """Words per record."""
    coverage_bits: int
    """Number of coverage bits, a byte each; see `llvm/coverage.py`."""
    fault_sites: tuple[FaultSite, ...]
    """The fault sites of negative results: -1 - k for site k."""
    seconds: float
    """Seconds that emitting took."""
    steps: Module | None = None
    """The Module of the System's steps, if they are compiled separately and this one only calls them."""

    @property
    def text(self) -> str:
        """The text of the whole module."""
        return "\n".join([*self.declarations, *self.functions.values()])

    def reference(self) -> SystemReference:
        """Return the reference: the same transition system, unreduced, on states of the same layout."""
        return SystemReference(self.system, self.layout, self.predicates, self.measure)

    def canonical(self) -> Canonical | None:
        """Return the function that makes states canonical; None without symmetry reduction."""
        return Canonical(self.layout, self.scalarsets) if self.scalarsets else None

    def selected_steps(self) -> Callable[[tuple[int, ...]], Sequence[int]] | None:
        """Return the function that selects the reference's steps in a state; None if all are taken."""
        return None if self.reduction is None else StepSelector(self.reference(), self.reduction).selected_steps


def specified_expressions(
    system: System, predicates: Sequence[Expression], measure: Measure | None
) -> Iterator[Expression]:
    """Yield all expressions that are evaluated besides the System's own actions."""
    yield from predicates
    if measure is not None:
        yield from (measure.column, measure.layer, *measure.compared)
    for edge in () if system.observer is None else system.observer.edges:
        yield from evaluated_expressions(edge)


def all_expressions(system: System, predicates: Sequence[Expression], measure: Measure | None) -> Iterator[Expression]:
    """Yield all expressions that a compiled System evaluates."""
    yield from specified_expressions(system, predicates, measure)
    for action in system.actions:
        yield from evaluated_expressions(action)


def _close_initial_states(system: System, scalarsets: Sequence[Scalarset]) -> System:
    """Add the permuted initial states, because canonical states are among those reachable from them."""
    closed_system = close_initial_states(system, scalarsets) if scalarsets else system
    if closed_system is None:
        raise InternalError("permuting names makes too many initial states")
    return closed_system


def emit(system: System, specification: KernelSpecification = PLAIN) -> Module:
    """Emit a System with the predicates and the measure of a search as a Module."""
    predicates, measure, reduction = specification.predicates, specification.measure, specification.reduction
    scalarsets = specification.scalarsets
    started = time.perf_counter()
    closed_system = _close_initial_states(system, scalarsets)
    ranges = analyse_ranges(closed_system)
    layout = make_layout(system, stored_ranges(closed_system, scalarsets), balanced=specification.balanced_words)
    coverage_bits = CoverageBits(system, ranges)
    alone = system.observer is None and not system.synchronous
    records = Records(layout, ranges, measure, coverage_bits, () if reduction is None else system.actions, alone=alone)
    with without_collecting():
        functions = write_functions(system, tuple(predicates), records)
        if reduction is not None:
            functions |= selection_code.write_functions(reduction, records, ENTRY)
    entry = ENTRY if reduction is None else selection_code.ENTRY
    if scalarsets:
        functions |= Canonical(layout, scalarsets).functions(ENTRY, records.stride)
        entry = canonical.ENTRY
    tables = table_texts(all_expressions(system, predicates, measure))
    declarations = (*DECLARATIONS, coverage_bits.declaration, *tables)
    if reduction is not None:
        declarations += (*selection_code.DECLARATIONS, *selection_code.table_texts(reduction))
    return Module(
        system,
        tuple(predicates),
        measure,
        reduction,
        tuple(scalarsets),
        layout,
        declarations,
        functions,
        entry,
        records.stride,
        coverage_bits.size,
        records.faults.sites(),
        time.perf_counter() - started,
    )
