"""Answers of a campaign over nets, kept in a file line by line, so that it can be stopped and goes on."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from _common import print_table

_STEPS = (0.1, 1, 10, 60)
_SIZES = (60_000, 1_000_000, 10_000_000)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer: right, wrong or unknown, and then why."""

    net: str
    states: int
    method: str
    examination: str
    formula: str
    outcome: str
    seconds: float
    reason: str = ""


class Record:
    """All answers so far, the last one to each formula; without a file, those of this process. With `again`, what is
    unknown counts as not asked."""

    def __init__(self, file: Path | None, *, again: bool = False) -> None:
        self.file = file
        self._rows: dict[tuple[str, str, str, str], Row] = {}
        if file is not None and file.exists():
            with file.open(newline="") as lines:
                for cells in csv.reader(lines):
                    self._note(_row(cells))
        asked = {(one.net, one.method, one.examination) for one in self.rows}
        open_ones = {(one.net, one.method, one.examination) for one in self.rows if one.outcome == "unknown"}
        self._known = asked - open_ones if again else asked

    @property
    def rows(self) -> list[Row]:
        return list(self._rows.values())

    def has(self, net: str, method: str, examinations: Sequence[str]) -> bool:
        """Whether there are answers to all of these. What was asked together was recorded together."""
        return all((net, method, one) in self._known for one in examinations)

    def add(self, *rows: Row) -> None:
        """Keep answers to what was asked together."""
        for row in rows:
            self._note(row)
            self._known.add((row.net, row.method, row.examination))
        if self.file is not None:
            with self.file.open("a", newline="") as lines:
                csv.writer(lines).writerows(map(astuple, rows))

    def _note(self, row: Row) -> None:
        self._rows[row.net, row.method, row.examination, row.formula] = row


def _row(cells: Sequence[str]) -> Row:
    by_name = dict(zip((one.name for one in fields(Row)), cells, strict=True))
    states, seconds = int(by_name.pop("states")), float(by_name.pop("seconds"))
    return Row(states=states, seconds=seconds, **by_name)


def print_outcomes(rows: Sequence[Row]) -> None:
    """How many answers are right, by method, examination and size of the nets, and how many took how long."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.method, row.examination, _size(row.states)), []).append(row)
    lines = []
    for key, some in found.items():
        outcomes = Counter(one.outcome for one in some)
        times = [sum(one.seconds < step for one in some) for step in _STEPS]
        counts = [len({one.net for one in some}), *(outcomes[name] for name in ("right", "wrong", "unknown")), *times]
        lines.append([*key, *map(str, counts)])
    steps = [f"< {step} s" for step in _STEPS]
    print_table(["method", "examination", "markings", "nets", "right", "wrong", "unknown", *steps], lines)


def _size(states: int) -> str:
    return next((f"up to {size:,}" for size in _SIZES if states <= size), f"above {_SIZES[-1]:,}")
