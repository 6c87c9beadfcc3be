"""How a search is to be run: one frozen object, checked early, passed down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from strandline.errors import UsageError

ORDERS = ("bfs", "dfs", "sweep", "cache")
CACHE_RULES = ("random", "oldest", "newest", "deepest", "collision")
"""Which cached state makes room for another; see `strandline.engine.caching_search.CacheRule`."""

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


class OptionValues(TypedDict, total=False):
    """The keywords of `strandline.check` and `strandline.explore`; see `Options`."""

    order: str | None
    measure: str | Sequence[str]
    componentwise: bool
    cache_states: int | None
    cache_rule: str | None
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
    componentwise: bool = False
    """A sweep by several measures counts every edge along which one of them decreases as regress (002 §3)."""
    cache_states: int = 0
    """Of a search with a cache: how many states off its path it remembers."""
    cache_rule: str = CACHE_RULES[0]
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
        componentwise: bool = False,
        cache_states: int | None = None,
        cache_rule: str | None = None,
        max_states: int | None = None,
        max_seconds: float | None = None,
        memory: int | str | None = None,
        count_distinct: bool = False,
        work_dir: str | Path | None = None,
    ) -> Options:
        """Options from loose values; raises `UsageError` where they do not fit. A measure asks for a
        sweep, the size of a cache for a search with one; a sweep without a measure goes by those that the model
        declares."""
        measures = (measure,) if isinstance(measure, str) else tuple(measure)
        if order is None:
            order = "sweep" if measures else "bfs" if cache_states is None else "cache"
        if order not in ORDERS:
            raise UsageError(f"unknown order '{order}' (known: {', '.join(ORDERS)})")
        if order != "sweep" and measures:
            raise UsageError(f"--measure is for sweeps; it has no meaning with --order {order}")
        if order != "sweep" and componentwise:
            raise UsageError(f"--componentwise is for sweeps; it has no meaning with --order {order}")
        _check_cache(order, cache_states, cache_rule)
        for name, limit in (("--max-states", max_states), ("--max-seconds", max_seconds)):
            if limit is not None and not limit > 0:
                raise UsageError(f"{name} must be more than 0, not {limit}")
        return cls(
            order=order,
            measure=measures,
            componentwise=componentwise,
            cache_states=cache_states or 0,
            cache_rule=cache_rule or CACHE_RULES[0],
            max_states=max_states,
            max_seconds=max_seconds,
            memory=parse_size(memory) if isinstance(memory, str) else memory,
            count_distinct=count_distinct,
            work_dir=None if work_dir is None else Path(work_dir),
        )


def _check_cache(order: str, states: int | None, rule: str | None) -> None:
    """Whether the options of a cache fit; raises `UsageError`."""
    if order == "cache":
        if states is None:
            raise UsageError("a search with a cache needs its size: give --cache-states N")
        if states < 0:
            raise UsageError(f"--cache-states cannot be less than 0, as {states} is")
        if rule is not None and rule not in CACHE_RULES:
            raise UsageError(f"unknown rule '{rule}' for a cache (known: {', '.join(CACHE_RULES)})")
        return
    for name, value in (("--cache-states", states), ("--cache-rule", rule)):
        if value is not None:
            raise UsageError(f"{name} is for searches with a cache; it has no meaning with --order {order}")


def parse_size(text: str) -> int:
    """Bytes from text such as `512M`, `2G`, `1.5GiB` or `100000`; the units are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * (1 << _UNITS[match[2].upper()])) if match else 0
    if size <= 0:
        raise UsageError(f"'{text}' is not a size of memory; write for example 512M or 2G")
    return size
