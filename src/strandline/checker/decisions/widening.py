"""Begin again with wider ranges where a range that the model only assumes was too small.

Places of a net without a known bound get a small one, so that states are short. A search that exceeds it proves nothing
about the net, and is made again with the next larger one.
"""

from __future__ import annotations

from strandline.checker.limits.progress import NullCallback, ProgressCallback
from strandline.checker.options.search import Options
from strandline.checker.verdicts.verdict import Exploration
from strandline.model.system import System
from strandline.source import Span

WIDENED = "{}: beginning again with larger bounds for places without a known one"


def widen(
    system: System, found: Exploration, options: Options, callback: ProgressCallback | None = None
) -> System | None:
    """Return the System with which to begin again; None if the result of the search stands.

    It stands if an assumed range was not exceeded, if the ranges cannot be larger, or if the run writes checkpoints,
    which belong to one System.
    """
    if found.fault is None or system.wider is None or options.checkpoint_folder is not None:
        return None
    wider = system.wider()
    trace = found.fault.trace
    if trace is not None and trace.fault is not None and not _is_assumed(system, wider, trace.fault.span):
        return None
    (callback or NullCallback()).stage(WIDENED.format((found.fault.reason or "").partition(";")[0]))
    return wider


def _is_assumed(system: System, wider: System, span: Span | None) -> bool:
    """Return True if an effect at this place of the model assigns to a variable whose range becomes wider."""
    widened = {
        variable.name
        for variable, other in zip(system.variables, wider.variables, strict=True)
        if variable.domain != other.domain
    }
    return any(
        effect.target.variable.name in widened
        for action in system.actions
        for effect in action.effects
        if effect.span == span
    )
