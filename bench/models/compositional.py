"""The three systems of "A Compositional Sweep-Line State Space Exploration Method" (Kristensen and Mailund, FME 2002),
and what its tables say of them.

Their sources were not published with the paper; the examples used here have, for every configuration, the number of
states that it prints. How components make progress is as the paper says: by strongly connected components where they
never come back (monotone), by a spanning tree where they go round.

What cannot be the same: in the first jobs of the master/slave system some states of a column have no regress edge to
them and are visited once, so that a total of 200 % is never quite reached; the peak of the two-phase commit depends on
the order in which incomparable columns are swept, which the paper leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True, slots=True)
class Published:
    """One line of a table: states, time of full exploration, and of the sweep its visits and its peak in percent of
    the states, and its time."""

    states: int
    full_seconds: int
    total: float
    peak: float
    sweep_seconds: int


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A system, one table of the paper."""

    table: int
    title: str
    example: str
    monotone: frozenset[str]
    """Components whose progress is that of their strongly connected components; the others have spanning trees."""
    size: str
    """The constant that differs between the lines."""
    fixed: Mapping[str, int]
    rows: Mapping[int, Published | None]

    def text(self, size: int) -> str:
        """The model of one size."""
        text = (EXAMPLES / f"process-{self.example}" / f"{self.example}.psl").read_text()
        for name, value in {**self.fixed, self.size: size}.items():
            text, count = re.subn(rf"(?m)^const {name} = \d+;", f"const {name} = {value};", text)
            if count != 1:
                raise ValueError(f"{self.example} has no constant {name}")
        return text


def _fixed(**values: int) -> Mapping[str, int]:
    return MappingProxyType(values)


STUDIES = (
    Study(
        1,
        "Master/slave, 12 slaves",
        "master-slave",
        frozenset({"Master"}),
        "JOBS",
        _fixed(SLAVES=12),
        MappingProxyType(
            {
                20: Published(126_976, 14, 200, 6.45, 24),
                24: Published(159_744, 18, 200, 5.13, 30),
                28: Published(192_512, 23, 200, 4.26, 36),
                34: Published(241_664, 29, 200, 3.39, 46),
                40: Published(290_816, 36, 200, 2.82, 55),
            }
        ),
    ),
    Study(
        2,
        "Two-phase commit",
        "two-phase-commit",
        frozenset({"Initiator", "Voter"}),
        "VOTERS",
        _fixed(),
        MappingProxyType(
            {
                6: Published(18_478, 1, 100, 21.16, 2),
                7: Published(87_475, 8, 100, 22.33, 10),
                8: Published(420_988, 68, 100, 23.19, 80),
                9: Published(2_051_029, 946, 100, 23.81, 1246),
            }
        ),
    ),
    Study(
        3,
        "Stop-and-wait",
        "stop-and-wait",
        frozenset(),
        "NUMBERS",
        _fixed(),
        MappingProxyType(
            {
                20: Published(3_640, 1, 103.84, 61.73, 1),
                30: Published(5_460, 1, 103.84, 61.48, 1),
                40: Published(7_280, 2, 103.84, 61.36, 2),
                50: Published(9_100, 4, 103.84, 61.29, 4),
            }
        ),
    ),
)

TINY = tuple(
    Study(
        study.table,
        study.title,
        study.example,
        study.monotone,
        study.size,
        _fixed(SLAVES=3) if study.fixed else study.fixed,
        MappingProxyType(dict.fromkeys(sizes)),
    )
    for study, sizes in zip(STUDIES, [(3, 4), (2, 3), (3, 4)], strict=True)
)
"""The same systems, small; the paper has no figures for them."""
