"""Make a Kernel of a System or of Python callables.

Each kind of model has its back end: machine code for a System (`host`), calls into Python for callables (`callback`). A
System can also have code for a device (`device`).
"""

from __future__ import annotations

from strandline.compile.callback import CallableSystem, callback_kernel
from strandline.compile.device import compile_for_device
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.model.system import System


def make_kernel(system: System, specification: KernelSpecification = PLAIN) -> Kernel:
    """Return the Kernel of a System or of callables."""
    if isinstance(system, CallableSystem):
        return callback_kernel(system, specification.predicates, specification.measure)
    if specification.for_device:
        return compile_for_device(system, specification)
    return compile_system(system, specification)
