"""The stages of a run: how a search gives way to another one.

A search whose memory is full begins again as one that takes less (`TREES`, `DISK`). A sweep that does not keep what was
predicted of its measure is carried on by one with another measure (`PLANNED`); one for cycles begins again by it
(`AFRESH`). A run that is resumed goes through its stages again, without searching.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from strandline.check.engine_loading import Nowhere
from strandline.check.engine_searches import SpillingMaker
from strandline.check.memory import return_memory
from strandline.check.spilling import RESERVE, WORTH_TREES, load_spilling
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

    @abstractmethod
    def prepare(self, bench: Workbench) -> bool:
        """Have the Kernel of the stage, and who makes its searches; whether the run is another one by that."""

    @abstractmethod
    def enter(self, bench: Workbench) -> None:
        """Make its search; all is prepared."""


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


class _OnDisk(Stage):
    """What does not fit is on disk."""

    name, change = "on disk", "states on disk"

    def prepare(self, bench: Workbench) -> bool:
        return True

    def enter(self, bench: Workbench) -> None:
        folder, maker = bench.folder / self.folder, _maker(bench)
        folder.mkdir(exist_ok=True)
        trial = (bench.kernel, lambda links: None, None, 1)
        load_spilling(lambda place: maker.spilling(*trial, place, lambda count: None), folder / "trial")
        return_memory()
        bench.open_files(folder)
        # A run that is resumed may have no limit any more.
        unlimited = bench.plan.options.memory_limit is None
        bench.memory_limit = None if unlimited else bench.engine_bytes(RESERVE)
        files = (folder / "runs", bench.disk, bench.release, bench.writer)
        bench.search = maker.spilling(bench.kernel, bench.log.append, bench.listener, bench.memory_limit, *files)


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


TREES, DISK, PLANNED, AFRESH = _AsTrees(), _OnDisk(), _Planned(), _Afresh()
STAGES = {stage.name: stage for stage in (TREES, DISK, PLANNED, AFRESH)}


def next_stage(bench: Workbench) -> Stage | None:
    """How a search whose memory is full can go on with less."""
    options, makers = bench.plan.options, bench.plan.searches
    if options.memory_limit is None or not options.spill or not isinstance(makers, SpillingMaker):
        return None
    # Who listens would have to be told everything again.
    if DISK in bench.stages or bench.plan.listens is not None:
        return None
    if not makers.can_spill(bench.kernel, bench.listener):
        return None
    worth = (bench.memory_limit or 0) >= WORTH_TREES
    return TREES if worth and makers.as_trees(bench.listener) is not None else DISK


def _maker(bench: Workbench) -> SpillingMaker:
    makers = bench.plan.searches
    if not isinstance(makers, SpillingMaker):
        raise InternalError("this search cannot go on with less memory")
    return makers
