"""Run cases of expected verdicts in several processes.

A process runs case after case. If one dies, killed for its memory or by a bug in machine code, only its current case is
lost: another process takes its place.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import NoReturn

from strandline.checker.expected.cases import Case, CaseResult, Judgement, Outcome, result_of

_GRACE = 3.0
"""Seconds that a terminated process has for removing its files before it is killed."""


def run_in_processes(
    cases: Sequence[Case], jobs: int, timeout: float | None, report: Callable[[int, CaseResult], None]
) -> None:
    """Run the cases in at most `jobs` processes; `report` is called with the index and the result of each.

    A case that takes longer than `timeout` seconds is ended; its outcome is `Outcome.LIMIT`.
    """
    waiting = deque(enumerate(cases))
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                workers.append(_Worker())
                workers[-1].give(*waiting.popleft())
            for worker in _ready(workers, timeout):
                number, result = worker.take(timeout)
                report(number, result)
                if worker.alive and waiting and not _needs_fresh_process(waiting[0][1]):
                    worker.give(*waiting.popleft())
                else:
                    worker.end()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def _needs_fresh_process(case: Case) -> bool:
    """Return True if the case has a memory limit, which also counts the memory left by earlier cases."""
    return case.asked.get("memory") is not None


@dataclass(slots=True)
class _Task:
    number: int
    case: Case
    began: float


class _Worker:
    """A child process and its current case."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_work, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self.alive = True
        self._task: _Task | None = None

    def give(self, number: int, case: Case) -> None:
        self._task = _Task(number, case, time.monotonic())
        with suppress(ConnectionError):
            # A process that has just died is noticed when its result is awaited.
            self.connection.send(case)

    def remaining_seconds(self, timeout: float | None) -> float | None:
        """Return the seconds until the timeout of its case; None without a timeout or a case."""
        if timeout is None or self._task is None:
            return None
        return max(0.0, self._task.began + timeout - time.monotonic())

    def take(self, timeout: float | None) -> tuple[int, CaseResult]:
        """Return the index and the result of the case; if the process has died or timed out, a result that says so."""
        if self._task is None:
            raise ValueError("this worker has no case")
        task, self._task = self._task, None
        try:
            if self.connection.poll():
                return task.number, self.connection.recv()
            judgement = Judgement(Outcome.LIMIT, (f"the time limit of {timeout:g} s for a case is reached",))
        except (EOFError, ConnectionError):
            self._process.join()
            judgement = Judgement(Outcome.BUG, (_death(self._process.exitcode),))
        self.alive = False
        return task.number, result_of(task.case, judgement, time.monotonic() - task.began)

    def end(self) -> None:
        """Terminate the process; kill it if it has not ended after a grace period."""
        self.connection.close()
        self._process.terminate()
        self._process.join(_GRACE)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()


def _ready(workers: Sequence[_Worker], timeout: float | None) -> list[_Worker]:
    """Wait for workers that have a result, are dead or have exceeded the timeout, and return them."""
    left = [one for one in (worker.remaining_seconds(timeout) for worker in workers) if one is not None]
    speaking = wait([worker.connection for worker in workers], min(left) if left else None)
    return [worker for worker in workers if worker.connection in speaking or worker.remaining_seconds(timeout) == 0.0]


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = ", perhaps because memory ran out" if -code == signal.SIGKILL else ""
        return f"the process that ran it was ended by {name}{hint}"
    return f"the process that ran it ended with exit code {code}"


def _work(connection: Connection) -> None:
    """Run cases and send their results until the connection closes; the main function of a child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends us
    signal.signal(signal.SIGTERM, _raise_terminated)
    # Output that a model prints while it is loaded must not mix with the results on stdout.
    os.dup2(2, 1)
    from strandline.cli.testing import run_case

    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        connection.send(run_case(case))


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
