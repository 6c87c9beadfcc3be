"""The proof that names can be exchanged, and the search for what must be names so that there is one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import TypeAlias

from strandline.analysis.dependencies import expressions
from strandline.analysis.symmetry.normal_forms import Forms, Numbering, Renaming, constants
from strandline.analysis.symmetry.scalarsets import Holds, Indexes, Kind, Sorted, Sorts
from strandline.model.expression import Const, Element, Expression, Unary, walk
from strandline.model.system import Action, Process, System, Variable

Firsts: TypeAlias = Mapping[Kind, int]
"""Sorts whose numbers are names, and the number of the first name."""

_MOST_TRIED = 60
"""So many proofs are tried to find out which variables hold names."""
_MOST_MENDED = 300
"""So often it is tried whether an action has a counterpart when something is a name."""
_TOGETHER = 3
"""So many sorts may have to be taken for names together before one action has a counterpart."""


class Broken(Exception):
    """Why names cannot be exchanged, in words."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names that may turn out to be exchangeable: of processes, by number, or of a declared set."""

    told: str
    size: int
    processes: tuple[int, ...] = ()
    declared: str | None = None


def owned(system: System, process: Process) -> list[Variable]:
    """The location of a process, and its own variables."""
    own = [one for one in system.variables if one.owner == process.name and one is not process.location]
    return [process.location, *own]


@dataclass(frozen=True, slots=True)
class _Failure:
    """An action without a counterpart after an exchange of two neighbours, or an expression that becomes another."""

    what: Action | Expression
    first: int
    words: str


class Proof:
    """Looks for sorts whose numbers must be names, so that all names of a set can be exchanged."""

    def __init__(
        self, system: System, names: Names, sorts: Sorts, watched: Sequence[Expression], taken: set[Kind]
    ) -> None:
        self._system, self._names, self._sorts, self._watched, self._taken = system, names, sorts, watched, taken
        self._single = _named_by_element(system)
        for one in self._single:
            if sorts.of(Indexes(one)).sort not in taken:
                sorts.rows[one] = one.slots // names.size if one.slots % names.size == 0 else 1
        self._numbered = Numbering()
        self._plain = Forms(self._numbered, sorts, Renaming())
        self._before = Counter(self._plain.action(action) for action in system.actions)
        self._tried = 0
        self._failures: list[tuple[_Failure, Firsts]] = []

    def found(self) -> Firsts:
        """Sorts with which there is a proof. Raises `Broken` where there are none."""
        for firsts in self._beginnings():
            complete = self._completed(firsts)
            if complete is not None:
                return complete
        raise Broken(self._told(*max(self._failures, key=lambda failed: len(failed[1]))))

    def _beginnings(self) -> Iterator[Firsts]:
        """What is taken for names before anything is tried: what is declared; of processes, the indices of arrays
        with an element for each, where only single elements are named."""
        if self._names.declared is not None:
            yield self._all_declared(self._names.declared)
            return
        indexed = {self._sorts.of(Indexes(one)).sort: 0 for one in self._single if self._of_nobody(one)}
        firsts = {sort: first for sort, first in indexed.items() if self._why_not(sort, first) is None}
        if firsts:
            yield firsts
        yield {}

    def _of_nobody(self, array: Variable) -> bool:
        return array.owner is None and array.length == self._names.size

    def _all_declared(self, name: str) -> Firsts:
        firsts: dict[Kind, int] = {}
        for variable in self._system.variables:
            names = variable.domain.names
            if names is not None and names.of == name:
                found = self._sorts.of(Holds(variable))
                first = names.first - found.above
                why = self._why_not(found.sort, first)
                if firsts.setdefault(found.sort, first) != first:
                    why = "its values stand for different ones in different places"
                if why is not None:
                    raise Broken(f"{variable.name} holds them, and {why}")
        return firsts

    def _completed(self, firsts: Firsts) -> Firsts | None:
        """These sorts, and what must be names beside them; None where there is no proof with them."""
        self._tried += 1
        failure = self._failure(firsts)
        if failure is None:
            return firsts
        self._failures.append((failure, firsts))
        possible = {
            sort: [first for first in numbers if self._why_not(sort, first) is None]
            for sort, numbers in self._numbers_near(failure, firsts).items()
        }
        for further in self._mending(failure, firsts, {sort: numbers for sort, numbers in possible.items() if numbers}):
            complete = self._completed({**firsts, **further}) if self._tried < _MOST_TRIED else None
            if complete is not None:
                return complete
        return None

    def _failure(self, firsts: Firsts) -> _Failure | None:
        for first in range(self._names.size - 1):
            forms, remaining = self._exchanged(first, firsts), Counter(self._before)
            for action in self._system.actions:
                form = forms.action(action)
                if not remaining[form]:
                    return _Failure(action, first, f"no action does for the other what '{action.name}' does for one")
                remaining[form] -= 1
            for expression in self._watched:
                if self._plain.of(expression) != forms.of(expression):
                    shown = self._system.scope.render(_unnegated(expression))
                    return _Failure(expression, first, f"'{shown}' tells them apart")
        return None

    def _exchanged(self, first: int, firsts: Firsts) -> Forms:
        """Forms after the exchange of two neighbours."""
        variables, processes = {}, {}
        if self._names.processes:
            one, other = self._names.processes[first : first + 2]
            processes = {one: other, other: one}
            mine, theirs = (owned(self._system, self._system.processes[number]) for number in (one, other))
            variables = dict(zip([*mine, *theirs], [*theirs, *mine], strict=True))
        ranks = {first: first + 1, first + 1: first}
        return Forms(self._numbered, self._sorts, Renaming(variables, processes, ranks, firsts))

    def _mending(self, failure: _Failure, firsts: Firsts, options: Mapping[Kind, Iterable[int]]) -> Iterator[Firsts]:
        """Sorts that, were they names too, would let this have its counterpart: as few as possible, with the least
        numbers first."""
        tried = (
            dict(zip(sorts, numbers, strict=True))
            for count in range(1, _TOGETHER + 1)
            for sorts in combinations(options, count)
            for numbers in product(*(sorted(options[sort], key=abs) for sort in sorts))
        )
        for further in islice(tried, _MOST_MENDED):
            if self._is_mended(failure, {**firsts, **further}):
                yield further

    def _numbers_near(self, failure: _Failure, firsts: Firsts) -> dict[Kind, set[int]]:
        """The sorts of constants, and what the number of the first name would be, were one that of an exchanged one."""
        options: dict[Kind, set[int]] = defaultdict(set)
        for context, value in self._constants(failure.what):
            if context.sort not in firsts:
                rank_zero = (value - context.above) // context.times - failure.first
                options[context.sort] |= {rank_zero, rank_zero - 1}
        return options

    def _is_mended(self, failure: _Failure, firsts: Firsts) -> bool:
        forms = self._exchanged(failure.first, firsts)
        if isinstance(failure.what, Action):
            return bool(self._before[forms.action(failure.what)])
        return self._plain.of(failure.what) == forms.of(failure.what)

    def _constants(self, what: Action | Expression) -> Iterator[tuple[Sorted, int]]:
        if not isinstance(what, Action):
            yield from constants(what, self._sorts, None)
            return
        for effect in what.effects:
            yield from constants(effect.target, self._sorts, None)
            yield from constants(effect.value, self._sorts, self._sorts.of(Holds(effect.target.variable)))
        if what.guard is not None:
            yield from constants(what.guard, self._sorts, None)

    # Why not

    def _told(self, failure: _Failure, firsts: Firsts) -> str:
        """What went wrong, and what holds names, or may do so, but is treated as a number."""
        near = self._numbers_near(failure, firsts)
        certain = (one for further in self._mending(failure, firsts, near) for one in further.items())
        suspected = ((sort, 0) for sort, numbers in near.items() if self._is_suspect(failure, sort, numbers))
        for verb, found in (("tells", certain), ("may tell", suspected)):
            for sort, first in found:
                why = self._why_not(sort, first)
                if why is not None:
                    return f"{failure.words}; {_shown(self._sorts, sort)} {verb} which one it is, but {why}"
        return failure.words

    def _is_suspect(self, failure: _Failure, sort: Kind, numbers: set[int]) -> bool:
        """Whether constants of an action may be numbers of names, whatever the first number is, but are none."""
        location = self._sorts.plain(sort) and self._sorts.why_plain(sort) is None
        of_action = isinstance(failure.what, Action) and 0 in numbers and not location
        return of_action and all(self._why_not(sort, one) for one in numbers)

    def _why_not(self, sort: Kind, first: int) -> str | None:
        """Why the numbers of a sort, from this one on, cannot be names of this set."""
        last = first + self._names.size - 1
        if self._sorts.plain(sort):
            where = self._sorts.why_plain(sort)
            return "is a number" if where is None else f"'{self._system.scope.render(where)}' takes it for a number"
        if sort in self._taken:
            return "it is one of another set already"
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


def _shown(sorts: Sorts, sort: Kind) -> str:
    """A variable that holds numbers of a sort, or is indexed by them."""
    kinds = [kind for kind, _ in sorts.members(sort) if not isinstance(kind, int)]
    held = [f"'{kind.variable.name}'" for kind in kinds if isinstance(kind, Holds)]
    return held[0] if held else f"the index of '{kinds[0].variable.name}'" if kinds else "a number"


def _named_by_element(system: System) -> list[Variable]:
    """Arrays of which actions only name single elements."""
    candidates = {one: None for one in system.variables if one.length is not None}
    for action in system.actions:
        for expression in expressions(action):
            for node in walk(expression):
                if isinstance(node, Element) and not isinstance(node.index, Const):
                    candidates.pop(node.variable, None)
    return list(candidates)


def _unnegated(expression: Expression) -> Expression:
    """What is asked of states is where an invariant does not hold."""
    return expression.operand if isinstance(expression, Unary) and expression.operator == "not" else expression
