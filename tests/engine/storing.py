"""The states that a sweep has stored, read from its arrays, for tests of a paused search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain import Engine, plain_engine
from running import Run

from strandline.compile.kernel import Kernel
from strandline.engine.runtime.codes import BIAS, NONE
from strandline.engine.runtime.records import CHAIN, ROW, rows_of


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored state with its place in the order, whether it is persistent and whether it was expanded; a persistent
    one counts as expanded when it was so as a persistent one."""

    state: tuple[int, ...]
    progress: tuple[int, int]
    persistent: bool
    expanded: bool


def stored_states(search: Any) -> list[Stored]:
    """All states in the layers of a sweep."""
    layers = search._layers
    rows, chains = rows_of(layers._rows.array, ROW), rows_of(layers._chains.array, CHAIN)
    free, number = set(), int(layers.line.free_row)
    while number != NONE:
        free.add(number)
        number = int(rows[number].column)
    found = []
    for number in range(int(layers.line.rows)):
        if number not in free:
            key = (int(rows[number].column) - BIAS, int(rows[number].layer) - BIAS)
            found += _states(search._pages, chains[2 * number], key, persistent=False)
            found += _states(search._pages, chains[2 * number + 1], key, persistent=True)
    return found


def _states(pages: Any, chain: Any, key: tuple[int, int], *, persistent: bool) -> list[Stored]:
    """The states of a chain, page by page."""
    store, bits = pages.store(), int(pages.shape.page_bits)
    found: list[Any] = []
    page = int(chain.first)
    while page:
        for offset in range(int(store.filled[page - 1])):
            state = pages.state(((page - 1) << bits) + offset)
            found.append(Stored(state, key, persistent, len(found) < int(chain.taken)))
        page = int(store.following[page - 1])
    return found


def step_by_step(kernel: Kernel) -> Iterator[Run]:
    """A sweep that stands still after every expansion, when all successors are inserted. It runs in plain Python, where
    a batch can be made as small as that."""
    engine = plain_engine()
    with np.errstate(over="ignore"):
        run = Run(kernel, "sweep", engine=engine)
    while (event := _one_expansion(run, engine)) is engine.Event.PAUSED:
        yield run
    assert event is engine.Event.DONE


def _one_expansion(run: Run, engine: Engine) -> Any:
    loop: Any = engine.modules["orders.sweep_kernel"]
    before, loop._BATCH = loop._BATCH, np.uint64(1)
    run.search._budget = 1
    try:
        with np.errstate(over="ignore"):
            return run.search.advance(0.0)
    finally:
        loop._BATCH = before
