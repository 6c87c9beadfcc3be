"""Render the progress of a search as one line."""

from __future__ import annotations

from strandline.checker.limits.memory import shown_bytes
from strandline.checker.limits.progress import Progress

_ENOUGH_TO_GUESS = 0.05
"""Fraction of its way that the sweep-line must have gone before the time left is estimated."""


def progress_text(progress: Progress, rate: float) -> str:
    """Return the progress line: `12.3 M states · 4.20 M/s · stored 1.1 M · 340.0 MB · 0:03`.

    `rate` is in expansions per second. For a sweep, the position of the sweep-line follows, with an estimate of the
    time left if nothing regresses.
    """
    if progress.doing is not None:
        size = shown_bytes(progress.bytes)
        return f"{progress.doing} · {_short(progress.stored)} nodes · {size} · {_duration(progress.seconds)}"
    return (
        f"{_short(progress.states)} states · {_short(rate)}/s · stored {_short(progress.stored)}"
        f" · {shown_bytes(progress.bytes)} · {_duration(progress.seconds)}{_outlook(progress)}"
    )


def _outlook(progress: Progress) -> str:
    if progress.fraction is None:
        return ""
    if progress.sweep > 1:
        return f" · sweep {progress.sweep} at {progress.fraction:.0%}"
    text = f" · at {progress.fraction:.0%}"
    if progress.fraction >= _ENOUGH_TO_GUESS:
        text += f", {_duration(progress.seconds * (1 - progress.fraction) / progress.fraction)} left"
    return text


def _duration(seconds: float) -> str:
    """Render seconds as `0:03`, `12:34` or `1:23:45`."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def _short(number: float) -> str:
    for unit in ("", " k", " M", " G"):
        if number < 1000:
            return f"{number:.0f}{unit}" if not unit or number >= 100 else f"{number:.1f}{unit}"
        number /= 1000
    return f"{number:.1f} T"
