"""Which search of the engine goes through the states in the order that the options ask for."""

from __future__ import annotations

from strandline.check.options import Options
from strandline.compile.kernel import Kernel
from strandline.engine.base import BaseSearch, Sink
from strandline.engine.caching_search import CacheRule, CachingSearch
from strandline.engine.search import Order, Search

CACHE = "cache"
FORGETTING = (Order.SWEEP.value, CACHE)
"""Orders that forget states and may visit them again."""


def compiled_loop(order: str | None) -> str:
    """Module and function of the engine's compiled loop for an order."""
    loops = {CACHE: "caching.caching", Order.DEPTH_FIRST.value: "depth_first.depth_first"}
    return loops.get(order or "", "explore.explore")


def search_in_order(
    options: Options,
    kernel: Kernel,
    *,
    log: Sink,
    seen: Sink | None,
    stop_mask: int,
    memory_limit: int | None,
    max_states: int | None,
) -> BaseSearch:
    """A search over the Kernel that stops at states with a label of the mask."""
    if options.order == CACHE:
        return CachingSearch(
            kernel,
            states=options.cache_size,
            rule=CacheRule(options.cache_rule),
            log=log,
            seen=seen,
            stop_mask=stop_mask,
            memory_limit=memory_limit,
            max_states=max_states,
        )
    return Search(
        kernel,
        Order(options.order),
        log=log,
        seen=seen,
        stop_mask=stop_mask,
        memory_limit=memory_limit,
        max_states=max_states,
    )
