"""Statement merging: the same answers from fewer states."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import UsageError
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source
from strandline.transform.merging import merge

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

WORKERS = """
byte shared;
process A {
  byte own, other;
  state start, think, more, give, done;
  init start;
  trans
    start -> think { effect own = 3; },
    think -> more { effect other = own + 1; },
    more -> give { effect own = 0; },
    give -> done { effect shared = shared + other; };
}
process B {
  byte own;
  state start, think, give, done;
  init start;
  trans
    start -> think { effect own = 1; },
    think -> give { guard shared < 9; effect own = 2; },
    give -> done { effect shared = shared + own; };
}
system async;
"""


def loaded(text: str) -> System:
    return dve.load(Source("model", text))


def test_what_is_merged_and_what_is_shown() -> None:
    system = loaded(WORKERS)
    merged = merge(system, [])
    # B's step at 'think' reads what A writes; whoever starts has not come from anywhere.
    assert merged.merged_locations == ("A.think", "A.more")
    explored = strandline.explore(system, merge=True)
    assert strandline.explore(system).statistics.states == 5 * 4
    assert explored.statistics.states == 3 * 4
    assert explored.statistics.deadlocks == 1
    verdict = strandline.check(system, invariants="shared < 6", merge=True)
    assert verdict.answer is Answer.VIOLATED
    assert verdict.trace is not None
    assert [step.action for step in verdict.trace if step.action.startswith("A")] == [
        "A: start -> think", "A: think -> more", "A: more -> give", "A: give -> done",
    ]  # fmt: skip


def test_what_is_asked_for_is_not_passed_over() -> None:
    system = loaded(WORKERS)
    for asked in ("A.more", "A.own == 3"):
        verdict = strandline.check(system, reach=asked, merge=True)
        assert verdict.answer is Answer.HOLDS, asked
        assert verdict.statistics.merged_locations == ()


def random_system(random: Random) -> System:
    """Processes with private and shared steps."""
    text = "byte x; byte y;\n"
    for process in range(2):
        places = [f"s{place}" for place in range(random.randint(2, 5))]
        steps = []
        for number, place in enumerate(places):
            for _ in range(random.choice((1, 1, 1, 2))):
                guard = random.choice(("", "", "", "guard x < 2; ", "guard own > 0; "))
                effect = random.choice(("own = 1", "own = 0", "own = own + 1", "x = (x + 1) % 3", "y = own % 2"))
                target = random.choice([*places, places[(number + 1) % len(places)]])
                steps.append(f"{place} -> {target} {{ {guard}effect {effect}; }}")
        body = f"byte own; state {', '.join(places)}; init s0; trans {', '.join(steps)};"
        text += f"process P{process} {{ {body} }}\n"
    return loaded(text + "system async;")


@pytest.mark.parametrize("seed", range(50))
def test_the_same_answers_on_random_systems(seed: int) -> None:
    system = random_system(Random(seed))
    asked = ["x < 2", "y == 0", "not P0.s1", "P1.own < 2", "x + y < 3"]
    for given in ({}, {"order": "dfs"}, {"measure": "x"}):
        limits: dict[str, Any] = {"max_states": 3000, **given}
        plain, merged = (
            strandline.check(system, invariants=asked, deadlock=True, merge=folded, **limits)
            for folded in (False, True)
        )
        for one, other in zip(plain.properties, merged.properties, strict=True):
            if Answer.UNKNOWN not in (one.answer, other.answer):
                assert one.answer == other.answer, one.name
                assert (one.trace is None) == (other.trace is None)
        if plain.complete and merged.complete:
            assert (merged.statistics.states or 0) <= (plain.statistics.states or 0)


def test_where_it_is_refused() -> None:
    model = EXAMPLES / "naive-mutex" / "naive-mutex.dve"
    for given in ({"ltl": "G F P.critical"}, {"ctl": "AG EF true"}):
        with pytest.raises(UsageError, match="merge=True: it is for properties of states"):
            strandline.check(model, merge=True, **given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="por=True and merge=True are not used together"):
        strandline.explore(model, merge=True, por=True)
