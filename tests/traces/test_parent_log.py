"""The parent log: links that were written are read back, and damage is detected."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.engine.parts.links import HEADER, batch_of, header_of, links_of
from strandline.engine.runtime.codes import LINK_BLOCK, ROOT, SAME, STEP_BITS
from strandline.errors import ReplayError, ResourceError
from strandline.traces.log import ParentLog


def _link(parent: int, step: int) -> int:
    return parent << STEP_BITS | step


def _log(path: Path, links: list[int], batch: int = 3) -> ParentLog:
    log = ParentLog(path)
    for start in range(0, len(links), batch):
        log.append(np.array(links[start : start + batch], dtype=np.uint64))
    return log


def test_a_path_is_followed_back_to_its_initial_state(tmp_path: Path) -> None:
    links = [_link(ROOT, 0), _link(ROOT, 1), _link(1, 7), _link(0, 2), _link(2, 5)]
    log = _log(tmp_path / "log", links)
    assert log.path_to(4) == (1, [7, 5])
    assert log.path_to(3) == (0, [2])
    assert log.path_to(0) == (0, [])


@given(st.lists(st.tuples(st.integers(0, 2**30), st.integers(0, SAME)), min_size=1, max_size=40))
def test_every_record_of_a_random_forest_comes_back(
    tmp_path_factory: pytest.TempPathFactory, choices: list[tuple[int, int]]
) -> None:
    paths: list[tuple[int, list[int]]] = []
    links = []
    for number, (choice, step) in enumerate(choices):
        parent = choice % (number + 1) - 1
        if parent < 0:
            links.append(_link(ROOT, step))
            paths.append((step, []))
        else:
            links.append(_link(parent, step))
            # A record may be of the same state as its parent.
            paths.append((paths[parent][0], [*paths[parent][1], *([] if step == SAME else [step])]))
    log = _log(tmp_path_factory.mktemp("log") / "log", links)
    assert [log.path_to(record) for record in range(len(links))] == paths
    log.close()


@pytest.mark.parametrize("parent", [1, 2, 3])
def test_a_parent_that_is_not_older_than_its_child_is_refused(tmp_path: Path, parent: int) -> None:
    log = _log(tmp_path / "log", [_link(ROOT, 0), _link(parent, 0), _link(0, 0), _link(0, 0)])
    with pytest.raises(ReplayError, match=f"record 1 names the later record {parent} as its parent"):
        log.path_to(1)


def test_a_record_outside_the_log_is_refused(tmp_path: Path) -> None:
    log = _log(tmp_path / "log", [_link(ROOT, 0)])
    with pytest.raises(ReplayError, match="record 1 is not in the log of 1 records"):
        log.path_to(1)


def test_a_truncated_log_is_refused(tmp_path: Path) -> None:
    log = _log(tmp_path / "log", [_link(ROOT, 0), _link(0, 1)])
    log.settle()
    log.append(np.array([_link(1, 1)], dtype=np.uint64))
    log.close()
    with open(log.path, "r+b") as file:
        file.truncate(log.path.stat().st_size - 1)
    with pytest.raises(ReplayError, match="record 2 is not in the log of 2 records"):
        log.path_to(2)


@given(st.data())
def test_a_damaged_log_is_refused_or_tells_links(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    log = _log(tmp_path_factory.mktemp("log") / "log", _chain(600), batch=300)
    log.close()
    content = bytearray(log.path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] ^= data.draw(st.integers(1, 255))
    log.path.write_bytes(content)
    with contextlib.suppress(ReplayError):
        log.path_to(data.draw(st.integers(0, 599)))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_with_path_and_cause() -> None:
    log = ParentLog(Path("/dev/full"))
    log.append(np.zeros(4, dtype=np.uint64))
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"^/dev/full: cannot be written: No space left on device$"):
            log.settle()
    log.close()


def test_a_few_links_are_plain_and_little_endian(tmp_path: Path) -> None:
    log = _log(tmp_path / "log", [0x0102030405060708])
    log.settle()
    header, ends = [1, 0, 0, 0, 13, 0, 0, 0], [9, 0, 0, 0]
    assert log.path.read_bytes() == bytes([*header, *ends, 255, 8, 7, 6, 5, 4, 3, 2, 1])


def _chain(count: int) -> list[int]:
    return [_link(ROOT, 0), *(_link(number, number % 7) for number in range(count - 1))]


def test_many_links_are_compressed(tmp_path: Path) -> None:
    """Whose parents are neighbours: a byte each. What is asked for is found in the middle of blocks and batches."""
    count = 3 * LINK_BLOCK + 100
    log = _log(tmp_path / "log", _chain(count), batch=2 * LINK_BLOCK + 50)
    for record in (0, 1, LINK_BLOCK - 1, LINK_BLOCK, 2 * LINK_BLOCK + 49, 2 * LINK_BLOCK + 50, count - 1):
        assert log.path_to(record) == (0, [number % 7 for number in range(record)])
    assert list(log.parents()) == [None, *range(count - 1)]
    assert log.path.stat().st_size < 1.1 * count


@settings(max_examples=30)
@given(
    st.lists(
        st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 40).map(lambda near: _link(2**39 + near, near))),
        min_size=256,
        max_size=300,
    )
)
def test_any_links_come_back_from_a_block(links: list[int]) -> None:
    given = np.array(links, dtype=np.uint64)
    batch = batch_of(given)
    header = header_of(batch[:HEADER].tobytes())
    assert (header.links, header.bytes, header.blocks) == (len(given), len(batch) - HEADER, 1)
    block = batch[HEADER + 4 :]
    found = links_of(block, len(given))
    assert found is not None
    assert found.tolist() == links
    assert len(block) <= 1 + given.nbytes
    assert links_of(block[:-1], len(given)) is None


def test_what_is_written_counts_when_it_is_written(tmp_path: Path) -> None:
    counted: list[int] = []
    log = ParentLog(tmp_path / "log", counted.append)
    log.append(np.array(_chain(5000), dtype=np.uint64))
    log.settle()
    assert sum(counted) == log.path.stat().st_size < 5200


def test_a_budget_ends_what_is_appended(tmp_path: Path) -> None:
    def refuse(count: int) -> None:
        raise ResourceError("the disk limit is reached")

    log = ParentLog(tmp_path / "log", refuse)
    log.append(np.zeros(4, dtype=np.uint64))
    with pytest.raises(ResourceError, match=r"^the disk limit is reached$"):
        log.settle()
    assert log.path.stat().st_size == 0
    log.close()
