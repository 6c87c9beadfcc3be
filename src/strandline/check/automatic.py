"""`--measure auto`: let the program find the measure of a sweep, and say what was found and what it will cost."""

from __future__ import annotations

from strandline.check.watching import Watcher
from strandline.errors import UsageError
from strandline.model.system import System

AUTOMATIC = ("auto",)


def found_measures(system: System, watcher: Watcher) -> tuple[str, ...]:
    """The best measure that was found, as texts; a `UsageError` where the model offers none."""
    from strandline.progress.finding import choose, find_measures

    best = choose(find_measures(system, watch=watcher.stage))
    if best is None:
        raise UsageError("no measure of progress was found in this model; give one: --measure EXPR")
    texts = best.candidate.texts
    given = " ".join(f'--measure "{text}"' for text in texts)
    kind = "measured" if best.exact else "predicted"
    visits = f"{best.visits:.2f}" if best.exact else f"at least {best.visits + best.persistent_share:.2f}"
    watcher.stage(
        f"found {given} ({best.candidate.reason}); {kind}: peak {best.peak:.1%} of the states, {visits} visits a state"
    )
    return texts
