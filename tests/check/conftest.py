"""Shared by tests of checks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for little, where mounting is allowed."""
    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("this user may not mount anything")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], check=False)
    if mounted.returncode != 0:
        pytest.skip("this user may not mount anything")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
