"""Random walks: equal for the same seed, however they are divided into slices; they find traces, never HOLDS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import strandline
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import Options
from strandline.checker.options.walks import WalkOptions
from strandline.checker.properties.selection import select
from strandline.checker.verdicts.verdict import Verdict
from strandline.checker.walks import of_states, walk_selection
from strandline.compile.make import make_kernel
from strandline.engine.orders.walks import RandomWalks
from strandline.engine.search import Event
from strandline.errors import UsageError
from strandline.model.system import System
from strandline.report.codes import exit_code
from strandline.report.data import result_data
from strandline.report.style import Style
from strandline.report.text import verdict_text

EXAMPLES = Path(__file__).parents[2] / "examples"
MUTEX = EXAMPLES / "naive-mutex" / "naive-mutex.dve"
EXCLUSION = "not (P.critical and Q.critical)"


def walked(file: Path | System, claims: Claims | None = None, **walking: int) -> Verdict:
    system = file if isinstance(file, System) else strandline.load(file)
    selection, _ = of_states(select(system, claims or Claims()))
    return walk_selection(system, selection, WalkOptions(**walking), Options())


def figures(verdict: Verdict) -> tuple[int, int, int, int]:
    walks = verdict.statistics.walks
    assert walks is not None
    return walks.taken, walks.steps, walks.longest, walks.ended


def test_a_violation_has_its_trace() -> None:
    verdict = walked(MUTEX, Claims(invariants=EXCLUSION), walks=100, seed=1)
    assert (verdict.answer.value, exit_code(verdict)) == ("VIOLATED", 12)
    assert verdict.trace is not None
    assert (verdict.trace.final["P"], verdict.trace.final["Q"]) == ("critical", "critical")
    text = verdict_text(verdict, Style(False))
    assert "no shorter one exists" not in text
    assert f"Violation of '{EXCLUSION}' after {len(verdict.trace)} steps\n" in text
    assert "  walks  1 of 100, seed 1\n" in text


def test_the_same_seed_gives_the_same_walks() -> None:
    first, second, other = (walked(MUTEX, Claims(invariants=EXCLUSION), walks=50, seed=seed) for seed in (7, 7, 8))
    assert first.trace == second.trace
    assert figures(first) == figures(second)
    assert first.trace != other.trace


def test_no_violation_is_no_proof() -> None:
    verdict = walked(EXAMPLES / "peterson" / "peterson.dve", walks=20, depth=50)
    assert (verdict.answer.value, exit_code(verdict)) == ("UNKNOWN", 3)
    assert verdict.reason == "not decided by 20 random walks, which prove nothing"
    assert not verdict.complete
    assert figures(verdict) == (20, 1000, 50, 0)


def test_a_witness_is_one() -> None:
    verdict = walked(MUTEX, Claims(reach="P.critical and Q.critical"), walks=100)
    assert verdict.answer.value == "HOLDS"


def test_a_deadlock_ends_a_walk_and_may_be_a_valid_end(tmp_path: Path) -> None:
    text = (
        "from strandline import *\nclass M(Model):\n    x: Range[0, 3]\n    @action\n    def up(m, by: Range[1, 2]):\n"
        "        require(m.x + by <= 3)\n        m.x += by\n    @valid_end\n    def top(m): return m.x == {}\n"
    )
    file = tmp_path / "model.py"
    file.write_text(text.format(3))
    verdict = walked(file, walks=40, depth=9)
    assert verdict.answer.value == "UNKNOWN"
    taken, _, longest, ended = figures(verdict)
    assert (taken, longest, ended) == (40, 3, 40)
    file.write_text(text.format(2))
    assert exit_code(walked(file, walks=1)) == 11


def test_a_fault_is_a_violation(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    body = "    x: Range[0, 3]\n    @action\n    def up(m): m.x += 1\n"
    file.write_text(f"from strandline import *\nclass M(Model):\n{body}")
    verdict = walked(file, walks=3)
    assert exit_code(verdict) == 12
    assert verdict.trace is not None
    assert verdict.trace.fault is not None
    assert len(verdict.trace) == 3


def test_assertions_are_checked() -> None:
    verdict = walked(EXAMPLES / "lost-update" / "lost-update.dve", walks=200)
    assert any(one.kind.value == "assertion" and one.answer.value == "VIOLATED" for one in verdict.properties)


def test_formulas_are_left_to_check(tmp_path: Path) -> None:
    system = strandline.load(MUTEX)
    with pytest.raises(UsageError, match="random walks decide no property of runs, such as 'G F P"):
        of_states(select(system, Claims(ltl="G F P.critical")))


def test_a_time_limit_is_a_reason() -> None:
    system = strandline.load(EXAMPLES / "peterson" / "peterson.dve")
    selection, _ = of_states(select(system, Claims()))
    verdict = walk_selection(system, selection, WalkOptions(walks=1 << 40, depth=1000), Options(max_seconds=0.3))
    assert verdict.reason == "the time limit of 0.3 s is reached"


@pytest.mark.parametrize(("given", "message"), [({"walks": 0}, "walks= must be from"), ({"depth": 1 << 30}, "depth=")])
def test_limits_of_walks(given: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        WalkOptions(**given)


def test_data_says_how_it_walked() -> None:
    data = result_data(walked(MUTEX, walks=5, depth=10, seed=3), 3)
    assert (data["command"], data["order"], data["states"]) == ("simulate", None, None)
    assert data["walks"] == {
        "walks": 5, "depth": 10, "seed": 3, "taken": 5, "steps": 50, "longest": 10, "ended": 0
    }  # fmt: skip


# The walks themselves


def paths(system: System, budgets: Sequence[int], seed: int) -> list[tuple[int, list[int]]]:
    """Where walks stand whenever so many states were visited."""
    search = RandomWalks(make_kernel(system), walks=30, depth=20, seed=seed, log=lambda links: None)
    found = []
    for budget in budgets:
        search.run(budget)  # type: ignore[arg-type]
        found.append(search.walked)
    search.close()
    return found


def test_pieces_do_not_matter() -> None:
    import numpy as np

    system = strandline.load(EXAMPLES / "philosophers" / "philosophers.dve")
    ones = paths(system, [np.uint64(1)] * 60, 4)  # type: ignore[list-item]
    fives = paths(system, [np.uint64(5)] * 12, 4)  # type: ignore[list-item]
    assert ones[4::5] == fives


def test_steps_are_equally_likely() -> None:
    """Chi-squared over the first steps of many walks; three steps are possible, and the bound is far out."""
    import numpy as np

    system = strandline.load(EXAMPLES / "philosophers" / "philosophers.dve")
    search = RandomWalks(make_kernel(system), walks=3000, depth=1, seed=11, log=lambda links: None)
    counts: dict[int, int] = {}
    for _ in range(3000):
        search.run(np.uint64(2))
        step = search.walked[1][0]
        counts[step] = counts.get(step, 0) + 1
    search.close()
    expected = 3000 / len(counts)
    assert len(counts) == len(make_kernel(system).reference.edges(make_kernel(system).reference.initial()[0]))
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 30


def test_every_example_of_every_language_walks() -> None:
    for file in sorted(EXAMPLES.glob("*/*")):
        if file.suffix in (".py", ".dve", ".psl"):
            verdict = walked(file, walks=3, depth=30)
            assert verdict.answer.value in ("UNKNOWN", "VIOLATED"), file


def test_all_walks_over_is_done() -> None:
    system = strandline.load(MUTEX)
    search = RandomWalks(make_kernel(system), walks=2, depth=3, seed=0, log=lambda links: None)
    assert search.advance(1.0) is Event.DONE
    assert search.statistics().visited == 8
    search.close()
