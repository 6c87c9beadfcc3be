"""Lossy stores: the states they keep, their false matches, and the predicted number of these."""

from __future__ import annotations

from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import UsageError
from strandline.languages import dve
from strandline.model.system import System
from strandline.report.style import Style
from strandline.report.text import verdict_text
from strandline.source import Source


def counters(count: int, most: int) -> System:
    """Processes that count: (most + 1) to the power of `count` states, one deadlock."""
    process = f"{{ byte x; state a; init a; trans a -> a {{ guard x < {most}; effect x = x + 1; }}; }}"
    text = "".join(f"process C{number} {process}\n" for number in range(count)) + "system async;"
    return dve.load(Source("counters", text))


@pytest.mark.parametrize(("count", "most"), [(4, 19), (17, 1)])
def test_hashes_lose_nothing_that_is_worth_mentioning(count: int, most: int) -> None:
    explored, states = strandline.explore(counters(count, most), store="compact"), (most + 1) ** count
    assert explored.statistics.states == states
    assert not explored.complete
    probability = f"a probability of at most {states * (states - 1) / 2 / 2**63:.1g}"
    assert explored.reason == f"hash compaction is lossy: a state was omitted with {probability}"


def test_bits_lose_about_as_many_as_they_say() -> None:
    system = counters(4, 19)
    explored = strandline.explore(system, store="bitstate", store_size=1 << 16)
    found = explored.statistics.states
    assert found is not None
    assert 0.8 * 20**4 < found < 20**4
    assert explored.reason is not None
    told = int(explored.reason.split("about ")[1].split(" ")[0].replace(",", ""))
    # Behind a state that was taken for known lie others, most of which are reached on other ways.
    assert told / 2 < 20**4 - found < 2 * told


def test_bits_with_much_room_lose_nothing() -> None:
    explored = strandline.explore(counters(4, 9), store="bitstate", store_size="16M")
    assert explored.statistics.states == 10**4
    assert explored.reason is not None
    assert explored.reason.startswith("bitstate hashing is lossy: a state was omitted with a probability of at most ")


@pytest.mark.parametrize("store", ["compact", "bitstate"])
def test_a_violation_is_one_and_nothing_else_is_certain(store: str) -> None:
    system = counters(3, 5)
    verdict = strandline.check(system, invariants=["C0.x + C1.x < 9", "C0.x < 6"], store=store)
    violated, open_ = verdict.properties
    assert (violated.answer, violated.trace is not None and len(violated.trace)) == (Answer.VIOLATED, 9)
    assert open_.answer is Answer.UNKNOWN
    assert "lossy" in (open_.reason or "")


@pytest.mark.parametrize(("options", "certain"), [({}, True), ({"store": "bitstate"}, False), ({"por": True}, False)])
def test_only_a_search_that_loses_nothing_calls_a_trace_a_shortest_one(options: dict[str, Any], certain: bool) -> None:
    verdict = strandline.check(counters(2, 3), invariants="C0.x < 3", **options)
    assert ("no shorter one exists" in verdict_text(verdict, Style())) == certain


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"store": "compact", "order": "dfs"},
        "store='compact' is for breadth-first search; it has no meaning with order='dfs'",
    ),
    *(
        (
            {"store": store, "ltl": "G F (C0.x == 2)"},
            f"{store=}: a search for cycles needs the number of each stored state",
        )
        for store in ("compact", "tree")
    ),
    ({"store": "tree", "ctl": "AG EF true"}, "store='tree': this search needs the number of each stored state"),
    (
        {"store": "tree", "measure": "C0.x"},
        "store='tree' is for breadth-first search; it has no meaning with order='sweep'",
    ),
    ({"store": "bitstate", "ctl": "AG EF true"}, "store='bitstate': this search needs the number of each stored state"),
    ({"store": "sparse"}, "unknown store 'sparse' (known: auto, exact, tree, compact, bitstate)"),
    ({"store": "compact", "store_size": "1M"}, "store_size= is for store='bitstate'"),
    ({"store": "bitstate", "store_size": 8}, "store_size= must be at least 64 bytes"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_does_not_fit_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        strandline.check(counters(2, 2), **asked)
    assert str(refused.value) == message
