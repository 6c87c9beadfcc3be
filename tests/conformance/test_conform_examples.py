"""The examples with programs: logs of real runs conform, and planted mistakes are found with the guard named."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import strandline
from strandline.conformance.verdict import Conformance
from strandline.model.system import System

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LEASE, SOCKETS = EXAMPLES / "conform-lease", EXAMPLES / "conform-sockets"


def program(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def lease() -> System:
    # The program's clock counts turns of its event loop, so that these numbers do not depend on the machine's load.
    return strandline.load(LEASE / "lease.py", time=400, grants=50, length=5)


def run_of_service(lease: System, folder: Path, fault: str | None = None) -> Conformance:
    program(LEASE / "program" / "service.py").run(folder / "run.log", fault)
    return strandline.conform(lease, folder / "run.log", map=LEASE / "lease.toml")


def test_a_real_run_of_the_lease_service_conforms(lease: System, tmp_path: Path) -> None:
    verdict = run_of_service(lease, tmp_path)
    assert verdict, str(verdict)
    assert len(verdict.coverage.certain) >= 9


@pytest.mark.parametrize(
    ("fault", "action", "part"),
    [
        ("late renewal", "Client_0.renew", "m.now < m.expires"),
        ("lost fencing token", "Client_0.write", "me.token >= m.newest"),
        ("reordered reply", "Client_0.receive", "reply.token > me.seen"),
        ("wrong time-out", "Client_1.grant", "m.holder == me or m.holder is None or m.now >= m.expires"),
    ],
)
def test_planted_mistakes_are_found_with_the_guard(
    lease: System, tmp_path: Path, fault: str, action: str, part: str
) -> None:
    deviation = run_of_service(lease, tmp_path, fault).deviation
    assert deviation is not None
    reason = deviation.reasons[0]
    assert (reason.action, reason.kind, reason.part) == (action, "guard", part)


def test_real_processes_on_sockets_conform(tmp_path: Path) -> None:
    logs = program(SOCKETS / "program" / "run.py").run(tmp_path)
    verdict = strandline.conform(SOCKETS / "commit.py", logs, map=SOCKETS / "commit.toml")
    assert verdict, str(verdict)


def test_a_hasty_coordinator_deviates(tmp_path: Path) -> None:
    logs = program(SOCKETS / "program" / "run.py").run(tmp_path, "hasty")
    deviation = strandline.conform(SOCKETS / "commit.py", logs, map=SOCKETS / "commit.toml").deviation
    assert deviation is not None
    assert deviation.event.fields == {"event": "decide", "node": 2}
    reason = deviation.reasons[0]
    assert reason.kind == "guard"
    assert reason.part in ("m.ready[0]", "m.ready[1]")
