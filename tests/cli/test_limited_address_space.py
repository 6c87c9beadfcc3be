"""A limit on the address space (`ulimit -v`) ends a run with the reason, never with an abort of a library."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = Path(__file__).parents[1] / "checker" / "models" / "counter.dve"


@pytest.mark.parametrize(
    ("megabytes", "options", "reason"),
    [
        (250, ["--invariant", "x < 99"], "the limit of 250 MB on the address space (ulimit -v) is too low: "),
        (900, ["--invariant", "x < 99"], "the limit of 900.0 MB on the address space (ulimit -v) is reached"),
        (
            4000,
            ["--ctl", "EF x == 1", "--method", "symbolic"],
            "the limit of 3.9 GB on the address space (ulimit -v) is reached",
        ),
    ],
)
def test_the_reason_is_given(megabytes: int, options: list[str], reason: str) -> None:
    limit = megabytes << 20
    done = subprocess.run(
        [sys.executable, "-m", "strandline", "check", str(MODEL), "--quiet", *options],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 3
    assert reason in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
