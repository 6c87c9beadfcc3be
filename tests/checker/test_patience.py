"""A limit of time also holds while a model is loaded and compiled, which cannot be stopped."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import strandline
from strandline.checker.driver import compilation as compilation_module
from strandline.checker.limits.timeouts import within
from strandline.cli.main import main
from strandline.errors import ResourceError

COUNTER = Path(__file__).parent / "models" / "counter.dve"
SLEEPY = "import time\ntime.sleep(5)\nfrom strandline import *\nclass M(Model):\n    x: bool\n"


def test_without_a_limit_nothing_is_different() -> None:
    assert within(None, 0.0, "loaded", lambda: 3) == 3


def test_results_and_errors_come_through() -> None:
    def fail() -> int:
        raise ValueError("mine")

    assert within(5.0, time.perf_counter(), "loaded", lambda: 3) == 3
    with pytest.raises(ValueError, match="mine"):
        within(5.0, time.perf_counter(), "loaded", fail)


def test_what_comes_too_late_is_not_begun() -> None:
    begun: list[int] = []
    with pytest.raises(ResourceError) as error:
        within(1.0, time.perf_counter() - 2, "compiled", lambda: begun.append(1))
    assert str(error.value) == "the time limit of 1 s is reached"
    assert begun == []


def test_compiling_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation_module, "make_kernel", lambda *given, **named: time.sleep(5))
    began = time.perf_counter()
    verdict = strandline.check(COUNTER, deadlock=True, max_seconds=0.2)
    assert time.perf_counter() - began < 3
    assert verdict.answer is strandline.Answer.UNKNOWN
    assert verdict.reason == "the time limit of 0.2 s is reached while the model was compiled"


def test_loading_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.py"
    file.write_text(SLEEPY)
    began = time.perf_counter()
    with pytest.raises(ResourceError, match=r"the time limit of 0\.2 s is reached while the model was loaded"):
        strandline.check(file, max_seconds=0.2)
    assert main(["check", str(file), "--quiet", "--max-seconds", "0.2"]) == 3
    assert time.perf_counter() - began < 4
    assert capsys.readouterr().err == "strandline: the time limit of 0.2 s is reached while the model was loaded\n"


def test_what_loading_took_counts(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    text = SLEEPY.replace("sleep(5)", "sleep(0.3)")
    file.write_text(text + "    @action\n    def flip(m): m.x = not m.x\n")
    assert strandline.check(file, max_seconds=60).answer is strandline.Answer.HOLDS
    with pytest.raises(ResourceError):
        strandline.check(file, max_seconds=0.1)


def test_a_mistake_is_told_as_ever(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("class\n")
    with pytest.raises(strandline.InputError, match="not Python"):
        strandline.check(file, max_seconds=20)
