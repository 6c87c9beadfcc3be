"""The stages of a run: how a search gives way to another one.

A search whose memory is full begins again as one that takes less (`TREES`, `DISK`); one with trees is carried on by
that (`HANDED_ON`). A sweep that does not keep what was predicted of its measure is carried on by one with another
measure (`PLANNED`); one for cycles begins again by it (`AFRESH`); and one whose memory is full because its measure
forgets little begins again without a measure (`UNMEASURED`). A run that is resumed goes through its stages again,
without searching.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.check.engine_loading import Nowhere
from strandline.check.engine_searches import SpillingMaker, StateSearches, search_with_trees, spilling_search
from strandline.check.memory import return_memory
from strandline.check.replanning import Frontier
from strandline.check.spilling import RESERVE, RESERVED_PART, WORTH_TREES, load_spilling
from strandline.engine.disk.succession import PutDown, Standing
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.check.workbench import Workbench


class Stage(ABC):
    """`name` is what checkpoints call it, `change` what reports do."""

    name: str
    change: str

    @property
    def folder(self) -> str:
        """The name of the folder for its files, where it has its own."""
        return self.name.replace(" ", "-")

    def put_down(self, bench: Workbench) -> None:
        """The search is about to go: take from it what the stage needs, and close it."""
        bench.search.close()

    @abstractmethod
    def prepare(self, bench: Workbench) -> bool:
        """Have the Kernel of the stage, and who makes its searches; whether the run is another one by that."""

    @abstractmethod
    def enter(self, bench: Workbench) -> None:
        """Make its search; all is prepared."""

    def take_up(self, bench: Workbench) -> None:
        """Let it go on with what was put down."""
        return


class _AsTrees(Stage):
    """States are kept as trees, breadth-first."""

    name, change = "as trees", "states as trees"

    def prepare(self, bench: Workbench) -> bool:
        trees = _maker(bench).as_trees(bench.listener)
        if trees is not None:
            # States are to fold well: the Kernel is another one.
            bench.plan = replace(bench.plan, options=trees.options, searches=trees)
            bench.compile()
        return True

    def enter(self, bench: Workbench) -> None:
        folder = bench.folder / self.folder
        make = bench.plan.searches.make
        load_spilling(lambda place: make(bench.kernel, Nowhere(), None, None), folder / "trial")
        bench.begin_search(folder)


class _Unmeasured(_AsTrees):
    """The same in place of a sweep: a measure by which nearly all states are kept only has them visited again."""

    name, change = "as trees without a measure", "breadth-first instead, states as trees"

    def prepare(self, bench: Workbench) -> bool:
        plan = bench.plan
        if not isinstance(plan.searches, StateSearches):
            raise InternalError("only a sweep for states goes on without its measure")
        searches = plan.searches.breadth_first()
        bench.plan = replace(plan, measure=None, searches=searches, options=searches.options, counts_distinct=False)
        return super().prepare(bench)


class _OnDisk(Stage):
    """What does not fit is on disk."""

    name, change = "on disk", "states on disk"

    def prepare(self, bench: Workbench) -> bool:
        return True

    def enter(self, bench: Workbench) -> None:
        self._make(bench, bench.folder / self.folder)

    def _make(self, bench: Workbench, log_folder: Path) -> None:
        """Make the search, with its log in this folder."""
        folder, maker = bench.folder / self.folder, _maker(bench)
        folder.mkdir(exist_ok=True)
        trial = (bench.kernel, lambda links: None, None, 1)
        load_spilling(lambda place: maker.spilling(*trial, place, lambda count: None), folder / "trial")
        return_memory()
        bench.open_files(log_folder)
        # A run that is resumed may have no limit any more.
        bench.memory_limit = None
        if bench.plan.options.memory_limit is not None:
            left = bench.engine_bytes(RESERVE)
            bench.memory_limit = left - left // RESERVED_PART
        files = (folder / "runs", bench.disk, bench.release, bench.writer)
        bench.search = maker.spilling(bench.kernel, bench.log.append, bench.listener, bench.memory_limit, *files)


class _HandedOn(_OnDisk):
    """The same, from where a search with trees stands. What it writes it goes on writing."""

    name, change = "on disk from trees", "states on disk from there on"

    def put_down(self, bench: Workbench) -> None:
        search = search_with_trees(bench.search)
        if search is None:
            raise InternalError("only a search with trees is handed on")
        standing, blocks = search.standing, search.put_down()
        files = [Frontier(bench.folder / f"handed-on-{number}", bench.kernel.words, bench.disk) for number in range(4)]
        for file, states in zip(files, (blocks.found, blocks.level, blocks.following, blocks.unplaced), strict=True):
            file.write(states)
        bench.handed_on = HandedOn(standing, files)
        bench.search.close()

    def enter(self, bench: Workbench) -> None:
        trees = [bench.folder / stage.folder for stage in bench.stages if isinstance(stage, _AsTrees)]
        self._make(bench, trees[0] if trees else bench.folder)

    def take_up(self, bench: Workbench) -> None:
        search, handed_on = spilling_search(bench.search), bench.handed_on
        if search is None or handed_on is None:
            raise InternalError("there is nothing to take up")
        blocks = PutDown(*(file.blocks(search.taken_over_at_once) for file in handed_on.files))
        search.carry_on(handed_on.standing, blocks)
        for file in handed_on.files:
            file.remove()
        bench.handed_on = None


@dataclass(frozen=True, slots=True)
class HandedOn:
    """Where a search with trees stood, and its states, in files."""

    standing: Standing
    files: list[Frontier]


class _Planned(Stage):
    """A sweep is carried on by another measure. What it writes it goes on writing."""

    name, change = "by another measure", "another measure from there on"

    def prepare(self, bench: Workbench) -> bool:
        if bench.planner is None:
            raise InternalError("there is nothing to plan again")
        return bench.planner.recall()

    def enter(self, bench: Workbench) -> None:
        bench.begin_search(bench.folder)


class _Afresh(_Planned):
    """A sweep for cycles begins again by another measure."""

    name, change = "begun again by another measure", "begun again by another measure"

    def enter(self, bench: Workbench) -> None:
        bench.begin_search(bench.folder / self.folder)


TREES, UNMEASURED, DISK, HANDED_ON = _AsTrees(), _Unmeasured(), _OnDisk(), _HandedOn()
PLANNED, AFRESH = _Planned(), _Afresh()
STAGES = {stage.name: stage for stage in (TREES, UNMEASURED, DISK, HANDED_ON, PLANNED, AFRESH)}


def next_stage(bench: Workbench) -> Stage | None:
    """How a search whose memory is full can go on with less."""
    options, makers = bench.plan.options, bench.plan.searches
    if options.memory_limit is None or not options.spill or not isinstance(makers, SpillingMaker):
        return None
    # Who listens would have to be told everything again.
    if any(isinstance(stage, _OnDisk) for stage in bench.stages) or bench.plan.listens is not None:
        return None
    if not makers.can_spill(bench.kernel, bench.listener):
        return None
    if search_with_trees(bench.search) is not None:
        return HANDED_ON
    if (bench.memory_limit or 0) < WORTH_TREES:
        return DISK
    if bench.planner is not None and bench.planner.forgets_little and isinstance(makers, StateSearches):
        return UNMEASURED if makers.breadth_first().as_trees(bench.listener) is not None else DISK
    return TREES if makers.as_trees(bench.listener) is not None else DISK


def _maker(bench: Workbench) -> SpillingMaker:
    makers = bench.plan.searches
    if not isinstance(makers, SpillingMaker):
        raise InternalError("this search cannot go on with less memory")
    return makers
