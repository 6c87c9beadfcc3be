"""The options of a search: one immutable object, validated early and passed down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from strandline.checker.options.ctl_methods import STATE_METHODS
from strandline.checker.options.fields import (
    MOST,
    option,
    parse_count,
    parse_duration,
    parse_seconds,
    parse_size,
    texts,
)
from strandline.checker.options.threads import check_threads, most_threads, parse_threads
from strandline.engine.store.kinds import DEFAULT_TABLE_BYTES, KINDS, StoreKind, help_text, names_of, store_kind
from strandline.errors import Option, UsageError
from strandline.symbolic.diagrams import LIBRARIES

SWEEP, CACHE = "sweep", "cache"
ORDER_WORDS = {"bfs": "breadth-first", "dfs": "depth-first", SWEEP: "by the measure", CACHE: "with a cache"}
"""The search orders by name, each with its description in messages."""
ORDERS = tuple(ORDER_WORDS)
LAYERED = ("bfs", SWEEP)
"""Orders that go from layer to layer: by the distance from the initial states, or by the measure."""
CPU, GPU, AUTO = "cpu", "gpu", "auto"
DEVICES = (CPU, GPU, AUTO)
STORES = names_of(lambda kind: True)
WHOLE = names_of(lambda kind: kind.whole)
"""Stores that hold whole states, at least until memory is full."""
_EVERY = 60.0
_LEAST_TABLE = 64
CACHE_RULES = ("random", "oldest", "newest", "deepest", "collision")
"""The eviction rules of a state cache: which state makes room for another; see the engine's `CacheRule`."""

_REDUCTIONS = ("por", "auto_por", "symmetry", "merge")
_SEARCH = "search"
NO_TRACES = Option("traces", False, flag="--trace")
"""The option that turns off traces, for messages."""
_LIMITS = "limits; a limit that is reached makes the verdict unknown"


@dataclass(frozen=True, kw_only=True)
class Options:
    """The order and the limits of a search: keyword arguments of `strandline.explore` and `strandline.check`.

    Raises `UsageError` for combinations that make no sense. A measure implies a sweep, a cache size implies a search
    with a cache; the default is breadth-first. A sweep without a given measure uses those that the model declares, else
    one that is found automatically.
    """

    order: str | None = field(
        default=None,
        metadata=option(
            "bfs: breadth-first, shortest traces (default); dfs: depth-first; sweep: by a measure; cache: depth-first "
            "with a cache of bounded size",
            group=_SEARCH,
            choices=ORDERS,
        ),
    )
    """The order of the search; not None after initialisation."""
    measure: str | Sequence[str] = field(
        default=(),
        metadata=option(
            "sweep by this progress measure; mono(EXPR) promises that it never decreases; repeat it to refine; "
            "auto: find one",
            group=_SEARCH,
            metavar="EXPR",
        ),
    )
    componentwise: bool = field(
        default=False,
        metadata=option(
            "with several measures: a step that decreases any of them regresses, not only one that decreases "
            "their combination",
            group=_SEARCH,
        ),
    )
    """Treat an edge along which any of several measures decreases as a regress edge (see docs/papers.md, 002)."""
    cache_states: int | None = field(
        default=None,
        metadata=option(
            "states that a search with a cache stores besides those on its path",
            group=_SEARCH,
            metavar="N",
            parse=parse_count,
        ),
    )
    cache_rule: str | None = field(
        default=None,
        metadata=option(
            "which cached state is evicted for another (default random)", group=_SEARCH, choices=CACHE_RULES
        ),
    )
    """The eviction rule of the cache; not None for a search with a cache."""
    por: bool = field(
        default=False,
        metadata=option(
            "partial-order reduction: expand a subset of the independent actions; counts refer to the reduced space",
            group=_SEARCH,
        ),
    )
    """Partial-order reduction by stubborn sets; sound for properties of states, deadlocks, and LTL without X."""
    auto_por: bool = field(
        default=False,
        metadata=option(
            "partial-order reduction where it is sound and, on the first states, removes enough transitions to pay off",
            group=_SEARCH,
        ),
    )
    """Decide about partial-order reduction for each search, and report the decision."""
    check_independence: bool = field(
        default=False,
        metadata=option(
            "with partial-order reduction: test the independence relation on sampled states before the search",
            group=_SEARCH,
        ),
    )
    symmetry: bool = field(
        default=False,
        metadata=option(
            "symmetry reduction: store one representative of states that differ only by permuting identical "
            "processes; counts refer to the reduced space",
            group=_SEARCH,
        ),
    )
    """Symmetry reduction; sound for properties of states that do not distinguish interchangeable processes."""
    merge: bool = field(
        default=False,
        metadata=option(
            "statement merging: join a local step of a process with the step before it; counts refer to the "
            "reduced space",
            group=_SEARCH,
        ),
    )
    """Statement merging; sound for properties of states. Traces show the steps unmerged."""
    store: str = field(
        default=STORES[0],
        metadata=option(help_text(), group=_SEARCH, choices=STORES),
    )
    store_size: int | str | None = field(
        default=None,
        metadata=option(
            "size of the bitstate table (default 64M, or an eighth of --memory)",
            group=_SEARCH,
            metavar="SIZE",
            parse=parse_size,
        ),
    )
    threads: int | str = field(
        default=AUTO,
        metadata=option(
            "worker threads of a breadth-first search or a sweep for states; auto: one for a sweep and for the first "
            "half a million states of a breadth-first search, then all processors (default); verdicts, counts and "
            "lengths of shortest traces do not change",
            group=_SEARCH,
            metavar="N",
            parse=parse_threads,
        ),
    )
    device: str = field(
        default=CPU,
        metadata=option(
            "cpu: search on the processor (default); gpu: on an NVIDIA GPU, breadth-first or by a measure; "
            "auto: on a GPU if one can do it",
            group=_SEARCH,
            choices=DEVICES,
        ),
    )
    count_distinct: bool = field(
        default=False,
        metadata=option("count distinct states exactly, using disk, although the search deletes states", group=_SEARCH),
    )
    cone: bool = field(
        default=False,
        metadata=option(
            "method symbolic: cone of influence: drop variables that cannot affect the invariants or the "
            "states to be reached",
            group=_SEARCH,
        ),
    )
    diagrams: str = field(
        default=LIBRARIES[0],
        metadata=option("method symbolic: the BDD library", group=_SEARCH, choices=LIBRARIES),
    )
    traces: bool = field(
        default=True,
        metadata=option("decide only: no trace, lasso or witness", group=_SEARCH, flag="--no-trace"),
    )
    """Produce evidence for the verdicts: traces, lassos and witnesses."""
    work_dir: str | Path | None = field(
        default=None,
        metadata=option(
            "the folder for the files of a run (default: the system's for temporary files)",
            group=_SEARCH,
            metavar="DIR",
            parse=Path,
        ),
    )
    checkpoint: str | Path | None = field(
        default=None,
        metadata=option(
            "write checkpoints to this folder; `strandline resume DIR` continues a run that was killed or interrupted",
            group=_SEARCH,
            metavar="DIR",
            parse=Path,
        ),
    )
    every: float | str = field(
        default=_EVERY,
        metadata=option(
            "time between two checkpoints (default 60s); longer if writing one takes long",
            group=_SEARCH,
            metavar="TIME",
            parse=parse_duration,
        ),
    )
    resume: bool = field(default=False, metadata=option("continue the run in the folder of checkpoints", group=_SEARCH))
    max_states: int | None = field(
        default=None, metadata=option("states found", group=_LIMITS, metavar="N", parse=parse_count)
    )
    max_seconds: float | None = field(
        default=None,
        metadata=option("seconds of loading, compiling and searching", group=_LIMITS, metavar="S", parse=parse_seconds),
    )
    memory: int | str | None = field(
        default=None,
        metadata=option("memory of the process, such as 512M or 2G", group=_LIMITS, metavar="SIZE", parse=parse_size),
    )
    spill: bool = field(
        default=True,
        metadata=option(
            "when the memory limit is reached: continue with states on disk (default), or stop", group=_LIMITS
        ),
    )
    """Continue on disk when memory is full, which breadth-first searches and sweeps can do."""
    disk: int | str | None = field(
        default=None,
        metadata=option(
            "disk space of a run (default: most of what is free)",
            group=_LIMITS,
            metavar="SIZE",
            parse=parse_size,
        ),
    )

    def __post_init__(self) -> None:
        self._set("_asked_order", self.order)
        self._set("measure", texts(self.measure, "measures are texts, as in measure='x + y'"))
        if self.order is None:
            self._set("order", SWEEP if self.measure else "bfs" if self.cache_states is None else CACHE)
        if self.order not in ORDERS:
            raise UsageError(f"unknown order '{self.order}' (known: {', '.join(ORDERS)})")
        if self.device not in DEVICES:
            raise UsageError(f"unknown device '{self.device}' (known: {', '.join(DEVICES)})")
        if self.diagrams not in LIBRARIES:
            raise UsageError(f"unknown diagrams '{self.diagrams}' (known: {', '.join(LIBRARIES)})")
        for name in ("memory", "store_size", "disk"):
            if isinstance(given := getattr(self, name), str):
                self._set(name, parse_size(given))
        self._check_checkpoint()
        self._check_store()
        self._check_sweep()
        self._check_cache()
        check_threads(self)
        reductions = [Option(name, True) for name in _REDUCTIONS if getattr(self, name)]
        if len(reductions) > 1:
            raise UsageError("{} and {} are not used together", options=reductions[:2])
        if self.check_independence and not (self.por or self.auto_por):
            raise UsageError("{} is for {}", options=[Option("check_independence", True), Option("por", True)])
        for name, limit in (("max_states", self.max_states), ("max_seconds", self.max_seconds)):
            if limit is not None and not limit > 0:
                raise UsageError(f"{{}} must be more than 0, not {limit}", options=[Option(name)])
            if limit is not None and limit > MOST[name]:
                raise UsageError("{} is too large; leave it out for no limit", options=[Option(name)])

    def without_limits(self) -> Options:
        """Return these options without limits, measures, folders and checkpoints, and with the smallest tables."""
        return replace(
            self,
            store_size=_LEAST_TABLE if self.store_kind.sized else None,
            measure=(),
            max_states=None,
            max_seconds=None,
            memory=None,
            disk=None,
            work_dir=None,
            checkpoint=None,
            every=_EVERY,
            resume=False,
        )

    @property
    def asked_order(self) -> str | None:
        """The order that the user gave; None if the user gave none."""
        asked: str | None = vars(self).get("_asked_order")
        return asked

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the measures that were given, as texts."""
        return tuple(self.measure)

    @property
    def finds_shortest(self) -> bool:
        """Return True if the first path found to a state is a shortest one.

        Reductions remove paths, and a lossy store may lose a state on one.
        """
        return self.order == "bfs" and not self.por and not self.merge and not self.store_kind.lossy

    @property
    def cache_size(self) -> int:
        """Return the number of states that a search with a cache stores besides those on its path; else 0."""
        return self.cache_states or 0

    @property
    def folder(self) -> Path | None:
        """Return the folder for the files of a run; None for the default."""
        return None if self.work_dir is None else Path(self.work_dir)

    @property
    def memory_limit(self) -> int | None:
        """Return the bytes that the whole process may take; None without a limit."""
        return None if self.memory is None else int(self.memory)

    @property
    def disk_limit(self) -> int | None:
        """Return the bytes that the run may take on disk; None without a limit."""
        return None if self.disk is None else int(self.disk)

    @property
    def store_kind(self) -> StoreKind:
        """The facts about the chosen kind of state store."""
        return store_kind(self.store)

    @property
    def table_bytes(self) -> int | None:
        """The size of the table of a bitstate search, in bytes; None for the default.

        With a memory limit, the default is an eighth of it at most. It depends on nothing else, so that a resumed run
        has the same.
        """
        if self.store_size is not None:
            return int(self.store_size)
        return None if self.memory is None else min(DEFAULT_TABLE_BYTES, int(self.memory) // 8)

    @property
    def checkpoint_folder(self) -> Path | None:
        """Return the folder of the checkpoints; None if none are written."""
        return None if self.checkpoint is None else Path(self.checkpoint)

    @property
    def checkpoint_seconds(self) -> float:
        """Return the least number of seconds between two checkpoints."""
        return float(self.every)

    def _check_checkpoint(self) -> None:
        if isinstance(self.every, str):
            self._set("every", parse_duration(self.every))
        if not self.checkpoint_seconds >= 0:
            raise UsageError(f"{{}} cannot be less than 0, as {self.every} is", options=[Option("every")])
        if self.checkpoint is None:
            for name, given in (("every", self.every != _EVERY), ("resume", self.resume)):
                if given:
                    raise UsageError("{} is for {}", options=[Option(name), Option("checkpoint", "DIR")])
        elif self.work_dir is not None:
            raise UsageError(
                "{} is where the run keeps its files; leave {} out",
                options=[Option("checkpoint"), Option("work_dir")],
            )

    def _check_store(self) -> None:
        if self.store not in STORES:
            raise UsageError(f"unknown store '{self.store}' (known: {', '.join(STORES)})")
        if self.store_size is not None and not self.store_kind.sized:
            sized = next(kind.name for kind in KINDS if kind.sized)
            raise UsageError("{} is for {}", options=[Option("store_size"), Option("store", sized)])
        if self.store_size is not None and int(self.store_size) < _LEAST_TABLE:
            raise UsageError(f"{{}} must be at least {_LEAST_TABLE} bytes", options=[Option("store_size")])
        orders = self.store_kind.orders
        if orders is not None and self.order not in orders:
            raise UsageError(
                "{} is for breadth-first search; it has no meaning with {}",
                options=[Option("store", self.store), Option("order", self.order)],
            )

    def _check_sweep(self) -> None:
        for asked, given in (
            (Option("measure"), bool(self.measure)),
            (Option("componentwise", self.componentwise), self.componentwise),
        ):
            if given and self.order != SWEEP:
                raise UsageError(
                    "{} is for sweeps; it has no meaning with {}", options=[asked, Option("order", self.order)]
                )

    def _check_cache(self) -> None:
        if self.order != CACHE:
            for name, value in (("cache_states", self.cache_states), ("cache_rule", self.cache_rule)):
                if value is not None:
                    raise UsageError(
                        "{} is for searches with a cache; it has no meaning with {}",
                        options=[Option(name), Option("order", self.order)],
                    )
            return
        if self.cache_states is None:
            raise UsageError("a search with a cache needs its size: give {}", options=[Option("cache_states", "N")])
        if self.cache_states < 0:
            raise UsageError(f"{{}} cannot be less than 0, as {self.cache_states} is", options=[Option("cache_states")])
        self._set("cache_rule", self.cache_rule or CACHE_RULES[0])
        if self.cache_rule not in CACHE_RULES:
            raise UsageError(f"unknown rule '{self.cache_rule}' for a cache (known: {', '.join(CACHE_RULES)})")

    @property
    def most_threads(self) -> int:
        """The number of threads that a search may use."""
        return most_threads(self)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True)
class ExploreOptions(Options):
    """The keyword arguments of `strandline.explore`."""

    method: str = field(
        default=STATE_METHODS[0],
        metadata=option(
            "explicit: state by state (default); symbolic: with BDDs",
            group=_SEARCH,
            choices=STATE_METHODS,
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in STATE_METHODS:
            raise UsageError(f"unknown method '{self.method}' (known: {', '.join(STATE_METHODS)})")
