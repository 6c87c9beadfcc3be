"""Prove that names are symmetric, and search for the variables that must hold names for the proof to succeed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import TypeAlias

from strandline.analysis.dependencies import dependencies_of, expressions
from strandline.analysis.symmetry.normal_forms import NormalForms, Numbering, Renaming, constants
from strandline.analysis.symmetry.scalarsets import Holds, Indexes, Kind, SortRef, Sorts
from strandline.model.expression import Const, Element, Expression, Unary, walk
from strandline.model.system import Action, Process, System, Variable

Firsts: TypeAlias = Mapping[Kind, int]
"""The sorts whose numbers are names, with the number of the first name."""

_MAX_PROOFS = 60
"""Most proof attempts in the search for variables that hold names."""
_MAX_REPAIRS = 300
"""Most repairs tried for one action without a counterpart."""
_MAX_SORTS_ADDED = 3
"""Most sorts that are added together to repair one action."""


class NotSymmetric(Exception):
    """Raised when names are not symmetric; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for a scalarset: a group of processes, or a declared type, whose names may be symmetric."""

    description: str
    size: int
    processes: tuple[int, ...] = ()
    declared: str | None = None


def own_variables(system: System, process: Process) -> list[Variable]:
    """Return the location of a process and its own variables."""
    own = [one for one in system.variables if one.owner == process.name and one is not process.location]
    return [process.location, *own]


@dataclass(frozen=True, slots=True)
class _Failure:
    """An action without a counterpart under a swap of two neighbours, or an expression that the swap changes."""

    what: Action | Expression
    first: int
    words: str


class Proof:
    """Searches for the sorts that must hold the names of a candidate for the names to be symmetric.

    See `strandline.analysis.symmetry.scalarsets` for sorts. Numbers of the sorts found are permuted with the names;
    numbers of other sorts stay the same.
    """

    def __init__(
        self, system: System, names: Candidate, sorts: Sorts, watched: Sequence[Expression], taken: set[Kind]
    ) -> None:
        self._system, self._names, self._sorts, self._watched, self._taken = system, names, sorts, watched, taken
        self._single = _constant_indexed_arrays(system)
        for one in self._single:
            if sorts.of(Indexes(one)).sort not in taken:
                sorts.rows[one] = one.slots // names.size if one.slots % names.size == 0 else 1
        self._numbered = Numbering()
        self._plain = NormalForms(self._numbered, sorts, Renaming(), dependencies_of(system).slots)
        self._before = Counter(self._plain.action(action) for action in system.actions)
        self._tried = 0
        self._failures: list[tuple[_Failure, Firsts]] = []

    def find(self) -> Firsts:
        """Return sorts for which the proof succeeds. Raises `NotSymmetric` if there are none."""
        for firsts in self._initial_assumptions():
            complete = self._complete(firsts)
            if complete is not None:
                return complete
        raise NotSymmetric(self._explain(*max(self._failures, key=lambda failed: len(failed[1]))))

    def _initial_assumptions(self) -> Iterator[Firsts]:
        """Yield the assumptions to begin with.

        For a declared type these are the variables of that type. For processes they are the indices of arrays with one
        element per process that are only indexed by constants; then the empty set.
        """
        if self._names.declared is not None:
            yield self._declared_firsts(self._names.declared)
            return
        indexed = {self._sorts.of(Indexes(one)).sort: 0 for one in self._single if self._is_global_array(one)}
        firsts = {sort: first for sort, first in indexed.items() if self._reason_against(sort, first) is None}
        if firsts:
            yield firsts
        yield {}

    def _is_global_array(self, array: Variable) -> bool:
        return array.owner is None and array.length == self._names.size

    def _declared_firsts(self, name: str) -> Firsts:
        firsts: dict[Kind, int] = {}
        for variable in self._system.variables:
            names = variable.domain.names
            if names is not None and names.of == name:
                found = self._sorts.of(Holds(variable))
                first = names.first - found.offset
                why = self._reason_against(found.sort, first)
                if firsts.setdefault(found.sort, first) != first:
                    why = "its values mean different names in different places"
                if why is not None:
                    raise NotSymmetric(f"{variable.name} holds them, and {why}")
        return firsts

    def _complete(self, firsts: Firsts) -> Firsts | None:
        """Extend the sorts by those that must hold names too; return None if no proof exists with them."""
        self._tried += 1
        failure = self._find_failure(firsts)
        if failure is None:
            return firsts
        self._failures.append((failure, firsts))
        possible = {
            sort: [first for first in numbers if self._reason_against(sort, first) is None]
            for sort, numbers in self._candidate_firsts(failure, firsts).items()
        }
        for further in self._repairs(failure, firsts, {sort: numbers for sort, numbers in possible.items() if numbers}):
            complete = self._complete({**firsts, **further}) if self._tried < _MAX_PROOFS else None
            if complete is not None:
                return complete
        return None

    def _find_failure(self, firsts: Firsts) -> _Failure | None:
        for first in range(self._names.size - 1):
            forms, remaining = self._forms_after_swap(first, firsts), Counter(self._before)
            for action in self._system.actions:
                form = forms.action(action)
                if not remaining[form]:
                    return _Failure(action, first, f"no action corresponds to '{action.name}'")
                remaining[form] -= 1
            for expression in self._watched:
                if self._plain.of(expression) != forms.of(expression):
                    shown = self._system.scope.render(_strip_negation(expression))
                    return _Failure(expression, first, f"'{shown}' distinguishes them")
        return None

    def _forms_after_swap(self, first: int, firsts: Firsts) -> NormalForms:
        """Return the normal forms after a swap of two neighbours."""
        variables, processes = {}, {}
        if self._names.processes:
            one, other = self._names.processes[first : first + 2]
            processes = {one: other, other: one}
            mine, theirs = (own_variables(self._system, self._system.processes[number]) for number in (one, other))
            variables = dict(zip([*mine, *theirs], [*theirs, *mine], strict=True))
        ranks = {first: first + 1, first + 1: first}
        renaming = Renaming(variables, processes, ranks, firsts)
        return NormalForms(self._numbered, self._sorts, renaming, dependencies_of(self._system).slots)

    def _repairs(self, failure: _Failure, firsts: Firsts, options: Mapping[Kind, Iterable[int]]) -> Iterator[Firsts]:
        """Yield sets of sorts that repair a failure if they hold the names; sets with the fewest sorts first."""
        tried = (
            dict(zip(sorts, numbers, strict=True))
            for count in range(1, _MAX_SORTS_ADDED + 1)
            for sorts in combinations(options, count)
            for numbers in product(*(sorted(options[sort], key=abs) for sort in sorts))
        )
        for further in islice(tried, _MAX_REPAIRS):
            if self._is_repaired(failure, {**firsts, **further}):
                yield further

    def _candidate_firsts(self, failure: _Failure, firsts: Firsts) -> dict[Kind, set[int]]:
        """Return, for each sort whose constants the swap changes, the numbers that may stand for the first name."""
        options: dict[Kind, set[int]] = defaultdict(set)
        for context, value in self._constants(failure.what):
            if context.sort not in firsts:
                rank_zero = (value - context.offset) // context.factor - failure.first
                options[context.sort] |= {rank_zero, rank_zero - 1}
        return options

    def _is_repaired(self, failure: _Failure, firsts: Firsts) -> bool:
        forms = self._forms_after_swap(failure.first, firsts)
        if isinstance(failure.what, Action):
            return bool(self._before[forms.action(failure.what)])
        return self._plain.of(failure.what) == forms.of(failure.what)

    def _constants(self, what: Action | Expression) -> Iterator[tuple[SortRef, int]]:
        if not isinstance(what, Action):
            yield from constants(what, self._sorts, None)
            return
        for effect in what.effects:
            yield from constants(effect.target, self._sorts, None)
            yield from constants(effect.value, self._sorts, self._sorts.of(Holds(effect.target.variable)))
        if what.guard is not None:
            yield from constants(what.guard, self._sorts, None)

    def _explain(self, failure: _Failure, firsts: Firsts) -> str:
        """Explain a failure, with a variable that would have to hold names but cannot."""
        near = self._candidate_firsts(failure, firsts)
        certain = (one for further in self._repairs(failure, firsts, near) for one in further.items())
        suspected = ((sort, 0) for sort, numbers in near.items() if self._is_suspect(failure, sort, numbers))
        for verb, found in (("says", certain), ("may say", suspected)):
            for sort, first in found:
                why = self._reason_against(sort, first)
                if why is not None:
                    return f"{failure.words}; {_describe(self._sorts, sort)} {verb} which one it is, but {why}"
        return failure.words

    def _is_suspect(self, failure: _Failure, sort: Kind, numbers: set[int]) -> bool:
        """Return True if constants of the failing action could be names of the sort, but no numbering of names fits."""
        location = self._sorts.plain(sort) and self._sorts.why_plain(sort) is None
        of_action = isinstance(failure.what, Action) and 0 in numbers and not location
        return of_action and all(self._reason_against(sort, one) for one in numbers)

    def _reason_against(self, sort: Kind, first: int) -> str | None:
        """Return the reason why the numbers of a sort from `first` on cannot be these names; None if they can."""
        last = first + self._names.size - 1
        if self._sorts.plain(sort):
            where = self._sorts.why_plain(sort)
            return "is a number" if where is None else f"'{self._system.scope.render(where)}' uses it as a number"
        if sort in self._taken:
            return "it already belongs to another scalarset"
        if any(first < threshold <= last for threshold in self._sorts.thresholds(sort)):
            return "they are compared by order"
        for kind, above in self._sorts.members(sort):
            if isinstance(kind, Indexes):
                rows = kind.variable.slots // self._sorts.rows.get(kind.variable, 1)
                if not 0 <= first + above <= last + above < rows:
                    return f"{kind.variable.name} has no element for each"
            if isinstance(kind, Holds):
                domain = kind.variable.domain
                if first + above not in domain or last + above not in domain:
                    return f"{kind.variable.name} cannot hold each of them"
                if domain.names is not None and domain.names.of != self._names.declared:
                    return f"{kind.variable.name} holds values of {domain.names.of}"
                if domain.names is not None and domain.names.size != self._names.size:
                    return f"{kind.variable.name} holds one of {domain.names.size}, others one of {self._names.size}"
        return None


def _describe(sorts: Sorts, sort: Kind) -> str:
    """Describe a sort by a variable that holds its numbers or is indexed by them."""
    kinds = [kind for kind, _ in sorts.members(sort) if not isinstance(kind, int)]
    held = [f"'{kind.variable.name}'" for kind in kinds if isinstance(kind, Holds)]
    return held[0] if held else f"the index of '{kinds[0].variable.name}'" if kinds else "a number"


def _constant_indexed_arrays(system: System) -> list[Variable]:
    """Return the arrays that actions only index by constants."""
    candidates = {one: None for one in system.variables if one.length is not None}
    for action in system.actions:
        for expression in expressions(action):
            for node in walk(expression):
                if isinstance(node, Element) and not isinstance(node.index, Const):
                    candidates.pop(node.variable, None)
    return list(candidates)


def _strip_negation(expression: Expression) -> Expression:
    """Return the operand of a negation, such as the invariant whose violation is the predicate."""
    return expression.operand if isinstance(expression, Unary) and expression.operator == "not" else expression
