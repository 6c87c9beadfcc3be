"""The basis of a verdict, in sentences: the part that was searched, the parts left out, possible doubts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from strandline.checker.diagnosis.coverage import Coverage
from strandline.checker.driver.outcome import DECIDED
from strandline.checker.limits.memory import shown_bytes
from strandline.checker.measures.notation import measure_texts
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.ctl import CtlSearch
from strandline.checker.verdicts.ltl import LtlSearch
from strandline.checker.verdicts.statistics import Statistics
from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.report.style import large, with_noun

_REPLAYED = (
    "Every step of a trace was executed again, before it was shown, by the interpreter that defines what models mean."
)
_SHOWN = 12
"""Most names that a sentence lists."""
_ENDS = {
    "stutter": "A run that ends counts as one that stays in its last state for ever.",
    "ignore": "Runs that end do not count.",
    "maximal": "Paths that end count as they are.",
}


class Ground(NamedTuple):
    """One sentence about the basis of a verdict.

    `mark` is `sure` for a fact that makes the answer certain, `open` for one that limits it, `note` for any other.
    """

    mark: str
    text: str


def grounds(result: Exploration | Verdict) -> list[Ground]:
    """Return all sentences that a reader should know before relying on the answer."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    properties = result.properties if isinstance(result, Verdict) else ()
    searched = [one for one in properties if one.search is not None or one.ctl is not None]
    found: list[Ground] = []
    if not searched or exploration.options.order != "bfs" or len(searched) < len(properties):
        found += _search(exploration)
    for one in searched:
        found += _temporal(one, titled=len(properties) > 1)
    if result.trace is not None:
        found.append(Ground("sure", _REPLAYED))
    return list(dict.fromkeys([*found, *(Ground("note", note) for note in exploration.notes)]))


def _search(exploration: Exploration) -> Iterator[Ground]:
    now, options = exploration.statistics, exploration.options
    yield _completeness(exploration)
    if options.por:
        reduced = "of steps that commute one order was searched. All counts are those of the reduced state space"
        yield Ground("note", f"Partial-order reduction: {reduced}.")
    for names, symmetry_variables in zip(now.symmetric_groups, now.symmetry_variables, strict=True):
        held = f", held by {symmetry_variables}" if symmetry_variables else ""
        reduced = "of states that differ by an exchange of these one was searched, and counted"
        yield Ground("note", f"Symmetry of {names}{held}: {reduced}.")
    yield from (Ground("note", f"{why[:1].upper()}{why[1:]}.") for why in now.not_symmetric)
    for how in now.fallbacks:
        yield Ground("note", f"While it ran: {how}.")
    if now.spilled_bytes:
        yield Ground("note", f"States that did not fit into memory took {shown_bytes(now.spilled_bytes)} of disk.")
    if options.store_kind.lossy:
        yield Ground("open", f"The store is lossy ({options.store}): a new state may have been taken for a known one.")
    if options.order == "sweep":
        yield from _measure(exploration)
    if now.cone is not None:
        looked = f"{now.cone[0]:,} of {now.cone[1]:,} places of the state"
        yield Ground("note", f"{looked} matter for the question; states are counted by these.")
    if exploration.reason != DECIDED:
        yield from _coverage(now.coverage, complete=exploration.complete)


def _completeness(exploration: Exploration) -> Ground:
    now = exploration.statistics
    if now.walks is not None:
        return Ground(
            "open", f"{with_noun(now.walks.taken, 'random walk')}: what they did not meet may still be there."
        )
    if exploration.complete:
        return Ground("sure", f"All reachable states were explored: {_size(now)}.")
    if exploration.reason == DECIDED:
        return Ground("note", f"The search stopped when every property was decided, after {now.visited:,} states.")
    return Ground("open", f"Not all reachable states were explored: {exploration.reason}.")


def _size(now: Statistics) -> str:
    if now.states is None:
        return f"{with_noun(now.visited, 'visit')}; how many distinct states these were is not known"
    edges = "" if now.transitions is None else f", {large(now.transitions)} transitions"
    return f"{large(now.states)} states{edges}"


def _measure(exploration: Exploration) -> Iterator[Ground]:
    now, prediction = exploration.statistics, exploration.prediction
    texts = exploration.options.measure
    if prediction is not None:
        found = ", ".join(measure_texts(prediction.measure, exploration.system))
        yield Ground("note", f"Sweep by a measure that was found: {found} ({prediction.reason}).")
    elif texts:
        yield Ground("note", f"Sweep by the measure {', '.join([texts] if isinstance(texts, str) else texts)}.")
    else:
        yield Ground("note", "Sweep by the measure that the model declares.")
    if now.regress_edges:
        sweeps = with_noun(now.sweeps, "sweep")
        kept = f"{with_noun(now.persistent, 'state')} kept for that, {sweeps} until nothing was new"
        yield Ground("sure", f"{with_noun(now.regress_edges, 'step')} fell back behind the line; {kept}.")
    else:
        yield Ground("sure", "No step fell back behind the line, so every state was forgotten for good.")


def _coverage(coverage: Coverage | None, *, complete: bool) -> Iterator[Ground]:
    if coverage is None:
        yield Ground("note", "What was met of the model is not known for this kind of search.")
        return
    taken = coverage.actions - len(coverage.never_taken)
    if not coverage.never_taken:
        yield Ground("sure", f"Every action of the model was taken ({coverage.actions:,}).")
    elif complete:
        never = _list([f"{one.action} ({one.why})" for one in coverage.never_taken])
        yield Ground("open", f"{taken:,} of {with_noun(coverage.actions, 'action')} were ever taken. Never: {never}.")
    else:
        yield Ground("note", f"{taken:,} of {with_noun(coverage.actions, 'action')} were taken so far.")
    if complete and coverage.never_reached:
        yield Ground("open", f"Never reached: {_list(list(coverage.never_reached))}.")
    if coverage.full:
        yield Ground("open", f"Full at times, so that others had to wait: {_list(list(coverage.full))}.")


def _list(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def _temporal(one: PropertyVerdict, *, titled: bool) -> Iterator[Ground]:
    """Yield the sentences about the basis of the answer for a property of runs or trees."""
    title = f"'{one.name}': " if titled else ""
    search = one.search or one.ctl
    if search is None:
        return
    yield Ground(
        "note",
        f"{title}Decided by the method {search.method}{f', {search.method_reason}' if search.method_reason else ''}.",
    )
    if search.complete and search.statistics.visited:
        what = "product" if isinstance(search, LtlSearch) else "state space"
        yield Ground("sure", f"{title}The whole {what} was searched: {_size(search.statistics)}.")
    elif not search.complete and one.answer is not Answer.VIOLATED:
        yield Ground("open", f"{title}The search is not complete: {search.reason}.")
    if search.fairness:
        yield Ground("open", f"{title}Only fair runs count: {'; '.join(search.fairness)}.")
    yield Ground("note", title + _ENDS.get(search.finite_runs, f"Finite runs: {search.finite_runs}."))
    if isinstance(search, LtlSearch):
        yield from _vacuity(one, search, title)
        return
    yield from _warnings(search, title)
    if search.no_evidence_reason is not None:
        yield Ground("note", f"{title}Nothing is shown: {search.no_evidence_reason}.")


def _warnings(search: LtlSearch | CtlSearch, title: str) -> Iterator[Ground]:
    for warning in search.warnings:
        yield Ground("open", f"{title}{warning[:1].upper()}{warning[1:]}.")


def _vacuity(one: PropertyVerdict, search: LtlSearch, title: str) -> Iterator[Ground]:
    yield from _warnings(search, title)
    if one.kind is Kind.LTL and one.answer is Answer.HOLDS and not search.warnings:
        yield Ground("note", f"{title}No sign was found that it holds for a wrong reason.")
