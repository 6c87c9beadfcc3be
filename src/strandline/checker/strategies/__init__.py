"""Ways to carry out a task, one file each. `strandline.checker.strategies.choice` has them in a table and picks one.

A strategy finds; what that means for the properties that were asked is not its business.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from strandline.checker.tasks.task import Session, Task
from strandline.errors import UsageError

Kind = TypeVar("Kind", bound=Task, contravariant=True)
Found = TypeVar("Found", covariant=True)


class Strategy(Protocol[Kind, Found]):
    """One way to search."""

    @property
    def name(self) -> str:
        """As it is asked for and told."""

    def can(self, task: Kind) -> UsageError | None:
        """None where this strategy can carry out the task, else the error that says why not."""

    def run(self, task: Kind, session: Session) -> Found:
        """Carry out a task that it can carry out. Limits and Ctrl-C end up in what is found; raises `InputError` for
        what the user can mend."""
