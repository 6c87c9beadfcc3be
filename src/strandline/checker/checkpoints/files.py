"""One checkpoint: a folder with the arrays of a search and facts about it, complete or absent.

It is written under a temporary name, synchronised with the disk, and renamed. Arrays are written in pieces, and pieces
of zeros are left out, so that memory that was returned to the system or is only reserved costs nothing. An array whose
length or checksum is wrong makes reading raise `Damaged`.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from strandline.checker.checkpoints.checksums import Damaged, read_sealed, sealed
from strandline.engine.saving import Fill, RestoredState, SavedState
from strandline.errors import ResourceError

FORMAT = 3
_ARRAYS, _FACTS = "arrays", "facts.json"
_PARTIAL = ".partial"
_PIECE = 1 << 20
"""Bytes that are compared with zero, written and read at a time."""

Bytes = npt.NDArray[np.uint8]
Account: TypeAlias = Callable[[int], None]
"""A callback with the number of bytes about to be written; may raise `ResourceError`."""


def write_checkpoint(folder: Path, saved: SavedState, facts: Mapping[str, Any], account: Account) -> int:
    """Write a checkpoint to `folder`, which must not exist yet, and return the size of its arrays in bytes.

    Raises `ResourceError`, with nothing left behind, if the disk is full, its limit is reached or the folder is not
    writable.
    """
    # Written beside its place and renamed at the end: a folder of the final name is complete, whatever happens.
    partial = folder.with_name(folder.name + _PARTIAL)
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        with (partial / _ARRAYS).open("wb") as file:
            index = {name: _write_array(file, array, account) for name, array in saved.arrays.items()}
            size = file.tell()
            _synchronise(file)
        described = {**facts, "format": FORMAT, "arrays": index, "numbers": saved.numbers, "size": size}
        with (partial / _FACTS).open("w", encoding="utf-8") as text:
            text.write(sealed(described))
            _synchronise(text)
        # The contents reach the disk before the name, and the name before an older checkpoint is removed.
        synchronise_folder(partial)
        partial.rename(folder)
        synchronise_folder(folder.parent)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise ResourceError(f"{folder}: cannot be written: {error.strerror}") from None
    except ResourceError:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return size


def _write_array(file: Any, array: np.ndarray[Any, Any], account: Account) -> dict[str, Any]:
    data = _as_bytes(np.ascontiguousarray(array))
    first, pieces, checksum = file.tell(), [], 0
    for number in range(-(-len(data) // _PIECE)):
        piece = data[number * _PIECE : (number + 1) * _PIECE]
        if not piece.any():
            continue
        account(len(piece))
        file.write(piece.data)
        checksum = zlib.crc32(piece.data, checksum)
        pieces.append(number)
    return {"kind": array.dtype.str, "length": array.size, "first": first, "pieces": pieces, "checksum": checksum}


def _as_bytes(array: np.ndarray[Any, Any]) -> Bytes:
    return array.reshape(-1).view(np.uint8)


def _synchronise(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def synchronise_folder(folder: Path) -> None:
    """Make creations, renamings and removals of files in the folder survive a power failure."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def is_partial(folder: Path) -> bool:
    """Return True if the checkpoint in this folder was never finished, as its name shows."""
    return folder.name.endswith(_PARTIAL)


def read_facts(folder: Path) -> dict[str, Any]:
    """Read the facts of a checkpoint. Raises `Damaged` if it is unreadable, incomplete or of another format."""
    facts: dict[str, Any] = read_sealed(folder / _FACTS)
    try:
        size = (folder / _ARRAYS).stat().st_size
    except OSError as error:
        raise Damaged(f"{folder}: cannot be read: {error}") from None
    if facts.get("format") != FORMAT:
        raise Damaged(f"{folder}: was written in another format")
    if size != facts["size"]:
        raise Damaged(f"{folder}: is incomplete: {size:,} bytes of {facts['size']:,}")
    return facts


def read_arrays(folder: Path, facts: Mapping[str, Any]) -> RestoredState:
    """Return the saved state of a verified checkpoint; each array is read from the file only when it is needed."""
    arrays = {
        name: (one["kind"], one["length"], _filling(folder / _ARRAYS, one)) for name, one in facts["arrays"].items()
    }
    return RestoredState(arrays, facts["numbers"])


def _filling(path: Path, one: Mapping[str, Any]) -> Fill:
    def fill(array: np.ndarray[Any, Any]) -> None:
        data = _as_bytes(array)
        with path.open("rb") as file:
            file.seek(one["first"])
            for number in one["pieces"]:
                piece = data[number * _PIECE : (number + 1) * _PIECE]
                if file.readinto(piece.data) != len(piece):
                    raise ResourceError(f"{path}: cannot be read any more")

    return fill


def verify_arrays(folder: Path, facts: Mapping[str, Any]) -> None:
    """Raise `Damaged` if the checksum of an array differs from the one recorded when it was written."""
    with (folder / _ARRAYS).open("rb") as file:
        for name, one in facts["arrays"].items():
            size, checksum = one["length"] * np.dtype(one["kind"]).itemsize, 0
            file.seek(one["first"])
            for number in one["pieces"]:
                checksum = zlib.crc32(file.read(min(_PIECE, size - number * _PIECE)), checksum)
            if checksum != one["checksum"]:
                raise Damaged(f"{folder / _ARRAYS}: '{name}' has another checksum than when it was written")
