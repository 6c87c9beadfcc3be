"""Checks by `method="symbolic"`: the verdicts of every example, limits, Ctrl-C, faults, notices."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import strandline
from models.lotus import dining, with_token
from strandline.checker.expected.cases import Case
from strandline.checker.expected.reader import find_expected, read_expected
from strandline.cli.main import main
from strandline.cli.testing import run_case
from strandline.errors import InputError, UsageError
from strandline.languages.dve import load as load_dve
from strandline.languages.lotus import load
from strandline.model.system import System
from strandline.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
IN_SETS = {"invariants", "reach", "deadlock", "ctl"}
LARGE = {
    "promela-alternating-bit",
    "stop-and-wait",
    "lost-update",
    "python-paxos",
    "python-raft-election",
    "python-leases",
    "python-treiber-stack",
    "python-lock-free-queue",
}
"""Examples that take long in sets, whose variables are too wide for them, or whose steps are paths of actions."""


def cases() -> list[object]:
    """What is asked of the examples about states and trees, by name; of each example at most one."""
    found: dict[str, Any] = {}
    for file in find_expected([EXAMPLES]):
        for case in read_expected(file):
            asked = {name for name, value in case.asked.items() if value}
            if asked and asked <= IN_SETS and file.parent.name not in LARGE:
                found.setdefault(file.parent.name, pytest.param(case, id=file.parent.name))
    return list(found.values())


@pytest.mark.parametrize("case", cases())
def test_an_example_is_as_expected_in_sets(case: Case) -> None:
    result = run_case(replace(case, asked={**case.asked, "method": "symbolic"}))
    assert result.outcome.is_as_expected, result.judgement.messages


def lotus(text: str) -> System:
    return load(Source("m.lotus", text))


def dve(body: str, variables: str = "byte x; byte a[3];") -> System:
    text = f"{variables}\nprocess P {{ state s, t; init s; trans {body}; }}\nsystem async;\n"
    return load_dve(Source("m.dve", text))


def test_time_is_up_while_the_library_works() -> None:
    system = lotus(with_token(300))
    began = time.perf_counter()
    found = strandline.check(system, method="symbolic", reachable_first=False, max_seconds=1.0)
    assert time.perf_counter() - began < 5
    assert (found.answer.value, found.reason) == ("UNKNOWN", "the time limit of 1 s is reached")


def test_ctrl_c_is_heard_while_the_library_works() -> None:
    system = lotus(with_token(300))
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt) as caught:
        strandline.check(system, method="symbolic", reachable_first=False)
    assert time.perf_counter() - began < 10
    assert caught.value.result.reason == "interrupted"  # type: ignore[attr-defined]


def test_too_little_memory() -> None:
    found = strandline.explore(lotus(dining(10)), method="symbolic", memory="1M")
    assert found.answer.value == "UNKNOWN"
    assert found.reason is not None
    assert found.reason.startswith("the memory limit of 1.0 MB is less than the")


def lucas(number: int) -> int:
    """2, 1, 3, 4, 7, ...: what the states of philosophers are, of three times their number."""
    one, other = 2, 1
    for _ in range(number):
        one, other = other, one + other
    return one


@pytest.mark.parametrize(("diagrams", "count"), [("oxidd", 3), ("oxidd", 40), ("cudd", 8)])
def test_huge_counts_are_exact(diagrams: str, count: int) -> None:
    found = strandline.explore(lotus(dining(count)), method="symbolic", diagrams=diagrams)
    assert (found.statistics.states, found.statistics.deadlocks) == (lucas(3 * count), 2)


def test_a_fault_is_a_violation_with_its_trace() -> None:
    system = dve("s -> t { guard x < 4; effect a[x] = 1; }, t -> s { effect x = x + 1; }")
    for method in ("explicit", "symbolic"):
        found = strandline.explore(system, method=method)
        assert found.fault is not None
        assert found.fault.reason == "array index out of range at m.dve:2:68"
        assert found.trace is not None
        assert len(found.trace) == 6


def test_a_fault_of_a_claim_is_an_error() -> None:
    system = dve("s -> t { guard x < 4; }, t -> s { effect x = x + 1; }")
    messages = []
    for method in ("explicit", "symbolic"):
        with pytest.raises(InputError) as caught:
            strandline.check(system, invariants="a[x] == 0", method=method)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_what_is_refused() -> None:
    system = dve("s -> t {}")
    with pytest.raises(UsageError, match="unknown diagrams 'buddy'"):
        strandline.explore(system, method="symbolic", diagrams="buddy")
    with pytest.raises(UsageError, match="method='symbolic' is a method for CTL"):
        strandline.check(system, "G F true", method="symbolic")
    model = strandline.from_callables([0], lambda state: [(state + 1) % 3])
    with pytest.raises(UsageError, match="method='symbolic' is for models with variables, not for callables"):
        strandline.explore(model, method="symbolic")


def test_the_command_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pdp.lotus"
    file.write_text(dining(20))
    assert main(["explore", str(file), "--method", "symbolic"]) == 0
    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert rows["states"] == f"{lucas(60):,}"
    assert rows["deadlocks"] == "2"
    assert "nodes at most" in rows["BDDs"]
    assert main(["check", str(file), "--method", "abstraction", "--json", "--explain"]) == 13
    told = json.loads(capsys.readouterr().out)
    assert [one["ctl"]["initial_states"]["answer"] for one in told["properties"]] == ["NSAT", "SAT"]
    assert told["properties"][1]["ctl"]["abstraction"]["decided_by"] == "the abstraction"


def test_python_ends_in_peace_behind_work_that_was_left() -> None:
    """The library must not be inside an operation when Python is taken down."""
    script = (
        "import strandline, models.lotus as m; from strandline.languages.lotus import load;"
        "from strandline.source import Source; system = load(Source('m.lotus', m.with_token(300)));"
        "print(strandline.check(system, method='symbolic', reachable_first=False, max_seconds=1).reason)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=EXAMPLES.parent / "bench", capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (0, "the time limit of 1 s is reached\n")
