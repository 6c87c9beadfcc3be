"""Every statistic is declared once: the JSON, the text, the page and the documentation follow from the table."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.driver import statistics as driver
from strandline.checker.verdicts.statistics import BOTH, CTL, LTL, Section, Statistics, Unit, statistic, table
from strandline.engine.search import Search
from strandline.engine.search import Statistics as Counted
from strandline.languages import dve
from strandline.report.data import result_data
from strandline.report.envelope import FIGURES, SEARCH_FIELDS, error_data
from strandline.report.html.data import page_data
from strandline.report.statistics import statistics_data, statistics_page
from strandline.report.style import Style
from strandline.report.text import exploration_text, statistics_rows, verdict_text
from strandline.source import Source

ROOT = Path(__file__).parents[2]
MODEL = """
byte x = 0;
process P { state a, b; init a; trans a -> b { guard x < 9; effect x = x + 1; }, b -> a {}; }
process Q { state a, b; init a; trans a -> b {}, b -> a { guard x < 9; }; }
system async;
"""


@pytest.fixture
def model() -> strandline.System:
    return dve.load(Source("small.dve", MODEL))


def test_every_statistic_is_in_the_json_and_in_its_documentation() -> None:
    keys = [one.key for one in table() if one.key is not None]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= set(SEARCH_FIELDS)
    assert set(FIGURES) <= set(keys)
    assert set(error_data("check", None, ValueError(), 4)) >= set(keys)
    page = statistics_page()
    for key in keys:
        assert page.count(f"| `{key}` | ") == 1
    assert all(one.facts.meaning.strip(". ") == one.facts.meaning for one in table())


def test_the_documentation_has_the_list() -> None:
    path = ROOT / "scripts" / "write_tables.py"
    specification = importlib.util.spec_from_file_location("write_tables", path)
    assert specification is not None
    assert specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    assert statistics_page() in (script.DOCS / "cli.md").read_text("utf-8"), "run scripts/write_tables.py"
    for name, tables in script.PAGES.items():
        text = (script.DOCS / name).read_text("utf-8")
        assert script.with_tables(text, tables) == text, "run scripts/write_tables.py"
    for name, text_of in script.FILES.items():
        assert (script.DOCS / name).read_text("utf-8") == text_of(), "run scripts/write_tables.py"


def test_the_searches_for_properties_have_those_that_are_declared(model: strandline.System) -> None:
    verdict = strandline.check(model, ltl="G F x < 9", ctl="AG x < 20")
    found = result_data(verdict, 0)["properties"]
    objects = {LTL: found[0]["search"], CTL: found[1]["ctl"]}
    for one in table():
        for name in BOTH:
            if one.key not in ("states", "transitions"):
                assert (one.key in objects[name]) == (name in one.facts.inside), (one.name, name)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "cone": lambda value: (2, 3),
    "symmetric_groups": lambda value: ("P, Q",),
    "symmetry_variables": lambda value: ("x",),
    "not_symmetric": lambda value: ("Q is not symmetric",),
    "merged_locations": lambda value: ("P.a",),
    "fallbacks": lambda value: ("the store",),
}
UNWORDED = {"coverage", "profile", "regress", "device", "levels", "walks"}
"""Structures, for which there are tests of their own."""


@pytest.mark.parametrize("name", [one.name for one in table() if one.facts.label and one.name not in UNWORDED])
def test_every_row_is_shown_where_it_should_be(name: str) -> None:
    """With a value that is not empty, and options that go with it, there is a row with its title."""
    given: dict[str, dict[str, Any]] = {
        "threads": {"threads": 2},
        "replaced": {"cache_states": 50},
        "peak_states": {"cache_states": 50},
        "sweeps": {"measure": "x"},
        "regress_edges": {"measure": "x"},
        "merged_locations": {"merge": True},
    }
    explored = strandline.explore(dve.load(Source("small.dve", MODEL)), **given.get(name, {}))
    one = next(one for one in table() if one.name == name)
    value = OTHERS.get(name, lambda value: value or 7)(one.value(explored.statistics))
    values = {name: value, "visited": 99, **({"symmetry_variables": ("x",)} if name == "symmetric_groups" else {})}
    shown = replace(explored, statistics=replace(explored.statistics, **values))
    assert one.facts.label in [title for title, _ in statistics_rows(shown)]


def test_a_row_is_not_shown_without_its_condition(model: strandline.System) -> None:
    titles = {title for title, _ in statistics_rows(strandline.explore(model))}
    assert not titles & {"sweeps", "regress edges", "stored at most", "cache", "disk", "device", "threads", "BDDs"}
    assert titles >= {"states", "transitions", "deadlocks", "levels", "memory", "time"}


@dataclass(frozen=True, slots=True)
class _WithToy(Statistics):
    """The table with one line more."""

    self_loops: int = field(
        default=0,
        metadata=statistic("steps that change nothing", unit=Unit.COUNT, label="self-loops", section=Section.SIZE),
    )


def test_a_new_counter_is_a_field_of_a_record_and_a_line_of_the_table(
    model: strandline.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a kernel counts is shown everywhere when the table has its name."""
    former = Search.statistics

    def counted(search: Search) -> Counted:
        now = former(search)
        return replace(now, counters={**now.counters, "self_loops": 1234})

    monkeypatch.setattr(Search, "statistics", counted)
    monkeypatch.setattr(driver, "Statistics", _WithToy)
    monkeypatch.setattr(driver, "_NAMES", {one.name for one in table(_WithToy)})
    explored = strandline.explore(model)
    assert statistics_data(explored.statistics, complete=True)["self_loops"] == 1234
    assert "  self-loops   1,234" in exploration_text(explored, Style()).splitlines()
    assert ["self-loops", "1,234"] in page_data(explored)["searches"][0]["rows"]
    temporal = strandline.check(model, ltl="G F x < 9", ctl="AG x < 20")
    text = verdict_text(temporal, Style())
    assert text.count("self-loops") == 2, text
