"""The measuring programs: paired systems are the same for SPIN and for us; nothing unequal is compared."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import _nets_record
import _spin
import _spin_ltl
import beem
import lola
import nets
import spin
from _common import MeasuringFailed, Run, run_strandline
from models import CLAIMS, FULL, TINY, Pair, pairs

STRANDLINE = [sys.executable, "-P", "-m", "strandline.cli"]
TINY_PAIRS = pairs(TINY)

needs_spin = pytest.mark.skipif(
    shutil.which("spin") is None or shutil.which("gcc") is None, reason="SPIN or gcc is not installed"
)


def name_of(value: object) -> str | None:
    return value.name if isinstance(value, Pair) else None


@needs_spin
@pytest.mark.parametrize("pair", TINY_PAIRS, ids=name_of)
def test_spin_counts_what_the_table_says(pair: Pair, tmp_path: Path) -> None:
    run = spin.spin_once(pair, tmp_path, hash_bits=18)
    assert (run.states, run.transitions) == (pair.states, pair.transitions)


@pytest.mark.parametrize("order", spin.ORDERS)
@pytest.mark.parametrize("pair", TINY_PAIRS, ids=name_of)
def test_strandline_counts_what_the_table_says(pair: Pair, order: str, tmp_path: Path) -> None:
    model = tmp_path / "model.dve"
    model.write_text(pair.dve)
    measure = ["--measure", pair.measure] if order == "sweep" else []
    run = run_strandline(STRANDLINE, ["explore", str(model), "--order", order, *measure])
    ours = spin.read(run, pair, order)
    assert (ours.states, ours.transitions) == (pair.states, pair.transitions)


@needs_spin
@pytest.mark.parametrize("pair", [pair for pair in TINY_PAIRS if pair.name in CLAIMS], ids=lambda pair: pair.name)
def test_products_with_a_claim_have_the_same_states(pair: Pair) -> None:
    comparison = _spin_ltl.compare(pair, STRANDLINE, repeat=1)
    assert comparison.product_states > pair.states


@needs_spin
def test_verdicts_under_weak_fairness_are_those_of_spin() -> None:
    verdicts = _spin_ltl.fair_verdicts(STRANDLINE)
    assert [(one.fair, one.ours) for one in verdicts] == [
        (False, False), (True, True), (False, False), (True, True), (False, False), (True, False),
    ]  # fmt: skip
    assert all(one.spin == one.ours for one in verdicts)


def test_every_system_has_a_tiny_and_a_full_size() -> None:
    assert set(TINY) == set(FULL)
    assert all(1_000_000 <= size.states <= 20_000_000 for size in FULL.values())


def report(**changes: Any) -> dict[str, Any]:
    pair = TINY_PAIRS[0]
    figures = {
        "complete": True,
        "states": pair.states,
        "transitions": pair.transitions,
        "deadlocks": 3,
        "visited": pair.states,
        "seconds": 0.5,
        "compile_seconds": 0.01,
        "peak_bytes": 4096,
    }
    return {**figures, **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": 1966}, "peterson by bfs: 1966 states and 4639 transitions, expected 1965 and 4639"),
        ({"transitions": 4638}, "peterson by bfs: 1965 states and 4638 transitions, expected 1965 and 4639"),
        ({"states": None}, "peterson by bfs: None states"),
        ({"complete": False, "reason": "memory"}, "peterson by bfs: not complete: memory"),
    ],
)
def test_unequal_counts_are_not_compared(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(MeasuringFailed) as caught:
        spin.read(Run(1.0, report(**changes)), TINY_PAIRS[0], "bfs")
    assert message in str(caught.value)


def test_what_spin_prints_is_read(tmp_path: Path) -> None:
    """A verifier is played that prints the lines of a real run."""
    pan = tmp_path / "pan"
    pan.write_text(
        "#!/bin/sh\ncat <<'END'\n"
        "State-vector 36 byte, depth reached 576, errors: 0\n"
        "  4628136 states, stored\n"
        " 12108534 transitions (= stored+matched)\n"
        "  247.169\tequivalent memory usage for states (stored*(State-vector + overhead))\n"
        "  176.830\tactual memory usage for states (compression: 71.54%)\n"
        "  128.000\tmemory used for hash table (-w24)\n"
        "  228.882\tmemory used for DFS stack (-m5000000)\n"
        "pan: elapsed time 2.51 seconds\n"
        "END\n"
    )
    pan.chmod(0o755)
    run = _spin.search(tmp_path, 24, translate_seconds=1.0)
    assert (run.states, run.transitions, run.search_seconds) == (4_628_136, 12_108_533, 2.51)
    assert (run.state_bytes, run.table_bytes) == (176.83 * 2**20, 128 * 2**20)
    pan.write_text("#!/bin/sh\necho 'error: max search depth too small'\n")
    with pytest.raises(MeasuringFailed, match="not complete: max search depth too small"):
        _spin.search(tmp_path, 24, translate_seconds=1.0)


def played(tmp_path: Path, body: str) -> list[str]:
    script = tmp_path / "played.py"
    script.write_text(body)
    return [sys.executable, str(script)]


def test_a_command_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    run = run_strandline(played(tmp_path, "import time; time.sleep(60)"), [], max_seconds=0.3)
    assert run.failure == "more than 0 s"
    assert run.seconds < 5


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of a process is read from /proc")
def test_a_command_that_takes_too_much_memory_is_stopped(tmp_path: Path) -> None:
    hungry = "import time; block = b'x' * (200 << 20); time.sleep(60)"
    run = run_strandline(played(tmp_path, hungry), [], max_seconds=30, max_bytes=100 << 20)
    assert run.failure == "more than 100 MiB"


def test_a_command_without_json_is_a_failure(tmp_path: Path) -> None:
    run = run_strandline(played(tmp_path, "import sys; sys.exit('no such model')"), [])
    assert run.failure == "exit code 1: no such model"


REFERENCE = beem.Reference("peterson.1", Path("peterson.1.dve"), 1_965, 4_639, 3)


@pytest.mark.parametrize(
    ("changes", "exact", "expected"),
    [
        ({}, True, ""),
        ({"states": 7}, True, "states 7, expected 1965"),
        (
            {"transitions": 1, "deadlocks": 0},
            True,
            "transitions 1, expected 4639; deadlocks 0, expected 3",
        ),
        ({"states": None, "transitions": None, "deadlocks": None}, False, ""),
        ({"states": None, "visited": 1_964}, False, "only 1964 visits"),
        ({"states": None}, True, "states None, expected 1965"),
        ({"complete": False, "reason": "time"}, False, "not complete: time"),
    ],
)
def test_beem_names_every_difference(changes: dict[str, Any], exact: bool, expected: str) -> None:
    assert beem.difference(Run(1.0, report(**changes)), REFERENCE, exact) == expected


def test_beem_compares_and_exits_by_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A benchmark set of two models and a strandline that always counts the same."""
    (tmp_path / "models").mkdir()
    for name in ("peterson.1", "peterson.2", "peterson.1.prop4"):
        (tmp_path / "models" / f"{name}.dve").touch()
    (tmp_path / "reference.csv").write_text(
        "instance,states,transitions,bfs_levels,deadlocks,sccs,note\n"
        "peterson.1,1965,4639,,,,\npeterson.2,1966,4639,5,3,,\npeterson.3,50,60,,,,\n"
    )
    (tmp_path / "reference_ltl.csv").write_text(
        "instance,property,formula,verdict,product_states,product_edges,paper_table1_states,paper_table1_edges\n"
        "peterson.1,4,GF a,holds,1965,4639,,\npeterson.2,4,GF a,holds,,,,\n"
    )
    command = played(tmp_path, f"import json; print(json.dumps({report()!r}))")
    always = ["--beem", str(tmp_path), "--command", shlex.join(command)]
    assert beem.main([*always, "--max-states", "1965"]) == 0
    assert "2 explorations of 1 models, 0 differ" in capsys.readouterr().out
    assert beem.main([*always, "--order", "bfs"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "2 explorations of 2 models, 1 differ",
        "  peterson.2 by bfs: states 1965, expected 1966",
    ]
    assert beem.main([*always, "--ltl-products", "--order", "dfs"]) == 0
    assert "1 explorations of 1 models, 0 differ" in capsys.readouterr().out
    assert beem.main([*always, "--family", "nobody"]) == 1


def test_philosophers_are_counted_by_the_sweep_too(capsys: pytest.CaptureFixture[str]) -> None:
    """In DVE and as a net, whose states and edges are the same."""
    assert lola.main(["--philosophers", "4", "--sample", "200", "--command", shlex.join(STRANDLINE)]) == 0
    out = capsys.readouterr().out
    assert "4 philosophers: 80 states, 212 edges" in out
    assert out.count("from the incidence matrix") == 2, "LoLA's and ours"


def test_the_distribution_keeps_families_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Three large sweeps, one of them of a family that was kept out of the tuning; small ones do not count."""
    figures = (
        ("peterson.1", 200_000, 50_000),
        ("peterson.2", 400_000, 20_000),
        ("bakery.1", 200_000, 200_000),
        ("bakery.2", 1_000, 1_000),
    )
    outcomes = [
        beem.Outcome(
            beem.Reference(name, Path(name), states, 0, None),
            "sweep",
            Run(1.0, report(peak_states=peak, visited=states)),
            "",
        )
        for name, states, peak in figures
    ]
    beem.print_distribution(outcomes)
    tuned, kept_out = capsys.readouterr().out.split("families kept out of it: ")
    assert "families of the tuning: 2 sweeps" in tuned
    assert [word for word in tuned.split() if word.endswith("%")] == ["5.00%", "5.00%", "5.00%", "25.00%", "25.00%"]
    assert kept_out.startswith("1 sweeps")
    assert "100.00%" in kept_out


def test_a_campaign_over_nets_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    rows = [
        _nets_record.Row("A", 70_000, "ndfs", "LTLCardinality", f"A-{number}", outcome, 0.5, reason)
        for number, (outcome, reason) in enumerate([("right", ""), ("unknown", "the time limit, of 20 s, is reached")])
    ]
    record = _nets_record.Record(file)
    assert not record.has("A", "ndfs", ("LTLCardinality",))
    record.add(*rows)
    kept = _nets_record.Record(file)
    assert (kept.rows, kept.has("A", "ndfs", ("LTLCardinality",))) == (rows, True)
    assert not kept.has("A", "ndfs", ("LTLCardinality", "LTLFireability"))
    again = _nets_record.Record(file, again=True)
    assert not again.has("A", "ndfs", ("LTLCardinality",))
    again.add(dataclasses.replace(rows[1], outcome="right", reason=""))
    assert [one.outcome for one in _nets_record.Record(file, again=True).rows] == ["right", "right"]


def test_every_examination_is_asked_by_some_method_and_once() -> None:
    for method, (examinations, *_) in nets.METHODS.items():
        assert sorted(one for portion in nets.portions(method) for one in portion) == sorted(examinations)
    assert {one for examinations, *_ in nets.METHODS.values() for one in examinations} == {*nets.FILES, *nets.QUESTIONS}
