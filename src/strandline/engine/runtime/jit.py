"""`njit` for engine kernels, with a cache that cannot go stale.

Numba's own cache looks only at the file a kernel stands in: after an edit in a module it calls, the old machine
code would run with the old answer. So the cache directory's name is a hash of every source file of this package and
of the versions that compile it; any edit starts an empty cache.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.event import Event, Listener, register

from strandline.engine.cache_folder import NotPrivate, cache_root, make_private, warn
from strandline.engine.code_cache import cached_by

_KEPT_CACHES = 4


def sources_digest(folder: Path) -> str:
    """A hash of all Python sources in the folder and of the versions of what compiles them."""
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}|{llvmlite.__version__}".encode())
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path:
    """The directory for the present sources: in the user's cache, or a temporary one where that cannot be used or
    trusted."""
    try:
        folder = cache_root() / "engine" / sources_digest(Path(__file__).parents[1])
        make_private(folder)
    except NotPrivate as untrusted:
        return _temporary_directory(str(untrusted))
    except OSError as error:
        return _temporary_directory(f"{error.filename}: {error.strerror}")
    with contextlib.suppress(OSError):
        os.utime(folder)
    # Another process may be tidying up at the same time: then there is nothing left to do.
    with contextlib.suppress(OSError):
        _forget_old(folder)
    return folder


def _temporary_directory(why: str) -> Path:
    """Where the machine code of this process alone lies; gone with it."""
    warn(f"the engine's machine code is not kept: {why}")
    folder = Path(tempfile.mkdtemp(prefix="strandline-engine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def compiled_before(loop: str) -> bool:
    """Whether a kernel, given by its module and name, was compiled on this machine for some width of states."""
    module, function = loop.rsplit(".", 2)[-2:]
    try:
        return any(cache_directory().rglob(f"{module}.{function}-*.nbi"))
    except OSError:
        # Another process is tidying up, and took this one to be forgotten.
        return False


def _forget_old(present: Path) -> None:
    """Keep the few caches used last; they are of other versions of the engine."""
    with os.scandir(present.parent) as entries:
        others = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name != present.name]
    for _, path in sorted(others, reverse=True)[_KEPT_CACHES:]:
        shutil.rmtree(path, ignore_errors=True)


_PLAIN: dict[str, Any] = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
"""Without the interpreter lock, and without counting references to arrays: kernels only borrow them, and counting
took a third of the time of a search. Without an entry for C, which nobody calls."""


class _WithoutCollecting(Listener):
    """Switches the collector of garbage off while a kernel is compiled: it would look at millions of objects that are
    in use, again and again, for a sixth of the time."""

    def __init__(self) -> None:
        self._depth, self._collecting = 0, False

    def on_start(self, event: Event) -> None:
        if self._depth == 0:
            self._collecting = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0 and self._collecting:
            gc.enable()


@cache
def _listen_to_the_compiler() -> None:
    register("numba:compile", _WithoutCollecting())  # type: ignore[no-untyped-call]


def njit(function: Callable[..., Any]) -> Any:
    """Compile an engine kernel, cached on disk."""
    _listen_to_the_compiler()
    kernel = numba.njit(**_PLAIN)(function)
    # Where compiling is switched off, that is the function itself.
    if kernel is not function:
        kernel._cache = cached_by(cache_directory, function)
    return kernel


def prepare(kernel: Any, *arguments: Any) -> None:
    """Have the machine code of a kernel for arguments of these kinds, without calling it."""
    kind_of: Callable[[Any], Any] = numba.typeof
    if hasattr(kernel, "compile"):
        kernel.compile(tuple(map(kind_of, arguments)))


INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True, **_PLAIN}
"""How a part of a kernel is compiled, also one that is chosen by the type of its arguments
(`numba.extending.overload`). LLVM inlines it, and it has no entry for Python, which would be a third of the time to
compile a kernel: outside of kernels `plain` is what can be called. Numba's own `inline="always"` must not be used: it
removes writes to arrays that it takes to be dead, and takes those in tuples to be dead
(`tests/engine/test_cache.py` looks for it)."""


def plain(function: Any) -> Any:
    """The Python function behind a part of a kernel."""
    return getattr(function, "py_func", function)


def inlined(function: Callable[..., Any]) -> Any:
    """A part of a kernel, for use inside others only."""
    return numba.njit(**INLINED)(function)
