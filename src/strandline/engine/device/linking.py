"""Compilation for a GPU: PTX of a model + `search.cu` -> machine code, cached in the user's cache.

NVRTC compiles the kernels, nvJitLink links them with the model; both come with NVIDIA's packages for Python and need
neither a GPU nor a CUDA toolkit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module, resources
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from strandline.compile.device import DeviceCode
from strandline.engine.device.layout import Shape, declarations
from strandline.engine.runtime.cache_folder import NotPrivate, cache_root, make_private
from strandline.engine.runtime.code_cache import add_digest, check_digest
from strandline.errors import InternalError, ResourceError

THREADS = 256
"""Threads per block."""
_KEPT = 256
"""Most files in the cache."""
HINT = "pip install 'strandline[gpu]' brings it (for CUDA 12: 'strandline[gpu-cuda12]')"


@cache
def _library(name: str) -> ModuleType:
    """Import a module of NVIDIA's bindings. Raises `ResourceError` if it is missing."""
    try:
        return import_module(f"cuda.bindings.{name}")
    except ImportError as error:
        raise ResourceError(f"no GPU can be used: the package cuda-bindings is missing ({error}); {HINT}") from None
    except RuntimeError as error:
        raise ResourceError(f"no GPU can be used: {error}; {HINT}") from None


def bindings(name: str) -> Any:
    """Import a module of NVIDIA's Python bindings; the result is untyped."""
    return _library(name)


def link_model(code: DeviceCode, shape: Shape, architecture: str) -> bytes:
    """Return machine code for an architecture, such as sm_90, from the cache or newly linked.

    Raises `ResourceError` if a package is missing.
    """
    source = _source(shape)

    def link() -> bytes:
        kernels = _get_or_make("kernels", [source, architecture], lambda: _compile_kernels(source, architecture))
        return _link(kernels, code.ptx(architecture).encode(), architecture)

    return _get_or_make("model", [source, code.text, architecture], link)


def _get_or_make(kind: str, texts: list[str], make: Callable[[], bytes]) -> bytes:
    """Return the cached result of `make` for some texts; make and store it if it is missing."""
    digest = hashlib.sha256("\0".join([*texts, _versions()]).encode()).hexdigest()[:32]
    try:
        path = cache_root() / "device" / f"{kind}-{digest}"
        make_private(path.parent)
    except (NotPrivate, OSError):
        return make()
    with contextlib.suppress(OSError):
        made = check_digest(path.read_bytes())
        if made is not None:
            os.utime(path)
            return made
    made = make()
    _write_cached(path, add_digest(made))
    return made


def _source(shape: Shape) -> str:
    macros = {
        "WORDS": shape.words,
        "STRIDE": shape.stride,
        "CAPACITY": shape.successors,
        "MEASURED": int(shape.measured),
        "DIRECT": int(shape.direct),
        "CARRIES": int(shape.carries),
        "WIDE_KEYS": int(shape.wide_keys),
        "THREADS": THREADS,
    }
    given = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    kernels = resources.files("strandline.engine.device").joinpath("search.cu").read_text()
    return f"{given}{declarations()}{kernels}"


def _versions() -> str:
    return f"{bindings('nvrtc').nvrtcVersion()}|{bindings('nvjitlink').version()}|{version('llvmlite')}"


def _compile_kernels(source: str, architecture: str) -> bytes:
    """Compile the kernels to PTX with a call to the model's function."""
    nvrtc = bindings("nvrtc")
    program = _result_of(nvrtc.nvrtcCreateProgram(source.encode(), b"search.cu", 0, [], []))
    number = architecture.removeprefix("sm_")
    options = [f"--gpu-architecture=compute_{number}".encode(), b"--relocatable-device-code=true", b"--std=c++17"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * _result_of(nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise InternalError(f"search.cu does not compile:\n{log.decode(errors='replace')}")
    text: bytes = b" " * _result_of(nvrtc.nvrtcGetPTXSize(program))
    _result_of(nvrtc.nvrtcGetPTX(program, text))
    nvrtc.nvrtcDestroyProgram(program)
    return text.rstrip(b"\0 ") + b"\0"


def _link(kernels: bytes, model: bytes, architecture: str) -> bytes:
    linker = bindings("nvjitlink")
    handle = linker.create(1, [f"-arch={architecture}"])
    try:
        for name, text in (("search.cu", kernels), ("model", model + b"\0")):
            linker.add_data(handle, linker.InputType.PTX, text, len(text), name)
        linker.complete(handle)
        code = bytearray(linker.get_linked_cubin_size(handle))
        linker.get_linked_cubin(handle, code)
    except linker.nvJitLinkError as error:
        log = bytearray(linker.get_error_log_size(handle))
        linker.get_error_log(handle, log)
        raise InternalError(f"the model cannot be linked: {error}\n{log.decode(errors='replace')}") from None
    finally:
        linker.destroy(handle)
    return bytes(code)


def _result_of(answer: Any) -> Any:
    """Return the result of an NVRTC function; raise `InternalError` if its status is an error."""
    status, *values = answer
    if int(status) != 0:
        raise InternalError(f"NVRTC: {status}")
    return values[0] if values else None


def _write_cached(path: Path, code: bytes) -> None:
    """Write a file of the cache atomically, and remove old ones; do nothing if the cache is read-only."""
    with contextlib.suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(code)
        os.replace(file.name, path)
        old = sorted(path.parent.glob("*-*"), key=lambda one: one.stat().st_mtime)[:-_KEPT]
        for one in old:
            one.unlink()
