"""How much memory the process takes, and how it takes less."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Callable

from strandline.errors import ResourceError

_SPARED, _LITTLE, _NEARLY_NOTHING = 4 << 20, 12 << 20, 1 << 20
"""Bytes that are left for what is taken between two looks; those that are little, and those that are too few to go
on."""


class MemoryLimit:
    """What the process may take, or None, for work whose memory the engine does not count."""

    def __init__(self, allowed: int | None) -> None:
        self.allowed, self._tidied = allowed, 0

    def ensure(self, wanted: int = 0) -> None:
        """Raise `ResourceError` where so many bytes more would be too many."""
        if self.allowed is not None and resident_bytes() + wanted + _SPARED > self.allowed:
            raise ResourceError(limit_reached(self.allowed))

    def runs_short(self) -> bool:
        """Whether next to nothing is left. What is free inside the process is given back where little is."""
        if self.allowed is None:
            return False
        taken = resident_bytes()
        if taken + _LITTLE > self.allowed and taken > self._tidied + _NEARLY_NOTHING:
            return_memory()
            self._tidied = taken = resident_bytes()
        return taken + _NEARLY_NOTHING > self.allowed

    def left(self, reserve: int = _SPARED) -> int:
        """How many bytes more it may take, with a reserve. Raises `ResourceError` where there are none."""
        if self.allowed is None:
            return available_bytes()
        return_memory()
        taken = resident_bytes() + reserve
        if self.allowed <= taken:
            limit = shown_bytes(self.allowed)
            raise ResourceError(
                f"the memory limit of {limit} is less than the {shown_bytes(taken)} that the program takes"
            )
        return self.allowed - taken


def limit_reached(allowed: int) -> str:
    """That a limit is reached, in words."""
    return f"the memory limit of {shown_bytes(allowed)} is reached"


def peak_resident_bytes() -> int:
    """The most that was ever resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident_bytes() -> int:
    """What is resident now; the peak where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_resident_bytes()


def return_memory() -> None:
    """Give what is free inside the process back to the system, where the C library can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def in_another_process(load: Callable[[], object]) -> None:
    """Have machine code made, once per machine and width of states, where memory is limited: making it takes more than
    most limits leave, loading it afterwards takes little."""
    child = os.fork()
    if child == 0:
        try:
            load()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def available_bytes() -> int:
    """What the machine could still give without swapping; all of its memory where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def shown_bytes(count: int) -> str:
    """A size for people: `512 B`, `3.4 MB`; units are powers of 1024."""
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"
