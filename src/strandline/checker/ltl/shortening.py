"""Shorten the lasso that a search for cycles found, if that is worth another search."""

from __future__ import annotations

from strandline.checker.driver.run import SearchRun
from strandline.checker.properties.product import Product
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.engine.runtime.memory import WordArray
from strandline.traces.lassos import Lasso
from strandline.traces.log import ParentLog
from strandline.traces.shortening import StateSet, accepting_on_loop, shorten_lasso

_LONG_LASSO = 8
"""Least number of steps of a lasso that is worth a search for a shorter one."""
_LEAST_PATIENCE, _PATIENCE_PER_STEP = 200_000, 500
"""Number of states that the search for a shorter lasso may visit: at least, and per step of the lasso.

Replaying a step takes as long as visiting that many states.
"""


def shorter_lasso(lasso: Lasso, product: Product, run: SearchRun, wanted: WordArray | None) -> tuple[Lasso, bool]:
    """Look for a shorter lasso; return it, or the given one, and True if it is a shortest one.

    `wanted` are all accepting states on cycles if the user asked for a shortest lasso: then the search is not bounded
    if the search before it was complete. It is None if any shorter lasso will do.
    """
    if wanted is None and len(lasso) <= _LONG_LASSO:
        return lasso, False
    kernel = run.kernel
    # Breadth-first search takes a Kernel without a measure, and shortest lassos may use steps that a reduction omits.
    if kernel.measured or kernel.numbered:
        kernel = make_kernel(product.system, KernelSpecification(product.predicates))
    to_the_end = wanted is not None and run.outcome.complete
    patience = max(_LEAST_PATIENCE, _PATIENCE_PER_STEP * len(lasso))
    if wanted is not None:
        run.callback.stage("looking for a shortest lasso ...")
    goals = accepting_on_loop(kernel, lasso, product.accepting_label) if wanted is None else StateSet(wanted)
    log = ParentLog(run.context.resources.folder / "shorter")

    def may_go_on(visited: int) -> bool:
        return run.reached_limit() is None and (to_the_end or visited <= patience)

    try:
        shorter = shorten_lasso(kernel, goals, log, may_go_on, engine_bytes=run.context.engine_bytes)
    finally:
        log.close()
    if shorter is None or (wanted is None and len(shorter) >= len(lasso)):
        return lasso, False
    return shorter, to_the_end
