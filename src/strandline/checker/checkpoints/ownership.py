"""Refuse folders of runs that somebody else could have prepared: what lies in them is executed, cut and removed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from strandline.errors import UsageError


def refuse_foreign(folder: Path) -> None:
    """Raise `UsageError` unless a folder and all in it belong to the user, others cannot write, and nothing is a link.

    A folder that does not exist is not refused.
    """
    if not folder.exists():
        return
    _refuse(folder, folder.stat())
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.is_symlink():
                    raise UsageError(f"{path}: is a symbolic link, which the folder of a run never contains")
                _refuse(path, entry.stat(follow_symlinks=False))
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)


def _refuse(path: Path, status: os.stat_result) -> None:
    if status.st_uid != os.geteuid():
        raise UsageError(f"{path}: belongs to another user; the folder of a run is trusted as a program is")
    if status.st_mode & stat.S_IWOTH:
        raise UsageError(f"{path}: every user can write there; the folder of a run is trusted as a program is")
