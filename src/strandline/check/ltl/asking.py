"""From a formula to a finished search: the automaton of its negation, the method, the product, the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from strandline.check.ltl.methods import METHODS, SCC, Chosen, choose
from strandline.check.ltl.product import FairnessConditions, Product, make_product, observed, without_observer
from strandline.check.ltl.running import CycleRun, PrefixRun, ProductRun
from strandline.check.options import Options
from strandline.check.properties import Kind, Property
from strandline.check.watching import Watcher
from strandline.errors import ResourceError, UsageError
from strandline.model.expression import Expression
from strandline.model.system import Fairness, System
from strandline.properties import Automaton, Formula, translate
from strandline.properties.automata.product import is_empty
from strandline.properties.ltl.formula import Operator, make
from strandline.properties.regular.bad_prefixes import bad_prefixes
from strandline.properties.regular.finite import as_buchi
from strandline.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a question is to be decided."""

    method: str
    fairness: tuple[Fairness, ...] = ()
    ignore_finite_runs: bool = False
    whole: bool = False
    shortest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A finished search, and what it searched."""

    run: ProductRun
    product: Product
    chosen: Chosen
    automaton_states: int
    automaton_edges: int


class Asker:
    """Asks a model whether some run of it is accepted. `plain` is the System that the user knows, `started` the moment
    from which a limit of time counts."""

    def __init__(
        self, plain: System, atoms: Mapping[str, Expression], conditions: FairnessConditions, options: Options,
        started: float,
    ) -> None:  # fmt: skip
        self.plain, self.atoms, self.options, self.started = plain, atoms, options, started
        self._claims = [Property(Kind.LTL, name, one, Source("formula", name)) for name, one in atoms.items()]
        self._stated = conditions.stated

    def violations(self, formula: Formula, manner: Manner, watcher: Watcher) -> Asked | None:
        """Search for a run that violates the formula; None where no word does."""
        prefix, refusal = self._bad_prefixes(formula, manner)
        chosen = self._choose(manner, refusal)
        automaton = prefix
        if chosen.cycles is not None or automaton is None:
            automaton = translate(make(Operator.NOT, formula))
        if is_empty(automaton):
            return None
        plain = without_observer(self.plain)
        watched = observed(plain, automaton, self.atoms)
        return self._asked(watched, plain, manner, chosen, automaton.state_count, automaton.edge_count, watcher)

    def accepted(self, manner: Manner, watcher: Watcher) -> Asked:
        """Search for a run that the model's own property process accepts."""
        observer = self.plain.observer
        if observer is None:
            raise UsageError("the model has no property process")
        chosen = self._choose(manner, "a property process says nothing of prefixes")
        states = len(observer.location.names or ())
        return self._asked(self.plain, self.plain, manner, chosen, states, len(observer.edges), watcher)

    def _choose(self, manner: Manner, no_prefix: str | None) -> Chosen:
        return choose(
            manner.method,
            measured=self.options.order == "sweep",
            prefix=no_prefix,
            whole=manner.whole,
            shortest=manner.shortest,
        )

    def _bad_prefixes(self, formula: Formula, manner: Manner) -> tuple[Automaton | None, str | None]:
        """The automaton of the bad prefixes, or why they do not decide the formula here."""
        if manner.fairness:
            return None, "a path that shows a violation need not be the beginning of a fair run"
        if manner.ignore_finite_runs:
            return None, "a path that shows a violation may belong to finite runs only, which are ignored"
        try:
            return as_buchi(bad_prefixes(formula)), None
        except (UsageError, ResourceError) as error:
            return None, str(error)

    def _asked(
        self,
        watched: System,
        plain: System,
        manner: Manner,
        chosen: Chosen,
        states: int,
        edges: int,
        watcher: Watcher,
    ) -> Asked:
        product = make_product(watched, plain, manner.fairness, ignore_finite_runs=manner.ignore_finite_runs)
        run: ProductRun
        if chosen.cycles is None:
            measured = self.options.order == "sweep"
            run = PrefixRun(product, self._claims, self.options, watcher, measured=measured)
        else:
            collecting = chosen.name == SCC and manner.shortest
            run = CycleRun(
                product, self._claims, chosen.cycles, self.options, watcher, whole=manner.whole, shortest=collecting
            )
        self._carry_out(run)
        return Asked(run, product, chosen, states, edges)

    def shortest(self, asked: Asked, watcher: Watcher) -> CycleRun:
        """A second search of the same product, for a shortest lasso."""
        unmeasured = replace(self.options, order="bfs", measure=())
        run = CycleRun(asked.product, self._claims, METHODS[SCC], unmeasured, watcher, shortest=True)
        self._carry_out(run)
        return run

    def _carry_out(self, run: ProductRun) -> None:
        run.started, run.looking_ahead = self.started, self._stated
        run.carry_out()
