"""Common set-up of all tests: Hypothesis profiles, and the folders of helper modules.

`--hypothesis-profile=long` runs the random tests with a hundred times as many cases.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A shell starts background jobs with Ctrl-C ignored, and programs inherit that: tests that press it want it heard.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A kernel that is compiled for the first time on a machine takes seconds: no deadline.
_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
# The same cases in every run, so that a run tells about the change it tests; `long` looks for new ones.
settings.register_profile("default", deadline=None, suppress_health_check=_QUIET, print_blob=True, derandomize=True)
settings.register_profile("long", settings.get_profile("default"), max_examples=10_000, derandomize=False)
settings.load_profile("default")


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
