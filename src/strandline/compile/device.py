"""Compile a System for a device: its code, and the bounds of its progress.

The Kernel has machine code for the host too, which reproduces the fault of a state at which the device stopped.
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
    """A model compiled for devices."""

    text: str = field(repr=False)
    """LLVM IR."""
    marks: int
    """Number of coverage bits, a byte each."""
    columns: tuple[int, int] = (0, 0)
    layers: tuple[int, int] = (0, 0)
    """Bounds of the columns and of the layers."""
    monotone: bool = True
    """True if no edge regresses."""

    def ptx(self, architecture: str) -> str:
        """Return the model as PTX for an architecture such as sm_90."""
        from strandline.compile.ptx import ptx

        return ptx(self.text, architecture)


def compile_for_device(system: System, specification: KernelSpecification = PLAIN) -> Kernel:
    """Return a Kernel with device code."""
    started = time.perf_counter()
    measure = specification.measure
    module = emit(system, specification)
    bounds = {} if measure is None else {"columns": measure.columns, "layers": measure.layers}
    code = DeviceCode(module.text, module.coverage_bits, monotone=measure is None or measure.monotone, **bounds)
    kernel = compile_module(module)
    return replace(kernel, device=code, compile_seconds=time.perf_counter() - started)
