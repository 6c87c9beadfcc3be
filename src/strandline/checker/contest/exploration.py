"""One exploration that answers all questions about single states and all questions for numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path

from strandline.checker.contest.state_facts import Gathering
from strandline.checker.driver.fault_attribution import fault_verdict
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.searches import StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.options.search import SWEEP, Options
from strandline.checker.properties.selection import Kind, Property, label_bits
from strandline.checker.tasks.task import Session
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.errors import InternalError
from strandline.model.system import System, Variable


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The facts that an exploration must determine.

    They are properties of single states, the largest values of sums, token counts if `tokens`, and the variables that
    change if `changes`.
    """

    properties: Sequence[Property] = ()
    sums: Sequence[Sequence[Variable]] = ()
    tokens: bool = False
    changes: bool = False

    @property
    def gathers(self) -> bool:
        """True if every state must be observed."""
        return bool(self.sums or self.tokens or self.changes)


@dataclass(slots=True)
class Explored:
    """The outcome of an exploration.

    `met` are the properties for which a deciding state was found; if the search is complete, the others have none.
    """

    system: System
    wanted: Wanted
    met: set[Property] = field(default_factory=set)
    gathering: Gathering | None = None
    never_taken: int | None = None
    """The number of actions that no step took; None before the run, or if it was interrupted."""
    outcome: RunOutcome = field(default_factory=RunOutcome)

    def observer(self, folder: Path, kernel: Kernel) -> Gathering:
        """Return the observer that gathers the wanted facts; called when the search begins."""
        if not isinstance(kernel.reference, SystemReference):
            raise InternalError("questions are answered for Systems only")
        self.gathering = Gathering(
            kernel.reference.layout,
            kernel.initial[0],
            sums=self.wanted.sums,
            tokens=self.wanted.tokens,
        )
        return self.gathering

    def note(self, run: SearchRun, bits: Mapping[Property, int]) -> None:
        """Store the results of the run; `bits` are the properties' bits in the labels. A fault is replayed."""
        labels = reduce(or_, (stop.labels for stop in run.stops), 0)
        self.met |= {one for one, bit in bits.items() if labels >> bit & 1}
        if run.fault is not None:
            trace = run.replay(run.fault).trace
            self.outcome.fault = fault_verdict(self.system, trace, (), run.specification.measure)
        if run.has_begun and not run.outcome.interrupted:
            if run.kernel.coverage_bits is None:
                raise InternalError("coverage bits are set by machine code only")
            self.never_taken = len(self.system.actions) - int(
                run.kernel.coverage_bits[: len(self.system.actions)].sum()
            )


def explore_for(system: System, wanted: Wanted, options: Options, session: Session) -> Explored:
    """Explore a System in the order of the options, until all wanted facts are known or a limit is reached."""
    explored = Explored(system, wanted)
    bits = label_bits(system, wanted.properties)
    specification = SearchSpecification(
        system=system,
        predicates=[one.predicate for one in wanted.properties if one.predicate is not None],
        measure=session.measures.of(system).measure if options.order == SWEEP else None,
        searches=StateSearches(options, sum(1 << bit for bit in bits.values())),
        options=options,
        started=session.started,
        observe=explored.observer if wanted.gathers else None,
        explores_all=wanted.gathers,
    )
    with run_search(specification, session.callback) as run:
        explored.outcome = run.outcome
        explored.note(run, bits)
    return explored


def deadlock() -> Property:
    """Return the property of deadlock freedom, which a state without steps violates."""
    return Property(Kind.DEADLOCK, "deadlock freedom")
