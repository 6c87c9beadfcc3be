"""Members added to and removed from bags, queues and sets."""

from __future__ import annotations

from strandline.model.values import Multiset, Queue
from strandline.traces.trace import Change


def test_what_holds_many_tells_what_came_and_went() -> None:
    bag = Change("net", Multiset(("a", "b")), Multiset(("b", "c")))
    assert (list(bag.added), list(bag.removed)) == (["c"], ["a"])
    queue = Change("queue", Queue((1, 2)), Queue((2,)))
    assert (list(queue.added), list(queue.removed)) == ([], [1])


def test_of_a_single_value_nothing_came_or_went() -> None:
    assert list(Change("done", False, True).added) == []
    assert list(Change("x", 3, 4).removed) == []
