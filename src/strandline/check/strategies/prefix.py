"""Search for a bad prefix: a finite path after which a run cannot be mended. It decides safety properties of runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from strandline.check.engine_searches import FORGETTING, StateSearches
from strandline.check.ltl.found import ProductFound, product_fault
from strandline.check.ltl.methods import PREFIX
from strandline.check.ltl.product import Product
from strandline.check.ltl.question import question_of, unreducible
from strandline.check.options import SWEEP
from strandline.check.plan import Findings, Plan
from strandline.check.running import Run
from strandline.check.task import Session, Task
from strandline.check.verdict import PropertyVerdict
from strandline.compile.kernel import FaultSite
from strandline.engine.search import Event
from strandline.errors import InternalError, Option, ResourceError, UsageError


class PrefixSearch:
    """Explores the System beside an automaton that finds every bad prefix."""

    name = PREFIX

    def can(self, task: Task) -> UsageError | None:
        question = question_of(task)
        unreduced = unreducible(task)
        if unreduced is not None:
            return unreduced
        if question.conditions.conditions:
            return _refused("a path that shows a violation need not be the beginning of a fair run")
        if question.ignore_finite_runs:
            return _refused("a path that shows a violation may belong to finite runs only, which are ignored")
        try:
            question.specification.watched_for_prefixes(question.plain)
        except (UsageError, ResourceError) as error:
            return _refused(str(error))
        return None

    def run(self, task: Task, session: Session) -> ProductFound:
        question, options = question_of(task), task.options
        watched = question.specification.watched_for_prefixes(question.plain)
        if watched is None:
            return ProductFound(self.name, Findings(complete=True))
        product = question.product(watched)
        chosen = session.measures.of(question.plain) if options.order == SWEEP else None
        plan = Plan(
            checkpoints=session.checkpoints,
            system=product.system,
            predicates=product.predicates,
            measure=None if chosen is None else chosen.measure,
            prediction=None if chosen is None else chosen.prediction,
            measured=question.plain,
            searches=StateSearches(options, product.accepting_label),
            options=options,
            started=session.started,
            counts_distinct=options.count_distinct and options.order in FORGETTING,
            seen=product.predicates,
        )
        goal = FindingPrefix(task, product)
        run = Run(plan, goal, session.watcher)
        findings = run.carry_out()
        return ProductFound(self.name, findings, watched, product, run, prefix=goal.path)


def _refused(why: str) -> UsageError:
    return UsageError(f"{{}}: {why}", options=[Option("method", PREFIX)])


@dataclass(slots=True)
class FindingPrefix:
    """A goal: a state in which the observer has seen a bad prefix."""

    task: Task
    product: Product
    path: tuple[int, tuple[int, ...]] | None = None
    """Initial state and steps; the last step leaves the prefix's last state."""

    def stopped(self, run: Run, event: Event) -> bool:
        if event is not Event.FOUND:
            raise InternalError(f"the search stopped for a reason unknown here: {event}")
        record, _ = run.search.found
        initial, steps = run.path_to(record)
        self.path = initial, tuple(steps)
        return False

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        return product_fault(question_of(self.task), self.product, run, record, site)

    def finished(self, run: Run, folder: Path) -> None:
        return
