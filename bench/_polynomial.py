"""A polynomial through small instances, which says what the counts of large ones are."""

from __future__ import annotations

from itertools import pairwise


def interpolated(values: list[int], at: int) -> int:
    """What a polynomial is at a place, of as many values as it needs, at 1, 2, 3, ... (Newton's differences)."""
    result, coefficient = 0, 1
    row = list(values)
    for order in range(len(values)):
        result += coefficient * row[0]
        coefficient = coefficient * (at - 1 - order) // (order + 1)
        row = [after - before for before, after in pairwise(row)]
    return result
