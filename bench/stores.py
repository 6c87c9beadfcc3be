"""Exact stores side by side: states as they are, trees of parts, collapse compression, a minimised automaton.

    python bench/stores.py [MODEL ...] [--turns 3]

All four have the interface of the engine's stores, and two things are measured, each the least of some turns, in
seconds of the processor. First, breadth-first search with each of them: what the engine takes of memory at most,
divided by the number of states, and how long the search takes (without a parent log); for collapse compression also
with the second table that it has while the numbers in its keys get more bits. Second, each store alone: it is
given the successors that a search meets, in its order and batches, first those that are new, then, the store being
full, those that are known; each with the opening of the states whose successors they are. Counts, every answer and
those to up to 100,000 states that are not there must be right: exit code 1 where one is not.
Without a model it takes the eight of `history/memory.md`, "Exact compression", from the shared BEEM set.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import _environment  # noqa: F401
from _common import ROOT, MeasuringFailed, print_table
from _feeding import STRANGERS, Fed, Packed, Trace, exhausted, feed_store, nothing, part_of
from _stores import AutomatonPart, CollapsePart, SearchWith, register
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.search import Event, Statistics
from strandline.engine.store.kinds import AUTO, TREE
from strandline.languages import load

BEEM = ROOT.parent / "shared" / "beem" / "models"
INSTANCES = ("anderson.6", "bakery.6", "bopdp.3", "brp.5", "brp2.6", "extinction.4", "fischer.6", "iprotocol.4")
STORES = ("plain", "tree", "collapse", "automaton")


@dataclass(frozen=True, slots=True)
class Searched:
    """A search with a store: seconds of the processor, what it counted, the figures of the store, and how
    many bytes were there only while the store made all keys anew."""

    seconds: float
    statistics: Statistics
    details: str
    passing: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """States, transitions and deadlocks."""
        return self.statistics.recorded, self.statistics.transitions, self.statistics.deadlocks


def search_with(store: str, model: Packed, most: int | None = None) -> Searched:
    """Search a model once, or so many states of it."""
    part = part_of(store, model)
    if isinstance(part, CollapsePart | AutomatonPart):
        search: BreadthFirstSearch = SearchWith(model.kernel, part, log=nothing, max_states=most)
    else:
        part.close()
        kind = TREE if store == "tree" else AUTO
        search = BreadthFirstSearch(model.kernel, store_kind=kind, log=nothing, max_states=most)
    began = time.process_time()
    event = exhausted(search)
    seconds = time.process_time() - began
    statistics = search.statistics()
    details = part.details() if isinstance(part, CollapsePart | AutomatonPart) else ""
    passing = 8 * part.passing if isinstance(part, CollapsePart) else 0
    search.close()
    if event is not Event.DONE and most is None:
        raise MeasuringFailed(f"{model.system.name}, {store}: {event.value}")
    return Searched(seconds, statistics, details, passing)


def measure(path: Path, turns: int) -> tuple[dict[str, Searched], dict[str, Fed]]:
    """All stores on one model."""
    system = load(path)
    tight, balanced = Packed.of(system, balanced=False), Packed.of(system, balanced=True)
    models = {"plain": tight, "tree": balanced, "collapse": balanced, "automaton": tight}
    searched: dict[str, list[Searched]] = {store: [] for store in STORES}
    for store, model in models.items():
        # It may have to make machine code.
        search_with(store, model, most=100_000)
    for _ in range(turns):
        for store, done in searched.items():
            done.append(search_with(store, models[store]))
    best = {store: min(done, key=lambda one: one.seconds) for store, done in searched.items()}
    counts = {one.counts for done in searched.values() for one in done}
    if len(counts) > 1:
        raise MeasuringFailed(f"{path.stem}: stores differ in states, transitions and deadlocks: {sorted(counts)}")
    fed, order = {}, b""
    for model in (tight, balanced):
        trace = Trace(model)
        if order not in (b"", trace.order):
            raise MeasuringFailed(f"{path.stem}: two searches differ in their order")
        order, strangers = trace.order, trace.strangers(STRANGERS)
        for store in (store for store in STORES if models[store] is model):
            runs = [feed_store(store, model, trace, strangers) for _ in range(turns)]
            fed[store] = Fed(min(one.new for one in runs), min(one.known for one in runs))
        del trace
        gc.collect()
    return best, fed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    register()
    sizes, times, details, figures = [], [], [], []
    for path in arguments.models or [BEEM / f"{name}.dve" for name in INSTANCES]:
        searched, fed = measure(path, arguments.turns)
        states = searched["plain"].statistics.recorded
        each = [(searched[store].statistics.peak_bytes - searched[store].passing) / states for store in STORES]
        each.append(searched["collapse"].statistics.peak_bytes / states)
        seconds = [searched[store].seconds for store in STORES]
        figures.append((*each, *(one / seconds[0] for one in seconds[1:])))
        sizes.append([path.stem, f"{states:,}", *(f"{one:.1f}" for one in each), *(f"{one:.2f}" for one in seconds)])
        nanoseconds = [f"{one:.0f}" for store in STORES for one in (fed[store].new, fed[store].known)]
        times.append([path.stem, f"{searched['plain'].statistics.transitions / states:.1f}", *nanoseconds])
        details += [f"{path.stem}, {store}: {searched[store].details}" for store in STORES if searched[store].details]
        print(*sizes[-1], *nanoseconds, file=sys.stderr, flush=True)
    means = [sum(column) / len(figures) for column in zip(*figures, strict=True)]
    times_of = ["1.00", *(f"{one:.2f}" for one in means[5:])]
    sizes.append(["mean, times", "", *(f"{one:.1f}" for one in means[:5]), *times_of])
    print("Search: bytes a state of the engine, seconds of the processor\n")
    print_table(("model", "states", *STORES, "collapse, widening", *(f"{store} s" for store in STORES)), sizes)
    print("\nStore alone: nanoseconds for a state that is new, and for one that is known\n")
    heads = [f"{store} {kind}" for store in STORES for kind in ("new", "known")]
    print_table(("model", "successors", *heads), times)
    print()
    print(*details, sep="\n")
    return 0


def _own_cache() -> None:
    """Machine code of the engine's loops with these stores lies by itself, and is made anew when a store is changed."""
    from strandline.engine.runtime.jit import sources_digest

    folder = ROOT / ".strandline" / "stores" / sources_digest(Path(__file__).resolve().parent)
    os.environ["XDG_CACHE_HOME"] = str(folder)


if __name__ == "__main__":
    _own_cache()
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"stores: {failure}")
