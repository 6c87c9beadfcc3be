"""Module -> what a search on a device needs of it: its text for the device, and the bounds of its progress.

The Kernel that it comes with has machine code for the host too, which tells what a state at which the device stopped
has done wrong.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from strandline.compile.host import compile_module
from strandline.compile.kernel import Kernel
from strandline.compile.module import emit
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.model.system import System


@dataclass(frozen=True, eq=False)
class DeviceCode:
    """A model for devices."""

    text: str = field(repr=False)
    """LLVM IR."""
    marks: int
    """How many bytes of coverage there are."""
    columns: tuple[int, int] = (0, 0)
    layers: tuple[int, int] = (0, 0)
    """Between what columns and layers lie."""
    monotone: bool = True
    """No edge regresses."""

    def ptx(self, architecture: str) -> str:
        """The model as PTX for an architecture such as sm_90."""
        from strandline.compile.ptx import ptx

        return ptx(self.text, architecture)


def compile_for_device(system: System, specification: KernelSpecification = PLAIN) -> Kernel:
    """A Kernel with a model for devices."""
    started = time.perf_counter()
    measure = specification.measure
    module = emit(system, replace(specification, thread_safe=True))
    bounds = {} if measure is None else {"columns": measure.columns, "layers": measure.layers}
    code = DeviceCode(module.text, module.marks, monotone=measure is None or measure.monotone, **bounds)
    kernel = compile_module(module)
    return replace(kernel, device=code, compile_seconds=time.perf_counter() - started)
