"""Machine code is kept between runs, and never outlives the sources it was made from."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

import strandline.engine.runtime.jit as jit
from strandline.engine.runtime import code_cache
from strandline.engine.runtime.code_cache import make_cache

PACKAGE = Path(jit.__file__).parents[2]

PROGRAM = """
import numpy as np
from strandline.engine.parts.batch_kernel import Batch, hash_records
from strandline.engine.parts.expansion_kernel import Expansion
from strandline.engine.runtime.records import ANSWER, REST, record
words = lambda size: np.zeros(size, dtype=np.uint64)
records, hashes = np.arange(1, 3, dtype=np.uint64), words(1)
expansion = Expansion(np.uint64(0), (0, 0), np.uint64(2), np.uint64(0), records, words(1), record(ANSWER))
hash_records(expansion, Batch(words(1), hashes, words(1), record(REST)), np.uint64(1))
print(hashes[0], sum(hash_records.stats.cache_hits.values()))
"""


def run(copy: Path, cache: Path) -> tuple[int, int]:
    """The hash of a state by the copied engine, and how many kernels came out of the cache."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    hash_value, hits = done.stdout.split()
    return int(hash_value), int(hits)


def test_an_edited_callee_gives_the_new_answer(tmp_path: Path) -> None:
    """`hash_records` stands in batch_kernel.py; what it computes is decided in hashing.py, which is edited."""
    copy = tmp_path / "src"
    shutil.copytree(PACKAGE, copy / "strandline", ignore=shutil.ignore_patterns("__pycache__"))
    first, hits = run(copy, tmp_path / "cache")
    assert hits == 0
    assert run(copy, tmp_path / "cache") == (first, 1), "the second run must use the cache"
    callee = copy / "strandline" / "engine" / "runtime" / "hashing.py"
    text = callee.read_text()
    edited = text.replace("0xD6E8_FEB8_6659_FD93", "0xD6E8_FEB8_6659_FD95")
    assert edited != text
    callee.write_text(edited)
    second, hits = run(copy, tmp_path / "cache")
    assert hits == 0
    assert second != first


def test_any_edit_changes_the_digest(tmp_path: Path) -> None:
    folder = tmp_path / "engine"
    shutil.copytree(PACKAGE / "engine", folder, ignore=shutil.ignore_patterns("__pycache__"))
    seen = {jit.sources_digest(folder)}
    for path in sorted(folder.rglob("*.py")):
        path.write_text(path.read_text() + "# edited\n")
        seen.add(jit.sources_digest(folder))
    (folder / "new.py").write_text("")
    seen.add(jit.sources_digest(folder))
    assert len(seen) == len(list(folder.rglob("*.py"))) + 1


def test_a_read_only_cache_is_replaced_by_a_temporary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    folder = jit.cache_directory.__wrapped__()
    try:
        assert folder.is_dir()
        assert tmp_path not in folder.parents
    finally:
        folder.rmdir()


def work(cache: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a kernel of the engine with a cache."""
    given = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(PACKAGE.parent), **environment}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=given, capture_output=True, text=True, check=False)


def add_one(number: int) -> int:
    return number + 1


def add_two(number: int) -> int:
    return number + 2


def compiled(folder: Path, function: Callable[[int], int] = add_one) -> Any:
    """A function with a cache in a folder, as another process would have it."""
    kernel: Any = numba.njit(function)
    kernel._cache = make_cache(lambda: folder, function)
    return kernel


def loaded(kernel: Any) -> bool:
    return bool(sum(kernel.stats.cache_hits.values()))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut short": lambda data: data[:-1],
    "a digest alone": lambda data: data[:32],
    "less than a digest": lambda data: data[:7],
    "one bit": lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
    "another digest": lambda data: bytes(32) + data[32:],
    "something else": lambda data: b"garbage" * 100,
    "longer": lambda data: data + b"x",
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_made_again(tmp_path: Path, suffix: str, damage: str) -> None:
    assert compiled(tmp_path)(1) == 2
    (file,) = tmp_path.rglob(f"*.{suffix}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    kernel = compiled(tmp_path)
    assert (kernel(1), loaded(kernel)) == (2, False)
    again = compiled(tmp_path)
    assert (again(1), loaded(again)) == (2, True), "what was damaged is replaced"


def test_a_file_of_another_kind_is_not_used(tmp_path: Path) -> None:
    """Two processes may save different kinds of arguments under one name; what is there is not what the index says."""
    kernel = compiled(tmp_path)
    assert (kernel(1), kernel(1.5)) == (2, 2.5)
    first, second = sorted(tmp_path.rglob("*.nbc"))
    shutil.copy(second, first)
    kernel = compiled(tmp_path)
    assert (kernel(1), loaded(kernel)) == (2, False)


def test_a_file_that_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    assert compiled(tmp_path)(1) == 2
    for file in [*tmp_path.rglob("*.nbc"), *tmp_path.rglob("*.nbi")]:
        file.unlink()
        file.mkdir()
    assert compiled(tmp_path)(1) == 2


def test_a_full_disk_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(code_cache._CheckedCache, "_warned", False)
    monkeypatch.setattr(code_cache._CheckedFiles, "_open_for_write", full)
    assert (compiled(tmp_path)(1), compiled(tmp_path, add_two)(1)) == (2, 3)
    said = capsys.readouterr().err
    assert re.fullmatch(
        rf"strandline: {tmp_path}/\S+: the engine's machine code cannot be kept: No space left on device\n", said
    )


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    with contextlib.suppress(OSError), (small_disk / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    done = work(str(small_disk / "cache"))
    assert (done.returncode, done.stdout.split()[1]) == (0, "0")
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    (small_disk / "filling").unlink()
    assert work(str(small_disk / "cache")).stderr == ""
    done = work(str(small_disk / "cache"))
    assert (done.stdout.split()[1], done.stderr) == ("1", "")


def test_a_whole_command_with_a_damaged_cache(tmp_path: Path) -> None:
    done = work(str(tmp_path))
    assert done.stdout.split()[1] == "0"
    files = list(tmp_path.rglob("*.nb?"))
    assert files
    for number, file in enumerate(files):
        file.write_bytes(file.read_bytes()[: number * 10])
    damaged = work(str(tmp_path))
    assert (damaged.stdout, damaged.stderr) == (done.stdout, "")
    assert work(str(tmp_path)).stdout.split()[1] == "1"


def told(capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    """Return the cache folder for machine code, and the warning about it."""
    folder = jit.cache_directory.__wrapped__()
    return folder, capsys.readouterr().err


def test_the_folder_is_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    umask = os.umask(0)
    try:
        folder, said = told(capsys)
    finally:
        os.umask(umask)
    own = [folder, *folder.parents][:4]
    assert own[-1] == tmp_path / "cache"
    assert said == ""
    assert {one.stat().st_mode & 0o777 for one in own} == {0o700}


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: int, mode: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, _ = told(capsys)
    open_ = [folder, *folder.parents][place]
    open_.chmod(mode)
    other, said = told(capsys)
    assert other.name.startswith("strandline-engine-")
    why = f"{open_} can be written to by other users; `chmod go-w {open_}` changes that"
    assert said == f"strandline: the engine's machine code is not kept: {why}\n"
    other.rmdir()
    open_.chmod(mode & ~0o022)
    assert told(capsys) == (folder, "")


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, _ = told(capsys)
    own = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: own + 1)
    other, said = told(capsys)
    assert other != folder
    strandline = tmp_path / "cache" / "strandline"
    assert said == f"strandline: the engine's machine code is not kept: {strandline} belongs to another user\n"
    other.rmdir()


def test_a_folder_that_is_not_absolute_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else whoever gives somebody a folder with a model could put machine code beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    folder, said = told(capsys)
    why = "XDG_CACHE_HOME is 'cache', which is no absolute path"
    assert said == f"strandline: the engine's machine code is not kept: {why}\n"
    assert list(tmp_path.iterdir()) == []
    folder.rmdir()


def test_only_the_caches_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    others = tmp_path / "strandline" / "engine"
    for age in range(7):
        folder = others / f"old{age}"
        (folder / "explore").mkdir(parents=True)
        for one in (others.parent, others):
            one.chmod(0o700)
        used = time.time() - 1000 * (age + 1)
        os.utime(folder, (used, used))
    present = jit.cache_directory.__wrapped__()
    assert {path.name for path in others.iterdir()} == {present.name, "old0", "old1", "old2", "old3"}


def test_nothing_is_inlined_by_numba_itself() -> None:
    """Numba's inlining of overloads removes writes to arrays that are fields of tuples, as all of ours are."""
    offenders = [path.name for path in sorted((PACKAGE / "engine").rglob("*.py")) if "inline=" in path.read_text()]
    assert offenders == ["jit.py"], "only the warning itself may name it"


def test_a_cache_that_another_process_removes_has_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Found by a campaign of random cases that ran beside other versions of the engine.
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "sweep_kernel.sweep-1.nbi").touch()
    monkeypatch.setattr(jit, "cache_directory", lambda: tmp_path)
    assert jit.is_compiled("orders.sweep_kernel.sweep")
    assert not jit.is_compiled("orders.other_kernel.sweep")
    entered = os.scandir

    def removed(path: os.PathLike[str]) -> object:
        if Path(path) != tmp_path:
            raise FileNotFoundError(path)
        return entered(path)

    monkeypatch.setattr(os, "scandir", removed)
    assert not jit.is_compiled("orders.sweep_kernel.sweep")
