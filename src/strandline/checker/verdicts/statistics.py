"""The table of statistics: each is declared once, as a field of `Statistics` with its metadata.

Everything else follows from the table: the driver fills a field with the counter of the same name from the search, and
the text report, the JSON object, the HTML page and the list of JSON keys in `docs/cli.md` go through `table`. A report
has words of its own only for rows that say more than a value (`strandline.report.statistics`).

This module imports nothing heavy, because the JSON object of an error has all keys, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING, Any

from strandline.rich_display import Shown

if TYPE_CHECKING:
    from strandline.checker.diagnosis.coverage import Coverage
    from strandline.checker.diagnosis.regress_edges import Regress
    from strandline.checker.options.search import Options
    from strandline.engine.device.search import DeviceFigures
    from strandline.engine.parts.profile import LayerFigures

_KEY = "strandline"
LTL, CTL = "search", "ctl"
"""The keys of the JSON objects about the search for one property."""
BOTH = (LTL, CTL)


class Unit(Enum):
    """How the value of a statistic is written in a row of text."""

    COUNT = auto()
    STATES = auto()
    BYTES = auto()
    SECONDS = auto()
    SHARE = auto()
    SENTENCES = auto()
    """Several sentences, each in a row of its own."""
    DATA = auto()
    """A structure, which reports describe and encode by code of their own."""


class Section(IntEnum):
    """The parts of the text about a search, in their order; within a part, rows have the order of the table."""

    SIZE = auto()
    CACHE = auto()
    SWEEP = auto()
    STORED = auto()
    REDUCTION = auto()
    DIAGRAMS = auto()
    MEMORY = auto()
    THREADS = auto()
    CHANGES = auto()
    DISK = auto()
    DEVICE = auto()
    TIME = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticFacts:
    """The facts about a statistic that reports need: meaning, unit, JSON keys, and the row in a text."""

    meaning: str
    """A description for the list of JSON keys in `docs/cli.md`."""
    unit: Unit = Unit.COUNT
    key: str | None = ""
    """The JSON key: "" for the statistic's name; None if it has no key of its own in the JSON."""
    inside: tuple[str, ...] = ()
    """The JSON objects about single properties (`LTL`, `CTL`) that contain the statistic as well."""
    label: str | None = None
    """The title of its row of text; None if it has no row of its own."""
    section: Section = Section.SIZE
    shown: Callable[[Statistics, Options | None], bool] | None = None
    """A predicate that decides whether there is a row; None if there is one when the value is not empty.

    Its second argument is None for the search for one property.
    """
    expected: bool = False
    """True if the value is the same on every machine, so that `expected.toml` may state it."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A row of the table: the name of a field or property of `Statistics`, and the facts about it."""

    name: str
    facts: StatisticFacts

    @property
    def key(self) -> str | None:
        """The JSON key; None if there is none."""
        return self.name if self.facts.key == "" else self.facts.key

    def value(self, now: Statistics) -> Any:
        """Return the statistic's value in `now`."""
        return getattr(now, self.name)

    def has_row(self, now: Statistics, options: Options | None) -> bool:
        """Return True if the text about a search has a row for it."""
        if self.facts.label is None:
            return False
        return bool(self.value(now)) if self.facts.shown is None else self.facts.shown(now, options)


def statistic(meaning: str, **facts: Any) -> Mapping[str, StatisticFacts]:
    """Return the metadata of a field that is a statistic; the keywords are those of `StatisticFacts`."""
    return {_KEY: StatisticFacts(meaning=meaning, **facts)}


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """Statistics of random walks.

    `walks`, `depth` and `seed` were asked for; `taken` walks were finished; `ended` of them ended in a deadlock.
    """

    walks: int
    depth: int
    seed: int
    taken: int = 0
    steps: int = 0
    longest: int = 0
    ended: int = 0


@dataclass(frozen=True, slots=True)
class Statistics(Shown):
    """Statistics of a search.

    `states`, `transitions` and `deadlocks` count distinct ones and are None where that cannot be known: after a sweep
    with regress edges, or a search whose cache had to evict states, a deleted state and a new one look alike. For an
    incomplete search they count those found so far.
    """

    states: int | None = field(
        default=None,
        metadata=statistic(
            "distinct reachable states; null where they cannot be known",
            inside=BOTH,
            label="states",
            shown=lambda now, options: True,
            expected=True,
        ),
    )
    transitions: int | None = field(
        default=None,
        metadata=statistic(
            "distinct transitions; null where they cannot be known",
            inside=BOTH,
            label="transitions",
            shown=lambda now, options: not now.nodes or now.transitions is not None,
            expected=True,
        ),
    )
    deadlocks: int | None = field(
        default=None,
        metadata=statistic(
            "distinct deadlocks; null where they cannot be known",
            label="deadlocks",
            shown=lambda now, options: now.cone is None,
            expected=True,
        ),
    )
    estimated_states: int | None = field(
        default=None, metadata=statistic("an estimate of `states` to some percent", key=None)
    )
    """None unless the search is a sweep that cannot count its distinct states."""
    cone: tuple[int, int] | None = field(
        default=None,
        metadata=statistic(
            "part of `bdds`", key=None, unit=Unit.DATA, label="cone", shown=lambda now, options: now.cone is not None
        ),
    )
    """For a symbolic search with the cone of influence: the numbers of slots of a state in the cone, and of all slots.

    `states` counts the states of the cone then.
    """
    visited: int = field(
        default=0,
        metadata=statistic(
            "expansions, repeated ones included",
            inside=BOTH,
            label="visited",
            shown=lambda now, options: now.states != now.visited,
            expected=True,
        ),
    )
    peak_states: int = field(
        default=0,
        metadata=statistic(
            "most states stored at the same time",
            unit=Unit.STATES,
            inside=BOTH,
            label="stored at most",
            section=Section.STORED,
            shown=lambda now, options: _is_sweep(now, options) or _has_cache(options),
            expected=True,
        ),
    )
    peak_bytes: int = field(
        default=0,
        metadata=statistic(
            "most bytes that the arrays of the engine took",
            unit=Unit.BYTES,
            inside=BOTH,
            label="memory",
            section=Section.MEMORY,
            shown=lambda now, options: True,
        ),
    )
    rss_bytes: int = field(
        default=0, metadata=statistic("most bytes that the process took", unit=Unit.BYTES, inside=(CTL,))
    )
    sweeps: int = field(
        default=0,
        metadata=statistic(
            "of a sweep, how often the line went over the states; else 0",
            inside=BOTH,
            label="sweeps",
            section=Section.SWEEP,
            shown=lambda now, options: _is_sweep(now, options),
            expected=True,
        ),
    )
    persistent: int = field(
        default=0, metadata=statistic("of a sweep, persistent states; else 0", inside=BOTH, expected=True)
    )
    regress_edges: int = field(
        default=0,
        metadata=statistic(
            "of a sweep, regress edges; else 0",
            inside=BOTH,
            label="regress edges",
            section=Section.SWEEP,
            shown=lambda now, options: _is_sweep(now, options),
            expected=True,
        ),
    )
    layers: int = field(
        default=0, metadata=statistic("of a sweep, layers that the line has left; else 0", inside=BOTH, expected=True)
    )
    replaced: int = field(
        default=0,
        metadata=statistic(
            "cached states that were evicted",
            unit=Unit.STATES,
            key="evicted",
            label="cache",
            section=Section.CACHE,
            shown=lambda now, options: _has_cache(options),
        ),
    )
    spilled_bytes: int = field(
        default=0,
        metadata=statistic(
            "of a search that went on with states on disk: the most bytes that these took",
            unit=Unit.BYTES,
            label="disk",
            section=Section.DISK,
        ),
    )
    levels: tuple[int, ...] = field(
        default=(),
        metadata=statistic(
            "of breadth-first search, states at each distance from the initial ones; null if more than 10,000",
            unit=Unit.DATA,
            label="levels",
        ),
    )
    profile: tuple[LayerFigures, ...] = field(
        default=(),
        metadata=statistic(
            "a list for every figure of the layers, at most 1,000 parts: `first` and `last` (column, layer), "
            "`layers`, `stored`, `visited`, `revisited` (when the line passed again), `persistent`; null for orders "
            "without layers",
            unit=Unit.DATA,
            inside=BOTH,
        ),
    )
    """Counts by layer for a sweep, by distance for breadth-first search; if there are many, some are combined."""
    regress: Regress | None = field(
        default=None,
        metadata=statistic(
            "of a sweep with regress edges: `sampled`, `actions` (each `action`, `share`, `example`), `variables` "
            "(name to share); else null",
            unit=Unit.DATA,
            inside=BOTH,
        ),
    )
    seconds: float = field(
        default=0.0,
        metadata=statistic(
            "time of the search itself",
            unit=Unit.SECONDS,
            inside=BOTH,
            label="time",
            section=Section.TIME,
            shown=lambda now, options: True,
        ),
    )
    compile_seconds: float = field(
        default=0.0, metadata=statistic("time from the model to machine code", unit=Unit.SECONDS, inside=BOTH)
    )
    engine_seconds: float = field(
        default=0.0,
        metadata=statistic(
            "time to load the machine code of the engine, or to make it on its first use", unit=Unit.SECONDS
        ),
    )
    coverage: Coverage | None = field(
        default=None,
        metadata=statistic(
            "coverage of the model: `complete`, the number of `actions`, those `never_taken` (each `action` and "
            "`reason`), the number of `locations`, those `never_reached`, the number of `bounds`, those that were "
            "`full`; null for models made of callables",
            unit=Unit.DATA,
            inside=(LTL,),
        ),
    )
    symmetric_groups: tuple[str, ...] = field(
        default=(),
        metadata=statistic(
            "groups of symmetric processes and scalarsets, each a list of names",
            unit=Unit.DATA,
            key="symmetry",
            label="reduction",
            section=Section.REDUCTION,
        ),
    )
    symmetry_variables: tuple[str, ...] = field(
        default=(),
        metadata=statistic(
            "for each of `symmetry`, the variables that hold such a process or value",
            unit=Unit.DATA,
        ),
    )
    not_symmetric: tuple[str, ...] = field(
        default=(),
        metadata=statistic(
            "groups and sets that are not symmetric, and why; a list of sentences",
            unit=Unit.SENTENCES,
            label="not symmetric",
            section=Section.REDUCTION,
        ),
    )
    merged_locations: tuple[str, ...] = field(
        default=(),
        metadata=statistic(
            "locations whose next step was merged with the step before it",
            unit=Unit.DATA,
            key="merged",
            label="reduction",
            section=Section.REDUCTION,
            shown=lambda now, options: options is not None and options.merge,
        ),
    )
    fallbacks: tuple[str, ...] = field(
        default=(),
        metadata=statistic(
            "fallbacks while the search ran, and why: to another store when memory was full, to another measure; a "
            "list of sentences",
            unit=Unit.SENTENCES,
            label="fallback",
            section=Section.CHANGES,
        ),
    )
    threads: int = field(
        default=1,
        metadata=statistic(
            "threads that have expanded states",
            label="threads",
            section=Section.THREADS,
            shown=lambda now, options: now.threads > 1,
        ),
    )
    busy: float | None = field(
        default=None,
        metadata=statistic(
            "share of the time of a search by several threads in which these did not wait for each other, from 0 to 1",
            unit=Unit.SHARE,
            label="busy",
            section=Section.THREADS,
        ),
    )
    device: DeviceFigures | None = field(
        default=None,
        metadata=statistic(
            "of a search on a GPU: its `name`, most `bytes` of its memory, how often its table was `rebuilt`, how many "
            "states were `moved` in its memory, how many sweeps were made again for traces (`retraced`), the `rate` in "
            "expansions a second; else null",
            unit=Unit.DATA,
            label="device",
            section=Section.DEVICE,
        ),
    )
    """If it is not None, `peak_bytes` counts bytes of the GPU's memory."""
    nodes: int = field(
        default=0,
        metadata=statistic(
            "of a symbolic search: most `nodes` of BDDs, and the `cone` of influence (null, or the places of a state "
            "in it, and all); else null",
            unit=Unit.DATA,
            key="bdds",
            label="BDDs",
            section=Section.DIAGRAMS,
        ),
    )
    allowed_bytes: int | None = field(
        default=None, metadata=statistic("the default limit of a symbolic search", key=None, unit=Unit.BYTES)
    )
    """None if the user gave a limit."""
    walks: WalkFigures | None = field(
        default=None, metadata=statistic("of random walks, only in their JSON", key=None, unit=Unit.DATA)
    )

    @property
    def revisited(self) -> int | None:
        """Number of repeated expansions; None if the number of distinct states is not known."""
        return None if self.states is None else max(0, self.visited - self.states)

    @property
    def depth(self) -> int | None:
        """The greatest distance from an initial state; None if the search was not breadth-first."""
        return len(self.levels) - 1 if self.levels else None


DERIVED = {
    "visited": Statistic("revisited", StatisticFacts(meaning="repeated expansions; null where `states` is")),
    "spilled_bytes": Statistic(
        "depth", StatisticFacts(meaning="of breadth-first search, the greatest distance from an initial state")
    ),
}
"""Statistics that are properties of `Statistics`, by the field after which each comes in the table."""


def table(kind: type[Statistics] = Statistics) -> Iterator[Statistic]:
    """Yield all statistics of the class `kind`, in the order of the JSON keys."""
    for one in fields(kind):
        yield Statistic(one.name, one.metadata[_KEY])
        if one.name in DERIVED:
            yield DERIVED[one.name]


def _is_sweep(now: Statistics, options: Options | None) -> bool:
    return bool(now.sweeps) and (options is None or options.order == "sweep")


def _has_cache(options: Options | None) -> bool:
    return options is not None and options.order == "cache"
