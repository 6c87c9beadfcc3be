"""Render results for CTL as text: the evidence, and statistics of the decision."""

from __future__ import annotations

from strandline.checker.limits.memory import shown_bytes
from strandline.checker.verdicts.ctl import CtlSearch, Evidence
from strandline.checker.verdicts.statistics import Section
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict
from strandline.model.system import System
from strandline.report.ltl import lasso_words
from strandline.report.profile import profile_line
from strandline.report.statistics import no_rows, statistic_rows
from strandline.report.style import Style, large, table, with_noun
from strandline.report.traces import trace_lines
from strandline.traces.text import state_lines
from strandline.traces.trace import Trace

_DEAD_ENDS = {
    "stutter": "such a state repeats itself for ever",
    "maximal": "paths end there",
    "ignore": "paths that end there do not count",
}
_OWN_WORDS = dict.fromkeys(("states", "transitions", "deadlocks", "cone", "levels"), no_rows)
"""Statistics that have no row of the usual form: the first rows contain them, or the text leaves them out."""
_MOST_MEMBERS = 10
"""Most states of a terminal SCC that are shown as text."""


def ctl_remark(one: PropertyVerdict) -> str:
    """Return the remark beside a CTL formula in the list of properties."""
    if one.reason is not None:
        return one.reason
    words = [] if one.trace is None else [lasso_words(one.trace, ended=one.trace.loop == len(one.trace))]
    initial = None if one.ctl is None else one.ctl.initial
    if initial is not None and initial.all > 1 and initial.satisfying < initial.all:
        number = f"{initial.satisfying:,}" if initial.satisfying else "none"
        words.append(f"{initial.word}: holds in {number} of {initial.all:,} initial states")
    return "; ".join(words)


def evidence_lines(one: PropertyVerdict, system: System, style: Style, *, full: bool) -> list[str]:
    """Return the evidence for a formula's value: the tree of decisive subformulas, then the runs for them."""
    search = one.ctl
    if search is None or search.evidence is None:
        missing = None if search is None else search.no_evidence_reason
        return [f"Nothing is shown for '{one.name}': {missing}"] if missing else []
    if one.trace is None:
        return []
    lines = [style.paint(evidence_title(one, one.trace), "bold"), *tree_lines(search.evidence, style)]
    shown = _traces(search.evidence)
    for number, evidence in enumerate(shown):
        if evidence.trace is None:
            continue
        if len(shown) > 1:
            lines += ["", f"  run {number + 1}, for '{evidence.formula}'"]
        lines += [f"  {line}" for line in trace_lines(evidence.trace, system, style, full=full, whole=False)]
    return lines


def evidence_title(one: PropertyVerdict, trace: Trace) -> str:
    """Return the heading of the evidence."""
    word = "Witness of" if one.answer is Answer.HOLDS else "Violation of"
    return f"{word} '{one.name}': {lasso_words(trace, ended=trace.loop == len(trace))}"


def tree_lines(evidence: Evidence, style: Style, depth: int = 1) -> list[str]:
    """Return the decisive subformulas, one per line, each indented below the one that contains it.

    The states of a terminal SCC that is evidence follow its subformula.
    """
    truth = style.paint("true", "green") if evidence.holds else style.paint("false", "red")
    words = f": {evidence.words}" if evidence.words not in ("", "true here", "false here") else ""
    lines = [f"{'  ' * depth}{evidence.formula} is {truth}{words}"]
    for part in evidence.parts:
        lines += tree_lines(part, style, depth + 1)
    if evidence.component is not None:
        shown, indent = evidence.component.members[:_MOST_MEMBERS], "  " * (depth + 1)
        lines += [f"{indent}{line}" for one in shown for line in state_lines(one, style.paint)]
        if evidence.component.states > len(shown):
            lines.append(f"{indent}... and {with_noun(evidence.component.states - len(shown), 'state')} more")
    return lines


def _traces(evidence: Evidence) -> list[Evidence]:
    """Return the pieces of evidence whose runs are not a prefix of the run of an inner one."""
    inner = [one for part in evidence.parts for one in _traces(part)]
    ends_there = evidence.trace is None or (inner and evidence.trace.loop is None)
    return inner if ends_there else [evidence, *inner]


def ctl_search_lines(one: PropertyVerdict, style: Style, *, titled: bool) -> list[str]:
    """Return the description of how a formula was decided, headed by the formula if `titled`."""
    if one.ctl is None:
        return []
    title = [style.paint(f"'{one.name}'", "bold")] if titled else []
    return [*title, *table(ctl_search_rows(one.ctl)), *profile_line(one.ctl.statistics, style)]


def ctl_search_rows(search: CtlSearch) -> list[tuple[str, str]]:
    """Return rows of a title and a text about the search for a formula: method, fairness, statistics."""
    rows = [("method", f"{search.method}{f' ({search.method_reason})' if search.method_reason else ''}")]
    if search.fairness:
        rows.append(("fairness", "; ".join(search.fairness)))
    if search.finite_runs != "stutter":
        rows.append(("finite runs", search.finite_runs))
    return [*rows, *_figures(search), *_abstraction(search)]


def _figures(search: CtlSearch) -> list[tuple[str, str]]:
    now = search.statistics
    if not now.visited and not now.nodes:
        return []
    rest = "" if search.complete else f"  (not complete: {search.reason})"
    kind = ", each a state of the model and which fair actions were just taken" if search.product else ""
    rows = [("product" if search.product else "states", f"{_states(search)}{kind}{rest}")]
    if now.transitions is not None:
        rows.append(("transitions", f"{now.transitions:,}"))
    if now.deadlocks:
        rows.append(("without a step", f"{with_noun(now.deadlocks, 'state')}: {_DEAD_ENDS[search.finite_runs]}"))
    own = {**_OWN_WORDS, "visited": no_rows} if now.nodes else _OWN_WORDS
    rows += statistic_rows(now, None, own, (Section.SIZE, Section.SWEEP, Section.STORED))
    if search.records:
        rows.append(("graph", f"{with_noun(search.records, 'record')}, {shown_bytes(search.disk_bytes)} on disk"))
        blocks = with_noun(search.blocks_read, "block")
        rows.append(("labelling", f"{search.labelling_seconds:.3f} s, {blocks} read"))
    return rows + statistic_rows(now, None, own, (Section.DIAGRAMS, Section.MEMORY, Section.TIME))


def _states(search: CtlSearch) -> str:
    now = search.statistics
    if now.states is not None:
        return large(now.states)
    return "not known: the reachable states were not computed" if now.nodes else "not known after regress edges"


def _abstraction(search: CtlSearch) -> list[tuple[str, str]]:
    found = search.abstraction
    if found is None:
        return []
    states, visible = large(found.abstract_states), with_noun(found.visible, "place")
    rows = [("decided by", f"{found.decided_by}, after {with_noun(found.refinements, 'refinement')}")]
    if found.abstract_states:
        rows.append(("abstraction", f"{states} abstract states, {visible} of the state visible"))
    return rows + [("", step) for step in found.steps]
