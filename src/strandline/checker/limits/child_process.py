"""Compile machine code in a child process: it fills the cache on disk, from which this process then loads the code.

Compiling takes more memory than most limits leave; loading the result takes little. The child is a fresh interpreter
that imports nothing but this program: the user's script is not run again, whether or not it has a `__main__` guard, and
no thread of this process is copied. Its standard input is a pipe that carries the work and closes when this process
ends, for whatever reason; the child then ends, too.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_POLL = 0.02
"""Seconds between two looks whether a child is still needed."""
_BOOTSTRAP = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from strandline.checker.limits.child_process import serve; serve()"
)


def fill_cache(load: Callable[..., object], *arguments: object, abandoned: Callable[[], bool] | None = None) -> None:
    """Call `load` in a child process, to put the machine code that it compiles into the cache on disk.

    `load` is a function of a module of this program; function and arguments are pickled. The `repr` of the arguments
    determines the machine code: nothing is done if a child has compiled it before. If the child fails, this process
    compiles the code when it needs it, which takes more memory. The child is killed when `abandoned` returns True.
    """
    from strandline.engine.runtime.jit import cache_directory

    folder = cache_directory()
    made = folder / "filled" / _digest(load, arguments)
    if made.exists() or not sys.executable:
        return
    if _run((str(folder), load, arguments), abandoned) == 0:
        with suppress(OSError):
            made.parent.mkdir(mode=0o700, exist_ok=True)
            made.touch()


def _digest(load: Callable[..., object], arguments: tuple[object, ...]) -> str:
    return hashlib.sha256(f"{load.__module__}.{load.__qualname__}{arguments!r}".encode()).hexdigest()[:32]


def _run(
    work: tuple[str, Callable[..., object], tuple[object, ...]], abandoned: Callable[[], bool] | None = None
) -> int:
    """Run the function with its arguments in a child; return its exit code. An interrupt kills the child."""
    # Isolated, so that no module in the current folder takes the place of one of the library before the path is set.
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOTSTRAP],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with child:
        try:
            if child.stdin is None:
                return 1
            with suppress(BrokenPipeError):
                child.stdin.write(pickle.dumps(list(sys.path)) + pickle.dumps(work))
                child.stdin.flush()
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return child.wait(None if abandoned is None else _POLL)
                if abandoned is not None and abandoned():
                    child.kill()
        except BaseException:
            child.kill()
            raise


def serve() -> None:
    """Run the function that the parent process sends; the child's main function."""
    from strandline.engine.runtime.jit import use_cache_directory

    folder, load, arguments = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    use_cache_directory(Path(folder))
    load(*arguments)


def _end_with_parent() -> Any:
    """Wait until the parent's end of the pipe is closed, and end this process."""
    # Not by the buffered reader, which a thread must not hold when the interpreter ends.
    with suppress(OSError):
        os.read(0, 1)
    os._exit(1)
