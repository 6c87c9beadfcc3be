"""A Kernel whose successors the interpreter computes, with which machine code is compared."""

from __future__ import annotations

import time
from collections.abc import Sequence

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.callback_adapter import wrap_reference
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.model.expression import Expression
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import System


def interpret_system(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """Return a Kernel whose successors are computed by the interpreter."""
    started = time.perf_counter()
    layout = make_layout(system, analyse_ranges(system).variables)
    reference = SystemReference(system, layout, predicates, measure)
    return wrap_reference(reference, layout.words, measure, time.perf_counter() - started)
