"""System x predicates x measure -> Module: everything about a compiled model that no machine has a say in.

A Module is what back ends take that turn text into something callable (`host`). It holds no address and nothing that
depends on a target: the same Module can go to several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from strandline.analysis.dependencies import evaluated
from strandline.analysis.ranges import analyse_ranges
from strandline.analysis.symmetry.detection import Exchange
from strandline.analysis.symmetry.permutation import closed, stored_ranges
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import FaultSite
from strandline.compile.llvm.coverage import Marks
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS, ENTRY, write_functions
from strandline.compile.llvm.tables import table_texts
from strandline.compile.reduction import emitting
from strandline.compile.reduction.choosing import Chooser, Reduction
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.compile.symmetry import canonical
from strandline.compile.symmetry.canonical import Canonical
from strandline.errors import InternalError
from strandline.model.expression import Expression, deep_recursion, without_collecting
from strandline.model.layout import Layout, make_layout
from strandline.model.measure import Measure
from strandline.model.system import System


@dataclass(frozen=True, eq=False)
class Module:
    """A System with the predicates and the measure that a search needs, as LLVM IR."""

    system: System
    predicates: tuple[Expression, ...]
    measure: Measure | None
    reduction: Reduction | None
    """How steps are chosen; None where all are taken."""
    exchanges: tuple[Exchange, ...]
    """Up to which names states are told apart."""
    layout: Layout
    declarations: tuple[str, ...] = field(repr=False)
    """What the functions call beside each other, checked arithmetic and memcpy, where they set marks, and constant
    tables."""
    functions: Mapping[str, str] = field(repr=False)
    """Texts by name."""
    entry: str
    """The function with the signature of `kernel`; the others are internal."""
    stride: int
    """Words per record."""
    marks: int
    """How many bytes of coverage there are; see `llvm/coverage.py`."""
    fault_sites: tuple[FaultSite, ...]
    """What the functions' negative results stand for: -1 - k for site k."""
    seconds: float
    """How long it took to write."""
    steps: Module | None = None
    """That of the System alone, where this one calls its functions, its entry among them, and holds no step itself."""

    @property
    def text(self) -> str:
        """The whole module."""
        return "\n".join([*self.declarations, *self.functions.values()])

    def reference(self) -> SystemReference:
        """The plain definition of the same transition system, on states of the same layout; all steps of it."""
        return SystemReference(self.system, self.layout, self.predicates, self.measure)

    def canonical(self) -> Canonical | None:
        """Brings states into the form in which they are stored; None where that is the one they have."""
        return Canonical(self.layout, self.exchanges) if self.exchanges else None

    def chosen(self) -> Callable[[tuple[int, ...]], Sequence[int]] | None:
        """Which of the reference's steps are taken in a state; None where all are."""
        return None if self.reduction is None else Chooser(self.reference(), self.reduction).chosen


def expressions_asked(
    system: System, predicates: Sequence[Expression], measure: Measure | None
) -> Iterator[Expression]:
    """All that is evaluated beside the System's own actions."""
    yield from predicates
    if measure is not None:
        yield from (measure.column, measure.layer, *measure.compared)
    for edge in () if system.observer is None else system.observer.edges:
        yield from evaluated(edge)


def _expressions(system: System, predicates: Sequence[Expression], measure: Measure | None) -> Iterator[Expression]:
    yield from expressions_asked(system, predicates, measure)
    for action in system.actions:
        yield from evaluated(action)


def _all_exchanged(system: System, exchanges: Sequence[Exchange]) -> System:
    """What can be reached from initial states in which names were exchanged: states are stored in such a form."""
    exchanged = closed(system, exchanges) if exchanges else system
    if exchanged is None:
        raise InternalError("exchanging names makes too many initial states")
    return exchanged


def emit(system: System, specification: KernelSpecification = PLAIN) -> Module:
    """Write a System, with the predicates and the measure that a search needs, as a Module."""
    predicates, measure, reduction = specification.predicates, specification.measure, specification.reduction
    exchanges = specification.scalarsets
    started = time.perf_counter()
    exchanged = _all_exchanged(system, exchanges)
    ranges = analyse_ranges(exchanged)
    layout = make_layout(system, stored_ranges(exchanged, exchanges), even=specification.balanced_words)
    marks = Marks(system, ranges, shared=specification.thread_safe)
    alone = system.observer is None and not system.synchronous
    records = Records(layout, ranges, measure, marks, () if reduction is None else system.actions, alone=alone)
    with deep_recursion(), without_collecting():
        functions = write_functions(system, tuple(predicates), records)
        if reduction is not None:
            functions |= emitting.write_functions(reduction, records, ENTRY)
    entry = ENTRY if reduction is None else emitting.ENTRY
    if exchanges:
        functions |= Canonical(layout, exchanges).functions(ENTRY, records.stride)
        entry = canonical.ENTRY
    tables = table_texts(_expressions(system, predicates, measure))
    declarations = (*DECLARATIONS, marks.declaration, *tables)
    if reduction is not None:
        declarations += (*emitting.DECLARATIONS, *emitting.table_texts(reduction))
    return Module(
        system,
        tuple(predicates),
        measure,
        reduction,
        tuple(exchanges),
        layout,
        declarations,
        functions,
        entry,
        records.stride,
        marks.size,
        records.faults.sites(),
        time.perf_counter() - started,
    )
