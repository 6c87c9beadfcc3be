"""Render the statistics of a search as rows of text and as plain data, by the table in `checker.verdicts.statistics`.

That table has the title, key and conditions of each statistic. This module has the texts of the rows that say more than
a value, and the encoding of the values that are structures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from strandline.checker.limits.memory import shown_bytes
from strandline.checker.options.search import Options
from strandline.checker.verdicts.statistics import Section, Statistics, Unit, table
from strandline.report.coverage import coverage_data
from strandline.report.profile import profile_data
from strandline.report.regress import regress_data, regress_lines
from strandline.report.style import memory_words, time_words, with_noun

Row = tuple[str, str]
Words = Callable[[Statistics], Iterable[str]]
"""A function that returns the texts of a statistic's rows; none if it has no row."""

_MOST_LEVELS = 10_000
"""Most levels of a breadth-first search for which their numbers of states are listed in JSON."""
_UNITS: Mapping[Unit, Callable[[Any], str]] = {
    Unit.COUNT: "{:,}".format,
    Unit.STATES: lambda value: with_noun(value, "state"),
    Unit.BYTES: shown_bytes,
    Unit.SECONDS: "{:.3f} s".format,
    Unit.SHARE: "{:.0%} of the time".format,
}


def no_rows(now: Statistics) -> tuple[str, ...]:
    """Return no text, to leave a statistic out of the rows."""
    return ()


def _sweeps(now: Statistics) -> Iterator[str]:
    yield f"{now.sweeps:,}, {with_noun(now.layers, 'layer')} left behind"


def _regress_edges(now: Statistics) -> Iterator[str]:
    yield f"{now.regress_edges:,}, {with_noun(now.persistent, 'persistent state')}"


WORDS: Mapping[str, Words] = {
    "sweeps": _sweeps,
    "regress_edges": _regress_edges,
    "nodes": lambda now: [f"{with_noun(now.nodes, 'node')} at most"],
    "peak_bytes": lambda now: [memory_words(now)],
    "seconds": lambda now: [time_words(now)],
}
"""The texts of rows that are the same for every kind of search."""


def statistic_rows(
    now: Statistics, options: Options | None, words: Mapping[str, Words], sections: Iterable[Section]
) -> list[Row]:
    """Return the rows of the given sections; `words` has the texts of a kind of search for some statistics.

    `options` is None for the search for one property. The row of regress edges is followed by rows about their actions.
    """
    rows: list[Row] = []
    own = {**WORDS, **words}
    for section in sections:
        for one in table(type(now)):
            if one.facts.section is not section or not one.has_row(now, options):
                continue
            label, value = one.facts.label or "", one.value(now)
            if one.name in own:
                rows += [(label, text) for text in own[one.name](now)]
            elif one.facts.unit is Unit.SENTENCES:
                rows += [(label, text) for text in value]
            else:
                rows.append((label, _UNITS[one.facts.unit](value)))
            if one.name == "regress_edges":
                rows += [("", line) for line in regress_lines(now.regress)]
    return rows


def statistics_data(now: Statistics, *, complete: bool, inside: str | None = None) -> dict[str, Any]:
    """Return the values by their JSON keys: all, or those in the object about a property, `inside`."""
    return {
        one.key: _encode(one.name, now, complete)
        for one in table(type(now))
        if one.key is not None and (inside is None or inside in one.facts.inside)
    }


def statistics_page() -> str:
    """Return the table of JSON keys for the documentation, in Markdown."""
    rows = [f"| `{one.key}` | {one.facts.meaning} |" for one in table() if one.key is not None]
    return "\n".join(["| field | meaning |", "|---|---|", *rows])


def _encode(name: str, now: Statistics, complete: bool) -> Any:
    value = getattr(now, name)
    if name in _ENCODINGS:
        return _ENCODINGS[name](now)
    if name == "coverage":
        return coverage_data(now.coverage, complete=complete)
    if isinstance(value, float):
        return round(value, 6)
    return list(value) if isinstance(value, tuple) else value


def _levels(now: Statistics) -> list[int] | None:
    return list(now.levels) if 0 < len(now.levels) <= _MOST_LEVELS else None


def _device(now: Statistics) -> dict[str, Any] | None:
    """Return the statistics of a GPU search with its rate in expansions per second; None for other searches."""
    if now.device is None:
        return None
    rate = now.visited / now.seconds if now.seconds else None
    return {**asdict(now.device), "rate": None if rate is None else round(rate)}


def _sets(now: Statistics) -> dict[str, Any] | None:
    """Return the statistics of a symbolic search, BDD nodes and cone of influence; None for other searches."""
    return {"nodes": now.nodes, "cone": None if now.cone is None else list(now.cone)} if now.nodes else None


_ENCODINGS: Mapping[str, Callable[[Statistics], Any]] = {
    "levels": _levels,
    "profile": lambda now: profile_data(now.profile),
    "regress": lambda now: regress_data(now.regress),
    "symmetric_groups": lambda now: [names.split(", ") for names in now.symmetric_groups],
    "symmetry_variables": lambda now: [held.split(", ") if held else [] for held in now.symmetry_variables],
    "device": _device,
    "nodes": _sets,
}
