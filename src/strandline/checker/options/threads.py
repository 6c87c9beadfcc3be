"""The option `threads`: its text, the searches that it is for, and the number that `auto` stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from strandline.engine.runtime.threads import usable_processors
from strandline.engine.store.kinds import StoreKind
from strandline.errors import Option, UsageError

AUTO = "auto"
_MOST = 64
_SHARED = ("bfs", "sweep")
"""The orders in which several threads can search."""


class _Options(Protocol):
    """The options that decide how many threads a search may use."""

    @property
    def threads(self) -> int | str: ...
    @property
    def order(self) -> str | None: ...
    @property
    def store(self) -> str: ...
    @property
    def store_kind(self) -> StoreKind: ...
    @property
    def componentwise(self) -> bool: ...
    @property
    def memory(self) -> int | str | None: ...
    @property
    def checkpoint(self) -> str | Path | None: ...


def parse_threads(text: str) -> int | str:
    """Parse a number of threads or `auto`."""
    if text == AUTO:
        return text
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a number of threads, nor {AUTO}") from None


def most_threads(options: _Options) -> int:
    """Return the number of threads that a search may use."""
    if isinstance(options.threads, int):
        return options.threads
    shared = options.order == "bfs" and options.store_kind.threads and not options.componentwise
    # Each thread would take memory from the states where memory is limited.
    return min(usable_processors(), _MOST) if shared and options.memory is None else 1


def check_threads(options: _Options) -> None:
    """Raise `UsageError` for a wrong number of threads, and for options that do not go together with several."""
    threads = options.threads
    if isinstance(threads, str):
        if threads != AUTO:
            raise UsageError(f"{{}} must be a number or '{AUTO}', not {threads!r}", options=[Option("threads")])
        return
    if not 1 <= threads <= _MOST:
        raise UsageError(f"{{}} must be between 1 and {_MOST}, not {threads}", options=[Option("threads")])
    if threads == 1:
        return
    given = Option("threads", threads)
    if options.order not in _SHARED or not options.store_kind.threads:
        other = Option("store", options.store) if options.order in _SHARED else Option("order", options.order)
        raise UsageError(
            "{} is for breadth-first searches and sweeps that store states or hashes; it has no meaning with {}",
            options=[given, other],
        )
    if options.componentwise:
        raise UsageError(
            "{} and {} do not go together: which edge regresses first decides what is kept",
            options=[given, Option("componentwise", True)],
        )
    if options.checkpoint is not None and options.order != "bfs":
        raise UsageError("{} is not for a sweep by {}", options=[Option("checkpoint"), given])
