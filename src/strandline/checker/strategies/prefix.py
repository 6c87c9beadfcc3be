"""Search for a bad prefix: a finite path whose every continuation is a violation; it decides safety properties."""

from __future__ import annotations

from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.driver.run import run_search
from strandline.checker.driver.searches import FORGETTING, StateSearches
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.ltl.found import ProductFound, note_product_fault
from strandline.checker.options.cycle_methods import PREFIX
from strandline.checker.options.search import SWEEP
from strandline.checker.tasks.runs import RunsTask, unreducible
from strandline.checker.tasks.task import Session
from strandline.errors import Option, ResourceError, UsageError


class PrefixSearch:
    """Explores the product with an automaton of bad prefixes."""

    name = PREFIX

    def can(self, task: RunsTask) -> UsageError | None:
        question = task.question
        unreduced = unreducible(task)
        if unreduced is not None:
            return unreduced
        if question.conditions.conditions:
            return _refusal("a path that shows a violation need not be the beginning of a fair run")
        if question.ignore_finite_runs:
            return _refusal("a path that shows a violation may belong to finite runs only, which are ignored")
        try:
            question.specification.observe_prefixes(question.plain)
        except (UsageError, ResourceError) as error:
            return _refusal(str(error))
        return None

    def run(self, task: RunsTask, session: Session) -> ProductFound:
        question, options = task.question, task.options
        watched = question.specification.observe_prefixes(question.plain)
        if watched is None:
            return ProductFound(self.name, RunOutcome(complete=True))
        product = question.product(watched)
        chosen = session.measures.of(question.plain) if options.order == SWEEP else None
        specification = SearchSpecification(
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
            visible=product.predicates,
        )
        with run_search(specification, session.callback) as run:
            prefix = None
            if run.stops:
                stop = run.stops[0]
                initial, steps = stop.path or run.path_to(stop.record)
                prefix = initial, tuple(steps)
            note_product_fault(run, question, product)
        return ProductFound(self.name, run.outcome, watched, product, run, prefix=prefix)


def _refusal(why: str) -> UsageError:
    return UsageError(f"{{}}: {why}", options=[Option("method", PREFIX)])
