"""`njit` for engine kernels, with a cache of machine code that cannot become stale.

Numba's own cache checks only the file of a kernel: after an edit in a module that the kernel calls, the old machine
code would be used. So the name of the cache directory is a hash of every source file of this package and of the
versions of the compilers; any edit starts an empty cache.
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

from strandline.engine.runtime.cache_folder import NotPrivate, cache_root, make_private, warn
from strandline.engine.runtime.code_cache import make_cache

_KEPT_CACHES = 4
_given_directory: list[Path] = []


def sources_digest(folder: Path) -> str:
    """Return a hash of all Python sources in a folder and of the versions of the compilers."""
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}|{llvmlite.__version__}".encode())
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path:
    """Return the cache directory for the present sources.

    It lies in the user's cache, or is temporary if that cannot be written or is not private; in a child process it is
    that of the parent.
    """
    if _given_directory:
        return _given_directory[-1]
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
        _remove_old_caches(folder)
    return folder


def use_cache_directory(folder: Path) -> None:
    """Use the cache directory of the parent process. Must be called before anything is compiled."""
    _given_directory.append(folder)


def _temporary_directory(why: str) -> Path:
    """Make a cache directory that is removed when the process ends."""
    warn(f"the engine's machine code is not kept: {why}")
    folder = Path(tempfile.mkdtemp(prefix="strandline-engine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_compiled(loop: str) -> bool:
    """Return True if a kernel, given by module and name, is in the cache for some width of states."""
    module, function = loop.rsplit(".", 2)[-2:]
    try:
        return any(cache_directory().rglob(f"{module}.{function}-*.nbi"))
    except OSError:
        # Another process is tidying up, and took this one to be forgotten.
        return False


def _remove_old_caches(present: Path) -> None:
    """Remove all but the most recently used caches, which belong to other versions of the engine."""
    with os.scandir(present.parent) as entries:
        others = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name != present.name]
    for _, path in sorted(others, reverse=True)[_KEPT_CACHES:]:
        shutil.rmtree(path, ignore_errors=True)


_PLAIN: dict[str, Any] = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
"""Compiler options of all kernels.

Kernels release the interpreter lock. They do not count references to arrays, which they only borrow: counting took a
third of the time of a search. They have no entry point for C, which nothing calls.
"""


class _CollectorPause(Listener):
    """Pause the garbage collector while a kernel is compiled.

    It would scan millions of live objects repeatedly, for a sixth of the compile time.
    """

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
def _pause_collector_while_compiling() -> None:
    register("numba:compile", _CollectorPause())  # type: ignore[no-untyped-call]


def njit(function: Callable[..., Any]) -> Any:
    """Compile an engine kernel, cached on disk."""
    _pause_collector_while_compiling()
    kernel = numba.njit(**_PLAIN)(function)
    # Where compiling is switched off, that is the function itself.
    if kernel is not function:
        kernel._cache = make_cache(cache_directory, function)
    return kernel


def precompile(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel, or load its machine code, for arguments of these types without calling it."""
    kind_of: Callable[[Any], Any] = numba.typeof
    if hasattr(kernel, "compile"):
        kernel.compile(tuple(map(kind_of, arguments)))


INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True, **_PLAIN}
"""Compiler options of functions that are called by kernels only, including those chosen by type (`overload`).

LLVM inlines them. They have no entry point for Python, which would take a third of a kernel's compile time: outside of
kernels, `python_function` returns a callable function. Numba's own `inline="always"` must not be used: it removes
writes to arrays that it takes to be dead, and takes those in tuples to be dead (`tests/engine/test_cache.py` checks
this).
"""


def python_function(function: Any) -> Any:
    """Return the Python function behind a compiled one."""
    return getattr(function, "py_func", function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call."""
    return numba.njit(**INLINED)(function)
