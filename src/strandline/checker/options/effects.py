"""The table of the decision methods on which each option takes effect, and the refusal of options without effect.

An option without effect on any property of a check is refused before the search. If it has an effect on some of the
properties, it is used for these, and a notice names the others. Some options apply everywhere and are not in the table:
limits (`max_seconds`, `memory`, `disk`, `spill`), folders (`work_dir`), options that turn off a feature which would not
be used anyway (`sanity=False`, `declared_fairness=False`), and `auto_por`, which reports its own decision. An option
that cannot be combined with a search, because that is unsound or not implemented, is refused by the strategies
(`Strategy.can`) with the reason; the table is consulted after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from strandline.checker.options.ctl_methods import ABSTRACTION, COMPONENTS, EXPLICIT, STATE_METHODS, SWEPT, SYMBOLIC
from strandline.checker.options.cycle_methods import METHODS, PREFIX, SCC
from strandline.checker.options.search import AUTO, CACHE, GPU, STORES, SWEEP, WHOLE, Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.errors import Option, UsageError

STATES, LTL, CTL, GRAPH = "states", "LTL", "CTL", "graph"
ON_GPU = "GPU"


@dataclass(frozen=True, slots=True, order=True)
class Way:
    """A method of deciding a property: the kind (`STATES`, `LTL`, `CTL` or `GRAPH`) and the name of the strategy."""

    kind: str
    strategy: str


@dataclass(frozen=True, slots=True)
class Decided:
    """A property, or several that are decided together, and the method that decides them."""

    way: Way
    title: str
    """The name of the property, or properties, in messages."""

    @property
    def words(self) -> str:
        """Return a clause for messages: `TITLE is decided by method STRATEGY`."""
        how = "made breadth-first" if self.way.kind == GRAPH else f"decided by method {self.way.strategy}"
        return f"{self.title} is {how}"


THE_GRAPH = Way(GRAPH, EXPLICIT)
"""The method of generating a model's reachable graph, which is written to a file or returned: breadth-first."""
_STATES, _ON_GPU, _SETS = Way(STATES, EXPLICIT), Way(STATES, ON_GPU), Way(STATES, SYMBOLIC)
_PREFIX, _SCC = Way(LTL, PREFIX), Way(LTL, SCC)
_CYCLES = frozenset(Way(LTL, name) for name in METHODS)
_MEASURED = frozenset(Way(LTL, one.name) for one in METHODS.values() if one.measured)
_LABELLED = frozenset(Way(CTL, name) for name in (EXPLICIT, SWEPT))
_SWEPT = frozenset(Way(CTL, name) for name in (SWEPT, COMPONENTS))
_IN_SETS = frozenset(Way(CTL, name) for name in (SYMBOLIC, ABSTRACTION))
_REFINED = frozenset({Way(CTL, ABSTRACTION)})
_PATHS = frozenset({_STATES, _PREFIX})
_LISTED = frozenset({_STATES, _ON_GPU, _PREFIX, THE_GRAPH}) | _CYCLES | _LABELLED | _SWEPT
"""Methods that search state by state."""
WAYS = tuple(sorted(_LISTED | _IN_SETS | {Way(STATES, name) for name in STATE_METHODS}))


@dataclass(frozen=True, slots=True)
class Fact:
    """The methods on which one option takes effect, and the wording of its refusal elsewhere."""

    name: str
    given: Callable[[Options, TemporalOptions], Option | None]
    """A function that returns the option as it was given; None if it was not given or is the default."""
    effective: frozenset[Way]
    purpose: str
    """The methods in words: the end of the message `--threads 2 is for ...`."""
    only_if: Callable[[Way, Options], bool] = lambda way, options: True
    """A further condition, on the options, for the effect on a method in `effective`."""

    def takes_effect(self, way: Way, options: Options) -> bool:
        """Return True if the option changes how a property is decided by this method."""
        return way in self.effective and self.only_if(way, options)


def _search(name: str, usual: object) -> Callable[[Options, TemporalOptions], Option | None]:
    return lambda options, _: _unusual(name, getattr(options, name), usual)


def _temporal(name: str, usual: object) -> Callable[[Options, TemporalOptions], Option | None]:
    return lambda _, temporal: _unusual(name, getattr(temporal, name), usual)


def _unusual(name: str, value: object, usual: object) -> Option | None:
    return None if value == usual else Option(name, None if isinstance(value, tuple) else value)


def _order(name: str) -> Callable[[Options, TemporalOptions], Option | None]:
    return lambda options, _: Option("order", name) if options.order == name else None


def _breadth_first(options: Options, _: TemporalOptions) -> Option | None:
    return Option("order", "bfs") if options.asked_order == "bfs" else None


def _by_measure(options: Options, _: TemporalOptions) -> Option | None:
    if options.order != SWEEP:
        return None
    return Option("measure") if options.measure else Option("order", SWEEP)


def _store(*names: str) -> Callable[[Options, TemporalOptions], Option | None]:
    return lambda options, _: Option("store", options.store) if options.store in names else None


def _threads(options: Options, _: TemporalOptions) -> Option | None:
    return None if options.threads in (AUTO, 1) else Option("threads", options.threads)


def _gpu(options: Options, _: TemporalOptions) -> Option | None:
    return Option("device", GPU) if options.device == GPU else None


_PATHS_IN_WORDS = "searches for single states, and for paths that show that a safety property is violated"
_BREADTH_FIRST = "searches for single states, for paths that show a violation, and for CTL"
_TEMPORAL_IN_WORDS = "LTL, automata and CTL"
FACTS: tuple[Fact, ...] = (
    Fact("order=bfs", _breadth_first, _LISTED - _CYCLES - {Way(CTL, SWEPT), Way(CTL, COMPONENTS)}, _BREADTH_FIRST),
    Fact("order=dfs", _order("dfs"), _PATHS, _PATHS_IN_WORDS),
    Fact("order=cache", _order(CACHE), _PATHS, _PATHS_IN_WORDS),
    Fact(
        "order=sweep",
        _by_measure,
        frozenset({_STATES, _ON_GPU, _PREFIX, THE_GRAPH}) | _MEASURED | _SWEPT,
        "searches that go by a progress measure",
    ),
    Fact("componentwise", _search("componentwise", False), _PATHS | _SWEPT, "sweeps by several measures"),
    Fact("threads", _threads, _PATHS, _PATHS_IN_WORDS),
    Fact("store", _store(*(name for name in STORES if name not in WHOLE)), _PATHS, _PATHS_IN_WORDS),
    Fact("store=exact", _store(*WHOLE[1:]), _LISTED, "methods that store states one by one"),
    Fact("count_distinct", _search("count_distinct", False), _PATHS, _PATHS_IN_WORDS),
    Fact("max_states", _search("max_states", None), _LISTED, "methods that find states one by one"),
    Fact("por", _search("por", False), _PATHS | _CYCLES, "searches for single states and for runs"),
    Fact("symmetry", _search("symmetry", False), frozenset({_STATES}), "searches for single states"),
    Fact("merge", _search("merge", False), frozenset({_STATES}), "searches for single states"),
    Fact("device", _gpu, frozenset({_ON_GPU}), "searches for single states"),
    Fact(
        "checkpoint",
        _search("checkpoint", None),
        _LISTED - {_ON_GPU, THE_GRAPH},
        "searches on the processor, state by state",
    ),
    Fact("cone", _search("cone", False), frozenset({_SETS}), "method symbolic, invariants and what is to be reached"),
    Fact("diagrams", _search("diagrams", Options().diagrams), _IN_SETS | {_SETS}, "methods symbolic and abstraction"),
    Fact("fair", _temporal("fair", False), _CYCLES | _LABELLED | _IN_SETS, _TEMPORAL_IN_WORDS),
    Fact("fairness", _temporal("fairness", ()), _CYCLES | _LABELLED | _IN_SETS, _TEMPORAL_IN_WORDS),
    Fact(
        "finite_runs",
        _temporal("finite_runs", None),
        _CYCLES | {_PREFIX} | _LABELLED | _SWEPT | _IN_SETS,
        _TEMPORAL_IN_WORDS,
    ),
    Fact(
        "shortest",
        _temporal("shortest", False),
        _CYCLES | {_PREFIX},
        "cycles, and for paths that are searched breadth-first without a reduction",
        lambda way, options: way != _PREFIX or options.finds_shortest,
    ),
    Fact("all_cycles", _temporal("all_cycles", False), frozenset({_SCC}), "LTL and automata, by method scc"),
    Fact("reachable_first", _temporal("reachable_first", True), _IN_SETS, "CTL by methods symbolic and abstraction"),
    Fact("refinements", _temporal("refinements", TemporalOptions().refinements), _REFINED, "CTL by method abstraction"),
    Fact("splitting", _temporal("splitting", TemporalOptions().splitting), _REFINED, "CTL by method abstraction"),
    Fact("explain", _temporal("explain", False), _REFINED, "CTL by method abstraction"),
)


def given_facts(options: Options, temporal: TemporalOptions) -> Iterator[tuple[Fact, Option]]:
    """Yield a pair of the fact and the option as given, for each option that differs from its default."""
    for fact in FACTS:
        option = fact.given(options, temporal)
        if option is not None:
            yield fact, option


def refuse_without_effect(
    decided: Sequence[Decided], options: Options, temporal: TemporalOptions, *, reentrant: bool = True
) -> Iterable[str]:
    """Raise `UsageError` for an option that takes effect on none of the properties.

    Returns a notice for each option that takes effect on some of the properties only. `reentrant` is True if several
    threads can compute successors of the model.
    """
    notices: list[str] = []
    for fact, option in given_facts(options, temporal):
        if fact.name == "threads" and not reentrant:
            raise UsageError(
                "{} is not for callables, which compute successors one state at a time: leave it out", options=[option]
            )
        left = [one for one in decided if not fact.takes_effect(one.way, options)]
        if not left:
            continue
        how = left[0].words
        if len(left) == len(decided):
            raise UsageError(f"{{}} is for {fact.purpose}: {how}; leave it out", options=[option])
        notices.append(f"{option.as_flag()} has no effect on some properties: {how}")
    return notices
