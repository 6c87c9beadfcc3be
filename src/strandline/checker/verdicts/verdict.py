"""The result of a check: answers per property and overall, completeness, traces, statistics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from strandline.checker.diagnosis.coverage import Coverage
from strandline.checker.diagnosis.regress_edges import Regress
from strandline.checker.measures.prediction import Prediction
from strandline.checker.options.search import Options
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.ctl import CtlSearch
from strandline.checker.verdicts.ltl import LtlSearch
from strandline.engine.device.search import DeviceFigures
from strandline.engine.parts.profile import LayerFigures
from strandline.model.system import System
from strandline.rich_display import Reported, Shown, interrupted_lines
from strandline.traces.trace import Trace


class Answer(Enum):
    """The three verdicts."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class PropertyVerdict:
    """The answer for one property.

    `reason` says why it is unknown, or explains a violation; `trace` leads to the violation, or to the witness of a
    reachability claim that holds.
    """

    kind: Kind
    name: str
    answer: Answer
    reason: str | None = None
    trace: Trace | None = None
    search: LtlSearch | None = None
    """How an LTL property was decided."""
    ctl: CtlSearch | None = None
    """How a formula of CTL was decided."""
    shortest: bool = True
    """Whether the trace is a shortest one, if the order of the search finds such; a symbolic search may not."""


def without(answer: Answer, why: str) -> str:
    """Return the reason for an answer without evidence."""
    return f"no {'witness' if answer is Answer.HOLDS else 'counterexample'}: {why}"


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
    with regress edges, or a search whose cache had to evict states, a deleted state and a new one look alike. Of an
    incomplete search they count what was found so far.
    """

    states: int | None = None
    transitions: int | None = None
    deadlocks: int | None = None
    about: int | None = None
    """An estimate of `states` to some percent, for a sweep that cannot know it."""
    visited: int = 0
    """Expansions, repeated ones included."""
    peak_states: int = 0
    """Most states that were stored at the same time."""
    peak_bytes: int = 0
    """Most memory that the engine's arrays took."""
    rss_bytes: int = 0
    """Most memory that the process took."""
    sweeps: int = 0
    persistent: int = 0
    regress_edges: int = 0
    layers: int = 0
    replaced: int = 0
    """States that were evicted from the cache."""
    changed: tuple[str, ...] = ()
    """What was changed during the search, and why, in sentences: the store, the measure."""
    spilled_bytes: int = 0
    """Of a search that went on with states on disk: the most that these took."""
    levels: tuple[int, ...] = ()
    """Breadth-first: states at each distance from the initial ones."""
    profile: tuple[LayerFigures, ...] = ()
    """Counts layer by layer for a sweep, by distance for breadth-first search. Bounded: neighbours are joined if there
    are many."""
    regress: Regress | None = None
    """Sweep: which steps regress; None where none does."""
    walks: WalkFigures | None = None
    """Of random walks, which count no states."""
    exchanged: tuple[str, ...] = ()
    """Groups of symmetric processes, and scalarsets."""
    held_by: tuple[str, ...] = ()
    """Of each of these, the variables that hold such a process or name; nothing where none does."""
    told_apart: tuple[str, ...] = ()
    """Groups and sets that are not symmetric, with the reason, in sentences."""
    passed_over: tuple[str, ...] = ()
    """Locations that steps lead through, because the next step was merged with them."""
    threads: int = 1
    """How many have expanded states."""
    device: DeviceFigures | None = None
    """Of a search on a device; `peak_bytes` are then bytes of its memory."""
    cone: tuple[int, int] | None = None
    """Of a search in sets by the cone of influence: how many places of a state were looked at, of how many. States are
    then those of the cone."""
    nodes: int = 0
    """Of a search in sets: most nodes of decision diagrams at the same time."""
    allowed_bytes: int | None = None
    """The default limit of memory of a symbolic search without a given one."""
    coverage: Coverage | None = None
    """Coverage of the model; None where it is not known, as for models made of callables."""
    seconds: float = 0.0
    """The search itself."""
    compile_seconds: float = 0.0
    """The model to machine code."""
    engine_seconds: float = 0.0
    """Loading the engine's own machine code, or making it on its first use."""

    @property
    def revisited(self) -> int | None:
        """Repeated expansions; None if the number of distinct states is not known."""
        return None if self.states is None else max(0, self.visited - self.states)


@dataclass(frozen=True, slots=True, repr=False)
class Exploration(Reported):
    """A search through the reachable states."""

    system: System
    options: Options
    complete: bool
    reason: str | None
    """Why the search is not complete."""
    statistics: Statistics
    fault: PropertyVerdict | None = None
    """The run-time fault of the model that ended the search."""
    interrupted: bool = False
    prediction: Prediction | None = None
    """The predicted cost of a measure that the program has found itself."""

    @property
    def answer(self) -> Answer:
        """HOLDS if everything was explored without a run-time fault."""
        if self.fault is not None:
            return Answer.VIOLATED
        return Answer.HOLDS if self.complete else Answer.UNKNOWN

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations of the search, and interpretations of the model that may surprise, in sentences for people."""
        return self.system.notes

    @property
    def trace(self) -> Trace | None:
        return None if self.fault is None else self.fault.trace

    def __repr__(self) -> str:
        visited = f"{self.statistics.visited:,} states visited"
        return f"<Exploration {self.system.name}: {self.answer.value}, {visited}>"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Reported):
    """The answers to all properties of a check. True in a condition exactly when everything holds."""

    exploration: Exploration
    properties: tuple[PropertyVerdict, ...]
    """The properties in the order they were asked for; a run-time fault of the model, always a violation, comes last.
    """

    @property
    def answer(self) -> Answer:
        """VIOLATED where any property is, else UNKNOWN where any is, else HOLDS."""
        answers = {one.answer for one in self.properties}
        for answer in (Answer.VIOLATED, Answer.UNKNOWN):
            if answer in answers:
                return answer
        return Answer.HOLDS if self.properties or self.complete else Answer.UNKNOWN

    @property
    def complete(self) -> bool:
        """Whether all reachable states were explored by every search; a violation does not need that."""
        searches = [search for one in self.properties for search in (one.search, one.ctl) if search is not None]
        return self.exploration.complete and all(search.complete for search in searches)

    @property
    def reason(self) -> str | None:
        """Why the answer is UNKNOWN or the search not complete; None if neither is so."""
        if self.answer is Answer.UNKNOWN:
            return next((one.reason for one in self.properties if one.answer is Answer.UNKNOWN), None) or (
                self.exploration.reason
            )
        return self.exploration.reason

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations of the search, in sentences for people."""
        return self.exploration.notes

    @property
    def statistics(self) -> Statistics:
        return self.exploration.statistics

    @property
    def system(self) -> System:
        return self.exploration.system

    @property
    def trace(self) -> Trace | None:
        """The trace of the first violated property; if none is violated, the first witness."""
        traced = [one for one in self.properties if one.trace is not None]
        violated = [one for one in traced if one.answer is Answer.VIOLATED]
        return next((one.trace for one in violated + traced), None)

    def __bool__(self) -> bool:
        return self.answer is Answer.HOLDS

    def __repr__(self) -> str:
        answers = "; ".join(f"{one.name}: {one.answer.value}" for one in self.properties)
        return f"<Verdict {self.system.name}: {self.answer.value} ({answers})>"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search; `result` holds what was known by then."""

    def __init__(self, result: Exploration | Verdict) -> None:
        super().__init__("interrupted")
        self.result = result

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: the result instead of a traceback."""
        return interrupted_lines(self.result)
