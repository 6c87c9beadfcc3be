"""The door: whatever can be explored, as a Kernel.

Each kind has its back end: machine code for a System (`host`), calls into Python for callables (`callback`), tables for
an explicit graph (`graph`). A System can have code for a device besides (`device`).
"""

from __future__ import annotations

from strandline.compile.callback import CallableSystem, callback_kernel
from strandline.compile.device import compile_for_device
from strandline.compile.graph import graph_kernel
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.errors import UsageError
from strandline.model.graph import Graph
from strandline.model.system import System


def make_kernel(source: System | Graph, specification: KernelSpecification = PLAIN) -> Kernel:
    """Return the Kernel of a System, of callables or of a graph, which has labels and progress of its own."""
    match source:
        case Graph():
            if specification.predicates or specification.measure is not None:
                raise UsageError("a graph has labels and progress of its own: no predicate and no measure can be added")
            return graph_kernel(source)
        case CallableSystem():
            return callback_kernel(source, specification.predicates, specification.measure)
        case System() if specification.for_device:
            return compile_for_device(source, specification)
        case System():
            return compile_system(source, specification)
