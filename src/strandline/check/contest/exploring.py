"""One exploration for everything that is asked of single states, and for all that is counted on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from strandline.check.blame import fault_verdict
from strandline.check.contest.gathering import Gathering
from strandline.check.engine_searches import StateSearches
from strandline.check.options import SWEEP, Options
from strandline.check.plan import Findings, Plan
from strandline.check.properties import Kind, Property, label_bits
from strandline.check.running import Run
from strandline.check.task import Session
from strandline.check.verdict import PropertyVerdict
from strandline.compile.interpreted import SystemTwin
from strandline.compile.kernel import FaultSite, Kernel
from strandline.engine.search import Event
from strandline.errors import InternalError
from strandline.model.system import System, Variable


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be found out: where properties are decided, largest sums of variables, and, of all states, how many
    tokens there are and which variables change."""

    properties: Sequence[Property] = ()
    sums: Sequence[Sequence[Variable]] = ()
    tokens: bool = False
    changes: bool = False

    @property
    def gathers(self) -> bool:
        """Whether all states must be looked at."""
        return bool(self.sums or self.tokens or self.changes)


@dataclass(slots=True)
class Explored:
    """A goal: states that decide properties. `met` are those that one did; the others none did, if the search is
    complete."""

    system: System
    wanted: Wanted
    met: set[Property] = field(default_factory=set)
    gathering: Gathering | None = None
    never_taken: int | None = None
    """How many actions were part of no step, where the search has ended."""
    findings: Findings = field(default_factory=Findings)

    def listener(self, folder: Path, kernel: Kernel) -> Gathering:
        """Made when the search begins."""
        if not isinstance(kernel.twin, SystemTwin):
            raise InternalError("only Systems are asked about")
        self.gathering = Gathering(
            kernel.twin.layout,
            kernel.initial[0],
            sums=self.wanted.sums,
            tokens=self.wanted.tokens,
        )
        return self.gathering

    def stopped(self, run: Run, event: Event) -> bool:
        _, labels = run.search.found
        met = labels & run.search.stop_mask
        if event is not Event.FOUND or not met:
            raise InternalError(f"the search stopped for no reason that is known here: {event}, labels {labels}")
        self.met |= {one for one, bit in label_bits(self.system, self.wanted.properties).items() if met >> bit & 1}
        run.search.stop_less(met)
        return self.wanted.gathers or bool(run.search.stop_mask)

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        trace = run.replay(record, fault=site).trace
        return fault_verdict(self.system, trace, (), run.plan.measure)

    def finished(self, run: Run, folder: Path) -> None:
        if run.kernel.marks is None:
            raise InternalError("machine code marks the actions that are taken")
        self.never_taken = len(self.system.actions) - int(run.kernel.marks[: len(self.system.actions)].sum())


def explore_for(system: System, wanted: Wanted, options: Options, session: Session) -> Explored:
    """Explore a System, in the order of the options, until all that is wanted is known."""
    goal = Explored(system, wanted)
    bits = label_bits(system, wanted.properties)
    plan = Plan(
        system=system,
        predicates=[one.predicate for one in wanted.properties if one.predicate is not None],
        measure=session.measures.of(system).measure if options.order == SWEEP else None,
        searches=StateSearches(options, sum(1 << bit for bit in bits.values())),
        options=options,
        started=session.started,
        listens=goal.listener if wanted.gathers else None,
    )
    goal.findings = Run(plan, goal, session.watcher).carry_out()
    return goal


def deadlock() -> Property:
    """A state without steps."""
    return Property(Kind.DEADLOCK, "deadlock freedom")
