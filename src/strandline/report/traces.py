"""A trace as text or as a file: the action with its process, and only what changed; whole states on
request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from strandline.model.system import System
from strandline.report.style import Style, counted
from strandline.traces.exchange import ITF_SUFFIX, itf_text, json_text, write_text
from strandline.traces.text import change_lines, state_lines
from strandline.traces.trace import Trace

_LONG = 400
"""A trace with more steps than this is shown with its first and last steps only, unless it goes to a file."""
_ENDS = 100


def trace_lines(
    trace: Trace, system: System, style: Style, *, full: bool = False, whole: bool = True
) -> list[str]:
    """The trace for people. Changes of location are left out where the action's name tells them; unless
    `whole`, the middle of a very long trace is left out. A line at the left runs along a loop."""
    shown = _ShownSteps(trace, style, full=full)
    left_out = range(0) if whole or len(trace) <= _LONG else range(_ENDS + 1, len(trace) - _ENDS + 1)
    lines = [style.paint("initial state", "bold"), *state_lines(trace.initial, style.paint)]
    stem, loop = lines, list[str]()
    first = len(trace) + 1 if trace.loop is None else trace.loop + 1
    for number, told in enumerate(shown.steps(), 1):
        into = stem if number < first else loop
        if number not in left_out:
            into += told
        elif number in (left_out.start, first):
            end = min(first, left_out.stop) if number < first else left_out.stop
            into.append(style.paint(f"... {counted(end - number, 'step')}; --trace FILE has them all", "dim"))
    if trace.loop is not None:
        stem = _with_loop(stem, loop, trace.loop, style)
    if trace.fault is not None:
        stem += _fault_lines(trace, system, style)
    return stem


def _with_loop(stem: list[str], loop: list[str], start: int, style: Style) -> list[str]:
    """The lines of a lasso: a bar along the loop, and where it leads back to."""
    if not loop:
        ends = "the run ends here: no step is possible, and its last state counts for ever"
        return [*stem, style.paint(ends, "yellow")]
    bar = style.paint("│", "yellow")
    return [
        *(f"  {line}" for line in stem),
        style.paint(f"╭─ state {start}: from here on the same steps again and again", "yellow"),
        *(f"{bar} {line}" for line in loop),
        style.paint(f"╰─ back in state {start}", "yellow"),
    ]


class _ShownSteps:
    """The steps of a trace as lines."""

    def __init__(self, trace: Trace, style: Style, *, full: bool) -> None:
        self._trace, self._style, self._full = trace, style, full
        self._width = len(str(len(trace)))

    def steps(self) -> Iterator[list[str]]:
        """The lines of each step."""
        for number, step in enumerate(self._trace.steps, 1):
            title = f"{self._style.paint(f'{number:{self._width}}', 'dim')}  {self._style.paint(step.action, 'bold')}"
            if self._full:
                yield [title, *state_lines(step.state, self._style.paint)]
            else:
                yield [title, *change_lines(step, " " * (self._width + 4), self._style.paint)]


TRACE_FORMATS = ("json", "itf", "text")


def trace_text(trace: Trace, system: System, format_: str, *, full: bool) -> str:
    """The trace as the text of a file in one of `TRACE_FORMATS`."""
    if format_ == "json":
        return json_text(trace, system.source)
    if format_ == "itf":
        return itf_text(trace, system.source)
    return "\n".join(trace_lines(trace, system, Style(), full=full)) + "\n"


def write_trace(path: Path, trace: Trace, system: System, *, full: bool) -> None:
    """Write the trace to a file: ITF where its name ends in `.itf.json`, else JSON where it ends in `.json`,
    else text."""
    format_ = "itf" if path.name.endswith(ITF_SUFFIX) else "json" if path.suffix == ".json" else "text"
    write_text(path, trace_text(trace, system, format_, full=full))


def _fault_lines(trace: Trace, system: System, style: Style) -> list[str]:
    fault = trace.fault
    if fault is None:
        return []
    lines = []
    if fault.action is not None:
        width = len(str(len(trace.steps)))
        lines.append(f"{style.paint('!'.rjust(width), 'red')}  {style.paint(fault.action, 'bold')}")
    lines.append(f"   {style.paint(fault.words, 'red')}")
    if fault.span is not None:
        lines.append(f"   {system.source.where(fault.span)}")
        lines += [f" {line}" for line in system.source.caret(fault.span).splitlines()]
    return lines
