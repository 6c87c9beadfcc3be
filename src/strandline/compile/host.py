"""Compile a Module to a Kernel: machine code for this processor, by llvmlite."""

from __future__ import annotations

import ctypes
import hashlib
import time

import numpy as np
import numpy.typing as npt

from strandline.compile.jit import machine_code, object_code
from strandline.compile.kernel import Kernel, Marked, initial_arrays
from strandline.compile.llvm.coverage import GLOBAL
from strandline.compile.module import Module, emit
from strandline.compile.separate_compilation import emit_separately
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.compile.symmetry.lifting import OrbitLifting
from strandline.model.system import System


def compile_system(system: System, specification: KernelSpecification = PLAIN) -> Kernel:
    """Compile a System into a Kernel; its steps are compiled only once where they can be linked."""
    apart = emit_separately(system, specification) if specification.is_separable else None
    return compile_module(apart or emit(system, specification))


def compile_module(module: Module) -> Kernel:
    """Return the Kernel of a Module."""
    started = time.perf_counter()
    steps = module.steps
    code = machine_code(module.text, () if steps is None else (_compile_once(steps),))
    reference = module.reference()
    initial, progress = initial_arrays(reference, module.layout.words)
    canonical = module.canonical()
    if canonical is not None:
        initial = np.array([canonical(tuple(state)) for state in initial.tolist()], dtype=np.uint64)
    return Kernel(
        words=module.layout.words,
        bits=module.layout.bits,
        measured=module.measure is not None,
        componentwise=module.measure is not None and bool(module.measure.compared),
        selected_steps=module.selected_steps(),
        canonical=canonical,
        lift_trace=None if canonical is None else OrbitLifting(reference, canonical).steps,
        successors=code.function(module.entry),
        initial=initial,
        initial_progress=progress,
        fault_sites=module.fault_sites,
        reference=reference,
        compile_seconds=module.seconds + time.perf_counter() - started,
        keep_alive=code,
        coverage_bits=_bytes_at(code.variable(GLOBAL), module.coverage_bits),
        digest=_digest(module, initial),
    )


_OBJECT = "_object"
"""The attribute in which a Module caches its object code."""


def _compile_once(module: Module) -> bytes:
    """Return the object code of a Module, compiled once; every Kernel that links it has its own coverage bits."""
    known: bytes | None = vars(module).get(_OBJECT)
    if known is None:
        known = vars(module)[_OBJECT] = object_code(module.text)
    return known


def _digest(module: Module, initial: npt.NDArray[np.uint64]) -> str:
    steps = "" if module.steps is None else module.steps.text
    return hashlib.sha256(steps.encode() + module.text.encode() + initial.tobytes()).hexdigest()


def _bytes_at(address: int, count: int) -> Marked:
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(address))
