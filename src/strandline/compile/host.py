"""Module -> Kernel: machine code for the processor that runs this, by llvmlite."""

from __future__ import annotations

import ctypes
import hashlib
import time

import numpy as np
import numpy.typing as npt

from strandline.compile.jit import machine_code, object_code
from strandline.compile.kernel import Kernel, Marked, start_of
from strandline.compile.llvm.coverage import GLOBAL
from strandline.compile.module import Module, emit
from strandline.compile.separate_compilation import emit_apart
from strandline.compile.specification import PLAIN, KernelSpecification
from strandline.compile.symmetry.unfolding import Unfolding
from strandline.model.system import System


def compile_system(system: System, specification: KernelSpecification = PLAIN) -> Kernel:
    """Compile a System into a Kernel. Its steps are compiled once, where they can be linked with what is asked."""
    apart = emit_apart(system, specification) if specification.is_separable else None
    return compile_module(apart or emit(system, specification))


def compile_module(module: Module) -> Kernel:
    """The Kernel of a Module."""
    started = time.perf_counter()
    steps = module.steps
    code = machine_code(module.text, () if steps is None else (_linkable(steps),))
    reference = module.reference()
    initial, progress = start_of(reference, module.layout.words)
    canonical = module.canonical()
    if canonical is not None:
        initial = np.array([canonical(tuple(state)) for state in initial.tolist()], dtype=np.uint64)
    return Kernel(
        words=module.layout.words,
        bits=module.layout.bits,
        measured=module.measure is not None,
        componentwise=module.measure is not None and bool(module.measure.compared),
        chosen=module.chosen(),
        canonical=canonical,
        separate=None if canonical is None else Unfolding(reference, canonical).steps,
        successors=code.function(module.entry),
        initial=initial,
        initial_progress=progress,
        fault_sites=module.fault_sites,
        reference=reference,
        compile_seconds=module.seconds + time.perf_counter() - started,
        keep_alive=code,
        marks=_bytes_at(code.variable(GLOBAL), module.marks),
        digest=_digest(module, initial),
    )


_OBJECT = "_object"
"""Where a Module keeps what was compiled of it, as cached properties are kept."""


def _linkable(module: Module) -> bytes:
    """Compiled once; every Kernel that is linked with it has its own copy, with its own marks."""
    known: bytes | None = vars(module).get(_OBJECT)
    if known is None:
        known = vars(module)[_OBJECT] = object_code(module.text)
    return known


def _digest(module: Module, initial: npt.NDArray[np.uint64]) -> str:
    steps = "" if module.steps is None else module.steps.text
    return hashlib.sha256(steps.encode() + module.text.encode() + initial.tobytes()).hexdigest()


def _bytes_at(address: int, count: int) -> Marked:
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(address))
