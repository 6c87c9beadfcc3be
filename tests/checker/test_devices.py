"""`--device`: the verdicts of the processor, over a fake GPU, and the refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.fake_device import FakeDevice

import strandline
from strandline.checker.expected.cases import Case
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.testing import run_case
from strandline.compile.callback import from_callables
from strandline.engine.device import cuda, linking
from strandline.errors import UsageError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MUTEX = str(EXAMPLES / "naive-mutex" / "naive-mutex.dve")
PHILOSOPHERS = str(EXAMPLES / "philosophers" / "philosophers.dve")
RUNS = {"ltl", "ctl", "never", "automaton", "property", "formula", "cache_states", "componentwise", "por"}
MOST = 1500
"""States that the reference visits in a moment."""
LEFT_OUT = {
    "lotus-paper-check-1",
    "lotus-paper-check-3",
    "lotus-philosophers-check-1",
    "lotus-token-check-1",
    "process-master-slave-sweep-by-the-declared-measures",
    "process-stop-and-wait-sweep-by-the-sender's-place",
    "python-leases-all-that-the-model-claims",
    "python-leases-counts",
    "python-leases-explore-1",
    "python-lock-free-queue-explore-1",
    "python-msi-directory-all-that-the-model-claims",
    "python-paxos-all-that-the-model-claims",
    "python-paxos-counts",
    "python-producer-consumer-check-1",
    "python-producer-consumer-counts",
    "python-producer-consumer-explore-1",
    "python-raft-election-all-that-the-model-claims",
    "python-raft-election-counts",
    "python-ring-buffer-all-that-the-model-claims",
    "python-stop-and-wait-check-1",
    "python-stop-and-wait-counts",
    "python-stop-and-wait-explore-1",
    "conform-lease-check-1",
    "conform-lease-counts",
    "promela-alternating-bit-check-1",
    "promela-alternating-bit-check-2",
    "promela-alternating-bit-counts",
    "promela-lost-wakeup-check-1",
    "python-engine-bucket-all-that-the-model-claims",
    "python-engine-bucket-counts",
    "python-engine-mailboxes-explore-1",
    "python-treiber-stack-all-that-the-model-claims",
    "python-treiber-stack-counts",
    "python-treiber-stack-with-a-counter-at-the-top",
    "stop-and-wait-check-1",
    "stop-and-wait-check-2",
    "stop-and-wait-check-3",
    "stop-and-wait-counts",
    "stop-and-wait-explore-1",
    "stop-and-wait-explore-2",
    "thesis-stop-and-wait-all-packets-can-be-received",
    "thesis-stop-and-wait-counts",
    "thesis-stop-and-wait-the-same-in-DVE",
    "thesis-stop-and-wait-the-sender-is-never-two-ahead",
}
"""Cases with more states, or with properties or methods that are not for a device."""


def of_states(case: Case) -> bool:
    return not RUNS & set(case.asked) and case.asked.get("order") in (None, "bfs", "sweep")


OF_STATES = {
    f"{file.parent.name}-{case.name.replace(' ', '-')}": case
    for file in find_expected([EXAMPLES])
    for case in read_expected(file)
    if of_states(case)
}
CASES = [pytest.param(case, id=name) for name, case in OF_STATES.items() if name not in LEFT_OUT]


@pytest.fixture
def _reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "CudaDevice", FakeDevice)
    monkeypatch.setattr(cuda, "missing", lambda: None)


@pytest.mark.usefixtures("_reference")
@pytest.mark.parametrize("case", CASES)
def test_an_example_is_as_expected_on_a_device(case: Case) -> None:
    asked = {**case.asked, "device": "gpu", "max_states": MOST}
    if "max_states" in case.asked:
        asked["max_states"] = case.asked["max_states"]
    result = run_case(replace(case, asked=asked))
    assert result.outcome.is_as_expected, (result.outcome.value, *result.judgement.messages)


def test_what_is_left_out_is_there() -> None:
    assert set(OF_STATES) >= LEFT_OUT


@pytest.mark.usefixtures("_reference")
def test_a_violation_comes_with_its_shortest_trace() -> None:
    verdict = strandline.check(MUTEX, invariants="not (P.critical and Q.critical)", device="gpu")
    assert (verdict.answer, len(verdict.trace or ())) == (Answer.VIOLATED, 4)
    figures = verdict.statistics.device
    assert figures is not None
    assert (figures.name, figures.retraced) == ("plain reference", 0)
    swept = strandline.check(
        MUTEX, invariants="not (P.critical and Q.critical)", measure="flag[0] + flag[1]", device="gpu"
    )
    assert swept.answer is Answer.VIOLATED
    assert swept.trace is not None
    assert swept.statistics.device is not None
    assert swept.statistics.device.retraced > 0


@pytest.mark.usefixtures("_reference")
def test_counts_and_coverage_are_those_of_the_processor() -> None:
    there, here = strandline.explore(PHILOSOPHERS, device="gpu"), strandline.explore(PHILOSOPHERS)
    for name in ("states", "transitions", "deadlocks", "levels", "profile", "coverage"):
        assert getattr(there.statistics, name) == getattr(here.statistics, name), name


@pytest.mark.usefixtures("_reference")
def test_a_measure_that_lies_is_blamed() -> None:
    with pytest.raises(strandline.errors.MeasureError) as here:
        strandline.explore(MUTEX, measure="mono(1 - flag[0])")
    with pytest.raises(strandline.errors.MeasureError) as there:
        strandline.explore(MUTEX, measure="mono(1 - flag[0])", device="gpu")
    assert str(there.value).splitlines()[0] == str(here.value).splitlines()[0]


@pytest.mark.usefixtures("_reference")
def test_limits_make_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = strandline.explore(PHILOSOPHERS, device="gpu", max_states=10)
    assert (found.answer, found.reason) == (Answer.UNKNOWN, "the limit of 10 states is reached")
    monkeypatch.setattr(cuda, "CudaDevice", lambda kernel: FakeDevice(kernel, memory=4000))
    found = strandline.explore(PHILOSOPHERS, device="gpu")
    assert (found.answer, found.reason) == (Answer.UNKNOWN, "the memory of the device is used up")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"order": "dfs"}, "a GPU searches breadth-first or in sweeps, not in the order 'dfs'"),
    ({"cache_states": 10}, "a GPU searches breadth-first or in sweeps, not in the order 'cache'"),
    (
        {"measure": ["flag[0]", "flag[1]"], "componentwise": True},
        "a GPU sweeps by the combination of measures, not componentwise",
    ),
    ({"por": True}, "a search on a GPU has no partial-order reduction"),
    (
        {"measure": "flag[0]", "count_distinct": True},
        "a search on a GPU cannot count distinct states on disk",
    ),
]


@pytest.mark.usefixtures("_reference")
@pytest.mark.parametrize(("given", "why"), REFUSED)
def test_what_a_device_cannot_is_refused_and_auto_goes_on(given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError) as refused:
        strandline.explore(MUTEX, device="gpu", **given)
    assert str(refused.value) == f"device='gpu' is not possible: {why}"
    assert strandline.explore(MUTEX, device="auto", **given).statistics.device is None


@pytest.mark.usefixtures("_reference")
def test_runs_and_trees_are_refused() -> None:
    asked: tuple[dict[str, Any], ...] = ({"ltl": "G F P.critical"}, {"ctl": "AG EF P.critical"})
    for given in asked:
        with pytest.raises(UsageError, match="device='gpu' decides properties of single states"):
            strandline.check(MUTEX, device="gpu", **given)
        assert strandline.check(MUTEX, device="auto", **given).properties


@pytest.mark.usefixtures("_reference")
def test_callables_are_refused() -> None:
    system = from_callables([0], lambda state: [("step", (state + 1) % 3)])
    with pytest.raises(UsageError, match="callables are Python, which no GPU runs"):
        strandline.explore(system, device="gpu")


def test_without_the_packages_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'", name=name)

    linking._library.cache_clear()
    monkeypatch.setattr(linking, "import_module", nothing)
    with pytest.raises(UsageError) as refused:
        strandline.explore(MUTEX, device="gpu")
    assert str(refused.value) == (
        "device='gpu' is not possible: no GPU can be used: the package cuda-bindings is missing (No module named "
        "'cuda.bindings.driver'); pip install 'strandline[gpu]' brings it (for CUDA 12: 'strandline[gpu-cuda12]')"
    )
    assert strandline.explore(MUTEX, device="auto").complete
    linking._library.cache_clear()


def test_an_unknown_device() -> None:
    with pytest.raises(UsageError, match=r"unknown device 'tpu' \(known: cpu, gpu, auto\)"):
        strandline.explore(MUTEX, device="tpu")
