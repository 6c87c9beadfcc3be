"""Compile the steps of a System once, separately from the properties.

Predicates, a property process and a measure are a small function that wraps the System's own (`llvm/wrapper.py`). The
result is the same as that of a single Module, state by state, with one exception: all steps of the System are computed
before the property process reads them. So if a guard or a measure may fault, it is compiled together with the steps, to
keep the order of faults.
"""

from __future__ import annotations

import time

from strandline.analysis.ranges import Ranges, analyse_ranges
from strandline.compile.llvm import wrapper
from strandline.compile.llvm.actions import is_large
from strandline.compile.llvm.coverage import CoverageBits
from strandline.compile.llvm.faults import FaultTable
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS
from strandline.compile.llvm.tables import table_texts
from strandline.compile.module import Module, emit, specified_expressions
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import without_collecting
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import System

_KNOWN = "_steps"
"""The attribute in which a System caches the Module of its steps."""


def emit_separately(system: System, specification: KernelSpecification) -> Module | None:
    """Emit a large System, or one with a property process, separately from its steps.

    Returns None if it has to be, or is better, a single Module.
    """
    started = time.perf_counter()
    predicates, measure = specification.predicates, specification.measure
    plain = system if system.observer is None and is_large(system) else system.observed_system
    if plain is None:
        return None
    ranges = analyse_ranges(system)
    layout = make_layout(system, ranges.variables)
    if not _cannot_fault(system, measure, ranges):
        return None
    steps = _steps_of(plain)
    if layout.fields[: len(plain.variables)] != steps.layout.fields:
        return None
    records = Records(layout, ranges, measure, CoverageBits(plain, ranges), known_faults=steps.fault_sites)
    with without_collecting():
        functions = wrapper.write_functions(system, predicates, records, steps.stride)
    return Module(
        system,
        tuple(predicates),
        measure,
        None,
        (),
        layout,
        (*DECLARATIONS, *wrapper.DECLARATIONS, *table_texts(specified_expressions(system, predicates, measure))),
        functions,
        wrapper.ENTRY,
        records.stride,
        steps.coverage_bits,
        records.faults.sites(),
        time.perf_counter() - started,
        steps,
    )


def _cannot_fault(system: System, measure: Measure | None, ranges: Ranges) -> bool:
    """Return True if the expressions that are evaluated at every step cannot fault."""
    faults = FaultTable(ranges.variables)
    guards = [] if system.observer is None else [edge.guard for edge in system.observer.edges]
    measured = [] if measure is None else [measure.column, measure.layer, *measure.compared]
    return all(faults.cannot_fault(one) for one in (*guards, *measured) if one is not None)


def _steps_of(plain: System) -> Module:
    known: Module | None = vars(plain).get(_KNOWN)
    if known is None:
        known = vars(plain)[_KNOWN] = emit(plain)
    return known
