"""Colours, columns and numbers in text output, and the rows about time and memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from strandline.checker.verdicts.statistics import Statistics

_CODES = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Style:
    """The style of text output: coloured or plain."""

    colour: bool = False

    def paint(self, text: str, *names: str) -> str:
        """Return the text in the named colours and styles; unchanged if colour is off."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows as lines with aligned columns, flush left."""
    cells = [list(row) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))] if cells else []
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in cells
    ]


def roughly(count: int) -> str:
    """Render an estimated number with two significant digits: `about 4,700,000`."""
    return f"about {float(f'{count:.2g}'):,.0f}"


def with_noun(count: int, noun: str, plural: str | None = None) -> str:
    """Render a number with its noun: `1 state`, `2 states`, `3 processes`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def sparkline(values: Sequence[int], width: int = 60, top: int | None = None) -> str:
    """Render values in one line of block characters; each character shows the largest of several values if needed.

    `top` is the value of the highest block, by default the largest one; if it is given, 0 is rendered as a space.
    """
    if not values:
        return ""
    pieces = min(width, len(values))
    bounds = [len(values) * number // pieces for number in range(pieces + 1)]
    heights = [max(values[start:end]) for start, end in pairwise(bounds)]
    if top is not None:
        return "".join(_BLOCKS[(len(_BLOCKS) * height - 1) // max(top, 1)] if height else " " for height in heights)
    top = max(heights) or 1
    return "".join(_BLOCKS[(len(_BLOCKS) - 1) * height // top] for height in heights)


def time_words(now: Statistics) -> str:
    """Return the time of a search and, unless it was too short to measure, its rate."""
    if now.nodes:
        return f"{now.seconds:.3f} s"
    rate = ""
    if now.seconds >= 0.01:
        speed = now.visited / now.seconds
        rate = f" ({speed / 1e6:.2f} million states/s)" if speed >= 1e5 else f" ({speed:,.0f} states/s)"
    return f"search {now.seconds:.3f} s{rate}, compiling the model {now.compile_seconds:.3f} s"


def large(count: int) -> str:
    """Render a number that may have hundreds of digits: `1,234`, or `2.229e31`."""
    digits = str(count)
    return f"{count:,}" if len(digits) <= 18 else f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"


def memory_words(now: Statistics, each: str = "") -> str:
    """Return the memory of the engine, followed by `each`, and of the process.

    For a symbolic search, it is the memory of the process and its default limit.
    """
    from strandline.checker.limits.memory import DEFAULT_LIMIT, shown_bytes

    process = f"process {shown_bytes(now.rss_bytes)}"
    if not now.nodes:
        return f"engine {shown_bytes(now.peak_bytes)}{each}, {process}"
    limit = "" if now.allowed_bytes is None else f", allowed {shown_bytes(now.allowed_bytes)} ({DEFAULT_LIMIT})"
    return process + limit
