"""Dining philosophers who go on for ever: nothing counts anything, and every state can be reached again, but for the
one in which all of them hold one fork."""

from __future__ import annotations


def dve(philosophers: int) -> str:
    """Everybody takes the fork on the left, then the one on the right, and puts them down in the same order."""
    lines = [f"byte fork[{philosophers}];"]
    for i in range(philosophers):
        right = (i + 1) % philosophers
        lines.append(
            f"""
process Philosopher_{i} {{
  state thinking, left, both, right;
  init thinking;
  trans
    thinking -> left {{ guard fork[{i}] == 0; effect fork[{i}] = 1; }},
    left -> both {{ guard fork[{right}] == 0; effect fork[{right}] = 1; }},
    both -> right {{ effect fork[{i}] = 0; }},
    right -> thinking {{ effect fork[{right}] = 0; }};
}}"""
        )
    return "\n".join([*lines, "", "system async;", ""])
