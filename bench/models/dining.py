"""Dining philosophers who go on for ever: nothing counts anything, and every state can be reached again, but for the
one in which all of them hold one fork."""

from __future__ import annotations

from collections.abc import Sequence


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


def net(philosophers: int) -> str:
    """The same as a Petri net, in LoLA's format."""
    places, transitions, marked = [], [], []
    for i in range(philosophers):
        right = (i + 1) % philosophers
        thinking, left, both, other = (f"{name}_{i}" for name in ("thinking", "left", "both", "right"))
        own, others = f"fork_{i}", f"fork_{right}"
        places += [thinking, left, both, other, own]
        marked += [thinking, own]
        steps = {
            f"take_left_{i}": ((thinking, own), (left,)),
            f"take_right_{i}": ((left, others), (both,)),
            f"put_left_{i}": ((both,), (other, own)),
            f"put_right_{i}": ((other,), (thinking, others)),
        }
        for name, (taken, given) in steps.items():
            transitions.append(f"TRANSITION {name} CONSUME {_tokens(taken)}; PRODUCE {_tokens(given)};")
    return "\n".join([f"PLACE SAFE 1: {', '.join(places)};", f"MARKING {_tokens(marked)};", *transitions, ""])


def _tokens(places: Sequence[str]) -> str:
    return ", ".join(f"{place}: 1" for place in places)
