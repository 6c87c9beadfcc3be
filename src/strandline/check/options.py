"""How a search is to be run: one frozen object, checked early, passed down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from strandline.errors import UsageError

ORDERS = ("bfs", "dfs", "sweep")

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


class OptionValues(TypedDict, total=False):
    """The keywords of `strandline.check` and `strandline.explore`; see `Options`."""

    order: str | None
    measure: str | Sequence[str]
    max_states: int | None
    max_seconds: float | None
    memory: int | str | None
    count_distinct: bool
    work_dir: str | Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Order of the search and its limits. Build it with `Options.create`, which checks that all fits
    together."""

    order: str = "bfs"
    measure: tuple[str, ...] = ()
    max_states: int | None = None
    max_seconds: float | None = None
    memory: int | None = None
    """Bytes that the whole process may take."""
    count_distinct: bool = False
    work_dir: Path | None = None

    @classmethod
    def create(
        cls,
        *,
        order: str | None = None,
        measure: str | Sequence[str] = (),
        max_states: int | None = None,
        max_seconds: float | None = None,
        memory: int | str | None = None,
        count_distinct: bool = False,
        work_dir: str | Path | None = None,
    ) -> Options:
        """Options from loose values; raises `UsageError` where they do not fit. A measure asks for a
        sweep; a sweep without one goes by the measures that the model declares."""
        measures = (measure,) if isinstance(measure, str) else tuple(measure)
        if order is None:
            order = "sweep" if measures else "bfs"
        if order not in ORDERS:
            raise UsageError(f"unknown order '{order}' (known: {', '.join(ORDERS)})")
        if order != "sweep" and measures:
            raise UsageError(f"--measure is for sweeps; it has no meaning with --order {order}")
        for name, limit in (("--max-states", max_states), ("--max-seconds", max_seconds)):
            if limit is not None and not limit > 0:
                raise UsageError(f"{name} must be more than 0, not {limit}")
        return cls(
            order=order,
            measure=measures,
            max_states=max_states,
            max_seconds=max_seconds,
            memory=parse_size(memory) if isinstance(memory, str) else memory,
            count_distinct=count_distinct,
            work_dir=None if work_dir is None else Path(work_dir),
        )


def parse_size(text: str) -> int:
    """Bytes from text such as `512M`, `2G`, `1.5GiB` or `100000`; the units are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * (1 << _UNITS[match[2].upper()])) if match else 0
    if size <= 0:
        raise UsageError(f"'{text}' is not a size of memory; write for example 512M or 2G")
    return size
