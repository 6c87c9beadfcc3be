"""Replay of the runs that searches for CTL find, as runs of the user's System."""

from __future__ import annotations

from strandline.checker.driver.fault_attribution import fault_verdict
from strandline.checker.driver.run import SearchRun
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.tasks.trees import CtlQuestion
from strandline.compile.interpreted import SystemReference
from strandline.errors import InputError, InternalError
from strandline.model.expression import walk
from strandline.source import Source
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.lassos import LassoReplay


def replay_of(run: SearchRun, shown: SystemReference) -> LassoReplay:
    """Return the replay that maps steps of the search to runs of the System `shown`."""
    if not isinstance(run.kernel.reference, SystemReference):
        raise InternalError("CTL is checked on Systems")
    return LassoReplay(run.kernel.reference, shown)


def note_fault(run: SearchRun, question: CtlQuestion) -> None:
    """Record the run-time fault of the model at which the run ended, if it did, as a violation.

    Raises `InputError` for a fault in an expression of the user.
    """
    if run.fault is None:
        return
    site = run.fault.site
    initial, steps = run.fault.path or run.path_to(run.fault.record)
    for source, expression in question.fairness.stated:
        if any(getattr(node, "span", None) is site.span for node in walk(expression)):
            raise InputError(f"{site.kind}, in a state that is reached by {len(steps)} steps", source, site.span)
    claims = [
        Property(Kind.CTL, name, expression, one.atom_sources.get(name, Source("formula", name)))
        for one in question.formulas
        for name, expression in one.atoms.items()
    ]
    verdict = fault_verdict(question.searched, run.replay(run.fault).trace, claims, run.specification.measure)
    trace = replay_of(run, reference_of(question.plain)).fault(initial, steps)
    run.outcome.fault = verdict if trace is None else fault_verdict(question.plain, trace, (), None)
