"""Symbolic runs without a memory limit get a default by the machine's free memory, with a notice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import strandline
from models.lotus import dining, with_token
from strandline.checker.limits import memory
from strandline.checker.limits.memory import DEFAULT_LIMIT, MemoryLimit, available_bytes, resident_bytes
from strandline.languages.lotus import load
from strandline.report.style import Style
from strandline.report.text import exploration_text
from strandline.source import Source


@pytest.fixture
def nothing_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 0)


WITH_NOTHING_FREE = """
import sys
import strandline
from strandline.checker.limits import memory
from strandline.languages.lotus import load
from strandline.source import Source

memory.available_bytes = lambda: 0
system = load(Source("m.lotus", sys.stdin.read()))
found = strandline.check(system, method=sys.argv[1], reachable_first=False)
print(found.answer.value, found.reason)
"""


@pytest.mark.parametrize("method", ["symbolic", "abstraction"])
def test_the_default_limit_ends_a_search(method: str) -> None:
    """In a process of its own: this one may have memory to reuse that it has freed."""
    environment = {**os.environ, "PYTHONPATH": str(Path(strandline.__file__).parents[1])}
    command = [sys.executable, "-c", WITH_NOTHING_FREE, method]
    text = with_token(200)
    done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True)
    answer, _, reason = done.stdout.partition(" ")
    assert answer == "UNKNOWN"
    assert "memory" in reason
    assert DEFAULT_LIMIT in reason


@pytest.mark.usefixtures("nothing_free")
def test_a_limit_that_is_given_replaces_it() -> None:
    system = load(Source("m.lotus", dining(5)))
    limit = resident_bytes() + (1 << 30)
    found = strandline.explore(system, method="symbolic", memory=limit)
    assert found.complete
    assert found.statistics.allowed_bytes is None
    assert DEFAULT_LIMIT not in exploration_text(found, Style())
    assert strandline.explore(system, method="symbolic", memory="1M").reason is not None


def test_the_report_tells_the_default_limit() -> None:
    found = strandline.explore(load(Source("m.lotus", dining(5))), method="symbolic")
    assert found.statistics.allowed_bytes is not None
    assert DEFAULT_LIMIT in exploration_text(found, Style())


def test_half_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10 << 30)
    monkeypatch.setattr(memory, "resident_bytes", lambda: 1 << 30)
    assert MemoryLimit.by_default().allowed == 6 << 30
    monkeypatch.setattr(memory, "available_bytes", lambda: 100 << 30)
    assert MemoryLimit.by_default().allowed == 9 << 30


def write(folder: Path, limit: str, usage: int, cached: str, *, version: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{usage}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{cached}\nfile 7\n")


def free(tmp_path: Path, membership: str) -> list[int]:
    file = tmp_path / "membership"
    file.write_text(membership)
    return list(memory._free_of_groups(file, tmp_path / "mounted"))


def test_groups_of_version_2(tmp_path: Path) -> None:
    root = tmp_path / "mounted"
    write(root / "a", "1000", 700, "inactive_file 200", version=2)
    write(root / "a" / "b", "max", 100, "inactive_file 0", version=2)
    assert free(tmp_path, "0::/a/b\n") == [500]
    assert free(tmp_path, "0::/elsewhere\n") == []
    write(root, "900", 1000, "inactive_file 0", version=2)
    assert free(tmp_path, "0::/elsewhere\n") == [0]


def test_groups_of_version_1(tmp_path: Path) -> None:
    root = tmp_path / "mounted" / "memory"
    write(root / "a", "1000", 700, "total_inactive_file 200", version=1)
    assert free(tmp_path, "5:cpu,memory:/a\n3:cpu:/b\n") == [500]
    write(root, "800", 700, "total_inactive_file 0", version=1)
    assert free(tmp_path, "5:memory:/a\n") == [500, 100]
    assert free(tmp_path, "4:cpu:/a\n") == []


def test_a_group_bounds_what_is_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_free_of_groups", lambda *paths: iter([123, 4567]))
    assert available_bytes() == 123
