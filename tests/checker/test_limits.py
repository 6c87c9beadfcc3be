"""A limit gives a verdict: UNKNOWN with its reason, and the figures so far."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import strandline
from strandline.checker.decisions import checks as checks_module
from strandline.checker.options.fields import parse_size
from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Answer, Interrupted, Verdict
from strandline.engine.search import Event, Search
from strandline.errors import ReplayError, ResourceError, UsageError
from strandline.traces.log import ParentLog

MODELS = Path(__file__).parent / "models"
ENDLESS = MODELS / "endless.dve"


@pytest.mark.parametrize("options", [{"order": "bfs"}, {"order": "dfs"}, {"measure": "A.x + B.x"}])
def test_a_limit_of_states(options: dict[str, str]) -> None:
    exploration = strandline.explore(ENDLESS, max_states=20_000, **options)  # type: ignore[arg-type]
    assert exploration.answer is Answer.UNKNOWN
    assert not exploration.complete
    assert exploration.reason == "the limit of 20,000 states is reached"
    assert exploration.statistics.peak_states >= 5_000
    assert exploration.statistics.visited < 200_000


def test_a_limit_of_time() -> None:
    strandline.explore(ENDLESS, max_states=1)
    began = time.perf_counter()
    verdict = strandline.check(ENDLESS, deadlock=True, max_seconds=0.3)
    assert time.perf_counter() - began < 3
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason == "the time limit of 0.3 s is reached"
    assert [one.reason for one in verdict.properties] == [verdict.reason]


def test_a_limit_of_memory() -> None:
    from strandline.checker.limits.memory import resident_bytes, return_memory

    # What other tests have left behind goes when a search begins.
    return_memory()
    exploration = strandline.explore(ENDLESS, memory=resident_bytes() + (64 << 20), spill=False)
    assert exploration.answer is Answer.UNKNOWN
    assert exploration.reason is not None
    assert exploration.reason.endswith((" MB is reached", " GB is reached"))
    assert exploration.statistics.peak_bytes < 80 << 20


def test_a_limit_below_what_the_program_takes() -> None:
    exploration = strandline.explore(ENDLESS, memory="1M")
    assert exploration.reason is not None
    assert exploration.reason.startswith("the memory limit of 1.0 MB is less than the ")
    assert exploration.statistics.visited == 0


def test_what_was_violated_before_the_limit_stays_violated() -> None:
    verdict = strandline.check(ENDLESS, invariants=["A.x < 2", "A.x < 255 or B.x < 255"], max_states=20_000)
    assert [one.answer for one in verdict.properties] == [Answer.VIOLATED, Answer.UNKNOWN]
    assert verdict.answer is Answer.VIOLATED


def test_a_full_disk_is_an_unknown_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ParentLog, links: object) -> None:
        raise ResourceError("/somewhere/parents: cannot be written: No space left on device")

    monkeypatch.setattr(ParentLog, "append", full)
    verdict = strandline.check(MODELS / "mutex.dve")
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason == "/somewhere/parents: cannot be written: No space left on device"


def test_memory_that_gives_out_is_an_unknown_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ParentLog, links: object) -> None:
        raise MemoryError

    monkeypatch.setattr(ParentLog, "append", full)
    assert strandline.explore(MODELS / "mutex.dve").reason == "the machine's memory is used up"


def test_an_interrupt_carries_the_verdict_so_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Impatient:
        def stage(self, text: str) -> None:
            return

        def progress(self, progress: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(checks_module, "NullCallback", Impatient)
    with pytest.raises(Interrupted) as caught:
        strandline.check(ENDLESS, invariants=["A.x < 2", "A.x != 255"], work_dir=tmp_path)
    result = caught.value.result
    assert isinstance(result, Verdict)
    assert [one.answer for one in result.properties] == [Answer.VIOLATED, Answer.UNKNOWN]
    assert result.properties[1].reason == "interrupted"
    assert result.exploration.interrupted
    assert result.statistics.visited > 0
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_log_stops_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    honest = ParentLog.append
    monkeypatch.setattr(ParentLog, "append", lambda self, links: honest(self, links | 5))
    with pytest.raises(ReplayError):
        strandline.check(MODELS / "mutex.dve", reach="P.critical", work_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_claims_too_much_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Search.found.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Search, "found", property(lambda self: (0, found(self)[1])))
    with pytest.raises(ReplayError, match="does not have the label that was claimed"):
        strandline.check(MODELS / "mutex.dve", reach="P.critical")


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("10K", 10240), ("512M", 512 << 20), ("2G", 2 << 30), ("1.5GiB", 3 << 29), ("1t", 1 << 40)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "0", "2X", "1 2", "1e9"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size of memory"):
        parse_size(text)


@pytest.mark.parametrize(
    ("options", "in_a_call", "on_the_command_line"),
    [
        ({"order": "random"}, "unknown order 'random' (known: bfs, dfs, sweep, cache)", None),
        (
            {"order": "dfs", "measure": "x"},
            "measure= is for sweeps; it has no meaning with order='dfs'",
            "--measure is for sweeps; it has no meaning with --order dfs",
        ),
        (
            {"componentwise": True},
            "componentwise=True is for sweeps; it has no meaning with order='bfs'",
            "--componentwise is for sweeps; it has no meaning with --order bfs",
        ),
        (
            {"order": "cache"},
            "a search with a cache needs its size: give cache_states=N",
            "a search with a cache needs its size: give --cache-states N",
        ),
        (
            {"cache_states": -1},
            "cache_states= cannot be less than 0, as -1 is",
            "--cache-states cannot be less than 0, as -1 is",
        ),
        (
            {"cache_states": 5, "cache_rule": "first"},
            "unknown rule 'first' for a cache (known: random, oldest, newest, deepest, collision)",
            None,
        ),
        (
            {"order": "dfs", "cache_states": 5},
            "cache_states= is for searches with a cache; it has no meaning with order='dfs'",
            "--cache-states is for searches with a cache; it has no meaning with --order dfs",
        ),
        (
            {"measure": "x", "cache_rule": "oldest"},
            "cache_rule= is for searches with a cache; it has no meaning with order='sweep'",
            "--cache-rule is for searches with a cache; it has no meaning with --order sweep",
        ),
        ({"max_states": 0}, "max_states= must be more than 0, not 0", "--max-states must be more than 0, not 0"),
        ({"max_seconds": -1.0}, "max_seconds= must be more than 0, not -1.0", None),
        ({"max_seconds": float("nan")}, "max_seconds= must be more than 0, not nan", None),
        ({"measure": [1]}, "measures are texts, as in measure='x + y', not [1]", None),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], in_a_call: str, on_the_command_line: str | None) -> None:
    """Messages name keyword arguments in calls and flags on the command line."""
    with pytest.raises(UsageError) as caught:
        Options(**options)  # type: ignore[arg-type]
    assert str(caught.value) == in_a_call
    assert caught.value.on_command_line() == (on_the_command_line or in_a_call.replace("max_seconds=", "--max-seconds"))


def test_a_measure_asks_for_a_sweep() -> None:
    assert Options(measure="x").order == "sweep"
    assert Options().order == "bfs"


def test_a_sweep_without_a_measure_looks_for_one() -> None:
    swept = strandline.explore(MODELS / "counter.dve", order="sweep")
    assert swept.prediction is not None
    assert swept.statistics.states == strandline.explore(MODELS / "counter.dve").statistics.states


def test_a_sweep_of_callables_needs_their_progress() -> None:
    model = strandline.from_callables([0], lambda state: [(state + 1) % 5])
    with pytest.raises(UsageError) as caught:
        strandline.explore(model, order="sweep")
    told = "no measure can be found for callables: give from_callables the argument progress"
    assert str(caught.value) == told


def test_a_signal_waits_until_machine_code_has_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception raised inside a call of machine code may be lost there."""
    advance, came_back = Search.advance, []

    def interrupted(search: Search, seconds: float = 0.05) -> Event:
        if seconds:
            os.kill(os.getpid(), signal.SIGINT)
        event = advance(search, seconds)
        if seconds:
            came_back.append(event)
        return event

    strandline.explore(ENDLESS, max_states=1)
    monkeypatch.setattr(Search, "advance", interrupted)
    with pytest.raises(Interrupted):
        strandline.explore(ENDLESS, max_states=20_000)
    assert len(came_back) == 1
