"""The directory of a run is removed at its end; the remains of a killed run are found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strandline.errors import ResourceError
from strandline.traces import workspace
from strandline.traces.workspace import LeftOver, RunDirectory, left_over, remove_left_over


def _age(folder: Path) -> None:
    then = time.time() - 60
    os.utime(folder, (then, then))


def test_the_directory_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "new" / "parent") as folder:
        (folder.path / "parents").write_bytes(b"x" * 100)
        assert (folder.path / "pid").read_text() == f"{os.getpid()}\n"
        assert folder.path.parent == tmp_path / "new" / "parent"
    assert list((tmp_path / "new" / "parent").iterdir()) == []


def test_it_is_removed_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), RunDirectory(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_living_run_is_not_left_over(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as folder:
        _age(folder.path)
        assert left_over(tmp_path) == []


def test_what_a_killed_process_leaves_is_found(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from strandline.traces.workspace import RunDirectory;"
        "folder = RunDirectory(Path(sys.argv[1])); (folder.path / 'parents').write_bytes(bytes(1000));"
        "print('ready', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    (folder,) = tmp_path.iterdir()
    _age(folder)
    assert left_over(tmp_path) == []
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    (found,) = left_over(tmp_path)
    assert (found.path, found.size >= 1000, found.days > 0) == (folder, True, True)
    assert remove_left_over(found)
    assert not folder.exists()


def test_a_directory_that_was_just_made_may_still_be_locked(tmp_path: Path) -> None:
    folder = tmp_path / f"{workspace.PREFIX}x"
    folder.mkdir()
    (folder / "pid").write_text("1\n")
    assert left_over(tmp_path) == []
    _age(folder)
    assert [one.path for one in left_over(tmp_path)] == [folder]


def test_other_directories_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "strandline-run-without-lock").mkdir()
    _age(tmp_path / "strandline-run-without-lock")
    (tmp_path / "other").mkdir()
    assert left_over(tmp_path) == []


def test_a_place_that_cannot_be_written_is_a_resource_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError, match="no directory for this run"):
        RunDirectory(tmp_path / "file")


def test_a_run_that_came_back_to_life_is_not_removed(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as folder:
        _age(folder.path)
        assert not remove_left_over(LeftOver(folder.path, 0, 0.0))
        assert folder.path.exists()


def test_sizes_count_what_lies_deeper(tmp_path: Path) -> None:
    folder = tmp_path / f"{workspace.PREFIX}x"
    (folder / "spilled" / "runs").mkdir(parents=True)
    (folder / "pid").write_text("1\n")
    (folder / "spilled" / "runs" / "run-1").write_bytes(bytes(5000))
    _age(folder)
    assert [one.size for one in left_over(tmp_path)] == [5002]
