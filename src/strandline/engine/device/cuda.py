"""An NVIDIA GPU as a device of the search, through its driver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.device.layout import KERNELS, MEASURED_KERNELS, PLAN_TYPE, TALLY_TYPE, Shape
from strandline.engine.device.linking import THREADS, bindings, link_model
from strandline.engine.runtime.memory import WordArray
from strandline.errors import InternalError, ResourceError

_OUT_OF_MEMORY = 2


def missing() -> str | None:
    """Return what is missing for using a GPU, as a message; None if nothing is."""
    try:
        driver = bindings("driver")
        for part in ("nvrtc", "nvjitlink"):
            bindings(part)
        status = driver.cuInit(0)[0]
    except ResourceError as error:
        return str(error)
    except RuntimeError as error:
        return f"no GPU can be used: there is no driver ({str(error).splitlines()[0]})"
    return None if int(status) == 0 else f"no GPU can be used: the driver returned {status.name}"


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """Loaded kernels."""

    module: Any
    kernels: dict[str, Any]
    grid: int
    """Number of blocks that can run at the same time."""
    symbols: dict[bytes, int]


class Gpu:
    """The first GPU, held until this object is closed.

    Raises `ResourceError` if there is none, or a package is missing.
    """

    def __init__(self) -> None:
        self._driver = bindings("driver")
        self.call("cuInit", 0)
        self._device = self.call("cuDeviceGet", 0)
        self.call("cuCtxSetCurrent", self.call("cuDevicePrimaryCtxRetain", self._device))
        self.name = self.call("cuDeviceGetName", 128, self._device).split(b"\0")[0].decode()
        major, minor = self.attribute("COMPUTE_CAPABILITY_MAJOR"), self.attribute("COMPUTE_CAPABILITY_MINOR")
        self.architecture = f"sm_{major}{minor}"
        self.processors = self.attribute("MULTIPROCESSOR_COUNT")
        self.threads = self.attribute("MAX_THREADS_PER_MULTIPROCESSOR")

    def attribute(self, name: str) -> int:
        which = getattr(self._driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call("cuDeviceGetAttribute", which, self._device))

    def local_bytes(self, kernel: Any) -> int:
        """Return the stack bytes per thread of a kernel."""
        which = self._driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
        return int(self.call("cuFuncGetAttribute", which, kernel))

    def call(self, function: str, *arguments: Any) -> Any:
        """Call the driver. Raises `ResourceError` if that fails: no device, or too little memory."""
        try:
            status, *values = getattr(self._driver, function)(*arguments)
        except RuntimeError as error:
            raise ResourceError(f"no GPU can be used: the driver is missing ({error})") from None
        if int(status) == _OUT_OF_MEMORY:
            raise ResourceError("the memory of the device is used up")
        if int(status) != 0:
            raise ResourceError(f"the GPU cannot be used: {function} returned {status.name}")
        return values[0] if len(values) == 1 else values

    def close(self) -> None:
        self.call("cuDevicePrimaryCtxRelease", self._device)


class CudaDevice:
    """The machine's first GPU, with the model of a Kernel loaded on it, as the device of a search."""

    def __init__(self, kernel: Kernel) -> None:
        if kernel.device is None:
            raise InternalError("this Kernel was not compiled for a device")
        self._code = kernel.device
        self._gpu = Gpu()
        self._call = self._gpu.call
        self.name = self._gpu.name
        self.lanes = 0
        self._stacks = 0
        self._programs: dict[Shape, _Program] = {}
        self._blocks: set[int] = set()

    def load(self, shape: Shape) -> None:
        if shape not in self._programs:
            architecture = self._gpu.architecture
            code = link_model(self._code, shape, architecture)
            self._programs[shape] = self._program(self._call("cuModuleLoadData", code), shape)
        self._loaded = self._programs[shape]
        self.lanes = self._loaded.grid * THREADS

    def _program(self, module: Any, shape: Shape) -> _Program:
        wanted = KERNELS + (MEASURED_KERNELS if shape.measured else ())
        kernels = {name: self._call("cuModuleGetFunction", module, name.encode()) for name in wanted}
        resident = self._call("cuOccupancyMaxActiveBlocksPerMultiprocessor", kernels["rounds"], THREADS, 0)
        stack = self._gpu.local_bytes(kernels["rounds"])
        self._stacks = max(self._stacks, stack * self._gpu.threads * self._gpu.processors)
        names = (b"plan", b"tally", b"coverage")
        symbols = {name: int(self._call("cuModuleGetGlobal", module, name)[0]) for name in names}
        return _Program(module, kernels, int(resident) * self._gpu.processors, symbols)

    def free_bytes(self) -> int:
        """Return the free memory, without what the driver will take for the stacks of threads."""
        return max(0, int(self._call("cuMemGetInfo")[0]) - self._stacks)

    def allocate(self, size: int) -> int:
        address = int(self._call("cuMemAlloc", size))
        self._blocks.add(address)
        return address

    def release(self, address: int) -> None:
        if address in self._blocks:
            self._blocks.remove(address)
            self._call("cuMemFree", address)

    def clear(self, address: int, size: int) -> None:
        self._call("cuMemsetD8", address, 0, size)

    def move(self, target: int, source: int, size: int) -> None:
        self._call("cuMemcpyDtoD", target, source, size)

    def read(self, address: int, words: int) -> WordArray:
        found: WordArray = np.empty(words, dtype=np.uint64)
        self._call("cuMemcpyDtoH", found.ctypes.data, address, 8 * words)
        return found

    def write(self, address: int, array: WordArray) -> None:
        given = np.ascontiguousarray(array, dtype=np.uint64)
        self._call("cuMemcpyHtoD", address, given.ctypes.data, given.nbytes)

    def run(self, kernel: str, plan: Any, tally: Any) -> None:
        sent = (np.array([plan], dtype=PLAN_TYPE), np.array([tally], dtype=TALLY_TYPE))
        program = self._loaded
        for symbol, record in zip((b"plan", b"tally"), sent, strict=True):
            self._call("cuMemcpyHtoD", program.symbols[symbol], record.ctypes.data, record.nbytes)
        launch = (program.kernels[kernel], program.grid, 1, 1, THREADS, 1, 1, 0, 0, 0)
        if kernel == "rounds":
            # All blocks are resident at once, because they wait for each other.
            self._call("cuLaunchCooperativeKernel", *launch)
        else:
            self._call("cuLaunchKernel", *launch, 0)
        self._call("cuMemcpyDtoH", sent[1].ctypes.data, program.symbols[b"tally"], sent[1].nbytes)
        for name in tally.dtype.names:
            tally[name] = sent[1][0][name]

    def marks(self) -> bytes:
        marked = np.zeros(self._code.marks, dtype=np.uint8)
        found = np.zeros_like(marked)
        for program in self._programs.values() if self._code.marks else ():
            self._call("cuMemcpyDtoH", found.ctypes.data, program.symbols[b"coverage"], len(found))
            marked |= found
        return marked.tobytes()

    def close(self) -> None:
        for address in list(self._blocks):
            self.release(address)
        for program in self._programs.values():
            self._call("cuModuleUnload", program.module)
        self._programs = {}
        self._gpu.close()
