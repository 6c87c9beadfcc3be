"""A trace as text or as a file: the action with its process, and only what changed; whole states on
request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from strandline.model.system import System
from strandline.report.style import Style, counted
from strandline.traces.exchange import ITF_SUFFIX, itf_text, json_text, write_text
from strandline.traces.trace import Change, Step, Trace

_LINE = 100
_LONG = 400
"""A trace with more steps than this is shown with its first and last steps only, unless it goes to a file."""
_ENDS = 100


def trace_lines(
    trace: Trace, system: System, style: Style, *, full: bool = False, whole: bool = True
) -> list[str]:
    """The trace for people. Changes of location are left out where the action's name tells them; unless
    `whole`, the middle of a very long trace is left out. A line at the left runs along a loop."""
    shown = _ShownSteps(trace, system, style, full=full)
    left_out = range(0) if whole or len(trace) <= _LONG else range(_ENDS + 1, len(trace) - _ENDS + 1)
    lines = [style.paint("initial state", "bold"), *state_lines(dict(trace.initial), style)]
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

    def __init__(self, trace: Trace, system: System, style: Style, *, full: bool) -> None:
        self._trace, self._style, self._full = trace, style, full
        self._locations = {process.location.name for process in system.processes}
        self._width = len(str(len(trace)))

    def steps(self) -> Iterator[list[str]]:
        """The lines of each step."""
        states = self._trace.states()
        next(states)
        for number, (step, state) in enumerate(zip(self._trace.steps, states, strict=True), 1):
            title = f"{self._style.paint(f'{number:{self._width}}', 'dim')}  {self._style.paint(step.action, 'bold')}"
            if self._full:
                yield [title, *state_lines(state, self._style)]
            else:
                yield [title, *change_lines(step, self._locations, " " * (self._width + 4), self._style)]


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


def change_lines(step: Step, locations: set[str], indent: str, style: Style) -> list[str]:
    """What a step changed, `name: old → new`, as many on a line as fit; without the changes of `locations`
    that the action's name tells."""
    shown = [
        change
        for change in step.changes
        if change.name not in locations or not _told_by_action(change, step.action)
    ]
    lines: list[str] = []
    length = _LINE
    for change in shown:
        plain = f"{change.name}: {change.old} → {change.new}"
        painted = f"{change.name}: {style.paint(change.old, 'dim')} → {change.new}"
        if length + len(plain) + 3 > _LINE:
            lines.append(indent + painted)
            length = len(indent) + len(plain)
        else:
            lines[-1] += f"   {painted}"
            length += len(plain) + 3
    return lines


def _told_by_action(change: Change, action: str) -> bool:
    return f"{change.name}: {change.old} -> {change.new}" in action


def state_lines(state: dict[str, str], style: Style) -> list[str]:
    """`name=value` pairs, wrapped; arrays as `name=[v, v, v]`."""
    lines, line, length = [], "   ", 3
    for pair in _pairs(state):
        if length + len(pair) + 1 > _LINE and length > 3:
            lines.append(line)
            line, length = "   ", 3
        name, value = pair.split("=", 1)
        line += f" {style.paint(name + '=', 'dim')}{value}"
        length += len(pair) + 1
    return [*lines, line] if length > 3 else lines


def _pairs(state: dict[str, str]) -> Iterator[str]:
    array, values = "", list[str]()
    for name, value in [*state.items(), ("", "")]:
        base = name.partition("[")[0]
        if array and not (name.endswith("]") and base == array):
            yield f"{array}=[{', '.join(values)}]"
            array, values = "", []
        if name.endswith("]"):
            array = base
            values.append(value)
        elif name:
            yield f"{name}={value}"


def _fault_lines(trace: Trace, system: System, style: Style) -> list[str]:
    fault = trace.fault
    if fault is None:
        return []
    lines = []
    if fault.action is not None:
        width = len(str(len(trace.steps)))
        lines.append(f"{style.paint('!'.rjust(width), 'red')}  {style.paint(fault.action, 'bold')}")
    lines.append(f"   {style.paint(fault.kind, 'red')}")
    if fault.span is not None:
        lines.append(f"   {system.source.where(fault.span)}")
        lines += [f" {line}" for line in system.source.caret(fault.span).splitlines()]
    return lines
