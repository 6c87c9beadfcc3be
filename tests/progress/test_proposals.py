"""Which terms are proposed for small systems, and which of them are proved to be monotone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from small_systems import COUNTERS, ELECTION, TWO_LAPS, system_of
from strategies import systems

from strandline.compile.interpret import Interpreter, evaluate
from strandline.model.intervals import Interval
from strandline.model.measure import in_words
from strandline.model.system import System
from strandline.progress.candidates import Block, Candidate
from strandline.progress.changes import Changes
from strandline.progress.proposals import propose
from strandline.progress.rankings import rankings
from strandline.progress.sampling import Exploration
from strandline.progress.state_fields import find_cells


def blocks_of(system: System) -> tuple[list[Block], list[Block]]:
    """Return the proposed terms and the rankings."""
    exploration = Exploration(system)
    sample, (walked, linked) = exploration.prefix(1_000), exploration.walks()
    exploration.close()
    if not sample.count:
        return [], []
    changes = Changes(system)
    components = find_cells(system, sample, walked, linked)

    def bounds(expression: object) -> Interval:
        values = sample.values(expression)  # type: ignore[arg-type]
        return int(values.min()), int(values.max())

    return propose(system, changes, components), list(rankings(components, changes, bounds))


def told(blocks: list[Block], system: System) -> dict[str, list[str]]:
    return {
        in_words(term.reason for term in block): [system.scope.render(term.expression) for term in block]
        for block in blocks
    }


def test_terms_of_two_laps(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    proposed, _ = blocks_of(system)
    assert told(proposed, system) == {
        "distance of P from the initial location": ["P.b + 2 * P.c"],
        "distance of P from the initial location, falling": ["2 * P.a + P.b"],
        "lap never decreasing": ["lap"],
        "P.place rising": ["P.place"],
        "P.place falling": ["-P.place"],
        "Q.n never decreasing": ["Q.n"],
    }


def test_what_only_grows_is_ranked_by_rounds(tmp_path: Path) -> None:
    system = system_of(TWO_LAPS, tmp_path)
    _, ranked = blocks_of(system)
    assert told(ranked, system) == {
        "lap, Q.n never decreasing; then in between phases of P, P.place never decreasing": [
            "lap + Q.n",
            "P.b + 2 * P.c + P.place",
        ],
        "changes of the global variables that are never undone": ["lap"],
        "changes of Q that are never undone": ["Q.n"],
        "changes of the global variables, Q that are never undone": ["lap", "Q.n"],
        "changes of any process that are never undone": ["lap + Q.n"],
        "lap, Q.n never seen to decrease; then in between P, P.place never seen to decrease": [
            "lap + Q.n",
            "P.b + 2 * P.c + P.place",
        ],
        "changes of the global variables that the sample never undoes": ["lap"],
        "changes of Q that the sample never undoes": ["Q.n"],
        "changes of the global variables, Q that the sample never undoes": ["lap", "Q.n"],
        "changes of any process that the sample never undoes": ["lap + Q.n"],
    }
    both = next(block for block in ranked if len(block) == 2)
    assert [(system.scope.render(one.expression), one.monotone) for one in Candidate(both).components] == [
        ("lap + Q.n", True),
        ("P.b + 2 * P.c + P.place", True),
    ]


def test_a_falling_variable_is_ranked_downwards(tmp_path: Path) -> None:
    system = system_of(ELECTION, tmp_path)
    _, ranked = blocks_of(system)
    assert [system.scope.render(term.expression) for term in ranked[0]] == ["-best + -P.heard", "P.idle"]
    assert Candidate(ranked[0]).monotone


def test_values_without_a_meaning_are_ordered_along_the_edges(tmp_path: Path) -> None:
    text = """
byte m = 7;
process P { state a; init a;
trans a -> a { guard m == 7; effect m = 2; }, a -> a { guard m == 2; effect m = 9; },
      a -> a { guard m == 9; effect m = 4; }, a -> a { guard m == 4; effect m = 7; };
}
system async;
"""
    system = system_of(text, tmp_path)
    proposed, _ = blocks_of(system)
    learned = told(proposed, system)["m in an order that few edges go against"]
    assert learned == ["2 * (m == 2) + (m == 7) + 3 * (m == 9)"], "4 < 7 < 2 < 9: one edge goes against it"


@pytest.mark.parametrize("text", [COUNTERS, ELECTION, TWO_LAPS])
def test_columns_of_small_systems_never_decrease(text: str, tmp_path: Path) -> None:
    check_columns(system_of(text, tmp_path))


@settings(max_examples=100)
@given(systems())
def test_columns_of_random_systems_never_decrease(system: System) -> None:
    check_columns(system)


def check_columns(system: System) -> None:
    """Every column that is claimed is monotone on every edge there is, up to a bound."""
    proposed, ranked = blocks_of(system)
    claimed = [one for one in map(Candidate, (*proposed, *ranked)) if one.columns]
    if not claimed:
        return
    interpreter = Interpreter(system)
    seen, queue = set(system.initial), list(system.initial)
    while queue and len(seen) < 100:
        state = queue.pop()
        for step in interpreter.steps(state):
            if step.target is None:
                continue
            for one in claimed:
                parts = [term.expression for term in one.terms[: one.columns]]
                before = [evaluate(part, state, system.offsets) for part in parts]
                after = [evaluate(part, step.target, system.offsets) for part in parts]
                assert after >= before, told([one.terms], system)
            if step.target not in seen:
                seen.add(step.target)
                queue.append(step.target)
