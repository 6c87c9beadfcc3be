"""Random Systems of processes that are alike, so that they can be exchanged."""

from __future__ import annotations

from random import Random

from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source


def like_processes(random: Random, count: int) -> System:
    """So many processes of one random kind over shared variables, with an array that has an element for each."""
    places = random.randint(2, 3)
    names = [f"s{place}" for place in range(places)]
    guards = ["", "x < 2", "x > 0", "y == 1", "own == 0", "own < x", "flag[@] == 0", "flag[@] == y"]
    guards.append("flag[0] + flag[1] < 2")
    effects = ["", "x = (x + 1) % 3", "y = 1 - y", "own = x", "flag[@] = 1 - flag[@]", "own = 0, x = own", "x = own"]
    steps = []
    for _ in range(random.randint(2, 5)):
        guard, effect = random.choice(guards), random.choice(effects)
        told = (f"guard {guard}; " if guard else "") + (f"effect {effect};" if effect else "")
        steps.append(f"{random.choice(names)} -> {random.choice(names)} {{ {told} }}")
    text = f"byte x; byte y; byte flag[{count}];\n"
    for number in range(count):
        listed = ", ".join(steps).replace("@", str(number))
        text += f"process P{number} {{ byte own; state {', '.join(names)}; init s0; trans {listed}; }}\n"
    return dve.load(Source("like", text + "system async;"))
