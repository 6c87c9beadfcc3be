"""The model's text in the page, with the source position of each step of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strandline.model.system import Action, System
from strandline.source import Span

_LONGEST = 300_000
"""Most characters of a model that a page shows."""


def source_data(system: System) -> dict[str, Any]:
    """Return the model's file name and text; the text is null, with a reason as `why`, if it is not shown."""
    source = system.source
    if not source.text:
        return {"name": source.name, "text": None, "why": "the model has no text: it was put together by a program"}
    if len(source.text) > _LONGEST:
        return {"name": source.name, "text": None, "why": f"the model has {len(source.text):,} characters"}
    return {"name": source.name, "text": source.text, "why": None}


def places_data(system: System, taken: Sequence[tuple[Action, ...]] | None) -> dict[str, Any] | None:
    """Return the source positions of the actions taken in each step; None if they are not known.

    `spans` are ranges of characters, `steps` has for each step the indices of its spans.
    """
    if taken is None:
        return None
    spans: dict[tuple[int, int], int] = {}
    steps = [
        [spans.setdefault((span.start, span.end), len(spans)) for action in actions for span in _spans(system, action)]
        for actions in taken
    ]
    return {"spans": [list(one) for one in spans], "steps": steps} if spans else None


def _spans(system: System, action: Action) -> list[Span]:
    """Return the source position of an action, or else of the processes that it moves."""
    if action.span is not None:
        return [action.span]
    moved = [system.processes[move.process].span for move in action.moves]
    return [span for span in moved if span is not None]
