"""A memory limit that is reached does not end a check: states go to disk, and the answer is the same."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from little_memory import give

import strandline
from strandline.checker.checkpoints import run_folder as run_folder_module
from strandline.checker.decisions import checks as checks_module
from strandline.checker.driver import context, fallbacks, run
from strandline.checker.driver.context import SearchSetup
from strandline.checker.driver.warm_up import COMPILING
from strandline.checker.verdicts.verdict import Answer, Verdict
from strandline.engine.disk import search as disk_search
from strandline.engine.search import Event, Search
from strandline.errors import ResourceError

WHEELS = Path(__file__).parent / "models" / "wheels.dve"
CLOCKS = Path(__file__).parent / "models" / "clocks.dve"
FAR = "P.x < 63 or Q.x < 63 or R.x < 63"
_OTHER = (
    "seconds", "compile_seconds", "engine_seconds", "rss_bytes", "peak_bytes", "peak_states", "spilled_bytes",
    "fallbacks",
)  # fmt: skip


class Told:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def stage(self, text: str) -> None:
        # Whether this is the engine's first use is not what these tests are about.
        if text != COMPILING:
            self.texts.append(text)

    def progress(self, progress: object) -> None:
        return


@pytest.fixture
def full_memory(monkeypatch: pytest.MonkeyPatch) -> Told:
    """Make searches in memory run out of it after some thousand states, and leave little for those on disk."""
    usual, told = Search.advance, Told()

    def advance(search: Search, seconds: float = 0.05) -> Event:
        if type(search).__name__ == "SpillingSearch":
            return usual(search, seconds)
        search._budget = 1000
        event = usual(search, 0.0)
        return Event.MEMORY if search.statistics().visited > 5000 else event

    # Figures are to be those of searches in memory, however narrow the layers of these small models are.
    monkeypatch.setattr(disk_search, "_PIECES", 1 << 60)
    monkeypatch.setattr(Search, "advance", advance)
    give(monkeypatch, 1 << 20)
    monkeypatch.setattr(checks_module, "NullCallback", lambda: told)
    return told


def essence(verdict: Verdict) -> Any:
    traces = [None if one.trace is None else len(one.trace) for one in verdict.properties]
    profile = [replace(one, stored=0) for one in verdict.statistics.profile]
    zero: dict[str, Any] = dict.fromkeys(_OTHER, 0)
    figures = replace(verdict.statistics, **zero, regress=None, profile=())
    return [(one.name, one.answer, one.reason) for one in verdict.properties], traces, figures, profile


SEARCHES: dict[str, dict[str, Any]] = {
    "bfs": {"invariants": ["P.x < 9", FAR]},
    "bfs that holds": {"deadlock": True},
    "sweep": {"measure": "P.x", "invariants": ["P.x < 64"]},
    "columns": {"measure": ["mono(P.x / 16)", "Q.x / 16"], "invariants": ["P.x < 64"], "count_distinct": True},
    "por": {"por": True, "invariants": [FAR]},
}


FULL = "the memory limit of 1.0 GB is reached"
ON_DISK, FROM_FRONTIER = "states on disk", "states on disk, from its frontier"


def wide(folder: Path) -> Path:
    """The wheels with states of two words."""
    text = WHEELS.read_text().replace("byte x;", "byte x; int y, z;")
    text = text.replace("x = x + 1;", "x = x + 1, y = x * 500, z = x * 500;").replace("x = 0;", "x = 0, y = 0, z = 0;")
    model = folder / "wide.dve"
    model.write_text(text)
    return model


@pytest.mark.parametrize("name", SEARCHES)
def test_the_answer_is_the_same(name: str, full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spilled = strandline.check(WHEELS, memory="1G", work_dir=tmp_path, **SEARCHES[name])
    breadth_first = name.startswith("bfs") or name == "por"
    assert full_memory.texts[0] == f"{FULL}: continuing with {FROM_FRONTIER if breadth_first else ON_DISK}"
    assert spilled.statistics.spilled_bytes > 0
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    usual = strandline.check(WHEELS, **SEARCHES[name])
    found, expected = essence(spilled), essence(usual)
    if breadth_first:
        assert found == expected
    else:
        assert found[:1] + found[2:] == expected[:1] + expected[2:], "traces of sweeps may differ"


@pytest.mark.parametrize("name", ["bfs", "por"])
def test_wide_states_are_kept_as_trees_before_they_go_to_disk(
    name: str, full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fallbacks, "_WORTH_TREES", 0)
    (folder := tmp_path / "work").mkdir()
    model = wide(tmp_path)
    spilled = strandline.check(model, memory="1G", work_dir=folder, **SEARCHES[name])
    kept = ("tree compression", FROM_FRONTIER)
    assert full_memory.texts[:2] == [f"{FULL}: continuing with {how}" for how in kept]
    for changed, how in zip(spilled.statistics.fallbacks, kept, strict=True):
        assert re.fullmatch(rf"{how}: {FULL} by [1-9][0-9,]* states", changed)
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    assert essence(spilled) == essence(strandline.check(model, **SEARCHES[name]))


def test_states_of_one_word_go_to_disk_at_once(full_memory: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are stored as compactly as trees in the first place."""
    monkeypatch.setattr(fallbacks, "_WORTH_TREES", 0)
    spilled = strandline.check(WHEELS, memory="1G", **SEARCHES["bfs"])
    assert full_memory.texts == [f"{FULL}: continuing with {FROM_FRONTIER}"]
    monkeypatch.undo()
    assert essence(spilled) == essence(strandline.check(WHEELS, **SEARCHES["bfs"]))


def test_whole_states_that_were_asked_for_go_to_disk(
    full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fallbacks, "_WORTH_TREES", 0)
    model = wide(tmp_path)
    spilled = strandline.check(model, memory="1G", store="exact", **SEARCHES["bfs"])
    assert full_memory.texts == [f"{FULL}: continuing with {ON_DISK}"]
    monkeypatch.undo()
    assert essence(spilled) == essence(strandline.check(model, **SEARCHES["bfs"]))


def test_trees_that_do_not_fit_go_to_disk(full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = wide(tmp_path)
    spilled = strandline.check(model, memory="1G", store="tree", **SEARCHES["bfs"])
    assert full_memory.texts == [f"{FULL}: continuing with {FROM_FRONTIER}"]
    monkeypatch.undo()
    assert essence(spilled) == essence(strandline.check(model, store="tree", **SEARCHES["bfs"]))


def test_prefixes_are_found_on_disk(full_memory: Told) -> None:
    verdict = strandline.check(WHEELS, "G (P.x < 63)", memory="1G", order="bfs")
    assert full_memory.texts
    assert verdict.answer is Answer.VIOLATED


@pytest.mark.parametrize(
    "options",
    [{"spill": False}, {"order": "dfs"}, {"store": "compact"}, {"measure": ["P.x", "Q.x"], "componentwise": True}],
)
def test_what_does_not_spill_stops(options: dict[str, Any], full_memory: Told) -> None:
    verdict = strandline.check(WHEELS, deadlock=True, memory="1G", **options)
    assert (verdict.answer, verdict.reason) == (Answer.UNKNOWN, "the memory limit of 1.0 GB is reached")
    assert full_memory.texts == []


def test_who_is_told_of_layers_is_not_told_of_some(full_memory: Told) -> None:
    verdict = strandline.check(WHEELS, ctl="AG EF (P.x == 7)", measure="P.x", method="swept", memory="1G")
    assert (verdict.answer, verdict.reason) == (Answer.UNKNOWN, "the memory limit of 1.0 GB is reached")
    assert full_memory.texts == []


def test_too_little_memory_even_for_a_search_on_disk(full_memory: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    def little(setup: SearchSetup, reserve: int = 1) -> int:
        if reserve > 1:
            raise ResourceError("the memory limit is less than what the program takes")
        return 4 << 20

    for module in (context, fallbacks):
        monkeypatch.setattr(module, "bytes_for_engine", little)
    verdict = strandline.check(WHEELS, measure="P.x", invariants=["P.x < 1", "P.x < 64"], memory="1G")
    assert [one.answer for one in verdict.properties] == [Answer.VIOLATED, Answer.UNKNOWN]
    assert verdict.reason == "the memory limit is less than what the program takes"
    assert verdict.statistics.visited > 5000


class Killed(BaseException):
    """The process is gone."""


class Dying(Told):
    """A callback that ends the run after some progress reports with states on disk."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self._left = left

    def progress(self, progress: object) -> None:
        self._left -= any("on disk" in text or "resumed after" in text for text in self.texts)
        if self._left < 0:
            raise Killed


@pytest.mark.parametrize(("name", "trees"), [("bfs", False), ("bfs", True), ("columns", False)])
def test_killed_while_states_are_on_disk(
    name: str, trees: bool, full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if trees:
        monkeypatch.setattr(fallbacks, "_WORTH_TREES", 0)
    monkeypatch.setattr(run, "_SLICE", 0.001)
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder, told = tmp_path / "saved", list[str]()
    for left in (2, 0, 3, 1):
        callback = Dying(left)
        monkeypatch.setattr(checks_module, "NullCallback", lambda callback=callback: callback)
        keywords = {**SEARCHES[name], "memory": "1G", "checkpoint": folder, "every": 0.0, "resume": bool(told)}
        with pytest.raises(Killed):
            strandline.check(WHEELS, **keywords)
        told += callback.texts
    assert sum("states on disk" in text for text in told) == 1, "resumed where it was"
    last = Told()
    monkeypatch.setattr(checks_module, "NullCallback", lambda: last)
    verdict = strandline.check(WHEELS, **keywords | {"every": 60.0})
    assert last.texts[0].startswith("resumed after "), last.texts
    assert verdict.statistics.spilled_bytes > 0
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    found, expected = essence(verdict), essence(strandline.check(WHEELS, **SEARCHES[name]))
    if name == "bfs":
        assert found == expected
    else:
        assert found[:1] + found[2:] == expected[:1] + expected[2:], "traces of sweeps may differ"


def test_a_full_disk_loses_nothing_that_was_saved(
    full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "saved"
    stopped = strandline.check(WHEELS, deadlock=True, memory="1G", disk="3M", checkpoint=folder, every=0.0)
    advice = f"`strandline resume {folder}` continues from the last checkpoint"
    assert stopped.reason == f"the disk limit of 3.0 MB is reached; {advice}"
    monkeypatch.undo()
    resumed = strandline.check(WHEELS, deadlock=True, checkpoint=folder, resume=True)
    assert (resumed.answer, resumed.statistics.states) == (Answer.HOLDS, 64**3)


def test_a_disk_that_is_really_full_while_states_go_there(
    small_disk: Path, full_memory: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was saved is lost, and when there is room the run goes on."""
    folder, model = small_disk / "saved", small_disk.parent / "large.dve"
    model.write_text(WHEELS.read_text().replace("63", "99"))
    keywords: dict[str, Any] = {"deadlock": True, "memory": "1G", "checkpoint": folder}
    subprocess.run(["mount", "-o", "remount,size=5m", str(small_disk)], check=True)
    stopped = strandline.check(model, **keywords, disk="1G", every=0.0)
    files = re.escape(str(folder / "search-1" / "files"))
    full = rf"{files}/(on-disk-from-the-frontier/)?(parents|runs/run-\d+): cannot be written: No space left on device"
    advice = re.escape(f"`strandline resume {folder}` continues from the last checkpoint")
    assert stopped.answer is Answer.UNKNOWN
    assert re.fullmatch(f"{full}; {advice}", stopped.reason or ""), stopped.reason
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_disk)], check=True)
    resumed = strandline.check(model, **keywords, resume=True)
    assert any(text.startswith("resumed after ") for text in full_memory.texts)
    assert (resumed.answer, resumed.statistics.states) == (Answer.HOLDS, 100**3)
    assert resumed.statistics.fallbacks == (f"{FROM_FRONTIER}, before the run was resumed",)


def test_a_limit_of_disk_counts_what_was_there_before(
    full_memory: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "saved"
    keywords: dict[str, Any] = {"deadlock": True, "memory": "1G", "checkpoint": folder}
    assert strandline.check(WHEELS, **keywords, max_states=200_000).answer is Answer.UNKNOWN
    found = sum(path.stat().st_size for path in (folder / "search-1" / "files").rglob("*") if path.is_file())
    little = strandline.check(WHEELS, **keywords, resume=True, disk=found + 1000)
    assert (little.reason or "").startswith("the disk limit of ")
    assert little.statistics.visited < 64**3
    assert strandline.check(WHEELS, **keywords, resume=True, disk="1G").answer is Answer.HOLDS


def test_a_limit_of_disk(full_memory: Told) -> None:
    verdict = strandline.check(WHEELS, deadlock=True, memory="1G", disk="1M")
    assert (verdict.answer, verdict.reason) == (Answer.UNKNOWN, "the disk limit of 1.0 MB is reached")
    assert verdict.statistics.visited > 0


def test_a_limit_of_disk_counts_the_parent_log() -> None:
    verdict = strandline.check(WHEELS, deadlock=True, disk="200K")
    assert verdict.reason == "the disk limit of 200.0 KB is reached"
    assert strandline.check(CLOCKS, deadlock=True, disk="200K").answer is Answer.HOLDS


def watched(*command: str) -> tuple[int, dict[str, Any]]:
    """Run a command; return its peak resident memory, monitored from outside, and its output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    most, page = 0, os.sysconf("SC_PAGE_SIZE")
    while process.poll() is None:
        with contextlib.suppress(OSError, IndexError):
            most = max(most, int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * page)
        time.sleep(0.005)
    out, _ = process.communicate()
    return most, json.loads(out)


def test_the_limit_holds_as_the_system_sees_it(tmp_path: Path) -> None:
    """Four million states, in a few megabytes more than the program itself takes, where 28 are wanted."""
    model = tmp_path / "large.dve"
    model.write_text(WHEELS.read_text().replace("63", "159"))
    command = (sys.executable, "-m", "strandline.cli", "explore", str(model), "--json")
    # The first run may have to make machine code, which takes memory too.
    for _ in range(2):
        own, _ = watched(*command, "--max-states", "9")
    for more, spills in ((48 << 20, False), (20 << 20, True)):
        most, told = watched(*command, "--memory", str(own + more))
        assert told["states"] == 160**3
        assert (told["spilled_bytes"] > 0) == spills
        assert most <= own + more
