"""The background thread that writes files: order, bounds, and failures."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from strandline.engine.runtime import writer as writer_module
from strandline.engine.runtime.writer import AT_ONCE, Collected, Writer
from strandline.errors import ResourceError


def test_all_is_written_in_order_and_may_change_afterwards(tmp_path: Path) -> None:
    writer, path = Writer(), tmp_path / "file"
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    words = np.zeros(3 * AT_ONCE + 5, dtype=np.uint64)
    collected = Collected(lambda given: writer.write(file, path, given))
    for number in range(4):
        words[:] = number
        for first in range(0, len(words), 50_000):
            collected.add(words[first : first + 50_000])
    words[:] = 77
    collected.hand_over()
    collected.hand_over()
    writer.settle()
    writer.close(file, path)
    writer.settle()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
    assert np.fromfile(path, dtype="<u8").tolist() == np.repeat(np.arange(4), len(words)).tolist()


def test_it_is_another_thread_that_ends_with_its_work() -> None:
    writer, found = Writer(), []
    writer.do(lambda: found.append(threading.current_thread()))
    writer.settle()
    (thread,) = found
    assert thread is not threading.current_thread()
    thread.join(10)
    assert not thread.is_alive()


def test_whoever_gives_too_much_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "_MOST_BYTES", 1000)
    writer, gate, begun = Writer(), threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert gate.wait(10)

    def give_more() -> None:
        writer.do(lambda: given.append("more"), 60)
        given.append("given")

    given: list[str] = []
    writer.do(wait, 60)
    assert begun.wait(10)
    other = threading.Thread(target=give_more)
    other.start()
    other.join(0.2)
    assert given == []
    gate.set()
    other.join(10)
    writer.settle()
    assert sorted(given) == ["given", "more"]


def test_one_that_is_larger_than_all_that_may_wait_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "_MOST_BYTES", 100)
    writer, done = Writer(), []
    writer.do(lambda: done.append(1), 1000)
    writer.settle()
    assert done == [1]


def test_what_goes_wrong_is_raised_and_nothing_follows_it() -> None:
    writer, done = Writer(), []

    def fail() -> None:
        raise ResourceError("full")

    writer.do(fail)
    writer.wait()
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"^full$"):
            writer.do(lambda: done.append(1))
        with pytest.raises(ResourceError, match=r"^full$"):
            writer.settle()
    assert done == []


def test_files_are_closed_whatever_went_wrong(tmp_path: Path) -> None:
    writer, path = Writer(), tmp_path / "file"
    file = os.open(path, os.O_RDONLY | os.O_CREAT)
    writer.write(file, path, np.zeros(10, dtype=np.uint64))
    writer.close(file, path)
    with pytest.raises(ResourceError, match="file: cannot be written: Bad file descriptor"):
        writer.settle()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)


def test_no_thread_is_told_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    writer = Writer()
    monkeypatch.setattr(threading.Thread, "start", start)
    for _ in range(2):
        with pytest.raises(ResourceError, match="cannot start the thread that writes files: can't start new thread"):
            writer.do(lambda: None)
    writer.wait()
