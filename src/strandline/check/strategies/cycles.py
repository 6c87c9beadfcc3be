"""Search for an accepting cycle of the product, by one of the methods for that. It decides every property of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strandline.check.engine_searches import CycleSearches, SearchMaker, component_search, cycle_search
from strandline.check.ltl.found import Component, ProductFound, product_fault
from strandline.check.ltl.methods import SWEEP, CycleMethod
from strandline.check.ltl.product import Product
from strandline.check.ltl.question import question_of, unreducible
from strandline.check.ltl.ranks import ranked
from strandline.check.ltl.shorter import shorter_lasso
from strandline.check.options import SWEEP as IN_SWEEPS
from strandline.check.options import WHOLE
from strandline.check.plan import Findings, Plan
from strandline.check.running import Run
from strandline.check.task import Session, Task
from strandline.check.verdict import PropertyVerdict
from strandline.compile.interpreted import SystemTwin
from strandline.compile.kernel import FaultSite
from strandline.engine.memory import WordArray
from strandline.engine.search import Event
from strandline.errors import InternalError, Option, UsageError
from strandline.model.measure import Measure
from strandline.progress.sampling import States
from strandline.traces.lassos import Lasso

if TYPE_CHECKING:
    from strandline.engine.cycles.cycle_search import CycleSearch

MOST_TRACES = 100
"""Accepting components that get a trace each."""


@dataclass(frozen=True, slots=True)
class CycleStrategy:
    """Searches by one method."""

    method: CycleMethod

    @property
    def name(self) -> str:
        return self.method.name

    def can(self, task: Task) -> UsageError | None:
        method, options = self.method, task.options
        unreduced = unreducible(task)
        if unreduced is not None:
            return unreduced
        if options.store not in WHOLE:
            told = "{}: a search for cycles has to know where states are"
            return UsageError(told, options=[Option("store", options.store)])
        if options.order == IN_SWEEPS and not method.measured and task.temporal.method == method.name:
            return UsageError(
                "{} goes by no measure; leave {} out, or use {}",
                options=[Option("method", method.name), Option("measure"), Option("method", SWEEP)],
            )
        if method.measured and options.componentwise:
            return UsageError(
                f"{{}} is not for cycles: method {method.name} needs one measure to go by",
                options=[Option("componentwise", True)],
            )
        return None

    def run(self, task: Task, session: Session) -> ProductFound:
        question = question_of(task)
        watched = question.specification.watched(question.plain)
        if watched is None:
            return ProductFound(self.name, Findings(complete=True))
        product = question.product(watched)
        shortest = task.temporal.shortest and self.method.all_components
        whole = task.temporal.all_cycles or shortest
        chosen = session.measures.of(product.plain) if self.method.measured else None

        def refined(measure: Measure) -> tuple[Measure, SearchMaker]:
            found, ranks = self._ranked(measure, product)
            return found, CycleSearches(self.method, product.accepting_label, task.options.max_states, ranks, whole)

        plain = CycleSearches(self.method, product.accepting_label, task.options.max_states, whole=whole)
        measure, searches = (None, plain) if chosen is None else refined(chosen.measure)
        plan = Plan(
            checkpoints=session.checkpoints,
            system=product.system,
            predicates=product.predicates,
            measure=measure,
            prediction=None if chosen is None else chosen.prediction,
            measured=product.plain,
            refined=refined,
            searches=searches,
            options=task.options,
            started=session.started,
            seen=product.predicates,
        )
        goal = FindingCycles(task, product, whole=whole, shortest=shortest)
        run = Run(plan, goal, session.watcher)
        findings = run.carry_out()
        return ProductFound(
            self.name,
            findings,
            watched,
            product,
            run,
            lasso=goal.lasso,
            shortest=goal.is_shortest,
            components=tuple(goal.components),
            cycle_kind=goal.cycle_kind,
        )

    def _ranked(self, measure: Measure, product: Product) -> tuple[Measure, int]:
        """The measure, refined by the automaton's progress where the method can use that, and the number of ranks."""
        observer = product.system.observer
        return (measure, 1) if observer is None or not self.method.ranked else ranked(measure, observer)


@dataclass(slots=True, kw_only=True)
class FindingCycles:
    """A goal: an accepting cycle; with `whole`, all accepting components. With `shortest` it ends with a lasso whose
    stem is a shortest one to an accepting state on a cycle, and its loop a shortest one through that state."""

    task: Task = field(kw_only=False)
    product: Product = field(kw_only=False)
    whole: bool
    shortest: bool
    lasso: Lasso | None = None
    is_shortest: bool = False
    components: list[Component] = field(default_factory=list)
    cycle_kind: str | None = None
    _accepting_states: list[WordArray] = field(default_factory=list)

    def stopped(self, run: Run, event: Event) -> bool:
        if event is not Event.CYCLE:
            raise InternalError(f"the search stopped for a reason unknown here: {event}")
        cycle = cycle_search(run.search)
        if self.lasso is None:
            self.lasso = _lasso_of(cycle, run)
            self.cycle_kind = cycle.cycle_kind or None
        if not self.whole:
            return False
        search = component_search(run.search)
        shown = self.task.shows and len(self.components) < MOST_TRACES
        self.components.append(Component(search.component_size, _lasso_of(search, run) if shown else None))
        if self.shortest:
            self._accepting_states.append(_accepting_among(search.component_states(), self.product, run))
        search.follows = self.task.shows and len(self.components) < MOST_TRACES
        search.go_on()
        return True

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        return product_fault(question_of(self.task), self.product, run, record, site)

    def finished(self, run: Run, folder: Path) -> None:
        if self.lasso is not None and self.task.shows:
            wanted = np.concatenate(self._accepting_states) if self.shortest else None
            self.lasso, self.is_shortest = shorter_lasso(self.lasso, self.product, run, folder, wanted)


def _lasso_of(search: CycleSearch, run: Run) -> Lasso:
    initial, stem = run.log.path_to(search.cycle.record)
    steps = tuple(run.kernel.steps_of_twin(initial, [*stem, *search.cycle.steps]))
    return Lasso(initial, steps[: len(stem)], steps[len(stem) :])


def _accepting_among(states: WordArray, product: Product, run: Run) -> WordArray:
    """Those packed states that accept."""
    twin, observer = run.kernel.twin, product.system.observer
    if not isinstance(twin, SystemTwin) or observer is None:
        raise InternalError("a product is compiled from a System")
    packed = States(twin.layout, states)
    accepted = np.isin(packed.cell(observer.location), list(observer.accepting))
    for variable in product.at_rest:
        accepted &= packed.cell(variable) == 0
    return states[accepted]
