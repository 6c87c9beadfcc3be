"""Render LTL properties as text: the lasso, the atoms along it, statistics of the search."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.ltl import AcceptingComponent, AtomValues, LtlSearch
from strandline.checker.verdicts.statistics import Section
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.model.system import System
from strandline.report.coverage import product_rows
from strandline.report.profile import profile_line
from strandline.report.statistics import no_rows, statistic_rows
from strandline.report.style import Style, roughly, table, with_noun
from strandline.report.traces import trace_lines
from strandline.traces.trace import Trace

_MOST_COLUMNS = 32
"""Most states for which the values of atoms are shown in one table."""
_MOST_COMPONENTS = 20
_LONG = 20
"""Steps of a lasso from which on a hint at `--shortest` is shown."""
_LEGEND = "*: if this value alone were different, the run would {}"
_WHATEVER_FOLLOWS = {
    Kind.LTL: "whatever follows, the formula is violated",
    Kind.AUTOMATON: "whatever follows, the automaton decides against it",
}
_SIZE = (Section.SIZE, Section.SWEEP, Section.STORED, Section.CHANGES)
_OWN_WORDS = dict.fromkeys(("states", "transitions", "deadlocks", "levels"), no_rows)
"""Statistics that have no row of the usual form: the row of the product contains them, or they are left out."""
_PATH_ACCEPTED = "this path is one that must never be"


def lasso_words(trace: Trace, *, ended: bool) -> str:
    """Describe the length of a lasso: `3 steps, then a loop of 2 steps`."""
    if trace.loop is None:
        return with_noun(len(trace), "step")
    if ended:
        return f"{with_noun(trace.loop, 'step')}, then the run has ended"
    loop = f"a loop of {with_noun(len(trace) - trace.loop, 'step')}"
    return f"{with_noun(trace.loop, 'step')}, then {loop}" if trace.loop else loop


def ltl_remark(one: PropertyVerdict) -> str:
    """Return the remark beside a property of runs in the list of properties."""
    if one.reason is not None:
        return one.reason
    if one.trace is None or one.search is None:
        return ""
    return lasso_words(one.trace, ended=one.search.ended)


def violation_lines(one: PropertyVerdict, system: System, style: Style, *, full: bool) -> list[str]:
    """Return the run that violates a property, with its title and the values of the atoms along it."""
    trace, search = one.trace, one.search
    if trace is None or search is None:
        return []
    lines = [style.paint(violation_title(one.name, trace, search), "bold")]
    lines += [f"  {line}" for line in trace_lines(trace, system, style, full=full, whole=False)]
    if trace.loop is None:
        lines.append(f"  {style.paint(_WHATEVER_FOLLOWS.get(one.kind, _PATH_ACCEPTED), 'yellow')}")
    elif len(trace) >= _LONG and search.minimised is None:
        lines.append(f"  {style.paint('--shortest looks for a shorter one', 'dim')}")
    if search.atoms:
        legend = _LEGEND.format("satisfy the formula" if one.kind is Kind.LTL else "be no violation")
        lines += ["", *(f"  {line}" for line in atom_lines(search.atoms, trace, style, legend))]
    return lines


def violation_title(name: str, trace: Trace, search: LtlSearch) -> str:
    """Return the heading of a run that violates the property `name`."""
    least = f" ({search.minimised})" if search.minimised else ""
    return f"Violation of '{name}': {lasso_words(trace, ended=search.ended)}{least}"


def atom_lines(atoms: Sequence[AtomValues], trace: Trace, style: Style, legend: str) -> list[str]:
    """Return a table of the atoms' values, a column for each state.

    For long traces it has only the first states at which a value changes. `legend` explains the marks of decisive
    values.
    """
    last = len(trace) if trace.loop is None or trace.loop == len(trace) else len(trace) - 1
    columns = _columns(atoms, last, trace.loop)
    heads = [f"{'┆ ' if number == trace.loop else ''}{number}" for number in columns]
    if trace.loop is not None:
        heads[-1] += " ↺"
    rows = [["state", *heads]]
    rows += [[one.name, *(_cell(one, number, trace.loop) for number in columns)] for one in atoms]
    lines = table(rows, indent="")
    lines[0] = style.paint(lines[0], "bold")
    if len(columns) <= last:
        lines.append(style.paint("only states where a value changes are shown", "dim"))
    if any(any(one.decisive) for one in atoms):
        lines.append(style.paint(legend, "dim"))
    return lines


def _columns(atoms: Sequence[AtomValues], last: int, loop: int | None) -> list[int]:
    everything = list(range(last + 1))
    if len(everything) <= _MOST_COLUMNS:
        return everything
    kept = [
        number
        for number in everything
        if number in (0, loop) or any(one.values[number] != one.values[number - 1] for one in atoms)
    ]
    return kept[:_MOST_COLUMNS]


def _cell(one: AtomValues, number: int, loop: int | None) -> str:
    mark = "*" if one.decisive[number] else ""
    return f"{'┆ ' if number == loop else ''}{'1' if one.values[number] else '0'}{mark}"


def component_lines(components: Sequence[AcceptingComponent], style: Style) -> list[str]:
    """Return a table of the accepting SCCs with their sizes and lengths of lassos, for at most the first few."""
    if not components:
        return []
    title = with_noun(len(components), "accepting component")
    rows = [
        [f"{number}", with_noun(one.states, "state"), "" if one.trace is None else _lasso(one.trace)]
        for number, one in enumerate(components[:_MOST_COMPONENTS], 1)
    ]
    lines = ["", style.paint(title, "bold"), *table(rows)]
    if len(components) > _MOST_COMPONENTS:
        lines.append(f"  ... and {len(components) - _MOST_COMPONENTS:,} more")
    return lines


def _lasso(trace: Trace) -> str:
    return lasso_words(trace, ended=trace.loop == len(trace))


def warning_lines(one: PropertyVerdict, style: Style) -> list[str]:
    """Return the sanity warnings about the answer for a property, one per line."""
    search = one.search or one.ctl
    warnings = () if search is None else search.warnings
    return [f"  {style.paint('warning', 'yellow')}: '{one.name}': {text}" for text in warnings]


def search_lines(one: PropertyVerdict, style: Style, *, titled: bool) -> list[str]:
    """Return the description of how a property was searched, headed by its name if `titled`."""
    if one.search is None:
        return []
    title = [style.paint(f"'{one.name}'", "bold")] if titled else []
    return [*title, *table(search_rows(one.search)), *profile_line(one.search.statistics, style)]


def search_rows(search: LtlSearch) -> list[tuple[str, str]]:
    """Return rows of a title and a text about the search for a property: method, automaton, statistics."""
    rows = [("method", f"{search.method}{f' ({search.method_reason})' if search.method_reason else ''}")]
    if search.automaton_states:
        states = with_noun(search.automaton_states, "state")
        rows.append(("automaton", f"{states}, {with_noun(search.automaton_edges, 'edge')}"))
    if search.fairness:
        rows.append(("fairness", "; ".join(search.fairness)))
    if search.finite_runs != "stutter":
        rows.append(("finite runs", f"{search.finite_runs}d"))
    return rows + _figures(search)


def _figures(search: LtlSearch) -> list[tuple[str, str]]:
    now = search.statistics
    if not now.visited:
        return []
    rest = "" if search.complete else f"  (not complete: {search.reason})"
    about = "states not known" if now.estimated_states is None else f"{roughly(now.estimated_states)} states"
    states = about if now.states is None else with_noun(now.states, "state")
    if now.states is None and search.complete:
        states += " after regress edges"
    edges = "" if now.transitions is None else f", {with_noun(now.transitions, 'transition')}"
    rows = [("product", f"{states}{edges}{rest}"), *statistic_rows(now, None, _OWN_WORDS, _SIZE)]
    if search.cycle_kind is not None:
        kinds = {"S": "inside one layer", "M": "over several layers"}
        rows.append(("cycle", kinds.get(search.cycle_kind, search.cycle_kind)))
    rows += statistic_rows(now, None, _OWN_WORDS, (Section.MEMORY, Section.TIME))
    return [*rows, *product_rows(now.coverage, complete=search.complete)]
