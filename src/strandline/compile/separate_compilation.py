"""The steps of a System and what is asked of them as two Modules: the steps are compiled once for many questions.

What is asked, predicates, an observer and a measure, is a small function over the System's own (`llvm/asking.py`). It
answers as one Module for all does, state by state, but for one thing: the System's steps are all made before the
observer looks. So a guard or a measure that may fault is compiled with the steps, where its fault comes in its turn.
"""

from __future__ import annotations

import time

from strandline.analysis.ranges import Ranges, analyse_ranges
from strandline.compile.llvm import asking
from strandline.compile.llvm.actions import is_large
from strandline.compile.llvm.coverage import Marks
from strandline.compile.llvm.faults import FaultTable
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS
from strandline.compile.llvm.tables import table_texts
from strandline.compile.module import Module, emit, expressions_asked
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import deep_recursion, without_collecting
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import System

_KNOWN = "_steps"
"""Where a System keeps the Module of its steps, as it keeps cached properties."""


def emit_apart(system: System, specification: KernelSpecification) -> Module | None:
    """A System that an observer was put beside, or a large one, with the Module of its steps apart; None where all of
    it has to be, or is better, one Module."""
    started = time.perf_counter()
    predicates, measure = specification.predicates, specification.measure
    plain = system if system.observer is None and is_large(system) else system.unwatched
    if plain is None:
        return None
    ranges = analyse_ranges(system)
    layout = make_layout(system, ranges.variables)
    if not _harmless(system, measure, ranges):
        return None
    steps = _steps_of(plain)
    if layout.fields[: len(plain.variables)] != steps.layout.fields:
        return None
    records = Records(layout, ranges, measure, Marks(plain, ranges), known_faults=steps.fault_sites)
    with deep_recursion(), without_collecting():
        functions = asking.write_functions(system, predicates, records, steps.stride)
    return Module(
        system,
        tuple(predicates),
        measure,
        None,
        (),
        layout,
        (*DECLARATIONS, *asking.DECLARATIONS, *table_texts(expressions_asked(system, predicates, measure))),
        functions,
        asking.ENTRY,
        records.stride,
        steps.marks,
        records.faults.sites(),
        time.perf_counter() - started,
        steps,
    )


def _harmless(system: System, measure: Measure | None, ranges: Ranges) -> bool:
    """Whether what is evaluated of every step cannot fault."""
    faults = FaultTable(ranges.variables)
    guards = [] if system.observer is None else [edge.guard for edge in system.observer.edges]
    measured = [] if measure is None else [measure.column, measure.layer, *measure.compared]
    return all(faults.harmless(one) for one in (*guards, *measured) if one is not None)


def _steps_of(plain: System) -> Module:
    known: Module | None = vars(plain).get(_KNOWN)
    if known is None:
        known = vars(plain)[_KNOWN] = emit(plain)
    return known
