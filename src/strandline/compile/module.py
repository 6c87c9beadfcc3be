"""System x predicates x measure -> Module: everything about a compiled model that no machine has a say in.

A Module is what back ends take that turn text into something callable (`host`). It holds no address and nothing that
depends on a target: the same Module can go to several.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from strandline.compile.interpreted import SystemTwin
from strandline.compile.kernel import FaultSite
from strandline.compile.llvm.coverage import Marks
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS, ENTRY, write_functions
from strandline.compile.llvm.tables import table_texts
from strandline.model.expression import Element, Expression, deep_recursion
from strandline.model.layout import Layout, make_layout
from strandline.model.measure import Measure
from strandline.model.ranges import analyse_ranges
from strandline.model.system import System


@dataclass(frozen=True, eq=False)
class Module:
    """A System with the predicates and the measure that a search needs, as LLVM IR."""

    system: System
    predicates: tuple[Expression, ...]
    measure: Measure | None
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

    @property
    def text(self) -> str:
        """The whole module."""
        return "\n".join([*self.declarations, *self.functions.values()])

    def twin(self) -> SystemTwin:
        """The plain definition of the same transition system, on states of the same layout."""
        return SystemTwin(self.system, self.layout, self.predicates, self.measure)


def _expressions(
    system: System, predicates: Sequence[Expression], measure: Measure | None
) -> Iterator[Expression]:
    """All that is evaluated."""
    yield from predicates
    if measure is not None:
        yield from (measure.column, measure.layer, *measure.compared)
    observer = () if system.observer is None else system.observer.edges
    for action in (*system.actions, *observer):
        if action.guard is not None:
            yield action.guard
        for effect in action.effects:
            yield effect.value
            if isinstance(effect.target, Element):
                yield effect.target.index


def emit(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Module:
    """Write a System, with the predicates and the measure that a search needs, as a Module."""
    started = time.perf_counter()
    ranges = analyse_ranges(system)
    layout = make_layout(system, ranges.variables)
    marks = Marks(system, ranges)
    records = Records(layout, ranges, measure, marks)
    with deep_recursion():
        functions = write_functions(system, tuple(predicates), records)
    return Module(
        system,
        tuple(predicates),
        measure,
        layout,
        (*DECLARATIONS, marks.declaration, *table_texts(_expressions(system, predicates, measure))),
        functions,
        ENTRY,
        records.stride,
        marks.size,
        records.faults.sites(),
        time.perf_counter() - started,
    )
