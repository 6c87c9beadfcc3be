"""Fallbacks from one search to another: the transition table of a run.

`FALLBACKS` is tried from the top. A fallback applies to a trigger (memory is full, or an automatically found measure
disappoints) and to a search; entering it makes the next `SearchContext`. Some fallbacks continue the search from its
frontier (`strandline.engine.handoff`), others start over from the initial states. A resumed run repeats the fallbacks
of the earlier process without searching: it calls `prepare` for each of them and `open` for the last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import ClassVar

from strandline.checker.driver.context import (
    SearchContext,
    SearchFiles,
    SearchSetup,
    bytes_for_engine,
    open_files,
    open_in,
)
from strandline.checker.driver.handoff_files import SAMPLE, HandOffFiles
from strandline.checker.driver.replanning import better_prediction, progress_by
from strandline.checker.driver.searches import SpillingMaker, StateSearches, cycle_sweep
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.driver.warm_up import warm_up_fallback
from strandline.checker.limits.memory import return_memory
from strandline.checker.measures.prediction import Prediction, noted_prediction
from strandline.engine.search import Event, Search, Searching, Statistics
from strandline.errors import InternalError
from strandline.model.system import System

_DISK_RESERVE, _DISK_SHARE = 12 << 20, 32
"""Memory that a search on disk leaves free: so many bytes, and of the rest one part in so many.

Rows that are being merged are in memory twice for a moment.
"""
_WORTH_TREES = 24 << 20
"""Least bytes for the engine with which tree compression is tried before disk.

With less, the machine code for tree compression takes a good part of them.
"""


class Trigger(Enum):
    """The kinds of events that lead to a fallback."""

    MEMORY = "memory is full"
    DISAPPOINTMENT = "a measure that was found costs more than was predicted"


@dataclass(frozen=True, slots=True)
class Cause:
    """The reason for a fallback in words; when memory is full, `stored` is the number of states stored then."""

    trigger: Trigger
    words: str
    stored: int | None = None
    met: int | None = None
    """The estimated number of distinct states that a sweep has found; None if it is not estimated."""

    @property
    def with_counts(self) -> str:
        return self.words if self.stored is None else f"{self.words} by {self.stored:,} states"


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of entering a fallback: the next search, and an event.

    The event is PAUSED if the search can go on, MEMORY if the search was closed because memory does not suffice, else
    the limit that was reached.
    """

    context: SearchContext
    event: Event = Event.PAUSED


class Fallback(ABC):
    """A row of the transition table. `name` is stored in checkpoints, `change` is shown in reports."""

    name: str
    change: str
    triggers: ClassVar[frozenset[Trigger]]

    @property
    def folder(self) -> str:
        """Return the name of the folder for the next search's files, if that has a folder of its own."""
        return self.name.replace(" ", "-")

    @abstractmethod
    def applies(self, context: SearchContext, trigger: Trigger) -> bool:
        """Return True if the fallback is possible for this search and trigger."""

    @abstractmethod
    def notice(self, cause: Cause) -> str:
        """Return the notice that announces the fallback."""

    @abstractmethod
    def enter(self, context: SearchContext, cause: Cause) -> Entered:
        """Close the search and make the next one. Raises `ResourceError` if a limit is reached."""

    @abstractmethod
    def prepare(self, setup: SearchSetup) -> SearchSetup:
        """Return the setup of the next search, compiled, as the earlier process of a resumed run made it."""

    @abstractmethod
    def open(self, setup: SearchSetup) -> SearchContext:
        """Make the next search of a resumed run, from a prepared setup."""


# --- less memory ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LessMemory(Fallback):
    """A fallback to a search that needs less memory, when memory is full; `suits` is its condition on the search."""

    triggers: ClassVar[frozenset[Trigger]] = frozenset({Trigger.MEMORY})

    name: str
    change: str
    suits: Callable[[SearchContext], bool]
    specify: Callable[[SearchSpecification], SearchSpecification] | None = None
    """A function that makes the specification of the next search; None if it stays the same."""
    on_disk: bool = False
    hands_off: bool = False
    """True if the next search continues from the frontier of this one, and appends to the same files."""

    def applies(self, context: SearchContext, trigger: Trigger) -> bool:
        specification, fallbacks = context.specification, context.setup.fallbacks
        options, searches = specification.options, specification.searches
        if options.memory_limit is None or not options.spill or not isinstance(searches, SpillingMaker):
            return False
        # A search that begins again would notify its observer of every state again.
        if specification.observe is not None or any(_is_on_disk(one) for one in fallbacks):
            return False
        return searches.can_spill(context.kernel) and self.suits(context)

    def notice(self, cause: Cause) -> str:
        return f"{cause.words}: continuing with {self.change}"

    def enter(self, context: SearchContext, cause: Cause) -> Entered:
        resources, former = context.resources, context.search
        mask, handoff = former.stop_mask, None
        if self.hands_off:
            handoff = HandOffFiles(
                _continuable(former).hand_off(), resources.folder, context.kernel.words, resources.disk
            )
        former.close()
        context.files.close()
        setup = self._specify(context.setup)
        setup = replace(setup, changes=(*setup.changes, f"{self.change}: {cause.with_counts}"))
        entered = self.open(setup)
        entered.replace_search_with(mask)
        if handoff is not None:
            search = _continuable(entered.search)
            search.take_over(handoff.read(search.handoff_rows))
            handoff.remove()
        return Entered(entered)

    def prepare(self, setup: SearchSetup) -> SearchSetup:
        setup = self._specify(setup)
        return replace(setup, changes=(*setup.changes, f"{self.change}, before the run was resumed"))

    def _specify(self, setup: SearchSetup) -> SearchSetup:
        setup = replace(setup, fallbacks=(*setup.fallbacks, self))
        return setup if self.specify is None else setup.compile_anew(self.specify(setup.specification))

    def open(self, setup: SearchSetup) -> SearchContext:
        folder = setup.resources.folder / self.folder
        if self.on_disk:
            return _open_on_disk(setup, folder, _log_folder(setup) if self.hands_off else folder)
        warm_up_fallback(setup.specification.searches, setup.kernel)
        return open_in(setup, folder)


def _open_on_disk(setup: SearchSetup, folder: Path, log_folder: Path) -> SearchContext:
    """Make a search with states on disk, with its parent log in another folder."""
    resources, searches = setup.resources, setup.specification.searches
    if not isinstance(searches, SpillingMaker):
        raise InternalError("this search has no variant on disk")
    folder.mkdir(exist_ok=True)
    warm_up_fallback(searches, setup.kernel, on_disk=True)
    return_memory()
    files = open_files(setup, log_folder)
    engine_bytes = None
    # The limit may have been removed when the run was resumed.
    if setup.specification.options.memory_limit is not None:
        left = bytes_for_engine(setup, _DISK_RESERVE)
        engine_bytes = left - left // _DISK_SHARE
    release = None if resources.saving is None else resources.saving.release
    search = searches.spilling(
        setup.kernel,
        files.log.append,
        files.observer,
        engine_bytes,
        folder / "runs",
        resources.disk,
        release,
        resources.writer,
    )
    return SearchContext(setup, files, search, engine_bytes)


def _log_folder(setup: SearchSetup) -> Path:
    """Return the folder of the parent log of the search that is continued on disk."""
    folder = setup.resources.folder
    compressed = [folder / one.folder for one in setup.fallbacks if one in (TREES, TREES_UNMEASURED)]
    return compressed[0] if compressed else folder


def _is_on_disk(fallback: Fallback) -> bool:
    return isinstance(fallback, LessMemory) and fallback.on_disk


def _compresses(context: SearchContext) -> bool:
    """Return True if tree compression would store the states of this search in less, and has enough memory for that.

    States of one word are stored as if by tree compression in the first place.
    """
    searches, enough = context.specification.searches, (context.engine_bytes or 0) >= _WORTH_TREES
    return (
        enough and context.kernel.words > 1 and isinstance(searches, SpillingMaker) and searches.as_trees() is not None
    )


def _compresses_without_measure(context: SearchContext) -> bool:
    searches, enough = context.specification.searches, (context.engine_bytes or 0) >= _WORTH_TREES
    return enough and isinstance(searches, StateSearches) and searches.breadth_first().as_trees() is not None


def _forgets_little(context: SearchContext) -> bool:
    outlook, searches = context.setup.outlook, context.specification.searches
    return outlook is not None and outlook.forgets_little and isinstance(searches, StateSearches)


def _with_compression(specification: SearchSpecification) -> SearchSpecification:
    """Return the specification of the same search with tree compression, or unchanged if that is impossible.

    The model must be compiled again for it: states are laid out to compress well.
    """
    searches = specification.searches
    trees = searches.as_trees() if isinstance(searches, SpillingMaker) else None
    return specification if trees is None else replace(specification, options=trees.options, searches=trees)


def _without_measure(specification: SearchSpecification) -> SearchSpecification:
    if not isinstance(specification.searches, StateSearches):
        raise InternalError("only a sweep for states can continue without its measure")
    searches = specification.searches.breadth_first()
    return _with_compression(
        replace(specification, measure=None, searches=searches, options=searches.options, counts_distinct=False)
    )


def _continuable(search: Searching) -> Search:
    if not isinstance(search, Search):
        raise InternalError("this search continues no other search, and no other one continues it")
    return search


# --- another measure --------------------------------------------------------------------------------------------------


class _Replanned(Fallback):
    """A fallback to another measure, found because the present one disappoints or memory is full."""

    triggers = frozenset(Trigger)

    def applies(self, context: SearchContext, trigger: Trigger) -> bool:
        outlook, specification = context.setup.outlook, context.specification
        if outlook is None or outlook.is_exhausted or specification.observe is not None:
            return False
        if trigger is Trigger.MEMORY and (specification.options.memory_limit is None or outlook.prediction.exact):
            return False
        return self._suits(context)

    @abstractmethod
    def _suits(self, context: SearchContext) -> bool:
        """Return True if this fallback applies to the kind of search in `context`."""

    def notice(self, cause: Cause) -> str:
        why = cause.with_counts if cause.met is None else f"{cause.with_counts}, where about {cause.met:,} were found"
        return f"{why}: looking for another measure, from the frontier of the sweep ..."

    def prepare(self, setup: SearchSetup) -> SearchSetup:
        setup = replace(setup, fallbacks=(*setup.fallbacks, self))
        prediction = self._note_prediction(setup, _missing_note)
        changed = f"{self.change}, before the run was resumed"
        setup = _by_prediction(setup, prediction)
        return setup if prediction is None else replace(setup, changes=(*setup.changes, changed))

    def _note_prediction(self, setup: SearchSetup, find: Callable[[], Prediction | None]) -> Prediction | None:
        """Return the result of `find`, noted for resumed runs; in a resumed run, the result noted before."""
        specification = setup.specification
        number = sum(isinstance(one, _Replanned) for one in setup.fallbacks)
        key = f"plan {number} of {setup.resources.folder.parent.name}"
        return noted_prediction(specification.checkpoints, key, _measured_part(specification), find)


class AnotherMeasure(_Replanned):
    """A fallback to a sweep by another measure, which continues from the frontier and appends to the same files."""

    name, change = "by another measure", "another measure, from its frontier"

    def _suits(self, context: SearchContext) -> bool:
        kernel, search = context.kernel, context.search
        plain = kernel.canonical is None and kernel.lift_trace is None and not kernel.componentwise
        return plain and kernel.measured and isinstance(search, Search) and search.can_hand_off

    def enter(self, context: SearchContext, cause: Cause) -> Entered:
        former, resources, outlook = _continuable(context.search), context.resources, context.setup.outlook
        handoff = HandOffFiles(former.hand_off(), resources.folder, context.kernel.words, resources.disk)
        now, mask = former.statistics(), former.stop_mask
        former.close()
        try:
            setup = replace(context.setup, fallbacks=(*context.setup.fallbacks, self))
            setup, prediction = self._find(setup, handoff, cause.trigger)
            if prediction is None and cause.trigger is Trigger.MEMORY and outlook is not None:
                given_up = replace(context.setup, specification=setup.specification, outlook=outlook.give_up(now))
                return Entered(replace(context, setup=given_up), Event.MEMORY)
            if prediction is not None:
                setup = replace(setup, changes=(*setup.changes, f"{self.change}: {cause.with_counts}"))
            entered = self._open_with(_by_prediction(setup, prediction, now), context.files)
            entered.replace_search_with(mask)
            return Entered(entered, self._take_over(entered, handoff))
        finally:
            handoff.remove()

    def _find(
        self, setup: SearchSetup, handoff: HandOffFiles, trigger: Trigger
    ) -> tuple[SearchSetup, Prediction | None]:
        """Look for a better measure; return the setup and the prediction, which is None if there is none.

        The time for this does not count as search time: the setup's start time leaves it out.
        """
        later = setup

        def find() -> Prediction | None:
            nonlocal later
            later, prediction = better_prediction(
                setup, handoff.sample_frontier(), less_memory=trigger is Trigger.MEMORY
            )
            return prediction

        prediction = self._note_prediction(setup, find)
        return later, prediction

    def _open_with(self, setup: SearchSetup, files: SearchFiles) -> SearchContext:
        engine_bytes = bytes_for_engine(setup)
        search = setup.specification.searches.make(setup.kernel, files.log, files.observer, engine_bytes)
        return SearchContext(setup, files, search, engine_bytes)

    def _take_over(self, context: SearchContext, handoff: HandOffFiles) -> Event:
        search, measure = _continuable(context.search), context.specification.measure
        if measure is None:
            raise InternalError("a sweep is continued by a sweep")
        progress = progress_by(context.specification.system, measure)
        event = search.take_over(handoff.read(search.handoff_rows), progress)
        if event is Event.MEMORY:
            search.close()
        return event or Event.PAUSED

    def open(self, setup: SearchSetup) -> SearchContext:
        return open_in(setup, setup.resources.folder)


class AnotherMeasureAnew(_Replanned):
    """A fallback to a sweep for cycles by another measure, which starts over from the initial states.

    It cannot continue from the frontier, because a cycle may lie behind the sweep-line.
    """

    name, change = "begun again by another measure", "begun again by another measure"

    def _suits(self, context: SearchContext) -> bool:
        search, outlook = cycle_sweep(context.search), context.setup.outlook
        if search is None or outlook is None:
            return False
        return search.sweeping and not outlook.prediction.exact and self not in context.setup.fallbacks

    def enter(self, context: SearchContext, cause: Cause) -> Entered:
        former, outlook, full = cycle_sweep(context.search), context.setup.outlook, cause.trigger is Trigger.MEMORY
        if former is None or outlook is None:
            raise InternalError("this search is no sweep for cycles")
        starts, now, mask = former.waiting_states(SAMPLE), former.statistics(), former.stop_mask
        if full:
            # There is no memory for both searches at once.
            former.close()
        setup, prediction = better_prediction(context.setup, starts, less_memory=full, begins_anew=True)
        if prediction is None:
            going_on = replace(setup, outlook=outlook.continue_with(None, now))
            return Entered(replace(context, setup=going_on), Event.MEMORY if full else Event.PAUSED)
        if not full:
            former.close()
        context.files.close()
        setup = replace(
            setup, fallbacks=(*setup.fallbacks, self), changes=(*setup.changes, f"{self.change}: {cause.with_counts}")
        )
        setup = _by_prediction(setup, self._note_prediction(setup, lambda: prediction))
        entered = self.open(setup)
        entered.replace_search_with(mask)
        return Entered(entered)

    def open(self, setup: SearchSetup) -> SearchContext:
        return open_in(setup, setup.resources.folder / self.folder)


def _by_prediction(setup: SearchSetup, prediction: Prediction | None, now: Statistics | None = None) -> SearchSetup:
    """Return the setup for the measure of `prediction`, or for the present measure if that is None."""
    if setup.outlook is None:
        raise InternalError("only a measure that was found is replaced")
    outlook = setup.outlook.continue_with(prediction, now)
    if prediction is None:
        return replace(setup, outlook=outlook)
    specification = setup.specification
    measure, searches = prediction.measure, specification.searches
    if specification.refine is not None:
        measure, searches = specification.refine(measure)
    specification = replace(specification, measure=measure, searches=searches, prediction=prediction)
    return replace(setup, outlook=outlook).compile_anew(specification)


def _measured_part(specification: SearchSpecification) -> System:
    return specification.system if specification.measured is None else specification.measured


def _missing_note() -> Prediction | None:
    raise InternalError("the checkpoint lacks the measure of a fallback")


# --- the table --------------------------------------------------------------------------------------------------------

BY_ANOTHER_MEASURE, ANEW = AnotherMeasure(), AnotherMeasureAnew()
DISK_FROM_FRONTIER = LessMemory(
    "on disk from the frontier",
    "states on disk, from its frontier",
    lambda context: not context.kernel.measured and _continuable(context.search).can_hand_off,
    on_disk=True,
    hands_off=True,
)
TREES_UNMEASURED = LessMemory(
    "as trees without a measure",
    "breadth-first search with tree compression",
    lambda context: _forgets_little(context) and _compresses_without_measure(context),
    specify=_without_measure,
)
TREES = LessMemory(
    "as trees",
    "tree compression",
    lambda context: not _forgets_little(context) and _compresses(context),
    specify=_with_compression,
)
DISK = LessMemory("on disk", "states on disk", lambda context: True, on_disk=True)

FALLBACKS: tuple[Fallback, ...] = (BY_ANOTHER_MEASURE, ANEW, DISK_FROM_FRONTIER, TREES_UNMEASURED, TREES, DISK)
BY_NAME = {one.name: one for one in FALLBACKS}


def resume_through(setup: SearchSetup, names: tuple[str, ...]) -> SearchContext:
    """Repeat the fallbacks with these names, and return the context of the last one's search."""
    for name in names:
        setup = BY_NAME[name].prepare(setup)
    return BY_NAME[names[-1]].open(setup)
