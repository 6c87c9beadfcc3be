"""The folder of a run that can be resumed.

    DIR/run.json               program versions, and results computed before the searches
    DIR/command.json           the command line, if there was one
    DIR/pid                    locked while the run is alive
    DIR/search-1/files/        the parent log and other files of the first search
    DIR/search-1/released/     files that only a checkpoint still needs
    DIR/search-1/checkpoint-4  its last checkpoints, two at most

The searches of a check come in the same order every time, so a search is identified by its number; its stored identity
is compared when it is resumed. When everything is decided the folder's contents are removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from strandline.checker.checkpoints.checksums import Damaged, GrowingFiles, read_sealed, sealed
from strandline.checker.checkpoints.files import (
    Account,
    is_partial,
    read_arrays,
    read_facts,
    synchronise_folder,
    verify_arrays,
    write_checkpoint,
)
from strandline.checker.checkpoints.ownership import refuse_foreign
from strandline.engine.saving import RestoredState, SavedState
from strandline.errors import Option, ResourceError, UsageError

RUN, COMMAND, _LOCK = "run.json", "command.json", "pid"
_PARTIAL = "run.partial"
_OWN = (RUN, _PARTIAL, COMMAND, _LOCK)
_SEARCH, _CHECKPOINT, _FILES, _RELEASED = "search-", "checkpoint-", "files", "released"
_KEPT = 2
_SHARE = 10
"""At most one second in this many is spent on writing checkpoints; if writing takes long, they become rarer."""


def free_account(count: int) -> None:
    """Accept any number of bytes: the account of a disk without a limit."""


class Checkpoints:
    """The checkpoints of one check, search by search.

    It locks the folder until it is closed. Raises `UsageError` if the folder cannot be used, and `ResourceError` if it
    cannot be written.
    """

    def __init__(self, folder: Path, every: float, *, resume: bool) -> None:
        self.folder, self._every, self._resume = folder, every, resume
        self._searches: list[SearchCheckpoints] = []
        refuse_foreign(folder)
        self._refuse_folder()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The system releases the lock when the process ends, however it ends, so the file itself may stay behind.
            self._lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise UsageError(f"{folder}: another run writes its checkpoints there") from None
        except OSError as error:
            raise ResourceError(f"{folder}: no checkpoints can be written there: {error.strerror}") from None
        self._noted: dict[str, Any] = {}
        self.delivered = False
        """True once the verdict and its files have reached the caller; the folder is not emptied before."""
        try:
            if resume:
                self._check_versions()
            else:
                self._write_notes()
        except BaseException:
            os.close(self._lock)
            raise

    def _refuse_folder(self) -> None:
        there = sorted(path.name for path in self.folder.iterdir()) if self.folder.is_dir() else []
        if self._resume and RUN not in there:
            raise UsageError(f"{self.folder}: there is no run to resume")
        if not self._resume and RUN in there:
            raise UsageError(
                f"{{}}: the folder has a run already; `{resume_command(self.folder)}` continues it",
                options=[Option("checkpoint", str(self.folder))],
            )
        if not self._resume and set(there) - set(_OWN):
            raise UsageError("{}: the folder is not empty", options=[Option("checkpoint", str(self.folder))])

    def _check_versions(self) -> None:
        try:
            found = read_sealed(self.folder / RUN)
        except Damaged as damage:
            raise UsageError(str(damage)) from None
        if found.pop("versions", None) != versions():
            raise UsageError(f"{self.folder}: the run was begun by another version of the program, or of Python")
        self._noted = found

    def _write_notes(self) -> None:
        """Replace the file `run.json`, which has the program versions and the notes, as a whole."""
        path = self.folder / RUN
        partial = self.folder / _PARTIAL
        try:
            with partial.open("w", encoding="utf-8") as file:
                file.write(sealed({"versions": versions(), **self._noted}))
                file.flush()
                os.fsync(file.fileno())
            partial.rename(path)
            synchronise_folder(self.folder)
        except OSError as error:
            raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None

    def note(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the value noted under `key` before the run was resumed, else compute it with `make` and note it.

        Notes are data for JSON, kept in `run.json`.
        """
        if key not in self._noted:
            self._noted[key] = make()
            self._write_notes()
        return self._noted[key]

    def begin(self) -> SearchCheckpoints:
        """Return the checkpoints of the next search of the check."""
        number = len(self._searches) + 1
        search = SearchCheckpoints(self.folder / f"{_SEARCH}{number}", self.folder, self._every)
        self._searches.append(search)
        return search

    @property
    def advice(self) -> str:
        """Return a clause for people: how to resume the run, whose folder is kept."""
        return f"`{resume_command(self.folder)}` continues it"

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """End the check; remove its files if nothing is left to be resumed."""
        if kind is None or issubclass(kind, KeyboardInterrupt):
            kept = not self.delivered or any(search.unfinished for search in self._searches)
        else:
            # An error: keep checkpoints that existed before or were written.
            kept = self._resume or any(search.has_checkpoint for search in self._searches)
        if not kept:
            self._remove()
        os.close(self._lock)

    def _remove(self) -> None:
        for path in self.folder.glob(f"{_SEARCH}*"):
            shutil.rmtree(path, ignore_errors=True)
        for name in _OWN:
            (self.folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()


class SearchCheckpoints:
    """The checkpoints of one search in the folder `place`, and the search's own files in `path`."""

    def __init__(self, place: Path, folder: Path, every: float, account: Account = free_account) -> None:
        self._place, self._folder, self._every, self._account = place, folder, every, account
        self.path = place / _FILES
        self.unfinished = True
        self._due = time.monotonic() + every
        self._numbers: list[int] = []
        self._files_of: dict[int, frozenset[str]] = {}
        self._released: dict[str, Callable[[], None]] = {}
        self._checksums = GrowingFiles()

    def __enter__(self) -> SearchCheckpoints:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResourceError(f"{self.path}: cannot be made: {error.strerror}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Leave the files in place: `Checkpoints` removes them."""

    @property
    def has_checkpoint(self) -> bool:
        """True if a checkpoint was written or recalled."""
        return bool(self._numbers)

    # To be resumed

    def recall(self, report: Callable[[str], None]) -> Mapping[str, Any] | None:
        """Return the facts of the newest undamaged checkpoint, and restore the search's files to that point.

        Returns None if there is no such checkpoint; then the search's files are removed. A damaged checkpoint is passed
        to `report` and removed.
        """
        for path in self._place.glob(f"{_CHECKPOINT}*"):
            if is_partial(path):
                shutil.rmtree(path, ignore_errors=True)
        numbers = (path.name.removeprefix(_CHECKPOINT) for path in self._place.glob(f"{_CHECKPOINT}*"))
        self._numbers = sorted(int(number) for number in numbers if number.isdecimal())
        while self._numbers:
            checkpoint = self._checkpoint(self._numbers[-1])
            try:
                facts = read_facts(checkpoint)
                verify_arrays(checkpoint, facts)
                self._cut_files(facts["files"])
            except Damaged as damage:
                report(f"{damage}; going back to the checkpoint before")
                shutil.rmtree(checkpoint, ignore_errors=True)
                self._numbers.pop()
            else:
                self._files_of = {number: self._named_in(number) for number in self._numbers}
                self._remove_released()
                return facts
        self._cut_files({})
        self._remove_released()
        return None

    def _named_in(self, number: int) -> frozenset[str]:
        """Return the names of the files that the checkpoint with this number needs; none if it is damaged."""
        try:
            return frozenset(read_facts(self._checkpoint(number))["files"])
        except Damaged:
            return frozenset()

    def _cut_files(self, files: Mapping[str, Sequence[int]]) -> None:
        """Truncate the search's files to their lengths at the checkpoint, and remove all others.

        `files` has the length and the checksum of each file by its name. Raises `Damaged` if a file is missing or has
        changed.
        """
        for name, (length, checksum) in files.items():
            path = self.path / name
            # The search may have released the file after the checkpoint was written.
            with contextlib.suppress(FileNotFoundError):
                (self._place / _RELEASED / name).rename(path)
            if not path.is_file() or path.stat().st_size < length:
                raise Damaged(f"{path}: is shorter than when the checkpoint was written")
            if self._checksums.checksum(path, length) != checksum:
                raise Damaged(f"{path}: has another checksum than when the checkpoint was written")
        for path in [path for path in self.path.rglob("*") if path.is_file()]:
            name = path.relative_to(self.path).as_posix()
            if name in files:
                # Files only grow, so their beginning is their state at the checkpoint.
                os.truncate(path, files[name][0])
            else:
                path.unlink()

    def load(self, facts: Mapping[str, Any], identity: Mapping[str, Any]) -> RestoredState:
        """Return the arrays and numbers of the recalled checkpoint.

        Raises `UsageError` if `identity` differs from the one in its facts: the checkpoint belongs to another search.
        """
        if facts["identity"] != identity:
            raise UsageError(
                f"{self._folder}: the run was begun with another model, other properties or other settings"
            )
        return read_arrays(self._checkpoint(self._numbers[-1]), facts)

    # While it runs

    @property
    def due(self) -> bool:
        """True if it is time for the next checkpoint."""
        return time.monotonic() >= self._due

    def save(self, saved: SavedState, facts: Mapping[str, Any]) -> None:
        """Write a checkpoint, and remove all but the last two.

        Raises `ResourceError` if it cannot be written; earlier checkpoints are kept then.
        """
        began = time.monotonic()
        number = self._numbers[-1] + 1 if self._numbers else 1
        try:
            described = {**facts, "files": self._synchronised_files()}
            write_checkpoint(self._checkpoint(number), saved, described, self._account)
        finally:
            now = time.monotonic()
            self._due = now + max(self._every, _SHARE * (now - began))
        self._numbers.append(number)
        self._files_of[number] = frozenset(described["files"])
        # The last but one stays, in case that the last one is damaged by the crash after which it is needed.
        for old in self._numbers[:-_KEPT]:
            shutil.rmtree(self._checkpoint(old), ignore_errors=True)
            self._files_of.pop(old, None)
        del self._numbers[:-_KEPT]
        self._remove_released()

    def release(self, path: Path, removed: Callable[[], None]) -> None:
        """Remove a file that the search does not need any more, as soon as no checkpoint needs it either.

        The search never writes the file again. `removed` is called when the file is removed.
        """
        name = path.relative_to(self.path).as_posix()
        if not any(name in names for names in self._files_of.values()):
            path.unlink(missing_ok=True)
            removed()
            return
        # A checkpoint still needs it: keep it, apart from the files that the search has now.
        place = self._place / _RELEASED / name
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
        self._released[name] = removed

    def _remove_released(self) -> None:
        """Remove the released files that no checkpoint needs any more."""
        folder, needed = self._place / _RELEASED, frozenset[str]().union(*self._files_of.values())
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            name = path.relative_to(folder).as_posix()
            if name not in needed:
                path.unlink()
                self._released.pop(name, lambda: None)()

    def _synchronised_files(self) -> dict[str, tuple[int, int]]:
        """Synchronise the files of the search with the disk, and return their lengths and checksums by name."""
        found = {}
        try:
            for path in sorted(path for path in self.path.rglob("*") if path.is_file()):
                file = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(file)
                    length = os.fstat(file).st_size
                finally:
                    os.close(file)
                found[path.relative_to(self.path).as_posix()] = length, self._checksums.checksum(path, length)
        except OSError as error:
            raise ResourceError(f"{path}: cannot be written: {error.strerror}") from None
        return found

    def _checkpoint(self, number: int) -> Path:
        return self._place / f"{_CHECKPOINT}{number}"

    @property
    def advice(self) -> str:
        """Return a clause for people: how to resume the search, which has ended early."""
        if not self.has_checkpoint:
            return "no checkpoint was written yet"
        return f"`{resume_command(self._folder)}` continues from the last checkpoint"


def resume_command(folder: Path) -> str:
    return f"strandline resume {shlex.quote(str(folder))}"


def versions() -> dict[str, str]:
    """Return the versions that must agree for a search to be resumed: the program's and a digest of the engine."""
    import strandline
    from strandline.engine.runtime import jit

    return {"strandline": strandline.__version__, "engine": jit.sources_digest(Path(jit.__file__).parents[1])}
