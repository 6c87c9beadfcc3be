"""Philosophers who take their forks one by one and put them back one by one, and count their meals, as DVE.

Every step is counted, so `steps` is a measure that grows with every step: its layers are the levels of a breadth-first
search. The numbers of states, transitions and deadlocks are polynomials in the number of meals.
"""

from __future__ import annotations

from itertools import pairwise


def meals_model(philosophers: int, meals: int) -> str:
    """The model; `steps` counts the steps of all."""
    step, more = "steps = steps + 1", f"steps < {4 * philosophers * meals}"
    parts = [f"byte fork[{philosophers}];\nint steps;\n"]
    for left in range(philosophers):
        right = (left + 1) % philosophers
        parts.append(
            f"""process P{left} {{
  byte m;
  state think, left, eat, drop;
  init think;
  trans
    think -> left {{ guard {more} and m < {meals} and fork[{left}] == 0; effect fork[{left}] = 1, {step}; }},
    left -> eat {{ guard {more} and fork[{right}] == 0; effect fork[{right}] = 1, {step}; }},
    eat -> drop {{ guard {more}; effect fork[{left}] = 0, {step}; }},
    drop -> think {{ guard {more}; effect fork[{right}] = 0, m = m + 1, {step}; }};
}}
"""
        )
    return "".join([*parts, "system async;\n"])


MEASURE = "mono(steps)"


def interpolated(values: list[int], at: int) -> int:
    """What a polynomial is at a place, of as many values as it needs, at 1, 2, 3, ... (Newton's differences)."""
    result, coefficient = 0, 1
    row = list(values)
    for order in range(len(values)):
        result += coefficient * row[0]
        coefficient = coefficient * (at - 1 - order) // (order + 1)
        row = [after - before for before, after in pairwise(row)]
    return result
