"""Numba's cache of machine code, in files that are checked before they are used.

Numba unpickles the files without a check. Here each file begins with a digest of the rest: one that is empty, truncated
or damaged counts as missing, and is made again. A cache that cannot be written costs time and ends no run.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator

from strandline.engine.runtime.cache_folder import warn

_DIGEST_BYTES = hashlib.sha256().digest_size


def add_digest(data: bytes) -> bytes:
    """Prepend a digest of some data to the data."""
    return hashlib.sha256(data).digest() + data


def check_digest(data: bytes) -> bytes | None:
    """Return the data behind a digest; None if they do not match."""
    digest, rest = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return rest if hashlib.sha256(rest).digest() == digest else None


def make_cache(directory: Callable[[], Path], function: Callable[..., Any]) -> FunctionCache:
    """Return the cache of one function, in a folder that is looked up when the cache is made."""

    class _Locator(UserProvidedCacheLocator):
        def __init__(self, py_func: Any, py_file: str) -> None:
            self._py_file, self._lineno = py_file, py_func.__code__.co_firstlineno
            subpath: str = self.get_suitable_cache_subpath(py_file)  # type: ignore[no-untyped-call]
            self._cache_path = os.path.join(directory(), subpath)

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            # Reading needs no folder that can be written to.
            return cls(py_func, py_file)

    class _Implementation(CompileResultCacheImpl):
        _locator_classes = (_Locator,)  # type: ignore[assignment]

    class _Cache(_CheckedCache):
        _impl_class = _Implementation  # type: ignore[assignment]

    return _Cache(function)


class _CheckedCache(FunctionCache):
    _warned = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        files = self._cache_file
        self._cache_file = _CheckedFiles(files._cache_path, self._impl.filename_base, files._source_stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            if not _CheckedCache._warned:
                _CheckedCache._warned = True
                warn(f"{self._cache_path}: the engine's machine code cannot be kept: {error.strerror}")


class _CheckedFiles(IndexDataCacheFile):
    """An index of compiled functions and a file for each signature, all with digests.

    Each file holds its key: two processes that save at the same time may give two signatures the same file.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)  # type: ignore[no-untyped-call]

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        found = super().load(key)  # type: ignore[no-untyped-call]
        if found is None or found[0] != key:
            return None
        return found[1]

    def _load_index(self) -> dict[Any, str]:
        found = _read(self._index_path)
        if found is None:
            return {}
        version, stamp, overloads = pickle.loads(found)
        known: dict[Any, str] = overloads if (version, stamp) == (self._version, self._source_stamp) else {}
        return known

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        found = _read(self._data_path(name))  # type: ignore[no-untyped-call]
        return None if found is None else pickle.loads(found)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)  # type: ignore[no-untyped-call]

    def _write(self, path: str, value: Any) -> None:
        data = add_digest(self._dump(value))  # type: ignore[no-untyped-call]
        with self._open_for_write(path) as file:
            file.write(data)


def _read(path: str) -> bytes | None:
    """Return the data behind the digest of a file; None if it is missing, unreadable or damaged."""
    try:
        return check_digest(Path(path).read_bytes())
    except OSError:
        return None
