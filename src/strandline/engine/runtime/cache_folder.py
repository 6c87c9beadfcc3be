"""The folder of the user's cache for machine code, checked to be private.

Files loaded from it run in the process: machine code, and pickles that describe it. So each folder on the path must
belong to the user, or to root, and must not be writable by others.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from contextlib import suppress
from pathlib import Path

from strandline.errors import StrandlineError

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NotPrivate(StrandlineError):
    """Raised for a folder that cannot be trusted; the message names it and the reason."""


def cache_root() -> Path:
    """Return the folder of all caches of the program.

    Raises `NotPrivate` if the environment names no absolute path.
    """
    named = os.environ.get("XDG_CACHE_HOME")
    if named and not os.path.isabs(named):
        raise NotPrivate(f"XDG_CACHE_HOME is '{named}', which is no absolute path")
    root = named or os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(root):
        raise NotPrivate(f"the home folder is '{os.path.expanduser('~')}', which is no absolute path")
    return Path(root) / "strandline"


def make_private(folder: Path) -> None:
    """Make a folder in the `cache_root` that only the user can write to.

    Raises `NotPrivate` if it, or a folder on the path, belongs to another user or is writable by others, and `OSError`
    if it cannot be made.
    """
    root = cache_root()
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = [root, *(root / part for part in _ways(folder.relative_to(root)))]
    for one in own:
        one.mkdir(mode=0o700, exist_ok=True)
    for one in own:
        _refuse_others(one, one.stat(), owners=(os.getuid(),))
    for one in Path(os.path.realpath(root)).parents:
        found = one.stat()
        # In a folder with the sticky bit, such as /tmp, users cannot replace files of each other.
        if not found.st_mode & stat.S_ISVTX:
            _refuse_others(one, found, owners=(os.getuid(), 0))


def _ways(path: Path) -> list[Path]:
    return [path, *path.parents][-2::-1]


def _refuse_others(folder: Path, found: os.stat_result, owners: tuple[int, ...]) -> None:
    if found.st_uid not in owners:
        raise NotPrivate(f"{folder} belongs to another user")
    if found.st_mode & _OTHERS:
        remedy = f"`chmod go-w {shlex.quote(str(folder))}` changes that"
        raise NotPrivate(f"{folder} can be written to by other users; {remedy}")


def warn(message: str) -> None:
    """Warn the user in one line that a cache is not used, or not kept."""
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"strandline: {message}\n")
        sys.stderr.flush()
