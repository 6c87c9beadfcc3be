"""Strategies: the methods of deciding a task, one module each; `strandline.checker.strategies.choice` picks one.

A strategy returns its findings; `strandline.checker.decisions` makes the verdict.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from strandline.checker.tasks.task import Session, Task
from strandline.errors import UsageError

Kind = TypeVar("Kind", bound=Task, contravariant=True)
Found = TypeVar("Found", covariant=True)


class Strategy(Protocol[Kind, Found]):
    """The interface of a strategy, which can decide tasks of one kind."""

    @property
    def name(self) -> str:
        """The name in options and reports."""

    def can(self, task: Kind) -> UsageError | None:
        """Return None if this strategy can decide the task, else the error with the reason."""

    def run(self, task: Kind, session: Session) -> Found:
        """Decide a task that `can` has accepted.

        Limits and Ctrl-C are recorded in the result; raises `InputError` for mistakes of the user.
        """
