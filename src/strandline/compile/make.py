"""The door: whatever can be explored, as a Kernel.

Each kind has its back end: machine code for a System (`host`), calls into Python for callables (`callback`), tables for
an explicit graph (`graph`). A System can have code for a device besides (`device`).
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.analysis.symmetry.detection import Exchange
from strandline.compile.callback import CallableSystem, callback_kernel
from strandline.compile.device import compile_for_device
from strandline.compile.graph import graph_kernel
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.compile.reduction.choosing import Reduction
from strandline.errors import UsageError
from strandline.model.expression import Expression
from strandline.model.graph import Graph
from strandline.model.measure import Measure
from strandline.model.system import System


def make_kernel(
    source: System | Graph,
    predicates: Sequence[Expression] = (),
    measure: Measure | None = None,
    reduction: Reduction | None = None,
    for_device: bool = False,
    shared: bool = False,
    exchanges: Sequence[Exchange] = (),
    even: bool = False,
) -> Kernel:
    """The Kernel of a System, with the predicates and the measure that a search needs, or of a graph, which has its
    labels and its progress in itself. The steps of a System can be reduced. With `for_device` it has the model for a
    device too, and is not reduced. With `shared` several threads are going to call it.
    `exchanges`: processes that need not be told apart. `even`: as in `strandline.compile.module.emit`."""
    match source:
        case Graph():
            if predicates or measure is not None:
                raise UsageError("a graph has labels and progress of its own: no predicate and no measure can be added")
            return graph_kernel(source)
        case CallableSystem():
            return callback_kernel(source, predicates, measure)
        case System() if for_device:
            return compile_for_device(source, predicates, measure)
        case System():
            return compile_system(source, predicates, measure, reduction, exchanges=exchanges, shared=shared, even=even)
