"""A run that is ended anywhere and resumed answers as one that was left alone: verdict, counts, traces."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import strandline
from strandline.checker.checkpoints import files
from strandline.checker.checkpoints import run_folder as run_folder_module
from strandline.checker.decisions import checks as checks_module
from strandline.checker.verdicts.verdict import Answer, Interrupted, Verdict
from strandline.engine.runtime import sizes
from strandline.engine.search import Event, Search
from strandline.errors import InputError, ResourceError, UsageError
from strandline.traces.log import ParentLog

CLOCKS = Path(__file__).parent / "models" / "clocks.dve"
FAR = "P.x < 29 or Q.x < 29 or R.x < 28"
KINDS: dict[str, dict[str, Any]] = {
    "bfs": {"invariants": ["P.x < 9", FAR]},
    "dfs": {"order": "dfs", "invariants": ["P.x < 9", "P.x < 30"]},
    "sweep": {"measure": "P.x + Q.x + R.x", "invariants": [FAR, "P.x < 30"], "count_distinct": True},
    "found measure": {"measure": "auto", "invariants": ["P.x < 30"]},
    "columns": {"measure": ["mono(0)", "P.x"], "deadlock": True},
    "componentwise": {"measure": ["P.x", "Q.x"], "componentwise": True, "deadlock": True},
    "cache": {"cache_states": 9000, "cache_rule": "oldest", "max_states": 60_000, "invariants": [FAR]},
    "tree": {"store": "tree", "invariants": ["P.x < 9", FAR]},
    "compact": {"store": "compact", "deadlock": True},
    "bitstate": {"store": "bitstate", "store_size": "1M", "deadlock": True},
    "por": {"por": True, "invariants": [FAR]},
    "ndfs": {"ltl": "G ((P.x < 40) U (Q.x < 50))", "method": "ndfs"},
    "scc": {"ltl": "G ((P.x < 40) U (Q.x < 50))", "method": "scc"},
    "map": {"ltl": "F G (P.x < 40)", "method": "map"},
    "swept cycles": {"ltl": "F G (P.x < 40)", "method": "sweep", "measure": "P.x"},
    "published": {"ltl": "F G (P.x < 40)", "method": "sweep-on", "measure": "P.x + Q.x"},
    "prefix": {"ltl": "G (P.x < 29 or Q.x < 29)"},
    "several": {"ltl": ["G (P.x < 40)", "F G (Q.x < 40)"], "invariants": ["P.x < 30"]},
    "explicit ctl": {"ctl": ["AG EF (P.x == 7)", "EF AG (P.x == 7)"]},
    "swept ctl": {"ctl": "AG EF (P.x == 7)", "measure": "P.x", "method": "swept"},
}
_PASSING = ("seconds", "compile_seconds", "engine_seconds", "rss_bytes", "peak_bytes")


class Killed(BaseException):
    """A process that is gone: only the operating system cleans up."""


class DiesAfter:
    """A callback that ends the run after a number of progress reports."""

    def __init__(self, count: int, kind: type[BaseException]) -> None:
        self._left, self._kind, self.told = count, kind, list[str]()

    def stage(self, text: str) -> None:
        self.told.append(text)

    def progress(self, progress: object) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._kind


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pause the search every thousand states, save it in every pause, and do not synchronise with the disk."""
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        search._budget = 1000
        return usual(search, 0.0)

    monkeypatch.setattr(Search, "advance", advance)
    monkeypatch.setattr(run_folder_module, "_SHARE", 0)
    monkeypatch.setattr(os, "fsync", lambda file: None)


def check(
    monkeypatch: pytest.MonkeyPatch, dies: int | None = None, kind: type[BaseException] = Killed, **keywords: Any
) -> tuple[Verdict, list[str]]:
    callback = DiesAfter(1 << 60 if dies is None else dies, kind)
    monkeypatch.setattr(checks_module, "NullCallback", lambda: callback)
    return strandline.check(CLOCKS, **keywords), callback.told


def essence(verdict: Verdict) -> Any:
    """What two runs of the same check must agree on."""
    zero: dict[str, Any] = dict.fromkeys(_PASSING, 0)
    statistics = replace(verdict.statistics, **zero)
    traces = [None if one.trace is None else [str(step) for step in one.trace.steps] for one in verdict.properties]
    return (
        [(one.name, one.answer, one.reason) for one in verdict.properties],
        traces,
        replace(statistics, regress=None),
        verdict.complete,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_killed_again_and_again(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keywords, folder, random = KINDS[kind], tmp_path / "saved", Random(kind)
    expected, _ = check(monkeypatch, **keywords)
    for kills in range(3):
        saved: dict[str, Any] = {"checkpoint": folder, "every": 0.0, "resume": kills > 0}
        with pytest.raises(Killed):
            check(monkeypatch, random.randint(1, 4), **keywords, **saved)
    verdict, told = check(monkeypatch, **keywords, checkpoint=folder, resume=True)
    assert any(text.startswith("resumed after ") for text in told)
    if kind != "swept cycles":
        assert essence(verdict) == essence(expected)
    assert [one.answer for one in verdict.properties] == [one.answer for one in expected.properties]
    assert list(tmp_path.iterdir()) == [], "what was decided need not be resumed"


def test_threads_go_on_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In rounds of a few states; each run has another number of threads, which checkpoints do not contain."""
    monkeypatch.setattr(sizes, "SHARED_STATES", 8)
    folder, random = tmp_path / "saved", Random(1)
    expected, _ = check(monkeypatch, invariants="P.x < 30", deadlock=True, threads=1)
    for kills, threads in enumerate((3, 1)):
        saved: dict[str, Any] = {"checkpoint": folder, "every": 0.0, "resume": kills > 0}
        with pytest.raises(Killed):
            check(monkeypatch, random.randint(2, 4), invariants="P.x < 30", deadlock=True, threads=threads, **saved)
    verdict, told = check(monkeypatch, invariants="P.x < 30", deadlock=True, threads=2, checkpoint=folder, resume=True)
    assert any(text.startswith("resumed after ") for text in told)
    for name in ("states", "transitions", "deadlocks", "visited", "levels"):
        assert getattr(verdict.statistics, name) == getattr(expected.statistics, name), name
    assert [one.answer for one in verdict.properties] == [one.answer for one in expected.properties]
    assert verdict.statistics.threads == 2


def test_exploring_goes_on_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checks_module, "NullCallback", lambda: DiesAfter(9, Killed))
    with pytest.raises(Killed):
        strandline.explore(CLOCKS, checkpoint=tmp_path / "saved", every=0.0)
    monkeypatch.undo()
    resumed = strandline.explore(CLOCKS, checkpoint=tmp_path / "saved", resume=True)
    assert (resumed.complete, resumed.statistics.states, resumed.statistics.transitions) == (True, 27_000, 81_000)
    assert resumed.statistics.levels == strandline.explore(CLOCKS).statistics.levels


def dying_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Let the process die at a step of writing: before the given one of all calls that reach the disk."""
    left = [step]

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return function(*arguments, **keywords)

        return call

    for owner, name in ((os, "fsync"), (Path, "rename"), (Path, "mkdir"), (files.shutil, "rmtree")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))


def test_killed_while_a_checkpoint_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keywords = KINDS["bfs"]
    expected, _ = check(monkeypatch, **keywords)
    survived = 0
    for step in range(1, 42, 3):
        folder = tmp_path / str(step)
        with monkeypatch.context() as dying:
            dying_at(dying, step)
            with contextlib.suppress(Killed):
                check(monkeypatch, 15, **keywords, checkpoint=folder, every=0.0)
        begun = (folder / run_folder_module.RUN).exists()
        verdict, _ = check(monkeypatch, **keywords, checkpoint=folder, resume=begun)
        assert essence(verdict) == essence(expected)
        survived += begun
    assert survived >= 10


def test_killed_by_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ten times `kill -9`, at any moment."""
    folder, answer, random = tmp_path / "saved", tmp_path / "answer", Random(9)
    keywords = {**KINDS["bfs"], "checkpoint": folder, "every": 0.0}
    expected, _ = check(monkeypatch, **KINDS["bfs"])
    monkeypatch.setattr(checks_module, "NullCallback", lambda: DiesAfter(1 << 60, Killed))
    kills = 0
    while not answer.exists():
        child = os.fork()
        if child == 0:
            found = essence(strandline.check(CLOCKS, **keywords, resume=(folder / run_folder_module.RUN).exists()))
            answer.with_suffix(".partial").write_bytes(pickle.dumps(found[:2]))
            answer.with_suffix(".partial").rename(answer)
            os._exit(0)
        if kills < 10:
            time.sleep(random.uniform(0.0, 0.06))
            os.kill(child, signal.SIGKILL)
            kills += 1
        os.waitpid(child, 0)
    assert kills == 10
    assert pickle.loads(answer.read_bytes()) == essence(expected)[:2]


def test_ctrl_c_waits_for_a_checkpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class PressesCtrlC(DiesAfter):
        def progress(self, progress: object) -> None:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGINT)

    folder = tmp_path / "saved"
    monkeypatch.setattr(checks_module, "NullCallback", lambda: PressesCtrlC(5, Killed))
    with pytest.raises(Interrupted) as caught:
        strandline.check(CLOCKS, invariants=["P.x < 3", "P.x < 30"], checkpoint=folder)
    result = caught.value.result
    reason = f"interrupted; `strandline resume {folder}` continues from the last checkpoint"
    assert result.reason == reason
    assert isinstance(result, Verdict)
    assert [one.answer for one in result.properties] == [Answer.VIOLATED, Answer.UNKNOWN]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    verdict, told = check(monkeypatch, invariants=["P.x < 3", "P.x < 30"], checkpoint=folder, resume=True)
    assert told == [f"resumed after {result.statistics.visited:,} visited states"]
    assert [one.answer for one in verdict.properties] == [Answer.VIOLATED, Answer.HOLDS]
    assert verdict.statistics.states == 27_000


def test_a_limit_can_be_raised(tmp_path: Path) -> None:
    began = strandline.explore(CLOCKS, checkpoint=tmp_path, max_states=5_000)
    reason = "the limit of 5,000 states is reached"
    assert began.reason == f"{reason}; `strandline resume {tmp_path}` continues from the last checkpoint"
    resumed = strandline.explore(CLOCKS, checkpoint=tmp_path, resume=True)
    assert (resumed.complete, resumed.statistics.visited) == (True, 27_000)


# --- disks ------------------------------------------------------------------------------------------------------


def test_a_disk_that_takes_no_checkpoint_ends_no_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    folder = tmp_path / "saved"
    with monkeypatch.context() as broken:
        broken.setattr(files, "_synchronise", full)
        verdict, told = check(monkeypatch, **KINDS["bfs"], checkpoint=folder, every=0.0)
    assert verdict.answer is Answer.VIOLATED
    place = folder / "search-1" / "checkpoint-1"
    assert told[0] == f"no checkpoint could be written: {place}: cannot be written: No space left on device"


def test_what_was_saved_before_the_disk_was_full_is_not_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    honest, left, folder = ParentLog.append, [20_000], tmp_path / "saved"

    def full(self: ParentLog, links: Any) -> None:
        left[0] -= len(links)
        if left[0] < 0:
            raise ResourceError("parents: cannot be written: No space left on device")
        honest(self, links)

    with monkeypatch.context() as small:
        small.setattr(ParentLog, "append", full)
        verdict, _ = check(monkeypatch, deadlock=True, checkpoint=folder, every=0.0)
    assert verdict.answer is Answer.UNKNOWN
    told = f"`strandline resume {folder}` continues from the last checkpoint"
    assert verdict.reason == f"parents: cannot be written: No space left on device; {told}"
    verdict, told_then = check(monkeypatch, deadlock=True, checkpoint=folder, resume=True)
    assert told_then[0].startswith("resumed after ")
    assert (verdict.answer, verdict.statistics.states) == (Answer.HOLDS, 27_000)


def interrupted(monkeypatch: pytest.MonkeyPatch, folder: Path, **keywords: Any) -> list[Path]:
    """A run that was killed after some checkpoints; the last ones, the newest first."""
    with pytest.raises(Killed):
        check(monkeypatch, 12, checkpoint=folder, every=0.0, **keywords)
    found = sorted(folder.glob("search-1/checkpoint-*"), key=lambda path: -int(path.name.rpartition("-")[2]))
    assert len(found) == 2, "the last two are kept"
    return found


@pytest.mark.parametrize("damage", ["arrays", "facts.json", "missing"])
def test_a_damaged_checkpoint_is_not_used(damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    newest, _ = interrupted(monkeypatch, tmp_path / "saved", deadlock=True)
    path = newest / ("arrays" if damage == "missing" else damage)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data[:-1] if damage == "missing" else data)
    verdict, told = check(monkeypatch, deadlock=True, checkpoint=tmp_path / "saved", resume=True)
    assert told[0].startswith(f"{newest}")
    assert told[0].endswith("; going back to the checkpoint before")
    assert told[1].startswith("resumed after ")
    assert verdict.statistics.states == 27_000


def test_a_log_that_lost_something_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    interrupted(monkeypatch, tmp_path / "saved", deadlock=True)
    log = tmp_path / "saved" / "search-1" / "files" / "parents"
    os.truncate(log, 80)
    verdict, told = check(monkeypatch, deadlock=True, checkpoint=tmp_path / "saved", resume=True)
    shorter = f"{log}: is shorter than when the checkpoint was written; going back to the checkpoint before"
    assert told == [shorter, shorter]
    assert verdict.statistics.states == 27_000


# --- what is refused --------------------------------------------------------------------------------------------


def refused(**keywords: Any) -> str:
    with pytest.raises(UsageError) as caught:
        strandline.check(CLOCKS, **keywords)
    return str(caught.value)


def test_what_does_not_fit(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    assert refused(every="5m") == "every= is for checkpoint=DIR"
    assert refused(resume=True) == "resume= is for checkpoint=DIR"
    assert refused(checkpoint=folder, every="soon") == "'soon' is not a time; write for example 60s or 5m"
    assert refused(checkpoint=folder, every=-1.0) == "every= cannot be less than 0, as -1.0 is"
    both = "checkpoint= is where the run keeps its files; leave work_dir= out"
    assert refused(checkpoint=folder, work_dir=tmp_path) == both
    symbolic = "method='symbolic' cannot be saved: leave checkpoint= out"
    assert refused(checkpoint=folder, method="symbolic", deadlock=True) == symbolic
    assert not folder.exists()
    folder.mkdir()
    (folder / "thesis.tex").write_text("")
    assert refused(checkpoint=folder) == f"checkpoint={str(folder)!r}: the folder is not empty"
    assert refused(checkpoint=folder, resume=True) == f"{folder}: there is no run to resume"


def test_another_run_in_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    interrupted(monkeypatch, folder, deadlock=True)
    there = f"checkpoint={str(folder)!r}: the folder has a run already; `strandline resume {folder}` continues it"
    assert refused(checkpoint=folder, deadlock=True) == there
    other = f"{folder}: the run was begun with another model, other properties or other settings"
    assert refused(checkpoint=folder, resume=True, invariants="P.x < 4") == other
    assert refused(checkpoint=folder, resume=True, deadlock=True, order="dfs") == other
    with run_folder_module.Checkpoints(folder, 60.0, resume=True) as living:
        living.begin()
        assert refused(checkpoint=folder, resume=True) == f"{folder}: another run writes its checkpoints there"
    verdict, _ = check(monkeypatch, deadlock=True, checkpoint=folder, resume=True)
    assert verdict.statistics.states == 27_000


def test_another_version_of_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    interrupted(monkeypatch, tmp_path / "saved", deadlock=True)
    monkeypatch.setattr(strandline, "__version__", "0.0.0")
    told = f"{tmp_path / 'saved'}: the run was begun by another version of the program, or of Python"
    assert refused(checkpoint=tmp_path / "saved", resume=True, deadlock=True) == told


def test_callables_are_not_recognised(tmp_path: Path) -> None:
    model = strandline.from_callables([0], lambda state: [(state + 1) % 5])
    with pytest.raises(UsageError, match="checkpoint=: this search cannot be saved"):
        strandline.explore(model, checkpoint=tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_a_mistake_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        strandline.check(CLOCKS, measure="1 / P.x", checkpoint=tmp_path / "saved", deadlock=True)
    assert not (tmp_path / "saved").exists()


def test_a_disk_that_is_really_full(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was saved is lost, and when there is room the run goes on."""
    folder = small_disk / "saved"
    larger = small_disk.parent / "wheels.dve"
    larger.write_text(CLOCKS.read_text().replace("29", "179"))
    monkeypatch.setattr(sys.modules[__name__], "CLOCKS", larger)
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    verdict, told = check(monkeypatch, deadlock=True, checkpoint=folder, every=0.0)
    assert verdict.answer is Answer.UNKNOWN
    log = folder / "search-1" / "files" / "parents"
    full = "cannot be written: No space left on device"
    assert verdict.reason == f"{log}: {full}; `strandline resume {folder}` continues from the last checkpoint"
    assert all(text.startswith("no checkpoint could be written: ") and text.endswith(full) for text in told)
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_disk)], check=True)
    resumed, told = check(monkeypatch, deadlock=True, checkpoint=folder, resume=True)
    assert told[0].startswith("resumed after ")
    assert (resumed.answer, resumed.statistics.states) == (Answer.HOLDS, 180**3)
