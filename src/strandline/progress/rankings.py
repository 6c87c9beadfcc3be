"""Find lexicographic rankings of terms that only grow, in rounds.

The term of a round is the sum of everything that never decreases. The next round considers only the steps that leave
this sum unchanged, and finds terms that never decrease on them: a counter inside a phase, the phase between two ticks
of a counter. A ranking based on the changes of every action is proved; one based on the edges of a sample and of random
walks may be decreased by an edge that was not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from strandline.model.expression import Expression
from strandline.model.measure import Reason, render_names
from strandline.progress.candidates import Block, Bounds, Term, negate, rank_sum, total
from strandline.progress.changes import Changes
from strandline.progress.packing import pack_terms
from strandline.progress.state_fields import Cell
from strandline.progress.static import component_ranks

_MOST_VALUES = 48
"""Most values of a cell for which it is ranked by the SCCs of its values."""
_MOST_ROUNDS = 6

MakeTerm = Callable[[Expression, str, str], Term]
Rounds = Callable[[Sequence[Cell]], list[Term]]


def rankings(cells: Sequence[Cell], changes: Changes, bounds: Bounds) -> Iterator[Block]:
    """Yield rankings of the whole system and of each process on its own, proved ones first."""

    def proved_term(expression: Expression, kind: str, subject: str) -> Term:
        return Term(expression, Reason(kind, subject), changes)

    def observed_term(expression: Expression, kind: str, subject: str) -> Term:
        return Term(expression, Reason(kind, subject), changes, observed=True)

    yield from _of_everything(
        cells, _ProvedRounds(changes, proved_term).rounds, "changes of {} that are never undone", bounds, proved_term
    )
    yield from _of_everything(
        cells,
        _ObservedRounds(observed_term).rounds,
        "changes of {} that the sample never undoes",
        bounds,
        observed_term,
    )


def _of_everything(
    cells: Sequence[Cell], rounds_of: Rounds, kind: str, bounds: Bounds, term: MakeTerm
) -> Iterator[Block]:
    rounds = rounds_of(cells)
    if rounds:
        yield tuple(rounds)
    owners: dict[str, list[Cell]] = {}
    for cell in cells:
        owners.setdefault(cell.variable.owner or "the global variables", []).append(cell)
    found = []
    for owner, members in owners.items():
        rounds = rounds_of(members)
        if rounds:
            parts = [one.expression for one in rounds]
            together = pack_terms(parts, [bounds(part) for part in parts])
            found.append(term(together, kind, owner))
    if len(found) > 1:
        yield from ((one,) for one in found)
        yield tuple(found)
        yield (term(total([one.expression for one in found]), kind, "any process"),)


class _ProvedRounds:
    """Makes the rounds of a ranking from the proved changes of each action."""

    def __init__(self, changes: Changes, term: MakeTerm) -> None:
        self.changes, self.term = changes, term
        self._plain: dict[Cell, list[Term]] = {}

    def rounds(self, cells: Sequence[Cell]) -> list[Term]:
        steps = self.changes.steps
        remaining = np.ones(len(steps), dtype=bool)
        found: list[Term] = []
        while remaining.any() and len(found) < _MOST_ROUNDS:
            growing = [
                term
                for cell in cells
                for term in self._terms(cell, remaining)
                if (term.least[remaining] >= 0).all() and term.least[remaining].any()
            ]
            if not growing:
                break
            for one in growing:
                remaining &= one.least == 0
            found.append(_combine_terms(growing, found, self.term, "{} never decreasing"))
        return found

    def _terms(self, cell: Cell, remaining: npt.NDArray[np.bool_]) -> list[Term]:
        if cell.located:
            return self._phases(cell, remaining)
        if cell not in self._plain:
            expression, name = cell.expression, cell.name
            self._plain[cell] = [self.term(expression, "{}", name), self.term(negate(expression), "-{}", name)]
        return self._plain[cell]

    def _phases(self, cell: Cell, remaining: npt.NDArray[np.bool_]) -> list[Term]:
        """Return the phases of a process under some of its moves only."""
        variable = cell.variable
        moves = {step.moves[variable] for step, left in zip(self.changes.steps, remaining, strict=True)
                 if left and variable in step.moves}  # fmt: skip
        ranks = component_ranks(len(variable.names or ()), moves)
        if len(set(ranks)) == 1:
            return []
        return [self.term(rank_sum(variable, dict(enumerate(ranks))), "phases of {}", variable.owner or variable.name)]


class _ObservedRounds:
    """Makes the rounds of a ranking from the edges of the sample."""

    def __init__(self, term: MakeTerm) -> None:
        self.term = term

    def rounds(self, cells: Sequence[Cell]) -> list[Term]:
        remaining: npt.NDArray[np.int64] | None = None
        found: list[Term] = []
        while len(found) < _MOST_ROUNDS:
            growing = []
            steady: npt.NDArray[np.bool_] | None = None
            for cell in cells:
                ranked_here = self._growing_term(cell, remaining)
                if ranked_here is not None:
                    term, kept = ranked_here
                    growing.append(term)
                    steady = kept if steady is None else steady & kept
            if steady is None:
                break
            found.append(_combine_terms(growing, found, self.term, "{} never seen to decrease"))
            remaining = np.flatnonzero(steady) if remaining is None else remaining[steady]
            if not len(remaining):
                break
        return found

    def _growing_term(
        self, cell: Cell, remaining: npt.NDArray[np.int64] | None
    ) -> tuple[Term, npt.NDArray[np.bool_]] | None:
        """Return a rank of the cell that no remaining edge decreases, and the edges that leave it unchanged."""
        before, after = cell.before, cell.after
        if remaining is not None:
            before, after = before[remaining], after[remaining]
        kept = before == after
        if kept.all():
            return None
        rises, falls = bool((after > before).any()), bool((after < before).any())
        if not (rises and falls):
            expression = cell.plain(rising=rises)
            return self.term(expression, "{}" if rises else "-{}", cell.name), kept
        if len(cell.present) > _MOST_VALUES:
            return None
        count, present = len(cell.present), np.array(cell.present)
        sources, targets = np.searchsorted(present, before), np.searchsorted(present, after)
        pairs = np.flatnonzero(np.bincount(sources * count + targets, minlength=count * count))
        ranks = component_ranks(count, {(pair // count, pair % count) for pair in pairs.tolist()})
        if len(set(ranks)) == 1:
            return None
        places = np.array(ranks)
        table = dict(zip(cell.present, ranks, strict=True))
        term = self.term(cell.rank_expression(table), "phases of {}", cell.name)
        return term, places[sources] == places[targets]


def _combine_terms(growing: Sequence[Term], found: Sequence[Term], term: MakeTerm, kind: str) -> Term:
    names = render_names([str(one.reason) for one in growing])
    said = f"in between {kind}" if found else kind
    return term(total([one.expression for one in growing]), said, names)
