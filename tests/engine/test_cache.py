"""Machine code is kept between runs, and never outlives the sources it was made from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import strandline.engine.jit as jit

PACKAGE = Path(jit.__file__).parents[1]

PROGRAM = """
import numpy as np
from strandline.engine.batch_kernel import Batch, hash_records
from strandline.engine.expansion_kernel import Expansion
from strandline.engine.records import ANSWER, REST, record
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
    callee = copy / "strandline" / "engine" / "hashing.py"
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


def test_only_the_caches_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    others = tmp_path / "strandline" / "engine"
    for age in range(7):
        folder = others / f"old{age}"
        (folder / "explore").mkdir(parents=True)
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
    assert jit.compiled_before("orders.sweep_kernel.sweep")
    assert not jit.compiled_before("orders.other_kernel.sweep")
    entered = os.scandir

    def removed(path: os.PathLike[str]) -> object:
        if Path(path) != tmp_path:
            raise FileNotFoundError(path)
        return entered(path)

    monkeypatch.setattr(os, "scandir", removed)
    assert not jit.compiled_before("orders.sweep_kernel.sweep")
