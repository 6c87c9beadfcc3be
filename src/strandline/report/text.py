"""Render verdicts and explorations as text."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.checker.driver.outcome import DECIDED
from strandline.checker.limits.memory import shown_bytes
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.statistics import Section, Statistics, WalkFigures
from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.engine.device.search import DeviceFigures
from strandline.report.coverage import coverage_rows
from strandline.report.ctl import ctl_remark, ctl_search_lines, evidence_lines
from strandline.report.ltl import component_lines, ltl_remark, search_lines, violation_lines, warning_lines
from strandline.report.prediction import prediction_rows
from strandline.report.profile import profile_chart, profile_line
from strandline.report.statistics import Words, statistic_rows
from strandline.report.style import Style, large, memory_words, roughly, table, with_noun
from strandline.report.traces import trace_lines

_MOST_NAMES = 12
_COLOURS = {Answer.HOLDS: "green", Answer.VIOLATED: "red", Answer.UNKNOWN: "yellow"}


def verdict_text(verdict: Verdict, style: Style, *, full: bool = False) -> str:
    """Return the complete report of a check."""
    lines = [_headline(verdict.answer, verdict.system.title, style)]
    lines += ["", *_property_lines(verdict, style)]
    lines += [line for one in verdict.properties for line in warning_lines(one, style)]
    for one in with_distinct_traces(verdict):
        if one.search is not None:
            lines += ["", *violation_lines(one, verdict.system, style, full=full)]
            lines += component_lines(one.search.components, style)
        elif one.ctl is not None:
            lines += ["", *evidence_lines(one, verdict.system, style, full=full)]
        elif one.trace is not None:
            lines += ["", *_trace_titles(one, verdict, style)]
            lines += [f"  {line}" for line in trace_lines(one.trace, verdict.system, style, full=full, whole=False)]
    for one in verdict.properties:
        if one.trace is None and one.search is not None and one.search.components:
            lines += ["", *component_lines(one.search.components, style)]
    temporal = [one for one in verdict.properties if one.search is not None or one.ctl is not None]
    if searched_states(verdict):
        lines += ["", *_statistics_lines(verdict.exploration)]
    elif verdict.notes:
        lines += ["", *table(_note_rows(verdict.exploration))]
    searched: list[Statistics] = []
    for one in temporal:
        titled = len(verdict.properties) > 1
        lines += ["", *search_lines(one, style, titled=titled)] if one.ctl is None else []
        # Formulas that were decided together are reported together.
        if one.ctl is not None and one.ctl.statistics not in searched:
            searched.append(one.ctl.statistics)
            lines += ["", *ctl_search_lines(one, style, titled=titled)]
    return "\n".join(lines)


def searched_states(verdict: Verdict) -> bool:
    """Return True if there was a search for properties of single states, not only for runs or trees."""
    temporal = [one for one in verdict.properties if one.search is not None or one.ctl is not None]
    own = not temporal or any(one not in temporal and one.kind is not Kind.FAULT for one in verdict.properties)
    return own and bool(verdict.statistics.visited or verdict.exploration.complete)


def exploration_text(exploration: Exploration, style: Style, *, full: bool = False, chart: int | None = None) -> str:
    """Return the complete report of an exploration; with `chart`, its profile as a chart of that width."""
    title = {
        Answer.HOLDS: style.paint("EXPLORED", "green", "bold"),
        Answer.VIOLATED: style.paint("FAULT", "red", "bold"),
        Answer.UNKNOWN: style.paint("INCOMPLETE", "yellow", "bold"),
    }[exploration.answer]
    lines = [f"{title}  {exploration.system.title}"]
    if exploration.reason is not None:
        lines.append(f"  {exploration.reason}")
    fault = exploration.fault
    if fault is not None and fault.trace is None:
        lines.append(f"  {fault.reason}")
    if fault is not None and fault.trace is not None:
        lines += ["", trace_title(fault, exploration, style)]
        lines += [f"  {line}" for line in trace_lines(fault.trace, exploration.system, style, full=full, whole=False)]
    if exploration.statistics.visited or exploration.complete:
        lines += ["", *_statistics_lines(exploration), *_profile(exploration, style, chart)]
    return "\n".join(lines)


def _headline(answer: Answer, name: str, style: Style) -> str:
    return f"{style.paint(answer.value, _COLOURS[answer], 'bold')}  {name}"


def _property_lines(verdict: Verdict, style: Style) -> list[str]:
    rows = []
    for one in verdict.properties:
        kind = "" if one.kind in (Kind.DEADLOCK, Kind.FAULT) else one.kind.value
        rows.append((one.answer.value.lower(), f"{kind} {one.name}".strip(), remark(one)))
    lines = table(rows) or ["  no property was checked but run-time faults"]
    colours = [_COLOURS[one.answer] for one in verdict.properties]
    for number, (colour, row) in enumerate(zip(colours, rows, strict=True)):
        lines[number] = lines[number].replace(row[0], style.paint(row[0], colour), 1)
    return lines


def remark(one: PropertyVerdict) -> str:
    """Return the remark beside a property in the list of properties: the reason, or the length of its trace."""
    if one.search is not None:
        return ltl_remark(one)
    if one.ctl is not None:
        return ctl_remark(one)
    if one.reason is not None:
        return one.reason
    if one.trace is not None:
        word = "witness" if one.answer is Answer.HOLDS else "trace"
        return f"{word} of {with_noun(len(one.trace), 'step')}"
    return ""


def with_distinct_traces(verdict: Verdict) -> list[PropertyVerdict]:
    """Return the properties whose traces are shown, each trace once.

    Properties that one and the same state decides share their trace.
    """
    shown: list[PropertyVerdict] = []
    for one in verdict.properties:
        if one.trace is not None and all(one.trace is not other.trace for other in shown):
            shown.append(one)
    return shown


def _trace_titles(first: PropertyVerdict, verdict: Verdict, style: Style) -> list[str]:
    """Return a heading for each property that the trace of `first` decides."""
    return [trace_title(one, verdict.exploration, style) for one in verdict.properties if one.trace is first.trace]


def trace_title(one: PropertyVerdict, exploration: Exploration, style: Style) -> str:
    """Return the heading of a trace to a state, with its length."""
    length = 0 if one.trace is None else len(one.trace)
    words = {
        Kind.DEADLOCK: "Deadlock",
        Kind.FAULT: "Run-time fault",
        Kind.REACHABILITY: f"Witness of '{one.name}'",
    }
    title = words.get(one.kind, f"Violation of '{one.name}'")
    certain = exploration.options.finds_shortest and exploration.statistics.walks is None and one.shortest
    shortest = ", no shorter one exists" if certain else ""
    return style.paint(f"{title} after {with_noun(length, 'step')}{shortest}", "bold")


def _note_rows(exploration: Exploration) -> list[tuple[str, str]]:
    return [("note", note) for note in exploration.notes]


def _statistics_lines(exploration: Exploration) -> list[str]:
    return table(statistics_rows(exploration))


def statistics_rows(exploration: Exploration) -> list[tuple[str, str]]:
    """Return rows of a title and a text about a search through states."""
    now, options = exploration.statistics, exploration.options
    if now.walks is not None:
        return _walk_rows(exploration, now.walks)
    words = _words(exploration)
    rows = statistic_rows(now, options, words, (one for one in Section if one < Section.REDUCTION))
    if options.order == "sweep" and now.sweeps:
        rows += prediction_rows(exploration)
    if options.por:
        rows.append(("reduction", "partial order; all counts are those of the reduced state space"))
    rows += statistic_rows(now, options, words, (one for one in Section if one >= Section.REDUCTION))
    if exploration.reason != DECIDED:
        rows += coverage_rows(now.coverage, complete=exploration.complete)
    return [*rows, *_note_rows(exploration)]


def _words(exploration: Exploration) -> dict[str, Words]:
    """Return the texts of the rows that depend on the whole exploration, or say more than a value."""
    options = exploration.options
    so_far = "" if exploration.complete else f"  (not complete: {exploration.reason})"
    why = "after evictions" if options.order == "cache" else "after regress edges"

    def deadlocks(now: Statistics) -> list[str]:
        ends = ", valid ends included" if now.deadlocks and exploration.system.ends is not None else ""
        return [_count(now.deadlocks, why) + ends]

    def cache(now: Statistics) -> list[str]:
        size = with_noun(options.cache_size, "state")
        return [f"{size}, {with_noun(now.replaced, 'state')} evicted (rule {options.cache_rule})"]

    return {
        "states": lambda now: [_count(now.states, why, now.estimated_states) + so_far],
        "transitions": lambda now: [_count(now.transitions, why)],
        "deadlocks": deadlocks,
        "cone": _cone,
        "visited": lambda now: [f"{now.visited:,}" + (f", {now.revisited:,} of them again" if now.revisited else "")],
        "levels": lambda now: [f"{len(now.levels):,}, the widest {with_noun(max(now.levels), 'state')}"],
        "replaced": cache,
        "symmetric_groups": _symmetry,
        "merged_locations": lambda now: [_merging_row(now)],
        "peak_bytes": _memory,
        "spilled_bytes": lambda now: [
            f"states that did not fit into memory took {shown_bytes(now.spilled_bytes)} at most"
        ],
        "device": lambda now: [] if now.device is None else [_device(now.device)],
    }


def _cone(now: Statistics) -> list[str]:
    looked, every = now.cone or (0, 0)
    return [f"{looked:,} of {every:,} places of the state matter; states are of these"]


def _symmetry(now: Statistics) -> Iterator[str]:
    for names, symmetry_variables in zip(now.symmetric_groups, now.symmetry_variables, strict=True):
        held = f", held by {symmetry_variables}" if symmetry_variables else ""
        yield f"symmetry of {names}{held}; all counts are those of the reduced state space"


def _memory(now: Statistics) -> list[str]:
    if now.nodes or now.peak_states < 10_000:
        return [memory_words(now)]
    each = f" ({now.peak_bytes / now.peak_states:.1f} bytes a state)"
    return [memory_words(now, each)]


def _walk_rows(exploration: Exploration, walks: WalkFigures) -> list[tuple[str, str]]:
    now = exploration.statistics
    rate = f" ({walks.steps / now.seconds / 1e6:.2f} million steps/s)" if now.seconds > 0.05 else ""
    ended = f", {walks.ended:,} ended in deadlock" if walks.ended else ""
    return [
        ("walks", f"{walks.taken:,} of {walks.walks:,}, seed {walks.seed}{ended}"),
        ("steps", f"{walks.steps:,}, the longest walk {walks.longest:,} of at most {walks.depth:,}"),
        ("time", f"walks {now.seconds:.3f} s{rate}, compiling the model {now.compile_seconds:.3f} s"),
        *(coverage_rows(now.coverage, complete=False) if exploration.reason != DECIDED else []),
    ]


def _count(number: int | None, why: str, about: int | None = None) -> str:
    if number is not None:
        return large(number)
    known = "not known" if about is None else roughly(about)
    return f"{known} {why} (--count-distinct makes it exact)"


def _merging_row(now: Statistics) -> str:
    if not now.merged_locations:
        return "no steps could be merged"
    names = ", ".join(now.merged_locations[:_MOST_NAMES]) + (", ..." if len(now.merged_locations) > _MOST_NAMES else "")
    return f"steps merged at {names}; all counts are those of the reduced state space"


def _device(figures: DeviceFigures) -> str:
    rebuilt = f", its table made anew {with_noun(figures.rebuilt, 'time')}" if figures.rebuilt else ""
    retraced = f", {with_noun(figures.retraced, 'sweep')} for traces" if figures.retraced else ""
    return f"{figures.name}{rebuilt}{retraced}"


def _profile(exploration: Exploration, style: Style, chart: int | None) -> list[str]:
    """Return the profile as a chart of the width `chart`, or in one line if that is None."""
    if chart is not None:
        return profile_chart(exploration, style, chart)
    return profile_line(exploration.statistics, style)
