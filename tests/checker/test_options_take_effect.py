"""Every option takes effect or is refused, for every kind of property and every method."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

import strandline
from strandline.checker.driver.searches import CycleSearches, StateSearches
from strandline.checker.options.ctl_methods import CTL_METHODS, STATE_METHODS
from strandline.checker.options.cycle_methods import known_methods
from strandline.checker.options.effects import CTL, FACTS, LTL, STATES, THE_GRAPH, WAYS, Way, given_facts
from strandline.checker.options.fields import options_in
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.strategies.choice import strategies_for_runs, strategies_for_trees
from strandline.checker.verdicts.verdict import PropertyVerdict, Verdict
from strandline.errors import UsageError
from strandline.languages.dve import load
from strandline.source import Source
from strandline.symbolic.abstraction.splitting import SPLITTINGS

MODEL = load(
    Source(
        "two.dve",
        """
byte x, y;
process P { state s, t; init s; trans s -> t { guard x < 3; effect x = x + 1; }, t -> s { guard y < 3; }; }
process Q { state s, t; init s; trans s -> t { guard y < 3; effect y = y + 1; }, t -> s {}; }
system async;
""",
    )
)
OPTIONS: dict[str, dict[str, Any]] = {
    "order=bfs": {"order": "bfs"},
    "order=dfs": {"order": "dfs"},
    "order=cache": {"order": "cache", "cache_states": 50},
    "order=sweep": {"measure": "x + y"},
    "componentwise": {"measure": ["x", "y"], "componentwise": True},
    "threads": {"threads": 2},
    "store": {"store": "tree"},
    "store=exact": {"store": "exact"},
    "count_distinct": {"measure": "x + y", "count_distinct": True},
    "max_states": {"max_states": 10_000},
    "por": {"por": True},
    "symmetry": {"symmetry": True},
    "merge": {"merge": True},
    "device": {"device": "gpu"},
    "checkpoint": {"checkpoint": ""},
    "cone": {"cone": True},
    "diagrams": {"diagrams": "cudd"},
    "fair": {"fair": True},
    "fairness": {"fairness": "x < 9"},
    "finite_runs": {"finite_runs": "stutter"},
    "shortest": {"shortest": True},
    "all_cycles": {"all_cycles": True},
    "reachable_first": {"reachable_first": False},
    "refinements": {"refinements": 3},
    "splitting": {"splitting": SPLITTINGS[1]},
    "explain": {"explain": True},
}
ALWAYS = {"max_seconds", "memory", "disk", "spill", "work_dir", "sanity", "declared_fairness", "auto_por", "traces"}
"""Limits, places, and what turns off what would not be done."""
BELONGING = {
    "order": "order=bfs",
    "measure": "order=sweep",
    "cache_states": "order=cache",
    "cache_rule": "order=cache",
    "check_independence": "por",
    "store_size": "store",
    "every": "checkpoint",
    "resume": "checkpoint",
}
"""Options that another one asks for, or that `Options` refuses without it."""
ASKED: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "states": (STATES, {"invariants": "x < 9"}, STATE_METHODS),
    "safety": (LTL, {"ltl": "G x < 9"}, known_methods()),
    "liveness": (LTL, {"ltl": "F G x == 3"}, known_methods()),
    "next": (LTL, {"ltl": "F X G x == 3"}, ("auto", "sweep")),
    "trees": (CTL, {"ctl": "AG EF x == 3"}, ("auto", *CTL_METHODS)),
}


def cases() -> Iterator[Any]:
    for name, (kind, claims, methods) in ASKED.items():
        for method in methods:
            for option in OPTIONS:
                yield pytest.param(kind, claims, method, option, id=f"{name}-{method}-{option}")


def strategy_of(one: PropertyVerdict, method: str) -> str:
    search = one.search or one.ctl
    return method if search is None else search.method


@pytest.mark.parametrize(("kind", "claims", "method", "option"), list(cases()))
def test_every_option_takes_effect_or_is_refused(
    kind: str,
    claims: dict[str, str],
    method: str,
    option: str,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[str, Any, bool]] = []
    for maker in (StateSearches, CycleSearches):
        record_searches(monkeypatch, maker, made)
    given = dict(OPTIONS[option])
    if option == "checkpoint":
        given["checkpoint"] = tmp_path / "saved"
    facts = {fact.name: fact for fact in FACTS}
    verdict, refusal = checked(method, **claims, **given)
    if verdict is None:
        by_table = re.search(r"decided by method ([\w-]+); leave it out$", refusal)
        assert by_table is None or Way(kind, by_table[1]) not in facts[option].effective
        assert refusal.startswith("--")
        return
    (one,) = verdict.properties
    way = Way(kind, strategy_of(one, method))
    assert way in facts[option].effective, way
    kinds = [name for name, _, _ in made]
    match option:
        case "order=dfs":
            assert kinds[0] == "DepthFirstSearch"
        case "order=cache":
            assert kinds[0] == "CachedSearch"
        case "order=sweep" | "componentwise":
            assert "Sweep" in kinds[0]
        case "threads" | "store":
            _, used, heard = made[0]
            assert (used.threads if option == "threads" else used.store, heard) == (OPTIONS[option][option], False)


def checked(method: str, **given: Any) -> tuple[Verdict | None, str]:
    """A verdict, or why there is none."""
    try:
        return strandline.check(MODEL, method=method, sanity=False, **given), ""
    except UsageError as refused:
        return None, refused.on_command_line()


def record_searches(monkeypatch: pytest.MonkeyPatch, maker: type[Any], made: list[tuple[str, Any, bool]]) -> None:
    """Record the searches of the engine with their options, and whether they have an observer."""
    make = maker.make

    def noting(self: Any, kernel: Any, log: Any, observer: Any, engine_bytes: Any) -> Any:
        search = make(self, kernel, log, observer, engine_bytes)
        made.append((type(search).__name__, getattr(self, "options", None), observer is not None))
        return search

    monkeypatch.setattr(maker, "make", noting)


def test_the_table_knows_every_option_and_every_way() -> None:
    named = {one.name for kind in (Options, TemporalOptions) for one, _ in options_in(kind)} - {"method"}
    facts = {fact.name for fact in FACTS}
    assert named == {name for name in facts if "=" not in name} | ALWAYS | set(BELONGING)
    assert facts == set(OPTIONS)
    assert set(BELONGING.values()) <= facts
    strategies = {Way(LTL, name) for name in strategies_for_runs()}
    strategies |= {Way(CTL, name) for name in strategies_for_trees()}
    assert set(WAYS) - {THE_GRAPH, Way(STATES, "GPU"), *(Way(STATES, name) for name in STATE_METHODS)} == strategies
    for fact in FACTS:
        assert fact.effective <= set(WAYS)
        assert fact.effective


def test_what_is_given_is_recognised() -> None:
    searching = {one.name for one in fields(Options)}
    for name, given in OPTIONS.items():
        for_search = {key: value for key, value in given.items() if key in searching}
        for_runs = {key: value for key, value in given.items() if key not in searching}
        found = {fact.name for fact, _ in given_facts(Options(**for_search), TemporalOptions(**for_runs))}
        assert name in found or name == "checkpoint"
    assert not list(given_facts(Options(), TemporalOptions()))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"ltl": "G F P.t", "order": "cache", "cache_states": 1},
            "--order cache is for searches for single states, and for paths that show",
        ),
        ({"ltl": "G F P.t", "threads": 2}, "--threads 2 is for searches"),
        (
            {"ltl": "G F P.t", "measure": "x", "all_cycles": True},
            "--measure is for searches that go by a progress measure",
        ),
        ({"ctl": "EF P.t", "shortest": True}, "--shortest is for cycles"),
        ({"ctl": "EF P.t", "refinements": 3}, "--refinements 3 is for CTL by method abstraction"),
        ({"invariants": "x < 9", "cone": True}, "--cone is for method symbolic"),
        ({"invariants": "x < 9", "method": "symbolic", "threads": 2}, "--threads 2 is for searches"),
        ({"ltl": "G x < 9", "order": "dfs", "shortest": True}, "--shortest is for cycles, and for paths"),
    ],
)
def test_the_message_names_the_option_and_what_to_do(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        strandline.check(MODEL, **asked)
    assert caught.value.on_command_line().startswith(message)
    assert caught.value.on_command_line().endswith("; leave it out")


def test_an_option_that_some_properties_have_no_use_for_is_used_for_the_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    from strandline.cli.main import main

    file = tmp_path / "two.dve"
    file.write_text(MODEL.source.text, encoding="utf-8")
    assert main(["check", str(file), "--invariant", "x < 9", "--ltl", "F G x == 3", "--order", "dfs"]) in (0, 13)
    told = capsys.readouterr()
    notice = "--order dfs has no effect on some properties: ltl 'F G x == 3' is decided by method ndfs"
    assert notice in told.err + told.out


@pytest.mark.parametrize(
    "given", [{"order": "dfs"}, {"threads": 2}, {"cone": True}, {"count_distinct": True, "measure": "x"}, {"por": True}]
)
def test_a_graph_is_made_in_one_way(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="the graph of a model is made breadth-first; leave it out"):
        strandline.graph(MODEL, **given)
    assert len(strandline.graph(MODEL, measure="x", max_states=10_000).states) > 1


def test_exploring_refuses_as_checking_does() -> None:
    for given in ({"cone": True}, {"method": "symbolic", "threads": 2}):
        with pytest.raises(UsageError, match="leave it out"):
            strandline.explore(MODEL, **given)  # type: ignore[arg-type]
