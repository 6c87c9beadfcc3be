"""The parent log: what is written comes back, and damage is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.engine.codes import ROOT, SAME, STEP_BITS
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
    assert log.records == 5
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
    log = _log(tmp_path / "log", [_link(ROOT, 0), _link(0, 1), _link(1, 1)])
    with open(log.path, "r+b") as file:
        file.truncate(16)
    with pytest.raises(ReplayError, match="record 2 is not in the log of 2 records"):
        log.path_to(2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_with_path_and_cause() -> None:
    log = ParentLog(Path("/dev/full"))
    with pytest.raises(ResourceError, match=r"^/dev/full: cannot be written: No space left on device$"):
        log.append(np.zeros(4, dtype=np.uint64))


def test_links_are_little_endian(tmp_path: Path) -> None:
    log = _log(tmp_path / "log", [0x0102030405060708])
    assert log.path.read_bytes() == bytes([8, 7, 6, 5, 4, 3, 2, 1])
