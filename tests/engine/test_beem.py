"""The shared BEEM models up to 300,000 states: exact counts by every order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import beem
from strandline.checker.measures.notation import parse_measures
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.orders.depth_first import DepthFirstSearch
from strandline.engine.orders.sweep import SweepSearch
from strandline.engine.parts.search_output import StatesOnly
from strandline.engine.search import Event, Search
from strandline.engine.store.kinds import TREE
from strandline.languages import load

LARGEST = 300_000
FURTHER_MEASURES = {
    "bakery": ("mono(0)", "0 - number[0]"),
    "bridge": ("mono(total_time)",),
    "peterson": ("0 - pos[0]",),
    "brp": ("mono(0)", "0 - prod_n"),
}
"""Beside the family's own measure: columns, and measures that fall."""


def references(source: Any) -> list[Any]:
    """The models in the set whose count is small enough; none where the set is not there."""
    if not (beem.DEFAULT_FOLDER / "reference.csv").exists():
        return []
    found = [reference for reference in source(beem.DEFAULT_FOLDER) if reference.states <= LARGEST]
    if source is beem.products:
        found = [reference for reference in found if reference.family != "plc"]
    return [pytest.param(reference, id=reference.name) for reference in found if reference.file.exists()]


INSTANCES, PRODUCTS = references(beem.instances), references(beem.products)
needs_beem = pytest.mark.skipif(not INSTANCES, reason=f"no benchmark set in {beem.DEFAULT_FOLDER}")


class Counter:
    """A search with an observer that keeps every expanded state."""

    def __init__(self, kernel: Kernel, kind: Callable[..., Search]) -> None:
        self.kernel = kernel
        self.rows: list[Any] = []
        self.records = 0
        observer = StatesOnly(lambda rows: self.rows.append(rows.copy())) if kernel.measured else None
        self.search = kind(kernel, log=self._log, observer=observer)
        while (event := self.search.advance(1.0)) is Event.PAUSED:
            pass
        assert event is Event.DONE
        self.figures = self.search.statistics()
        self.search.close()

    def _log(self, links: Any) -> None:
        self.records += len(links)

    def exact(self) -> tuple[int, int, int]:
        """States, transitions, deadlocks of a search that forgets nothing."""
        assert self.records == self.figures.visited
        return self.records, self.figures.transitions, self.figures.deadlocks

    def distinct(self) -> tuple[int, int, int]:
        """Return the counts of distinct states, from the states observed."""
        rows = np.concatenate(self.rows)
        rows = rows[np.lexsort(rows.T[::-1])]
        assert len(rows) == self.figures.visited
        fresh = np.ones(len(rows), dtype=bool)
        fresh[1:] = (rows[1:, :-2] != rows[:-1, :-2]).any(axis=1)
        labels, degrees = rows[fresh, -2], rows[fresh, -1]
        return int(fresh.sum()), int(degrees.sum()), int((labels >> np.uint64(63)).sum())


def check(reference: Any, counts: tuple[int, int, int]) -> None:
    states, transitions, deadlocks = counts
    assert (states, transitions) == (reference.states, reference.transitions)
    if reference.deadlocks is not None:
        assert deadlocks == reference.deadlocks


def measures(reference: Any) -> Iterator[str]:
    """A few per family; plc, whose instances take seconds to compile again, is left to `bench/beem.py`."""
    if reference.family != "plc":
        if reference.family in beem.MEASURES:
            yield beem.MEASURES[reference.family]
        yield from FURTHER_MEASURES.get(reference.family, ())


@needs_beem
@pytest.mark.parametrize("reference", INSTANCES)
def test_instance(reference: Any) -> None:
    system = load(reference.file)
    kernel = compile_system(system)
    for order in (BreadthFirstSearch, DepthFirstSearch):
        check(reference, Counter(kernel, order).exact())
    for measure in measures(reference):
        swept = compile_system(system, KernelSpecification(measure=parse_measures([measure], system)))
        check(reference, Counter(swept, SweepSearch).distinct())


@needs_beem
@pytest.mark.parametrize("reference", INSTANCES[::12])
def test_instance_as_trees(reference: Any) -> None:
    kernel = make_kernel(load(reference.file), KernelSpecification([], None, balanced_words=True))
    check(reference, Counter(kernel, partial(BreadthFirstSearch, store_kind=TREE)).exact())


@needs_beem
@pytest.mark.parametrize("reference", PRODUCTS)
def test_product_with_a_property_process(reference: Any) -> None:
    kernel = compile_system(load(reference.file))
    states, transitions, _ = Counter(kernel, BreadthFirstSearch).exact()
    assert (states, transitions) == (reference.states, reference.transitions)
