"""Search the product for an accepting cycle, by one of several methods, which decide every property of runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strandline.checker.driver.outcome import CycleStop, RunOutcome
from strandline.checker.driver.run import SearchRun, run_search
from strandline.checker.driver.searches import CycleSearches, SearchMaker
from strandline.checker.driver.specification import EveryComponent, SearchSpecification
from strandline.checker.ltl.found import Component, ProductFound, note_product_fault
from strandline.checker.ltl.ranks import add_ranks
from strandline.checker.ltl.shortening import shorter_lasso
from strandline.checker.options.cycle_methods import SWEEP, CycleMethod
from strandline.checker.options.search import SWEEP as IN_SWEEPS
from strandline.checker.options.search import WHOLE
from strandline.checker.properties.product import Product
from strandline.checker.tasks.runs import RunsTask, unreducible
from strandline.checker.tasks.task import Session
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Kernel
from strandline.engine.runtime.memory import WordArray
from strandline.errors import InternalError, Option, UsageError
from strandline.model.measure import Measure
from strandline.progress.sampling import States
from strandline.traces.lassos import Lasso

MOST_TRACES = 100
"""Most accepting SCCs that get a trace each."""


@dataclass(frozen=True, slots=True)
class CycleStrategy:
    """Searches for an accepting cycle by one of the methods in `options/cycle_methods.py`."""

    method: CycleMethod

    @property
    def name(self) -> str:
        return self.method.name

    def can(self, task: RunsTask) -> UsageError | None:
        method, options = self.method, task.options
        unreduced = unreducible(task)
        if unreduced is not None:
            return unreduced
        if options.store not in WHOLE:
            message = "{}: a search for cycles needs the number of each stored state"
            return UsageError(message, options=[Option("store", options.store)])
        if options.order == IN_SWEEPS and not method.measured and task.temporal.method == method.name:
            return UsageError(
                "{} uses no measure; leave {} out, or use {}",
                options=[Option("method", method.name), Option("measure"), Option("method", SWEEP)],
            )
        if method.measured and options.componentwise:
            return UsageError(
                f"{{}} is not for cycles: method {method.name} needs a single measure",
                options=[Option("componentwise", True)],
            )
        return None

    def run(self, task: RunsTask, session: Session) -> ProductFound:
        question = task.question
        watched = question.specification.observe(question.plain)
        if watched is None:
            return ProductFound(self.name, RunOutcome(complete=True))
        product = question.product(watched)
        shortest = task.temporal.shortest and self.method.all_components
        whole = task.temporal.all_cycles or shortest
        chosen = session.measures.of(product.plain) if self.method.measured else None

        def refine(measure: Measure) -> tuple[Measure, SearchMaker]:
            found, ranks = self._add_ranks(measure, product)
            return found, CycleSearches(self.method, product.accepting_label, task.options.max_states, ranks, whole)

        def select(kernel: Kernel, states: WordArray) -> WordArray:
            return accepting_among(states, product, kernel)

        plain = CycleSearches(self.method, product.accepting_label, task.options.max_states, whole=whole)
        measure, searches = (None, plain) if chosen is None else refine(chosen.measure)
        traced = MOST_TRACES if task.want_traces else 0
        specification = SearchSpecification(
            checkpoints=session.checkpoints,
            system=product.system,
            predicates=product.predicates,
            measure=measure,
            prediction=None if chosen is None else chosen.prediction,
            measured=product.plain,
            refine=refine,
            searches=searches,
            options=task.options,
            started=session.started,
            visible=product.predicates,
            components=EveryComponent(traced, select if shortest else None) if whole else None,
        )
        with run_search(specification, session.callback) as run:
            lasso, is_shortest = _shown_lasso(run, task, product, shortest=shortest)
            note_product_fault(run, question, product)
        return ProductFound(
            self.name,
            run.outcome,
            watched,
            product,
            run,
            lasso=lasso,
            shortest=is_shortest,
            components=tuple(Component(one.size, one.lasso if task.want_traces else None) for one in run.cycles)
            if whole
            else (),
            cycle_kind=run.cycles[0].kind if run.cycles else None,
        )

    def _add_ranks(self, measure: Measure, product: Product) -> tuple[Measure, int]:
        """Refine the measure by the ranks of the automaton's SCCs, if the method can use them.

        Returns the measure with the number of ranks, which is 1 if it is unchanged.
        """
        observer = product.system.observer
        return (measure, 1) if observer is None or not self.method.ranked else add_ranks(measure, observer)


def _shown_lasso(run: SearchRun, task: RunsTask, product: Product, *, shortest: bool) -> tuple[Lasso | None, bool]:
    """Return a lasso through the found cycle, shortened if another search for that is worthwhile.

    Also returns True if it is a shortest one: its stem is then a shortest path to an accepting state on a cycle, and
    its loop a shortest one through that state. The lasso is None if no cycle was found.
    """
    if not run.cycles or run.cycles[0].lasso is None:
        return None, False
    if not task.want_traces:
        return run.cycles[0].lasso, False
    wanted = np.concatenate(_kept_states(run.cycles)) if shortest else None
    return shorter_lasso(run.cycles[0].lasso, product, run, wanted)


def _kept_states(cycles: list[CycleStop]) -> list[WordArray]:
    return [one.kept for one in cycles if one.kept is not None]


def accepting_among(states: WordArray, product: Product, kernel: Kernel) -> WordArray:
    """Return the accepting states among packed states of the product, one per row."""
    reference, observer = kernel.reference, product.system.observer
    if not isinstance(reference, SystemReference) or observer is None:
        raise InternalError("a product is compiled from a System")
    packed = States(reference.layout, states)
    accepted = np.isin(packed.cell(observer.location), list(observer.accepting))
    for variable in product.at_rest:
        accepted &= packed.cell(variable) == 0
    return states[accepted]
