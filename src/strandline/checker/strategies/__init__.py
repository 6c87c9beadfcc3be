"""Ways to carry out a task, one file each; `strandline.checker.strategies.choice` picks one.

A strategy returns what it found; the verdict is made of that elsewhere.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from strandline.checker.tasks.task import Session, Task
from strandline.errors import UsageError

Kind = TypeVar("Kind", bound=Task, contravariant=True)
Found = TypeVar("Found", covariant=True)


class Strategy(Protocol[Kind, Found]):
    """A way to carry out tasks of a kind."""

    @property
    def name(self) -> str:
        """The name in options and reports."""

    def can(self, task: Kind) -> UsageError | None:
        """None where this strategy can carry out the task, else the error that says why not."""

    def run(self, task: Kind, session: Session) -> Found:
        """Carry out a task that it can carry out.

        Limits and Ctrl-C end up in the result; raises `InputError` for what the user can mend.
        """
