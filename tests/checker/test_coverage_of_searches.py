"""Coverage: the same from every search, exact in text and JSON, and silent where nothing is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.checker.diagnosis.coverage import Coverage, NeverTaken
from strandline.report.coverage import coverage_rows
from strandline.report.data import result_data
from strandline.report.style import Style
from strandline.report.text import exploration_text, verdict_text

SHOP = """from strandline import *
class Shop(Model):
    queue: Fifo[bool, 2]
    open: bool = True
    class Clerk(Process, count=2):
        pc: Enum["idle", "busy", "ill"]
        @action(at="idle", to="busy")
        def serve(m, me):
            require(m.open)
            m.queue.get()
        @action(at="busy", to="idle")
        def rest(m, me): pass
        @action(at="ill", to="idle")
        def recover(m, me): pass
        @action(at="idle")
        def jump_in(m, me):
            require(not m.open)
            me.pc = "ill"
    class Door(Process):
        pc: Enum["open", "locked"]
        @action(at="locked", to="open")
        def unlock(m, me): pass
    @action
    def come(m, rich: bool): m.queue.put(rich)
    @action
    def fly(m): require(len(m.queue) > 2)
"""

NEVER = {
    "fly": "its guard never holds",
    "Clerk_0.recover": "its guard never holds",
    "Clerk_0.jump_in": """its guard never holds: 'not open' never does where "Clerk_0.pc == 'idle'" does""",
    "Clerk_1.recover": "its guard never holds",
    "Clerk_1.jump_in": """its guard never holds: 'not open' never does where "Clerk_1.pc == 'idle'" does""",
    "Door.unlock": "Door is never at locked",
}

SEARCHES: list[dict[str, object]] = [
    {},
    {"order": "dfs"},
    {"measure": "len(queue)"},
    {"cache_states": 4},
    {"measure": "mono(0)", "count_distinct": True},
]
RUNS: list[dict[str, object]] = [
    {"method": "ndfs"},
    {"method": "scc"},
    {"method": "map"},
    {"method": "sweep", "measure": "len(queue)"},
    {"method": "sweep-off", "measure": "len(queue)"},
    {"method": "sweep-on", "measure": "len(queue)"},
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.py"
    file.write_text(SHOP)
    return file


def check_coverage(coverage: Coverage | None) -> None:
    assert coverage is not None
    assert {one.action: one.why for one in coverage.never_taken} == NEVER
    assert coverage.actions == 11
    assert coverage.never_reached == ("Clerk_0.ill", "Clerk_1.ill", "Door.locked")
    assert (coverage.locations, coverage.bounds, coverage.full) == (8, 1, ("queue (2)",))


@pytest.mark.parametrize("options", SEARCHES)
def test_every_order_tells_the_same(shop: Path, options: dict[str, object]) -> None:
    check_coverage(strandline.explore(shop, **options).statistics.coverage)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", RUNS)
def test_every_product_tells_what_it_met(shop: Path, options: dict[str, object]) -> None:
    """The automaton of a negated `true`-like formula that can always still be violated restricts nothing."""
    verdict = strandline.check(shop, "G F (open or len(queue) < 9)", sanity=False, **options)  # type: ignore[arg-type]
    search = verdict.properties[0].search
    assert search is not None
    met = search.statistics.coverage
    assert met is not None
    assert {one.action for one in met.never_taken} >= set(NEVER)


def test_text_and_data(shop: Path) -> None:
    exploration = strandline.explore(shop)
    text = exploration_text(exploration, Style(False))
    assert (
        "  never taken    fly: its guard never holds\n                 Clerk_0.recover: its guard never holds\n"
    ) in text
    assert "  never reached  Clerk_0.ill, Clerk_1.ill, Door.locked\n" in text
    assert "  full at times  queue (2)\n" in text
    data = result_data(exploration, 0)["coverage"]
    assert data == {
        "complete": True,
        "actions": 11,
        "never_taken": [{"action": action, "reason": why} for action, why in NEVER.items()],
        "locations": 8,
        "never_reached": ["Clerk_0.ill", "Clerk_1.ill", "Door.locked"],
        "bounds": 1,
        "full": ["queue (2)"],
    }


def test_what_is_not_complete_says_so(shop: Path) -> None:
    exploration = strandline.explore(shop, max_states=2)
    text = exploration_text(exploration, Style(False))
    assert "  taken so far  1 of 11 actions" in text
    assert "never taken" not in text
    assert result_data(exploration, 3)["coverage"]["complete"] is False


def test_an_early_violation_says_nothing(shop: Path) -> None:
    verdict = strandline.check(shop, invariants="len(queue) < 1")
    text = verdict_text(verdict, Style(False))
    assert "taken" not in text
    assert result_data(verdict, 12)["coverage"]["complete"] is False


def test_nothing_is_said_where_nothing_is_missing() -> None:
    assert coverage_rows(Coverage(3, (), 2, (), 1, ()), complete=True) == []
    assert coverage_rows(None, complete=True) == []


def test_long_lists_are_cut() -> None:
    never = tuple(NeverTaken(f"a{number}", "because") for number in range(12))
    rows = coverage_rows(Coverage(20, never, 20, tuple("abcdefghij"), 0, ()), complete=True)
    assert rows[0] == ("never taken", "a0: because")
    assert rows[8] == ("", "... and 4 more actions")
    assert rows[9] == ("never reached", "a, b, c, d, e, f, g, h and 2 more")


def test_actions_that_can_never_be_are_told(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "from strandline import *\nclass M(Model):\n    x: bool\n    N = param(2)\n"
        "    @action\n    def step(m): m.x = not m.x\n"
        "    @action\n    def other(m): require(m.N > 3)\n"
    )
    coverage = strandline.explore(file).statistics.coverage
    assert coverage is not None
    assert coverage.never_taken == (NeverTaken("other", "its guard can never hold"),)


def test_transitions_of_one_name_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "model.dve"
    file.write_text(
        "byte x;\nchannel {byte} c[2];\nprocess P { state a; init a; trans\n"
        "  a -> a { guard x < 2; effect x = x + 1; },\n"
        "  a -> a { guard x > 5; effect x = 0; },\n"
        "  a -> a { guard x == 2; sync c!x; };\n}\nprocess Q { state b, d; init b; trans b -> d { guard x == 9; }; }\n"
        "system async;\n"
    )
    coverage = strandline.explore(file).statistics.coverage
    assert coverage is not None
    assert [one.action for one in coverage.never_taken] == ["P: a -> a (line 5)", "Q: b -> d"]
    assert coverage.never_reached == ("Q.d",)
    assert coverage.full == ("c (2)",)


@pytest.mark.parametrize(
    ("guard", "why"),
    [
        ("x > 0 and x < 2 and x == 3", "'x == 3' never does where 'x > 0 and x < 2' does"),
        ("x > 0 and x > 3 and x == 3", "'x > 3' never does where 'x > 0' does"),
        ("x > 5 and x < 2", "'x > 5' never does"),
        ("x > 5", None),
        ("a[x] == 1 and x > 5", "'x > 5' never does where 'a[x] == 1' does"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"measure": "x"}])
def test_the_part_of_a_guard_that_never_holds_is_named(
    tmp_path: Path, guard: str, why: str | None, options: dict[str, object]
) -> None:
    file = tmp_path / "model.dve"
    file.write_text(
        "byte x; byte a[4] = {1, 0, 1, 1};\nprocess P { state a; init a; trans a -> a { effect x = (x + 1) % 3; }; }\n"
        f"process Q {{ state b, d; init b; trans b -> d {{ guard {guard}; }}; }}\nsystem async;\n"
    )
    coverage = strandline.explore(file, **options).statistics.coverage  # type: ignore[arg-type]
    assert coverage is not None
    words = "its guard never holds there" + ("" if why is None else f": {why}")
    assert coverage.never_taken == (NeverTaken("Q: b -> d", words),)


def test_callables_have_none() -> None:
    model = strandline.from_callables(init=lambda: [0], successors=lambda state: [(state + 1) % 3])
    assert strandline.explore(model).statistics.coverage is None


def test_every_example_is_covered_by_its_own_search() -> None:
    """For every language; the uncovered parts are known."""
    examples = Path(__file__).parents[2] / "examples"
    found = {}
    for file in sorted(examples.glob("*/*")):
        if file.suffix in (".py", ".dve", ".psl"):
            coverage = strandline.explore(file).statistics.coverage
            assert coverage is not None, file
            if coverage.never_taken:
                found[file.name] = [one.action for one in coverage.never_taken]
    assert found.get("leader_election.py") == ["Server_0.forget", "Server_1.forget", "Server_2.forget"]
    assert "mutex.py" not in found
