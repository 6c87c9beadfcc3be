"""Find the part of a guard that kept an action from being taken, after complete searches of small models.

The coverage bits of `checker/diagnosis/coverage.py` show that a guard never held, not why: recording each conjunct of
each guard would slow down every search. So a second search of the same states tests whether the first conjunct of the
guard holds in some state, the conjunction of the first two, and so on. The first such conjunction that never holds
gives the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from strandline.checker.diagnosis.coverage import GUARD_NEVER_HOLDS, Coverage, NeverTaken, actions_by_title
from strandline.checker.driver.run import run_search
from strandline.checker.driver.searches import StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.options.search import Options
from strandline.model.expression import Binary, Const, Expression, Read, conjunction
from strandline.model.system import Action, System

MOST_STATES = 100_000
"""Most states of a model that is searched again; such a search takes a moment."""
_MOST_ACTIONS, _MOST_PARTS = 8, 40
_LONGEST = 30
"""Most nodes of an expression that is rendered completely."""


def with_reasons(
    coverage: Coverage, system: System, options: Options, started: float, callback: ProgressCallback
) -> Coverage:
    """Return the coverage of a complete search, with the part of each guard that never held, where that is known."""
    guards = list(_guards(system, coverage.never_taken))
    held = _reachable_conditions(
        [prefix for guard in guards for prefix in guard.prefixes], system, options, started, callback
    )
    if held is None:
        return coverage
    reasons = {guard.title: guard.reason(system, held) for guard in guards}
    never = (replace(one, why=one.why + reasons.get(one.action, "")) for one in coverage.never_taken)
    return replace(coverage, never_taken=tuple(never))


@dataclass(frozen=True, slots=True)
class _Guard:
    """The guard of an action that was never taken: its conjuncts, and the locations where the action begins.

    `place` is the condition that the processes are at these locations; None if there are none.
    """

    title: str
    place: Expression | None
    parts: tuple[Expression, ...]

    @property
    def prefixes(self) -> list[Expression]:
        """Return the first conjunct, the conjunction of the first two, and so on, without the whole guard.

        Each is joined with the condition on the locations.
        """
        every = [conjunction(self.place, *self.parts[:count]) for count in range(1, len(self.parts))]
        return [one for one in every if one is not None]

    def reason(self, system: System, held: set[Expression]) -> str:
        failing = next((number for number, one in enumerate(self.prefixes) if one not in held), len(self.parts) - 1)
        before = conjunction(*self.parts[:failing])
        beside = "" if before is None else f" where {_quote(system, before)} does"
        return f": {_quote(system, self.parts[failing])} never does{beside}"


def _quote(system: System, expression: Expression) -> str:
    shown = system.scope.render(expression, longest=_LONGEST)
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def _guards(system: System, never: Sequence[NeverTaken]) -> Iterator[_Guard]:
    """Yield the guards with at least two conjuncts of the actions that were never taken.

    Actions with parameters are left out: their guards are instances of a single text for several values.
    """
    titles, left = actions_by_title(system), _MOST_PARTS
    for one in never[:_MOST_ACTIONS]:
        numbers = titles.get(one.action, [])
        if len(numbers) != 1 or not one.why.startswith(GUARD_NEVER_HOLDS):
            continue
        action = system.actions[numbers[0]]
        guard = _Guard(one.action, _place(system, action), tuple(_parts(action.guard)))
        left -= len(guard.parts)
        if len(guard.parts) > 1 and left >= 0:
            yield guard


def _place(system: System, action: Action) -> Expression | None:
    at = (Binary("==", Read(system.processes[one.process].location), Const(one.source)) for one in action.moves)
    return conjunction(*at)


def _parts(guard: Expression | None) -> Iterator[Expression]:
    """Yield the conjuncts of a guard, from left to right; none if there is no guard."""
    waiting = [] if guard is None else [guard]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Binary) and one.operator == "and":
            waiting += [one.right, one.left]
        else:
            yield one


def _reachable_conditions(
    conditions: Sequence[Expression], system: System, options: Options, started: float, callback: ProgressCallback
) -> set[Expression] | None:
    """Return the conditions that hold in some reachable state; None if the search was not complete."""
    wanted = list(dict.fromkeys(conditions))
    if not wanted:
        return None
    limits = Options(max_seconds=options.max_seconds, memory=options.memory, work_dir=options.work_dir)
    specification = SearchSpecification(
        system=system,
        predicates=wanted,
        measure=None,
        searches=StateSearches(limits, (1 << len(wanted)) - 1),
        options=limits,
        started=started,
    )
    with run_search(specification, callback) as run:
        labels = sum(stop.labels for stop in run.stops)
    # A guard may fault where it is not tried, because others go first: then nothing is known.
    ended = run.outcome.complete or labels == (1 << len(wanted)) - 1
    return {one for bit, one in enumerate(wanted) if labels >> bit & 1} if ended else None
