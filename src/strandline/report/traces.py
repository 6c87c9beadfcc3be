"""Render a trace as text or to a file: the action of each step with its changes only, or with whole states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from strandline.model.system import System
from strandline.report.style import Style, with_noun
from strandline.traces.streamed import with_limits
from strandline.traces.text import change_lines, state_lines
from strandline.traces.trace import Step, Trace
from strandline.traces.trace_files import ITF_SUFFIX, itf_text_pieces, json_text_pieces, write_text

_LONG = 400
"""Steps of a trace above which only its first and last steps are shown, unless it is written to a file."""
_ENDS = 100


def trace_lines(trace: Trace, system: System, style: Style, *, full: bool = False, whole: bool = True) -> list[str]:
    """Return the trace as lines for people, with whole states if `full`, else with changes only.

    Changes of location are left out if the action's name shows them; unless `whole`, the middle of a very long trace is
    left out. A line at the left runs along a loop.
    """
    return list(_lines(trace, system, style, full=full, whole=whole))


def _lines(trace: Trace, system: System, style: Style, *, full: bool, whole: bool) -> Iterator[str]:
    """Yield the lines of a trace, as `trace_lines` returns them."""
    left_out = range(0) if whole or len(trace) <= _LONG else range(_ENDS + 1, len(trace) - _ENDS + 1)
    loop = trace.loop
    ends = loop == len(trace)
    # Beside the loop of a lasso is a bar, and before it as much room.
    before = "" if loop is None or ends else "  "
    along = style.paint("│", "yellow") + " "
    first = len(trace) + 1 if loop is None else loop + 1
    yield from (f"{before}{line}" for line in _initial_lines(trace, style))
    for number, lines in _shown_steps(trace, left_out, first, style, full=full):
        if number == first:
            yield style.paint(f"╭─ state {loop}: from here on the same steps again and again", "yellow")
        yield from (f"{before if number < first else along}{line}" for line in lines)
    if ends:
        yield style.paint("the run ends here: no step is possible, and its last state counts for ever", "yellow")
    elif loop is not None:
        yield style.paint(f"╰─ back in state {loop}", "yellow")
    yield from _fault_lines(trace, system, style)


def _initial_lines(trace: Trace, style: Style) -> list[str]:
    return [style.paint("initial state", "bold"), *state_lines(trace.initial, style.paint)]


def _shown_steps(
    trace: Trace, left_out: range, first: int, style: Style, *, full: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each step that is shown, and its lines.

    A line with their number replaces the steps in `left_out`. The loop begins with step `first`.
    """
    width = len(str(len(trace)))

    def lines(number: int, step: Step) -> list[str]:
        title = f"{style.paint(f'{number:{width}}', 'dim')}  {style.paint(step.action, 'bold')}"
        if full:
            return [title, *state_lines(step.state, style.paint)]
        return [title, *change_lines(step, " " * (width + 4), style.paint)]

    if not left_out:
        yield from ((number, lines(number, step)) for number, step in enumerate(trace.steps, 1))
        return
    for number in range(1, left_out.start):
        yield number, lines(number, trace.steps[number - 1])
    middle = min(max(first, left_out.start), left_out.stop)
    for start, end in ((left_out.start, middle), (middle, left_out.stop)):
        if start < end:
            yield start, [style.paint(f"... {with_noun(end - start, 'step')}; --trace FILE has them all", "dim")]
    for number in range(left_out.stop, len(trace) + 1):
        yield number, lines(number, trace.steps[number - 1])


TRACE_FORMATS = ("json", "itf", "text")


def trace_text(trace: Trace, system: System, format_: str, *, full: bool) -> str:
    """Return the trace as the text of a file in one of `TRACE_FORMATS`."""
    return "".join(trace_text_pieces(trace, system, format_, full=full))


def trace_text_pieces(trace: Trace, system: System, format_: str, *, full: bool) -> Iterator[str]:
    """Yield the text of the file in pieces, so that a long trace takes no more memory than a short one."""
    if format_ == "json":
        yield from json_text_pieces(trace, system.source)
    elif format_ == "itf":
        yield from itf_text_pieces(trace, system.source)
    else:
        yield from (f"{line}\n" for line in _lines(trace, system, Style(), full=full, whole=True))


def write_trace(
    path: Path, trace: Trace, system: System, *, full: bool, check_limits: Callable[[], None] = lambda: None
) -> None:
    """Write the trace to a file: ITF for `.itf.json`, JSON for `.json`, else text.

    `check_limits` is called regularly and may raise `ResourceError`; then no file remains.
    """
    format_ = "itf" if path.name.endswith(ITF_SUFFIX) else "json" if path.suffix == ".json" else "text"
    write_text(path, with_limits(trace_text_pieces(trace, system, format_, full=full), check_limits))


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
