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

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from strandline.analysis.symmetry.normal_forms import folded
from strandline.analysis.symmetry.proof import Broken, Firsts, Names, Proof, owned
from strandline.analysis.symmetry.scalarsets import Holds, Indexes, Kind, Sorts
from strandline.model.expression import Expression
from strandline.model.system import Action, Process, System, Variable

Slot: TypeAlias = tuple[Variable, int]
"""An entry of a valuation: of a variable, or of an array the element."""


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


@dataclass(slots=True)
class Found:
    """What can be exchanged, and of other names that look alike, why not."""

    exchanges: list[Exchange] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def find_exchanges(system: System, seen: Iterable[Expression]) -> Found:
    """Sets of names of which any two can be exchanged, so that actions and the truth of these expressions stay what
    they are."""
    found, watched = Found(), [folded(one) for one in (*seen, *([] if system.ends is None else [system.ends]))]
    system = replace(system, actions=tuple(map(_folded, system.actions)))
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
            firsts = Proof(system, names, sorts, watched, taken).found()
        except Broken as reason:
            found.broken.append(f"{names.told} cannot be exchanged: {reason}")
        else:
            taken |= set(firsts)
            found.exchanges.append(_exchange(system, names, sorts, firsts))
    return found


def _folded(action: Action) -> Action:
    """The action with sums of constants as constants: `id == 0 + 1` names one as `id == 1` does."""
    guard = None if action.guard is None else folded(action.guard)
    effects = tuple(replace(one, target=folded(one.target), value=folded(one.value)) for one in action.effects)
    return replace(action, guard=guard, effects=effects)


def _declared(system: System) -> Iterator[Names]:
    """The sets that domains of variables declare."""
    sets = {one.domain.names.of: one.domain.names.size for one in system.variables if one.domain.names is not None}
    for name, size in sets.items():
        if size > 1:
            yield Names(f"the values of {name}", size, declared=name)


def _alike(system: System) -> Iterator[Names]:
    """Processes with the same locations and the same variables of their own."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, process in enumerate(system.processes):
        own = [(_local_name(one, process), one.domain, one.length) for one in owned(system, process)[1:]]
        groups[process.locations, process.committed, process.jumps, tuple(own)].append(number)
    for group in groups.values():
        if len(group) > 1:
            told = ", ".join(system.processes[number].name for number in group)
            yield Names(told, len(group), tuple(group))


def _unite_own(system: System, group: Names, sorts: Sorts) -> None:
    """Corresponding variables of processes that are alike hold the same."""
    first, *others = (owned(system, system.processes[number]) for number in group.processes)
    for other in others:
        for one, corresponding in zip(first, other, strict=True):
            sorts.unite(Holds(one), Holds(corresponding))
            if one.length is not None:
                sorts.unite(Indexes(one), Indexes(corresponding))


def _local_name(variable: Variable, process: Process) -> str:
    return variable.name.removeprefix(f"{process.name}.")


def _exchange(system: System, names: Names, sorts: Sorts, firsts: Firsts) -> Exchange:
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

    def elements(arrays: list[tuple[Variable, int]], rank: int) -> tuple[Slot, ...]:
        rows = ((variable, first + rank, sorts.rows.get(variable, 1)) for variable, first in arrays)
        return tuple((variable, row * width + index) for variable, row, width in rows for index in range(width))

    own = [
        tuple((variable, index) for variable in owned(system, process) for index in range(variable.slots))
        for process in processes
    ] or [()] * names.size
    blocks = [(*block, *elements(around, rank)) for rank, block in enumerate(own)]
    inner = [elements(inside, rank) for rank in range(names.size)]
    return Exchange(names.told, tuple(blocks), tuple(inner) if inside else (), tuple(held))
