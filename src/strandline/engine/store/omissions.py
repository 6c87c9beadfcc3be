"""The expected loss of a lossy store."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Omissions:
    """The expected loss of a lossy store, after some insertions.

    `expected` is the expected number of states that were mistaken for stored ones; below 1, it bounds the probability
    that one was. `per_state` is the probability for one more state. States reachable only through an omitted one are
    lost as well.
    """

    expected: float
    per_state: float
