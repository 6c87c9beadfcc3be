"""The memory of the process: how much it takes, may take, and can return."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

from strandline.errors import ResourceError

_SPARED, _LITTLE, _NEARLY_NOTHING = 4 << 20, 12 << 20, 1 << 20
"""Bytes kept free for allocations between two checks, and two thresholds of the memory left.

Below the first threshold, free memory is returned to the system; below the second, work cannot continue.
"""

_FOR_LIBRARIES = 1 << 30
"""Bytes of a limited address space that are left free for machine code, stacks of threads, and temporary memory."""
FOR_BDDS = 8 << 30
"""Bytes of address space that the library of BDDs reserves, with room for its threads."""
_LEAST_BY_DEFAULT, _MOST_BY_DEFAULT = 64 << 20, 8 << 30
DEFAULT_LIMIT = "half of the free memory, at most 8 GB; the option 'memory' sets another limit"


class MemoryLimit:
    """A limit on the resident memory of the process; `allowed` is in bytes, or None for no limit.

    It is for work whose memory the engine does not count, such as BDDs. `why` is the origin of a default limit.
    """

    def __init__(self, allowed: int | None, why: str = "") -> None:
        self.allowed, self.why, self._tidied = allowed, why, 0

    @classmethod
    def by_default(cls) -> MemoryLimit:
        """Return a limit for work that may need any amount of memory.

        It is the memory that the process has now plus half of the memory that is available, but 8 GB more at most.
        """
        more = min(_MOST_BY_DEFAULT, max(_LEAST_BY_DEFAULT, available_bytes() // 2))
        return cls(resident_bytes() + more, DEFAULT_LIMIT)

    def ensure(self, wanted: int = 0) -> None:
        """Raise `ResourceError` if `wanted` more bytes would exceed the limit."""
        if self.allowed is not None and resident_bytes() + wanted + _SPARED > self.allowed:
            raise ResourceError(f"{memory_limit_message(self.allowed)}{f' ({self.why})' if self.why else ''}")

    def runs_short(self) -> bool:
        """Return True if the process has next to no memory left within the limit.

        If little is left, free memory of the process is returned to the system first.
        """
        if self.allowed is None:
            return False
        taken = resident_bytes()
        if taken + _LITTLE > self.allowed and taken > self._tidied + _NEARLY_NOTHING:
            return_memory()
            self._tidied = taken = resident_bytes()
        return taken + _NEARLY_NOTHING > self.allowed

    def remaining_bytes(self, reserve: int = _SPARED) -> int:
        """Return how many more bytes the process may take, less a reserve.

        Without a limit, it is the memory that is available. Raises `ResourceError` if the limit leaves none.
        """
        if self.allowed is None:
            return available_bytes()
        return_memory()
        taken = resident_bytes() + reserve
        if self.allowed <= taken:
            limit = shown_bytes(self.allowed)
            raise ResourceError(
                f"the memory limit of {limit} is less than the {shown_bytes(taken)} that the program takes"
            )
        return min(self.allowed - taken, *_free_of_address_space(), self.allowed)


def memory_limit_message(allowed: int) -> str:
    """Return the message that the memory limit is reached."""
    return f"the memory limit of {shown_bytes(allowed)} is reached"


def peak_resident_bytes() -> int:
    """Return the peak of the process's resident memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident_bytes() -> int:
    """Return the resident memory of the process; its peak if the system does not report the present value."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_resident_bytes()


def return_memory() -> None:
    """Return free memory of the process to the system, if the C library can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def available_bytes() -> int:
    """Return the memory that the machine and the control groups could still give without swapping.

    If the system does not report that, it is all of the machine's memory. A limit on the address space of the process
    (`ulimit -v`) counts too.
    """
    groups = _free_of_groups(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))
    return min([_free_of_machine(), *groups, *_free_of_address_space()])


def _free_of_address_space() -> Iterator[int]:
    """Yield the rest of the limit on the address space, less the bytes left free; nothing without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            yield max(0, limit - taken - _FOR_LIBRARIES)


def ensure_address_space(wanted: int = 1) -> None:
    """Raise `ResourceError` if a limit on the address space leaves less than `wanted` bytes.

    LLVM and the library of BDDs would abort the process.
    """
    if any(free < wanted for free in _free_of_address_space()):
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        raise ResourceError(f"the limit of {shown_bytes(limit)} on the address space (ulimit -v) is reached")


def _free_of_machine() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _free_of_groups(membership: Path, mounted: Path) -> Iterator[int]:
    """Yield the memory left within the limits of the process's control groups and of the groups around them.

    Both versions of the interface are read. Cached files do not count as taken, because the system drops them when it
    needs their memory. Inside a container the path of a group may not exist; then the root of the hierarchy is read,
    which is the container's own group.
    """
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        version_2 = controllers == ""
        if not version_2 and "memory" not in controllers.split(","):
            continue
        root = mounted if version_2 else mounted / "memory"
        inside = root.joinpath(*Path(path).parts[1:])
        for group in (inside, *inside.parents):
            if group.is_relative_to(root):
                yield from _free_of_group(group, _VERSION_2 if version_2 else _VERSION_1)


_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")
"""Files of a version 2 control group: limit, usage, and the name of cached files in the statistics."""


def _free_of_group(group: Path, names: tuple[str, str, str]) -> Iterator[int]:
    """Yield the memory left within a group's limit, or nothing if it has no limit; `names` as in `_VERSION_2`."""
    limit, usage, cached = names
    with contextlib.suppress(OSError, ValueError):
        most, taken = int((group / limit).read_text()), int((group / usage).read_text())
        for line in (group / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == cached:
                taken -= int(value)
        yield max(0, most - taken)


def shown_bytes(count: int) -> str:
    """Format a size for people: `512 B`, `3.4 MB`; units are powers of 1024."""
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"
