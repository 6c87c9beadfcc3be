"""Growing arrays of 64-bit words outside Python's heap.

A `Words` grows without copying (the kernel of the operating system moves pages, not bytes) and asks for huge pages:
random access, not arithmetic, limits a search. Where the platform has neither, it is an ordinary array.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from strandline.errors import ResourceError

WordArray = npt.NDArray[np.uint64]

_HUGE_PAGE = 1 << 21
_MAY_MOVE = 1
_FAILED = ctypes.c_void_p(-1).value


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.mremap.restype = ctypes.c_void_p
    libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return libc


class Words:
    """A zero-initialised array of 64-bit words that can grow. `array` is valid until the next `grow`."""

    def __init__(self, count: int) -> None:
        self._mapped = sys.platform == "linux"
        self._address = 0
        self._bytes = 0
        self.array: WordArray = np.zeros(0, dtype=np.uint64)
        self.grow(count)

    def __len__(self) -> int:
        return len(self.array)

    def grow(self, count: int) -> None:
        """Make room for at least `count` words; what is there stays, what is new is zero."""
        if count <= len(self.array):
            return
        if self._mapped:
            self._remap(count)
        else:
            longer = np.zeros(count, dtype=np.uint64)
            longer[: len(self.array)] = self.array
            self.array = longer

    def _remap(self, count: int) -> None:
        libc = _libc()
        size = -(-count * 8 // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._address:
            address = libc.mremap(self._address, self._bytes, size, _MAY_MOVE)
        else:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            address = libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        if address in (None, _FAILED):
            raise ResourceError(f"the system refused {size >> 20} MiB of memory")
        self._address, self._bytes = address, size
        if size >= _HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            libc.madvise(address, size, mmap.MADV_HUGEPAGE)
        words = (ctypes.c_uint64 * (size // 8)).from_address(address)
        self.array = np.ctypeslib.as_array(words)

    def close(self) -> None:
        """Give the memory back; the array must not be used any more."""
        self.array = np.zeros(0, dtype=np.uint64)
        if self._address:
            _libc().munmap(self._address, self._bytes)
            self._address = self._bytes = 0

    def __del__(self) -> None:
        self.close()
