"""One suite for every back end: the contract of a Kernel, on transition systems that all of them can represent."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import ask, ask_all
from sketches import BACK_ENDS, Sketch, node_of, random_sketch

from strandline.compile.kernel import DEADLOCK_BIT, Kernel

Build = Callable[[Sketch], Kernel]
WORD = (1 << 64) - 1

FORK = Sketch(
    edges=((1, 2, 1, 0, 3), (2,), (), (0, 3)),
    initial=(0, 3, 0),
    labels=(0b00, 0b01, 0b11, 0b10),
    predicates=2,
)
MEASURED = Sketch(FORK.edges, FORK.initial, progress=((0, 5), (0, -1), (-(2**63), 2**63 - 1), (3, 0)))
COMPARED = Sketch(
    FORK.edges,
    labels=FORK.labels,
    predicates=2,
    progress=MEASURED.progress,
    components=((1, 1), (2, 0), (1, 1), (0, 9)),
)


@pytest.fixture(params=list(BACK_ENDS.values()), ids=list(BACK_ENDS))
def build(request: pytest.FixtureRequest) -> Build:
    back_end: Build = request.param
    return back_end


def expected_record(sketch: Sketch, source: int, target: int) -> tuple[int, ...]:
    """Return the words that follow the target's state in a record."""
    progress = () if sketch.progress is None else tuple(value & WORD for value in sketch.progress[target])
    return (*progress, int(sketch.falls(source, target))) if sketch.components else progress


def check_state(sketch: Sketch, kernel: Kernel, state: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All that a Kernel says of one state, with any room for records; returns the successors."""
    node = node_of(kernel, state)
    targets = sketch.edges[node]
    answer = ask_all(kernel, state)
    assert answer.fault is None
    assert [node_of(kernel, record[: kernel.words]) for record in answer.records] == list(targets)
    assert [record[kernel.words :] for record in answer.records] == [
        expected_record(sketch, node, target) for target in targets
    ]
    bits = sketch.labels[node] if sketch.predicates else 0
    assert answer.labels == bits | (not targets) << DEADLOCK_BIT
    for capacity in {0, 1, len(targets) // 2, len(targets), len(targets) + 1}:
        short = ask(kernel, state, capacity)
        assert (short.count, short.labels) == (len(targets), answer.labels)
        assert short.records == answer.records[:capacity]
    check_twin(sketch, kernel, state, [record[: kernel.words] for record in answer.records])
    return [record[: kernel.words] for record in answer.records]


def check_twin(sketch: Sketch, kernel: Kernel, state: tuple[int, ...], successors: list[tuple[int, ...]]) -> None:
    edges = kernel.reference.edges(state)
    assert [edge.target for edge in edges] == successors
    assert all(edge.fault is None and edge.action for edge in edges)
    assert kernel.reference.labels(state) == ask_all(kernel, state).labels
    if sketch.progress is not None:
        assert kernel.reference.progress(state) == sketch.progress[node_of(kernel, state)]
    assert kernel.reference.values(state, ()) == ()


def check_everything(sketch: Sketch, kernel: Kernel) -> None:
    """Walk through all that can be reached."""
    assert (kernel.measured, kernel.componentwise) == (sketch.progress is not None, bool(sketch.components))
    assert (kernel.initial.dtype, kernel.initial.shape) == (np.uint64, (len(sketch.initial), kernel.words))
    starts = [tuple(row) for row in kernel.initial.tolist()]
    assert list(kernel.reference.initial()) == starts
    assert [node_of(kernel, state) for state in starts] == list(sketch.initial)
    progress = sketch.progress or [(0, 0)] * len(sketch.edges)
    assert kernel.initial_progress.dtype == np.int64
    assert kernel.initial_progress.tolist() == [list(progress[node]) for node in sketch.initial]
    seen, waiting = set(starts), list(starts)
    while waiting:
        for target in check_state(sketch, kernel, waiting.pop()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert len({node_of(kernel, state) for state in seen}) == len(seen)


@pytest.mark.parametrize("sketch", [FORK, MEASURED, COMPARED], ids=["plain", "measured", "componentwise"])
def test_steps_labels_and_progress(build: Build, sketch: Sketch) -> None:
    check_everything(sketch, build(sketch))


@given(st.integers(0, 1 << 20))
@settings(max_examples=60, deadline=None)
def test_random_systems_by_all_back_ends(seed: int) -> None:
    sketch = random_sketch(seed)
    for build in BACK_ENDS.values():
        check_everything(sketch, build(sketch))


def test_many_steps(build: Build) -> None:
    """More than a search makes room for at first."""
    sketch = Sketch((tuple(range(30)) * 3, *((),) * 29), progress=tuple((0, node) for node in range(30)))
    kernel = build(sketch)
    check_state(sketch, kernel, tuple(kernel.initial[0].tolist()))


def test_kernels_live_side_by_side_and_after_each_other(build: Build) -> None:
    """Each has its own function, and the remains of a dead one disturb nothing."""
    ring = [Sketch(((1, *(0,) * extra), (0,))) for extra in range(5)]
    # What was there before is not looked through again and again.
    gc.freeze()
    for _ in range(20):
        kernels = [build(sketch) for sketch in ring]
        assert len({kernel.successors for kernel in kernels}) == len(ring)
        for sketch, kernel in zip(ring, kernels, strict=True):
            check_everything(sketch, kernel)
        del kernels[::2]
        gc.collect()
        for sketch, kernel in zip(ring[1::2], kernels, strict=True):
            check_everything(sketch, kernel)
    gc.unfreeze()
