"""Sets of names that can be exchanged for each other: what goes with each of them, and the proof that nothing changes.

The names are the processes of a group that are alike, or the values of a set that the model declares. Two of them are
exchanged by exchanging

- of processes, their locations and their own variables;
- their elements in arrays that are indexed by the names;
- their numbers in variables that hold such names. Other numbers there, such as one for nobody, stay what they are.

If that makes of a System's actions the same actions, up to the order in which parts stand that commute, then states
that differ by such an exchange have the same future (Ip and Dill, Better verification through symmetry, FMSD 9, 1996;
Clarke, Enders, Filkorn and Jha, FMSD 9, 1996). It is enough to look at neighbours: their exchanges generate all others.
Initial states need not be closed under exchanges: what is reached from an exchanged one is what is reached from it,
exchanged. But a stored state may then be one that the model does not reach (see `permuting.closed`).

Which variables hold names, and which arrays are indexed by them, is found: what is a name as far as `sorts` can tell is
taken for one where an action has a counterpart only then.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TypeAlias

from strandline.model.expression import Const, Element, Expression, Unary, walk
from strandline.model.facts import expressions
from strandline.model.forms import Forms, Numbering, Renaming, constants
from strandline.model.sorts import Holds, Indexes, Kind, Sorted, Sorts
from strandline.model.system import Action, Process, System, Variable

Slot: TypeAlias = tuple[Variable, int]
"""An entry of a valuation: of a variable, or of an array the element."""

Firsts: TypeAlias = Mapping[Kind, int]
"""Sorts whose numbers are names, and the number of the first name."""

_MOST_TRIED = 60
"""So many proofs are tried to find out which variables hold names."""
_TOGETHER = 3
"""So many sorts may have to be taken for names together before one action has a counterpart."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Names that can be exchanged. Of each of them, `blocks` has the entries that go with it, of a process its location
    first, in corresponding order, and `inner` those elements of the processes' own arrays that are its own, which go
    with it besides. `holders`: the variables that hold such names, and the number of the first name there."""

    names: str
    blocks: tuple[tuple[Slot, ...], ...]
    inner: tuple[tuple[Slot, ...], ...] = ()
    holders: tuple[tuple[Variable, int], ...] = ()

    @property
    def size(self) -> int:
        return len(self.blocks)

    @property
    def held_by(self) -> str:
        """The variables that hold the names, in words; nothing where none does."""
        return ", ".join(variable.name for variable, _ in self.holders)


class Broken(Exception):
    """Why names cannot be exchanged, in words."""


@dataclass(slots=True)
class Found:
    """What can be exchanged, and of other names that look alike, why not."""

    exchanges: list[Exchange] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that may turn out to be exchangeable: of processes, by number, or of a declared set."""

    told: str
    size: int
    processes: tuple[int, ...] = ()
    declared: str | None = None


def find_exchanges(system: System, seen: Iterable[Expression]) -> Found:
    """Sets of names of which any two can be exchanged, so that actions and the truth of these expressions stay what
    they are."""
    found, watched = Found(), [*seen, *([] if system.ends is None else [system.ends])]
    groups = list(_alike(system))
    candidates = [*_declared(system), *groups]
    if not candidates:
        return found
    sorts = Sorts(system, watched)
    for group in groups:
        _unite_own(system, group, sorts)
    taken: set[Kind] = set()
    for names in candidates:
        try:
            if system.synchronous:
                raise Broken("in a synchronous system processes take their steps in a fixed order")
            if system.observer is not None:
                raise Broken("a property process watches them")
            firsts = _Proof(system, names, sorts, watched, taken).found()
        except Broken as reason:
            found.broken.append(f"{names.told} cannot be exchanged: {reason}")
        else:
            taken |= set(firsts)
            found.exchanges.append(_exchange(system, names, sorts, firsts))
    return found


def _declared(system: System) -> Iterator[_Names]:
    """The sets that domains of variables declare."""
    sets = {one.domain.names.of: one.domain.names.size for one in system.variables if one.domain.names is not None}
    for name, size in sets.items():
        if size > 1:
            yield _Names(f"the values of {name}", size, declared=name)


def _alike(system: System) -> Iterator[_Names]:
    """Processes with the same locations and the same variables of their own."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, process in enumerate(system.processes):
        own = [(_local_name(one, process), one.domain, one.length) for one in _owned(system, process)[1:]]
        groups[process.locations, process.committed, process.jumps, tuple(own)].append(number)
    for group in groups.values():
        if len(group) > 1:
            told = ", ".join(system.processes[number].name for number in group)
            yield _Names(told, len(group), tuple(group))


def _unite_own(system: System, group: _Names, sorts: Sorts) -> None:
    """Corresponding variables of processes that are alike hold the same."""
    first, *others = (_owned(system, system.processes[number]) for number in group.processes)
    for other in others:
        for one, corresponding in zip(first, other, strict=True):
            sorts.unite(Holds(one), Holds(corresponding))
            if one.length is not None:
                sorts.unite(Indexes(one), Indexes(corresponding))


def _owned(system: System, process: Process) -> list[Variable]:
    """The location of a process, and its own variables."""
    own = [one for one in system.variables if one.owner == process.name and one is not process.location]
    return [process.location, *own]


def _local_name(variable: Variable, process: Process) -> str:
    return variable.name.removeprefix(f"{process.name}.")


def _exchange(system: System, names: _Names, sorts: Sorts, firsts: Firsts) -> Exchange:
    """What is exchanged where the numbers of these sorts are names."""
    processes = [system.processes[number] for number in names.processes]
    owners = {process.name for process in processes}
    held: list[tuple[Variable, int]] = []
    around: list[tuple[Variable, int]] = []
    inside: list[tuple[Variable, int]] = []
    for variable in system.variables:
        holds, indexes = sorts.of(Holds(variable)), sorts.of(Indexes(variable))
        if holds.sort in firsts:
            held.append((variable, firsts[holds.sort] + holds.above))
        if variable.length is not None and indexes.sort in firsts:
            (inside if variable.owner in owners else around).append((variable, firsts[indexes.sort] + indexes.above))
    own = [
        tuple((variable, index) for variable in _owned(system, process) for index in range(variable.slots))
        for process in processes
    ] or [()] * names.size
    blocks = [(*block, *((variable, first + rank) for variable, first in around)) for rank, block in enumerate(own)]
    inner = [tuple((variable, first + rank) for variable, first in inside) for rank in range(names.size)]
    return Exchange(names.told, tuple(blocks), tuple(inner) if inside else (), tuple(held))


@dataclass(frozen=True, slots=True)
class _Failure:
    """An action without a counterpart after an exchange of two neighbours, or an expression that becomes another."""

    what: Action | Expression
    first: int
    words: str


class _Proof:
    """Looks for sorts whose numbers must be names, so that all names of a set can be exchanged."""

    def __init__(
        self, system: System, names: _Names, sorts: Sorts, watched: Sequence[Expression], taken: set[Kind]
    ) -> None:
        self._system, self._names, self._sorts, self._watched, self._taken = system, names, sorts, watched, taken
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
        indexed = {self._sorts.of(Indexes(one)).sort: 0 for one in _named_by_element(self._system, self._names.size)}
        firsts = {sort: first for sort, first in indexed.items() if self._why_not(sort, first) is None}
        if firsts:
            yield firsts
        yield {}

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
        for further in self._mending(failure, firsts):
            if self._tried > _MOST_TRIED or any(self._why_not(*one) is not None for one in further.items()):
                continue
            complete = self._completed({**firsts, **further})
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
            mine, theirs = (_owned(self._system, self._system.processes[number]) for number in (one, other))
            variables = dict(zip([*mine, *theirs], [*theirs, *mine], strict=True))
        ranks = {first: first + 1, first + 1: first}
        return Forms(self._numbered, self._sorts, Renaming(variables, processes, ranks, firsts))

    def _mending(self, failure: _Failure, firsts: Firsts) -> Iterator[Firsts]:
        """Sorts that, were they names too, would let this have its counterpart: as few as possible, with the least
        numbers first."""
        options = self._numbers_near(failure, firsts)
        for count in range(1, _TOGETHER + 1):
            for sorts in combinations(options, count):
                for numbers in product(*(sorted(options[sort], key=abs) for sort in sorts)):
                    further = dict(zip(sorts, numbers, strict=True))
                    if self._is_mended(failure, {**firsts, **further}):
                        yield further

    def _numbers_near(self, failure: _Failure, firsts: Firsts) -> dict[Kind, set[int]]:
        """The sorts of constants, and what the number of the first name would be, were one that of an exchanged one."""
        options: dict[Kind, set[int]] = defaultdict(set)
        for context, value in self._constants(failure.what):
            if context.sort not in firsts:
                rank_zero = value - context.above - failure.first
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
        certain = (one for further in self._mending(failure, firsts) for one in further.items())
        suspected = (
            (sort, 0)
            for sort, numbers in self._numbers_near(failure, firsts).items()
            if 0 in numbers and not self._is_location(sort) and all(self._why_not(sort, one) for one in numbers)
        )
        for verb, found in (("tells", certain), ("may tell", suspected)):
            for sort, first in found:
                why = self._why_not(sort, first)
                if why is not None:
                    return f"{failure.words}; {_shown(self._sorts, sort)} {verb} which one it is, but {why}"
        return failure.words

    def _is_location(self, sort: Kind) -> bool:
        return self._sorts.plain(sort) and self._sorts.why_plain(sort) is None

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
            if isinstance(kind, Indexes) and not 0 <= first + above <= last + above < kind.variable.slots:
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


def _named_by_element(system: System, size: int) -> Iterator[Variable]:
    """Arrays of nobody's with so many elements, of which actions only name single ones."""
    candidates = {one: None for one in system.variables if one.owner is None and one.length == size}
    for action in system.actions:
        for expression in expressions(action):
            for node in walk(expression):
                if isinstance(node, Element) and not isinstance(node.index, Const):
                    candidates.pop(node.variable, None)
    yield from candidates


def _unnegated(expression: Expression) -> Expression:
    """What is asked of states is where an invariant does not hold."""
    return expression.operand if isinstance(expression, Unary) and expression.operator == "not" else expression
