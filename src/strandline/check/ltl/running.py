"""The run of a search in a product: for an accepting cycle, or for a bad prefix.

Both are `strandline.check.running.Run` with another search inside; limits, faults and Ctrl-C are dealt with there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from strandline.check.automatic import AUTOMATIC, predicted_measure
from strandline.check.blame import fault_verdict
from strandline.check.ltl.methods import CycleMethod
from strandline.check.ltl.product import Product
from strandline.check.ltl.ranks import ranked
from strandline.check.measures import declared_measure, parse_measures
from strandline.check.options import Options
from strandline.check.orders import search_in_order
from strandline.check.properties import Property
from strandline.check.running import DECIDED, Run
from strandline.check.watching import Watcher
from strandline.compile.interpreted import SystemTwin
from strandline.compile.kernel import ACCEPTING_BIT, Kernel
from strandline.compile.make import make_kernel
from strandline.engine.base import BaseSearch, Event, Sink
from strandline.engine.cycles import ComponentSearch, CycleSearch
from strandline.engine.memory import WordArray
from strandline.errors import InputError, InternalError, Option, UsageError
from strandline.model.expression import Expression, walk
from strandline.model.lexicographic import measure_of
from strandline.model.measure import Measure
from strandline.source import Source
from strandline.traces.lassos import Lasso, LassoReplay
from strandline.traces.log import ParentLog
from strandline.traces.shortening import StateSet, accepting_on_loop, shortened
from strandline.traces.walk import twin_of

_LONG_LASSO = 8
"""Steps of a lasso that is worth a search for a shorter one."""
_LEAST_PATIENCE, _PATIENCE_PER_STEP = 200_000, 500
"""States that such a search may visit at least, and for each step: replaying a step takes as long as visiting these."""
MOST_TRACES = 100
"""Accepting components that get a trace each."""


@dataclass(frozen=True, slots=True)
class Component:
    """An accepting component as the search tells of it."""

    states: int
    lasso: Lasso | None


@dataclass(slots=True)
class ProductFindings:
    """What was found in the product, by numbers of its steps."""

    lasso: Lasso | None = None
    prefix: tuple[int, tuple[int, ...]] | None = None
    """A path to the end of a bad prefix: initial state and steps; the last step leaves the prefix's last state."""
    components: list[Component] = field(default_factory=list)
    cycle_kind: str | None = None
    shortest: bool = False

    @property
    def violated(self) -> bool:
        return self.lasso is not None or self.prefix is not None


class ProductRun(Run):
    """What both kinds of search have in common. `claims` are expressions that the user gave, for messages; those of
    fairness, `looking_ahead`, are evaluated in the state that a step enters."""

    looking_ahead: Sequence[tuple[Source, Expression]] = ()

    def __init__(
        self, product: Product, claims: Sequence[Property], options: Options, watcher: Watcher, *, measured: bool
    ) -> None:
        self.product, self.measured = product, measured
        self.found = ProductFindings()
        super().__init__(product.system, claims, options, watcher)

    def wanted_measure(self) -> Measure | None:
        if not self.measured:
            return None
        if not self.options.measure:
            return declared_measure(self.system, componentwise=self.options.componentwise)
        if self.options.measures == AUTOMATIC:
            found = predicted_measure(self.product.plain, self.watcher, self.options.memory_limit).measure.components
            return measure_of(found, self.system, componentwise=self.options.componentwise)
        return parse_measures(self.options.measures, self.system, componentwise=self.options.componentwise)

    def predicates(self) -> list[Expression]:
        return [] if self.product.accepting is None else [self.product.accepting]

    @property
    def accepting(self) -> int:
        """The label of accepting states."""
        return 1 << ACCEPTING_BIT if self.product.accepting is None else 1

    def replaying(self) -> LassoReplay:
        """Shows what the product did as runs of the system that the user knows."""
        if not isinstance(self.kernel.twin, SystemTwin):
            raise InternalError("a product is compiled from a System")
        return LassoReplay(self.kernel.twin, twin_of(self.product.plain))

    def _faulted(self) -> None:
        """A fault in what the user gave raises; one of the model is shown without the automaton."""
        record, _ = self.search.found
        site = self.kernel.fault_sites[self.search.fault_number]
        initial, steps = self.log.path_to(record)
        for source, expression in self.looking_ahead:
            if any(getattr(node, "span", None) is site.span for node in walk(expression)):
                message = f"{site.kind}, in a state that is reached by {len(steps) + 1} steps"
                raise InputError(message, source, site.span)
        super()._faulted()
        trace = self.replaying().fault(initial, steps)
        if trace is not None:
            self.findings.fault = fault_verdict(self.product.plain, trace, (), None)


class PrefixRun(ProductRun):
    """Looks for a state in which the observer has seen a bad prefix."""

    def new_search(self, log: Sink) -> BaseSearch:
        return search_in_order(
            self.options,
            self.kernel,
            log=log,
            seen=None if self.counter is None else self.counter.add,
            stop_mask=self.accepting,
            memory_limit=self.memory_limit,
            max_states=self.options.max_states,
        )

    def _found(self) -> None:
        record, _ = self.search.found
        initial, steps = self.log.path_to(record)
        self.found.prefix = initial, tuple(steps)
        self.search.stop_less(self.accepting)


class CycleRun(ProductRun):
    """Looks for an accepting cycle; with `whole`, for all accepting components. With `shortest` it ends with a lasso
    whose stem is a shortest one to an accepting state on a cycle, and its loop a shortest one through that state."""

    def __init__(
        self,
        product: Product,
        claims: Sequence[Property],
        method: CycleMethod,
        options: Options,
        watcher: Watcher,
        *,
        whole: bool = False,
        shortest: bool = False,
    ) -> None:
        self.method, self.whole, self.shortest = method, whole or shortest, shortest
        self.ranks = 1
        self._accepting_states: list[WordArray] = []
        if method.measured and options.componentwise:
            raise UsageError(
                f"{{}} is not for cycles: method {method.name} needs one measure to go by",
                options=[Option("componentwise", True)],
            )
        plain = replace(options, count_distinct=False)
        super().__init__(product, claims, plain, watcher, measured=method.measured)

    def wanted_measure(self) -> Measure | None:
        measure = super().wanted_measure()
        observer = self.system.observer
        if measure is None or observer is None or not self.method.ranked:
            return measure
        refined, self.ranks = ranked(measure, observer)
        return refined

    @property
    def compiled(self) -> str:
        return self.method.compiled

    def new_search(self, log: Sink) -> CycleSearch:
        arguments = dict(self.method.arguments)
        if self.method.ranked:
            arguments["ranks"] = self.ranks
        if self.whole:
            arguments["whole"] = True
        return self.method.search_class()(
            self.kernel,
            accepting=self.accepting,
            log=log,
            memory_limit=self.memory_limit,
            max_states=self.options.max_states,
            **arguments,
        )

    def other_event(self, event: Event) -> bool:
        search = self.search
        if event is not Event.CYCLE or not isinstance(search, CycleSearch):
            return super().other_event(event)
        if self.found.lasso is None:
            self.found.lasso = self._lasso_of(search)
            self.found.cycle_kind = getattr(search, "cycle_kind", None) or None
        if not isinstance(search, ComponentSearch) or not self.whole:
            self.findings.reason = DECIDED
            return False
        shown = len(self.found.components) < MOST_TRACES
        self.found.components.append(Component(search.component_size, self._lasso_of(search) if shown else None))
        if self.shortest:
            self._accepting_states.append(self._accepting_among(search.component_states()))
        search.go_on()
        return True

    def _lasso_of(self, search: CycleSearch) -> Lasso:
        initial, stem = self.log.path_to(search.cycle.record)
        return Lasso(initial, tuple(stem), search.cycle.steps)

    def _accepting_among(self, states: WordArray) -> WordArray:
        """Those packed states that accept."""
        if not isinstance(self.kernel.twin, SystemTwin) or self.system.observer is None:
            raise InternalError("a product is compiled from a System")
        fields = self.kernel.twin.layout.by_variable
        accepted = np.ones(len(states), dtype=bool)
        zero = frozenset({0})
        wanted = [(self.system.observer.location, self.system.observer.accepting)]
        for variable, values in [*wanted, *((one, zero) for one in self.product.at_rest)]:
            place = fields[variable]
            found = (states[:, place.word] >> np.uint64(place.shift)) & np.uint64(place.mask)
            accepted &= np.isin(found, [value - place.low for value in values if place.low <= value <= place.high])
        return states[accepted]

    def execute(self, folder: Path) -> None:
        super().execute(folder)
        lasso = self.found.lasso
        if lasso is not None and (self.shortest or len(lasso) > _LONG_LASSO):
            self._shorten(lasso, folder)

    def _shorten(self, lasso: Lasso, folder: Path) -> None:
        """Look for a shorter lasso; where that takes too long the one that was found is good enough."""
        kernel = self.kernel
        if kernel.measured:
            kernel = make_kernel(self.system, self.predicates())
        patience = max(_LEAST_PATIENCE, _PATIENCE_PER_STEP * len(lasso))
        # Where everything was seen, there is an end to it.
        to_the_end = self.shortest and self.findings.complete
        log = ParentLog(folder / "shorter")
        if self.shortest:
            self.watcher.stage("looking for a shortest lasso ...")

        def may_go_on(visited: int) -> bool:
            return self._limit_reached() is None and (to_the_end or visited <= patience)

        try:
            shorter = shortened(kernel, self._wanted(kernel, lasso), log, may_go_on, memory_limit=self.memory_limit)
        finally:
            log.close()
        if shorter is not None and (self.shortest or len(shorter) < len(lasso)):
            self.found.lasso = shorter
            self.found.shortest = to_the_end

    def _wanted(self, kernel: Kernel, lasso: Lasso) -> StateSet:
        if self.shortest:
            return StateSet(np.concatenate(self._accepting_states))
        return accepting_on_loop(kernel, lasso, self.accepting)
