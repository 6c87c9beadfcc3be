"""Limits of time and memory hold while a model is loaded, and while claims are read and translated."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from strandline import load as strandline_load
from strandline.checker.driver.searches import StateSearches
from strandline.checker.driver.warm_up import NullLog
from strandline.checker.limits.timeouts import WorkLimits, within
from strandline.checker.options.search import Options
from strandline.cli.main import main
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.errors import ParseError, ResourceError
from strandline.properties import parse_ltl, translate
from strandline.properties.automata.simulation import direct_simulators
from strandline.properties.effort import TranslationTooLarge, check_limits, checked_work, spend, work_limit
from strandline.properties.ltl.formula import temporal_height

COUNTER = Path(__file__).parent / "models" / "counter.dve"
ARRAYS = "\n".join(f"int a{number}[65536];" for number in range(200))


def strandline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "strandline", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_many_large_arrays(tmp_path: Path) -> None:
    (tmp_path / "model.dve").write_text(f"{ARRAYS}\nprocess P {{ state s; init s; }}\nsystem async;\n")
    done = strandline(tmp_path, "check", "model.dve", "--memory", "250M")
    assert done.returncode == 3
    assert done.stderr == "strandline: the memory limit of 250.0 MB is reached while the model was loaded\n"


def test_very_many_processes(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "from strandline import Enum, Model, Process, action\n\n\nclass M(Model):\n"
        '    class P(Process, count=4294967296):\n        pc: Enum["a", "b"] = "a"\n\n'
        '        @action(at="a", to="b")\n        def go(m, me): ...\n'
    )
    done = strandline(tmp_path, "check", "model.py", "--memory", "250M")
    assert done.returncode == 3
    assert done.stderr == "strandline: the memory limit of 250.0 MB is reached while the model was loaded\n"


def test_repetitions_are_read_within_the_time_limit(capsys: pytest.CaptureFixture[str]) -> None:
    claim = "(({x==1} | {x==2})[2,256] ; . +)"
    assert main(["check", str(COUNTER), "--quiet", "--never", claim, "--max-seconds", "1"]) == 3
    shown = capsys.readouterr()
    assert shown.err == "strandline: the time limit of 1 s is reached while the properties were read\n"


def test_a_formula_is_translated_within_the_time_limit(capsys: pytest.CaptureFixture[str]) -> None:
    formula = "X " * 1000 + "(x == 1)"
    assert main(["check", str(COUNTER), "--quiet", "--ltl", formula, "--max-seconds", "1"]) == 3
    assert "the time limit of 1 s is reached while a formula was translated" in capsys.readouterr().out


def test_work_that_is_abandoned_ends() -> None:
    ended: list[int] = []

    def work() -> None:
        try:
            while True:
                time.sleep(0.001)
        finally:
            ended.append(1)

    with pytest.raises(ResourceError, match=r"the time limit of 0\.05 s is reached while it was done"):
        within(0.05, time.perf_counter(), "it was done", work)
    deadline = time.monotonic() + 30
    while not ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended == [1]


def test_memory_is_watched_beside_the_time() -> None:
    def fill() -> None:
        held = []
        while True:
            held.append(bytes([1]) * (1 << 20))

    with pytest.raises(ResourceError, match="the memory limit of 1 B is reached while it was filled"):
        within(None, 0.0, "it was filled", fill, 1)


def test_a_limit_below_the_program_itself_is_left_to_the_search() -> None:
    WorkLimits(None, 0.0, 1).check("nothing was done")


def test_checks_are_made_now_and_then_and_not_charged() -> None:
    checks: list[int] = []
    with checked_work(lambda: checks.append(1)), work_limit(10_000):
        for _ in range(10_000):
            spend()
        assert len(checks) == 19
        for _ in range(10_000):
            check_limits()
    assert len(checks) == 39
    spend()
    assert len(checks) == 39


def test_nesting_is_bounded() -> None:
    assert temporal_height(parse_ltl("X " * 1000 + "p").formula) == 1000
    with pytest.raises(ParseError, match="temporal operators are nested more than 1,000 deep"):
        parse_ltl("X " * 1001 + "p")
    with pytest.raises(TranslationTooLarge, match="the operators of the formula are nested too deeply"):
        translate(parse_ltl("F " + "X " * 999 + "p").formula)


def test_parentheses_take_linear_time() -> None:
    assert str(parse_ltl("(" * 100_000 + "x < 4" + ")" * 100_000).formula) == "x < 4"
    assert str(parse_ltl("((a)) == ((b))").formula) == "((a)) == ((b))"
    assert str(parse_ltl("((a) + (b))").formula) == "(a) + (b)"


def test_a_long_chain_is_compared_in_square_time() -> None:
    automaton = translate(parse_ltl("X " * 300 + "p").formula)
    assert automaton.state_count == 302
    with work_limit(500_000):
        direct_simulators(automaton)


@pytest.mark.parametrize("method", [["--method", "explicit"], ["--method", "symbolic"], ["--measure", "x"]])
def test_evidence_for_nested_formulas_of_ctl(capsys: pytest.CaptureFixture[str], method: list[str]) -> None:
    formula = "EX (" * 300 + "true" + ")" * 300
    assert main(["check", str(COUNTER), "--quiet", "--ctl", formula, *method]) == 0
    assert capsys.readouterr().out.count("not shown: it is nested more than 100 deep") == 1


def test_a_bitstate_table_keeps_to_the_memory_limit() -> None:
    assert Options(store="bitstate").table_bytes is None
    assert Options(store="bitstate", memory="200M").table_bytes == 25 << 20
    assert Options(store="bitstate", memory="4G").table_bytes == 64 << 20
    assert Options(store="bitstate", memory="200M", store_size="150M").table_bytes == 150 << 20
    kernel = make_kernel(strandline_load(COUNTER), KernelSpecification())
    searches = StateSearches(Options(store="bitstate", store_size="512M"), 0)
    with pytest.raises(ResourceError) as error:
        searches.make(kernel, NullLog(), None, 40 << 20)
    assert str(error.value) == (
        "the table of 512.0 MB does not fit in the memory that is left, 40.0 MB; the option 'store_size' sets its size"
    )
