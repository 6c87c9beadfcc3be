"""The result of a search of a product, with runs as step numbers, and their replay."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.checker.driver.fault_attribution import fault_verdict
from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import SearchRun
from strandline.checker.properties.atoms import atom_source
from strandline.checker.properties.product import Product, Watched
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.tasks.runs import Question
from strandline.compile.interpreted import SystemReference
from strandline.errors import InputError, InternalError
from strandline.model.expression import walk
from strandline.source import Source
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.lassos import Lasso, LassoReplay


@dataclass(frozen=True, slots=True)
class Component:
    """An accepting SCC: its number of states, and a lasso through it, or None."""

    states: int
    lasso: Lasso | None


@dataclass(frozen=True, slots=True, eq=False)
class ProductFound:
    """The result of a strategy for a property of runs.

    `watched`, `product` and `run` are None if nothing was searched, because no run of any model can violate the
    property.
    """

    method: str
    outcome: RunOutcome
    watched: Watched | None = None
    product: Product | None = None
    run: SearchRun | None = None
    lasso: Lasso | None = None
    shortest: bool = False
    """True if the lasso is a shortest one."""
    prefix: tuple[int, tuple[int, ...]] | None = None
    """A path to the end of a bad prefix: index of the initial state, and step numbers.

    The last step leaves the prefix's last state. None if no bad prefix was found.
    """
    components: tuple[Component, ...] = ()
    cycle_kind: str | None = None

    @property
    def is_violated(self) -> bool:
        return self.lasso is not None or self.prefix is not None


def replaying(product: Product, run: SearchRun) -> LassoReplay:
    """Return the object that replays steps of the product as runs of the user's System."""
    if not isinstance(run.kernel.reference, SystemReference):
        raise InternalError("a product is compiled from a System")
    return LassoReplay(run.kernel.reference, reference_of(product.plain), run.evidence_limits.check)


def note_product_fault(run: SearchRun, question: Question, product: Product) -> None:
    """Record the run-time fault of the model at which the run ended, if it did, as a violation.

    Its trace shows the user's System without the automaton. Raises `InputError` for a fault in an expression of the
    user; a fairness expression is evaluated in the state that a step enters.
    """
    if run.fault is None:
        return
    site = run.fault.site
    initial, steps = run.fault.path or run.path_to(run.fault.record)
    for source, expression in question.conditions.stated:
        if any(getattr(node, "span", None) is site.span for node in walk(expression)):
            message = f"{site.kind}, in a state that is reached by {len(steps) + 1} steps"
            raise InputError(message, source, site.span)
    written = question.specification.source_text
    claims = [
        Property(Kind.LTL, name, one, Source("formula", name) if written is None else atom_source(written, name))
        for name, one in question.specification.atoms.items()
    ]
    verdict = fault_verdict(product.system, run.replay(run.fault).trace, claims, run.specification.measure)
    trace = replaying(product, run).fault(initial, steps)
    run.outcome.fault = verdict if trace is None else fault_verdict(product.plain, trace, (), None)
