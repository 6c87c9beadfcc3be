"""Limits and Ctrl-C while LTL is checked: UNKNOWN with the reason, never HOLDS."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import strandline
from strandline.checker.decisions.checks import check_selection
from strandline.checker.limits.memory import resident_bytes
from strandline.checker.limits.progress import Progress
from strandline.checker.options.claims import Claims
from strandline.checker.options.cycle_methods import METHODS
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import select
from strandline.checker.verdicts.verdict import Answer, Interrupted, Verdict
from strandline.errors import ResourceError
from strandline.traces.log import ParentLog

MODELS = Path(__file__).parent / "models"
ENDLESS = MODELS / "endless.dve"
PETERSON = Path(__file__).resolve().parents[2] / "examples" / "peterson" / "peterson.dve"
ALWAYS_AGAIN = "G F (A.x < 300)"
"""True, but only a search of 256 ** 6 states shows it."""


def options(method: str) -> dict[str, str]:
    return {"method": method, "measure": "A.x + B.x"} if METHODS[method].measured else {"method": method}


CYCLE_METHODS = list(METHODS)


@pytest.mark.parametrize("method", CYCLE_METHODS)
def test_a_limit_of_states(method: str) -> None:
    verdict = strandline.check(ENDLESS, ALWAYS_AGAIN, max_states=20_000, **options(method))  # type: ignore[arg-type]
    assert (verdict.answer, verdict.complete) == (Answer.UNKNOWN, False)
    assert verdict.reason == "the limit of 20,000 states is reached"
    assert verdict.properties[0].search is not None
    assert verdict.properties[0].search.reason == verdict.reason


def test_a_limit_of_states_for_a_safety_formula() -> None:
    verdict = strandline.check(ENDLESS, "G A.x < 256", max_states=20_000)
    assert (verdict.answer, verdict.reason) == (Answer.UNKNOWN, "the limit of 20,000 states is reached")


@pytest.mark.parametrize("method", CYCLE_METHODS)
def test_a_limit_of_time(method: str) -> None:
    strandline.check(ENDLESS, ALWAYS_AGAIN, max_states=100, **options(method))  # type: ignore[arg-type]
    began = time.perf_counter()
    verdict = strandline.check(ENDLESS, ALWAYS_AGAIN, max_seconds=0.3, **options(method))  # type: ignore[arg-type]
    assert time.perf_counter() - began < 5
    assert (verdict.answer, verdict.reason) == (Answer.UNKNOWN, "the time limit of 0.3 s is reached")


def test_a_limit_of_time_is_one_for_all_searches() -> None:
    strandline.check(ENDLESS, ALWAYS_AGAIN, max_states=100)
    began = time.perf_counter()
    verdict = strandline.check(ENDLESS, [ALWAYS_AGAIN] * 6, deadlock=True, max_seconds=0.5)
    assert time.perf_counter() - began < 4
    assert all((one.reason or "").startswith("the time limit of 0.5 s is reached") for one in verdict.properties)


@pytest.mark.parametrize("method", CYCLE_METHODS)
def test_a_limit_of_memory(method: str) -> None:
    # The engine's machine code, if it must be made, is not what is limited here.
    strandline.check(ENDLESS, ALWAYS_AGAIN, max_states=1000, **options(method))  # type: ignore[arg-type]
    limit = resident_bytes() + (96 << 20)
    verdict = strandline.check(ENDLESS, ALWAYS_AGAIN, memory=limit, **options(method))  # type: ignore[arg-type]
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason is not None
    assert verdict.reason.endswith((" MB is reached", " GB is reached"))


def test_a_small_model_where_memory_is_limited() -> None:
    """All of it is explored while the machine code is loaded, and no accepting cycle goes through its first state."""
    plain = strandline.check(PETERSON, "G F P.critical", measure="turn", method="sweep")
    limited = strandline.check(PETERSON, "G F P.critical", measure="turn", method="sweep", memory="2G")
    assert limited.answer is plain.answer


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ParentLog, links: object) -> None:
        raise ResourceError("/somewhere/parents: cannot be written: No space left on device")

    monkeypatch.setattr(ParentLog, "append", full)
    verdict = strandline.check(PETERSON, "G F P.critical")
    assert (verdict.answer, verdict.reason) == (
        Answer.UNKNOWN,
        "/somewhere/parents: cannot be written: No space left on device",
    )


def test_a_limit_while_a_shorter_lasso_is_looked_for_leaves_the_one_that_was_found() -> None:
    found = strandline.check(ENDLESS, "F G (A.x > 0)", method="ndfs", shortest=True, max_states=20_000)
    (one,) = found.properties
    assert one.answer is Answer.VIOLATED
    assert one.trace is not None
    assert one.search is not None
    assert one.search.minimised is None


class Impatient:
    """Presses Ctrl-C after a while."""

    def __init__(self, after: int) -> None:
        self.left = after

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("method", CYCLE_METHODS)
def test_control_c(method: str) -> None:
    system = strandline.load(ENDLESS)
    selection = select(system, Claims([ALWAYS_AGAIN, "G F B.x == 0"]))
    given = options(method)
    search = Options(measure=given.get("measure", ()))
    with pytest.raises(Interrupted) as caught:
        check_selection(system, selection, search, Impatient(2), temporal=TemporalOptions(method=method))
    result = caught.value.result
    assert isinstance(result, Verdict)
    assert [(one.answer, one.reason) for one in result.properties] == [(Answer.UNKNOWN, "interrupted")] * 2
    assert result.properties[0].search is not None
    assert result.properties[0].search.statistics.visited > 0


def test_control_c_in_the_first_search_leaves_the_formulas_unasked() -> None:
    system = strandline.load(ENDLESS)
    selection = select(system, Claims([ALWAYS_AGAIN], invariants=["A.x < 256 or B.x < 256"]))
    with pytest.raises(Interrupted) as caught:
        check_selection(system, selection, Options(), Impatient(1))
    assert [one.reason for one in caught.value.result.properties] == ["interrupted"] * 2  # type: ignore[union-attr]
