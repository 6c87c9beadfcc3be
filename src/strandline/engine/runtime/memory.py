"""Growing arrays of 64-bit words outside Python's heap.

A `Words` reserves more address space than it needs and touches it as it grows: nothing is copied, nothing moves, and
huge pages stay whole. Random access, not arithmetic, limits a search; with small pages every access would miss the TLB
as well. On platforms without these system calls it is an ordinary array.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from strandline.errors import ResourceError

WordArray = npt.NDArray[np.uint64]

_HUGE_PAGE = 1 << 21
_LINE_WORDS = 8
_NO_RESERVE = 0x4000
_MAY_MOVE = 1
_FAILED = ctypes.c_void_p(-1).value


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    integer = ctypes.c_int
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, integer, integer, integer, ctypes.c_long]
    libc.mremap.restype = ctypes.c_void_p
    libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return libc


def aligned_zeros(count: int) -> WordArray:
    """Return an ordinary array of zeros that begins at a cache line, so that fetching one aligned line is enough."""
    longer: WordArray = np.zeros(count + _LINE_WORDS, dtype=np.uint64)
    skipped = -(longer.ctypes.data // 8) % _LINE_WORDS
    return longer[skipped : skipped + count]


def _round_up_to_page(size: int) -> int:
    return -(-size // _HUGE_PAGE) * _HUGE_PAGE


@cache
def _physical_memory() -> int:
    """Return the size of physical memory: more than any single array can fill."""
    return _round_up_to_page(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


class Words:
    """A zero-initialised array of 64-bit words that can grow.

    `array` is valid until the next `grow`. A `large` array reserves as much address space as the machine has memory,
    which takes no memory until it is used.
    """

    def __init__(self, count: int, *, large: bool = False) -> None:
        self.array: WordArray = np.zeros(0, dtype=np.uint64)
        self._mapping = 0
        self._mapped = 0
        self._unmap: Callable[[], Any] | None = None
        if large and sys.platform == "linux":
            self._reserve(max(_physical_memory(), _round_up_to_page(8 * count)))
        self.grow(count)

    def __len__(self) -> int:
        return len(self.array)

    def _reserve(self, size: int) -> None:
        """Map as much address space as the system allows, down to a single huge page."""
        libc = _libc()
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
        while size >= _HUGE_PAGE:
            mapping = libc.mmap(None, size + _HUGE_PAGE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
            if mapping not in (None, _FAILED):
                self._adopt(mapping, size + _HUGE_PAGE)
                return
            size >>= 2

    def _adopt(self, mapping: int, mapped: int) -> None:
        self._mapping, self._mapped = mapping, mapped
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            _libc().madvise(mapping, mapped, mmap.MADV_NOHUGEPAGE)
        self._unmap = weakref.finalize(self, _libc().munmap, mapping, mapped)

    @property
    def _start(self) -> int:
        """The first address in the mapping at which a huge page can begin."""
        return _round_up_to_page(self._mapping)

    def grow(self, count: int) -> None:
        """Make room for at least `count` words; the contents stay, and new words are zero."""
        if count <= len(self.array):
            return
        if not self._mapping:
            longer = np.zeros(count, dtype=np.uint64)
            longer[: len(self.array)] = self.array
            self.array = longer
            return
        size = 8 * count
        if self._start + size > self._mapping + self._mapped:
            self._move(size)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            # No huge page at the end: the unused part of it would take memory that is not accounted for.
            _libc().madvise(self._start, size // _HUGE_PAGE * _HUGE_PAGE, mmap.MADV_HUGEPAGE)
        self.array = np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(self._start))

    def _move(self, size: int) -> None:
        """Get a longer mapping when the reservation is used up, as under a limit on address space.

        Raises `ResourceError` if the system refuses.
        """
        offset = self._start - self._mapping
        mapped = _round_up_to_page(size + size // 4) + _HUGE_PAGE
        mapping = _libc().mremap(self._mapping, self._mapped, mapped, _MAY_MOVE)
        if mapping in (None, _FAILED):
            raise ResourceError(f"the system refused {mapped >> 20} MiB of memory")
        assert isinstance(self._unmap, weakref.finalize)
        self._unmap.detach()
        self._adopt(mapping, mapped)
        old, length = mapping + offset, 8 * len(self.array)
        if self._start != old:
            ctypes.memmove(self._start, old, length)
            if self._start < old:
                ctypes.memset(self._start + length, 0, old - self._start)

    def release(self, first: int, last: int) -> int:
        """Release the memory of words `first` to `last`, whose contents are lost, in whole pages of a large array.

        Returns the end of the released words.
        """
        begin = -(-8 * first // mmap.PAGESIZE) * mmap.PAGESIZE
        # To release a part of a huge page, the system must divide it, which takes time.
        page = _HUGE_PAGE if 8 * (last - first) >= 2 * _HUGE_PAGE else mmap.PAGESIZE
        end = 8 * last // page * page
        if not self._mapping or end <= begin:
            return first
        _libc().madvise(self._start + begin, end - begin, mmap.MADV_DONTNEED)
        return end // 8

    def close(self) -> None:
        """Release all memory; the array must not be used afterwards."""
        self.array = np.zeros(0, dtype=np.uint64)
        if self._unmap is not None:
            self._unmap()
        self._mapping = self._mapped = 0
        self._unmap = None
