"""Detect scalarsets: names that can be permuted without changing the System, and prove that they can.

The *names* of a scalarset are the processes of a group of identical processes, or the values of a type that the model
declares. Two of them are swapped by swapping

- the locations and own variables of processes;
- their elements in arrays that are indexed by the names;
- their numbers in variables that hold such names. Other numbers, such as one for nobody, stay.

If the swap maps a System's actions to the same actions, up to the order of commuting parts, then states that differ by
such a swap have the same future (Ip and Dill, Better verification through symmetry, FMSD 9, 1996; Clarke, Enders,
Filkorn and Jha, FMSD 9, 1996). Swaps of neighbours suffice, since they generate all permutations. Initial states need
not be closed under permutations: the states reachable from a permuted one are the permuted reachable states. But a
stored state may then be one that the model does not reach (see `permutation.close_initial_states`).

Which variables hold names and which arrays are indexed by them is inferred: a value that may be a name as far as
`scalarsets` can say is taken for one where an action has no counterpart otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from strandline.analysis.symmetry.normal_forms import fold_constants
from strandline.analysis.symmetry.proof import Candidate, Firsts, NotSymmetric, Proof, own_variables
from strandline.analysis.symmetry.scalarsets import Holds, Indexes, Kind, Sorts
from strandline.model.expression import Expression
from strandline.model.system import Action, Process, System, Variable

Slot: TypeAlias = tuple[Variable, int]
"""An entry of a valuation: a scalar variable, or one element of an array."""


@dataclass(frozen=True, slots=True)
class Scalarset:
    """Process numbers, or values of a declared type, that can be permuted: its *names*.

    For each name, `blocks` holds the entries that belong to it, a process's location first, in corresponding order, and
    `inner` holds the elements of the processes' own arrays that belong to the name as an index. `holders` lists the
    variables that hold such names, with the value of the first name there.
    """

    names: str
    blocks: tuple[tuple[Slot, ...], ...]
    inner: tuple[tuple[Slot, ...], ...] = ()
    holders: tuple[tuple[Variable, int], ...] = ()

    @property
    def size(self) -> int:
        return len(self.blocks)

    @property
    def referenced_by(self) -> str:
        """The variables that hold the names, separated by commas; empty if there are none."""
        return ", ".join(variable.name for variable, _ in self.holders)


@dataclass(slots=True)
class SymmetryFindings:
    """The scalarsets, and the reasons why other candidates are not symmetric."""

    scalarsets: list[Scalarset] = field(default_factory=list)
    asymmetric: list[str] = field(default_factory=list)


def find_scalarsets(system: System, seen: Iterable[Expression]) -> SymmetryFindings:
    """Find all scalarsets of a System whose permutations preserve its actions and the values of `seen`."""
    found, watched = (
        SymmetryFindings(),
        [fold_constants(one) for one in (*seen, *([] if system.ends is None else [system.ends]))],
    )
    system = replace(system, actions=tuple(map(_fold_action, system.actions)))
    groups = list(_process_groups(system))
    candidates = [*_declared_candidates(system), *groups]
    if not candidates:
        return found
    sorts = Sorts(system, watched)
    for group in groups:
        _unite_own(system, group, sorts)
    taken: set[Kind] = set()
    for names in candidates:
        try:
            if system.synchronous:
                raise NotSymmetric("in a synchronous system processes take their steps in a fixed order")
            if system.observer is not None:
                raise NotSymmetric("a property process refers to them")
            firsts = Proof(system, names, sorts, watched, taken).find()
        except NotSymmetric as reason:
            found.asymmetric.append(f"{names.description} are not symmetric: {reason}")
        else:
            taken |= set(firsts)
            found.scalarsets.append(_make_scalarset(system, names, sorts, firsts))
    return found


def _fold_action(action: Action) -> Action:
    """Fold sums of constants in an action, so that `id == 0 + 1` names a process as `id == 1` does."""
    guard = None if action.guard is None else fold_constants(action.guard)
    effects = tuple(
        replace(one, target=fold_constants(one.target), value=fold_constants(one.value)) for one in action.effects
    )
    return replace(action, guard=guard, effects=effects)


def _declared_candidates(system: System) -> Iterator[Candidate]:
    """Yield the candidates that domains of variables declare."""
    sets = {one.domain.names.of: one.domain.names.size for one in system.variables if one.domain.names is not None}
    for name, size in sets.items():
        if size > 1:
            yield Candidate(f"the values of {name}", size, declared=name)


def _process_groups(system: System) -> Iterator[Candidate]:
    """Yield groups of processes with the same locations and the same own variables."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, process in enumerate(system.processes):
        own = [(_local_name(one, process), one.domain, one.length) for one in own_variables(system, process)[1:]]
        groups[process.locations, process.committed, process.jumps, tuple(own)].append(number)
    for group in groups.values():
        if len(group) > 1:
            description = ", ".join(system.processes[number].name for number in group)
            yield Candidate(description, len(group), tuple(group))


def _unite_own(system: System, group: Candidate, sorts: Sorts) -> None:
    """Unite the sorts of corresponding variables of identical processes."""
    first, *others = (own_variables(system, system.processes[number]) for number in group.processes)
    for other in others:
        for one, corresponding in zip(first, other, strict=True):
            sorts.unite(Holds(one), Holds(corresponding))
            if one.length is not None:
                sorts.unite(Indexes(one), Indexes(corresponding))


def _local_name(variable: Variable, process: Process) -> str:
    return variable.name.removeprefix(f"{process.name}.")


def _make_scalarset(system: System, names: Candidate, sorts: Sorts, firsts: Firsts) -> Scalarset:
    """Make the scalarset of some names from the sorts whose values are these names."""
    processes = [system.processes[number] for number in names.processes]
    owners = {process.name for process in processes}
    held: list[tuple[Variable, int]] = []
    around: list[tuple[Variable, int]] = []
    inside: list[tuple[Variable, int]] = []
    for variable in system.variables:
        holds, indexes = sorts.of(Holds(variable)), sorts.of(Indexes(variable))
        if holds.sort in firsts:
            held.append((variable, firsts[holds.sort] + holds.offset))
        if variable.length is not None and indexes.sort in firsts:
            (inside if variable.owner in owners else around).append((variable, firsts[indexes.sort] + indexes.offset))

    def elements(arrays: list[tuple[Variable, int]], rank: int) -> tuple[Slot, ...]:
        rows = ((variable, first + rank, sorts.rows.get(variable, 1)) for variable, first in arrays)
        return tuple((variable, row * width + index) for variable, row, width in rows for index in range(width))

    own = [
        tuple((variable, index) for variable in own_variables(system, process) for index in range(variable.slots))
        for process in processes
    ] or [()] * names.size
    blocks = [(*block, *elements(around, rank)) for rank, block in enumerate(own)]
    inner = [elements(inside, rank) for rank in range(names.size)]
    return Scalarset(names.description, tuple(blocks), tuple(inner) if inside else (), tuple(held))
